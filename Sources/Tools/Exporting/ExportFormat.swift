import Board
import Bytes
import Outbox
import Sensing

/// Format of an export, with what it remembers of the entries so far.
struct ExportFormat {
  static let entryByteCountMax = 1024

  /// Fixes only.
  static var gpx: ExportFormat { ExportFormat(track: GPXTrack()) }
  static var csv: ExportFormat { ExportFormat(track: nil) }

  /// Nil for a table.
  private var track: GPXTrack?

  var isTrack: Bool { track != nil }

  func appendStart(to buffer: inout ByteBuffer) {
    if isTrack { GPXTrack.appendStart(to: &buffer) } else { CSVTable.appendHeader(to: &buffer) }
  }

  /// Appends an entry; one that does not belong in the format is left out.
  mutating func append(
    _ entry: SpoolEntry, of uniqueID: [UInt8], on device: Int?, to buffer: inout ByteBuffer
  ) {
    guard isTrack else { return CSVTable.append(entry, of: uniqueID, to: &buffer) }
    if case .fix(let fix) = entry.content {
      track?.append(fix, isTimeTrusted: entry.isTimeTrusted, of: device, to: &buffer)
    }
  }

  func appendEnd(to buffer: inout ByteBuffer) { track?.appendEnd(to: &buffer) }
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

/// Fixes as a track of GPX 1.1 (https://www.topografix.com/GPX/1/1/gpx.xsd), point by point.
///
/// A segment of the track (`trkseg`) ends if the way of the board to the next point is not known:
/// after a silence, a jump, or a clock that was set back.
struct GPXTrack {
  /// Longer than the interval of a parked vehicle: programs draw no segment of one point.
  static let silenceMax: Duration = .seconds(3600)
  /// Maximum step of latitude or longitude within a segment: 56 km to the north. The edge of a map,
  /// at 180° east and west, counts as a jump.
  static let jumpDegreesMax = 0.5

  /// Maximum altitude: no board was beyond it.
  static let altitudeMetersMax = 1e6

  private struct Point {
    let latitude: Double
    let longitude: Double
    let time: WallTime
    let isTimeTrusted: Bool
    let device: Int?
  }

  private var last: Point?

  static func appendStart(to buffer: inout ByteBuffer) {
    buffer.append(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"Homeward ")
    buffer.append(homewardVersion)
    buffer.append("\" xmlns=\"http://www.topografix.com/GPX/1/1\">\n<trk>\n")
  }

  mutating func append(
    _ fix: Fix, isTimeTrusted: Bool, of device: Int?, to buffer: inout ByteBuffer
  ) {
    let point = Point(
      latitude: fix.latitude, longitude: fix.longitude, time: fix.time,
      isTimeTrusted: isTimeTrusted, device: device)
    if let last {
      if !Self.isOneWay(from: last, to: point) { buffer.append("</trkseg>\n<trkseg>\n") }
    } else {
      buffer.append("<trkseg>\n")
    }
    last = point
    buffer.append("<trkpt lat=\"")
    buffer.append(fix.latitude, decimals: 7)
    buffer.append("\" lon=\"")
    buffer.append(longitude: fix.longitude)
    buffer.append("\">")
    if let altitude = fix.altitudeMeters, altitude.magnitude <= Self.altitudeMetersMax {
      buffer.append("<ele>")
      buffer.append(altitude, decimals: 1)
      buffer.append("</ele>")
    }
    // The time of an unset clock could be one of another day.
    if isTimeTrusted {
      buffer.append("<time>")
      buffer.append(utc: fix.time)
      buffer.append("</time>")
    }
    buffer.append("</trkpt>\n")
  }

  func appendEnd(to buffer: inout ByteBuffer) {
    if last != nil { buffer.append("</trkseg>\n") }
    buffer.append("</trk>\n</gpx>\n")
  }

  private static func isOneWay(from last: Point, to next: Point) -> Bool {
    let silence = next.time - last.time
    return last.device == next.device && last.isTimeTrusted == next.isTimeTrusted
      && silence >= .zero && silence <= silenceMax
      && (next.latitude - last.latitude).magnitude <= jumpDegreesMax
      && (next.longitude - last.longitude).magnitude <= jumpDegreesMax
  }
}

extension ByteBuffer {
  /// Appends a longitude; the schema knows 180° west only.
  fileprivate mutating func append(longitude: Double) {
    let isEnd = longitude >= 180 - 0.5e-7
    append(isEnd ? longitude - 360 : longitude, decimals: 7)
  }
}

/// Entries as a table of RFC 4180, one in a row. A reading has a sensor and a value, a fix has the
/// rest; missing fields are empty.
enum CSVTable {
  static func appendHeader(to buffer: inout ByteBuffer) {
    buffer.append(
      "sequence,time,clock,sensor,value,latitude,longitude,accuracy,altitude,vertical_accuracy,")
    buffer.append("speed,course\r\n")
  }

  static func append(_ entry: SpoolEntry, of uniqueID: [UInt8], to buffer: inout ByteBuffer) {
    if let sequence = entry.sequence { buffer.append(decimal: sequence) }
    buffer.appendSeparator()
    buffer.append(utc: entry.time)
    buffer.append(entry.isTimeTrusted ? ",set," : ",unset,")
    switch entry.content {
    case .reading(_, let value):
      buffer.append(field: uniqueID.span)
      buffer.appendSeparator()
      buffer.append(field: value)
      buffer.append(",,,,,,,")
    case .fix(let fix):
      buffer.appendSeparator()
      buffer.append(fieldsOf: fix)
    }
    buffer.append("\r\n")
  }
}

extension ByteBuffer {
  fileprivate mutating func appendSeparator() { append(UInt8(ascii: ",")) }

  fileprivate mutating func append(fieldsOf fix: Fix) {
    append(field: fix.latitude, decimals: 7)
    append(field: fix.longitude, decimals: 7)
    append(field: fix.horizontalErrorMeters, decimals: 2)
    append(field: fix.altitudeMeters, decimals: 1)
    append(field: fix.verticalErrorMeters, decimals: 2)
    append(field: fix.speedMetersPerSecond, decimals: 3)
    append(field: fix.trackDegrees, decimals: 2)
  }

  @inline(never)
  private mutating func append(field number: Double?, decimals: UInt8) {
    appendSeparator()
    if let number { append(number, decimals: decimals) }
  }

  fileprivate mutating func append(field value: Value) {
    switch value {
    case .number(let number): append(number)
    case .boolean(let truth): append(truth ? "true" : "false")
    case .text(let text): append(field: text.bytes)
    case .unknown: append("unknown")
    case .unavailable: append("unavailable")
    }
  }

  /// Appends text, in quotes if it contains a separator of fields or rows.
  @inline(never)
  fileprivate mutating func append(field text: Span<UInt8>) {
    guard text.needsQuotes else { return append(text) }
    append(UInt8(ascii: "\""))
    for index in text.indices {
      if text[index] == UInt8(ascii: "\"") { append(text[index]) }
      append(text[index])
    }
    append(UInt8(ascii: "\""))
  }
}

extension Span<UInt8> {
  fileprivate var needsQuotes: Bool {
    for index in indices {
      switch self[index] {
      case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
        return true
      default: continue
      }
    }
    return false
  }
}
