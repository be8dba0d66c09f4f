import Board
import Bytes
import Outbox
import Sensing

/// Format of an export.
enum ExportFormat {
  /// Fixes only.
  case gpx(GPXTrack)
  case csv

  /// Maximum size of an entry in all formats.
  static let entryByteCountMax = 1024

  var name: StaticString {
    switch self {
    case .gpx: "gpx"
    case .csv: "csv"
    }
  }

  func appendStart(to buffer: inout ByteBuffer) {
    switch self {
    case .gpx: GPXTrack.appendStart(to: &buffer)
    case .csv: CSVTable.appendHeader(to: &buffer)
    }
  }

  /// Appends an entry; one that does not belong in the format is left out.
  mutating func append(
    _ entry: SpoolEntry, of uniqueID: [UInt8], on device: Int?, to buffer: inout ByteBuffer
  ) {
    switch (self, entry.content) {
    case (.gpx(var track), .fix(let fix)):
      track.append(fix, isTimeTrusted: entry.isTimeTrusted, of: device, to: &buffer)
      self = .gpx(track)
    case (.gpx, .reading): break
    case (.csv, _): CSVTable.append(entry, of: uniqueID, to: &buffer)
    }
  }

  func appendEnd(to buffer: inout ByteBuffer) {
    if case .gpx(let track) = self { track.appendEnd(to: &buffer) }
  }
}

extension ByteBuffer {
  /// Appends `2026-11-21T17:12:33.123Z`. Parts of a millisecond are dropped.
  @inline(never)
  mutating func append(utc time: WallTime) {
    let second: Int64 = 1_000_000_000
    let remainder = time.nanoseconds % second
    let fraction = remainder < 0 ? remainder + second : remainder
    append(iso8601: time - .nanoseconds(fraction))
    // The text of a whole second ends with the offset, +00:00.
    truncate(to: count - 6)
    append(UInt8(ascii: "."))
    for divisor: Int64 in [100_000_000, 10_000_000, 1_000_000] {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / divisor % 10))
    }
    append(UInt8(ascii: "Z"))
  }
}
