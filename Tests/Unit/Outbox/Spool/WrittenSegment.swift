import Bytes
import Sensing

@testable import Outbox

/// The bytes of a segment, as a writer puts them on the disk.
struct WrittenSegment {
  let first: UInt64
  private(set) var bytes: [UInt8] = []
  private var writer: SegmentWriter
  private var names = SensorNames()

  init(first: UInt64 = 1, acknowledged: UInt64 = 0, device: DeviceFingerprint = .boat) {
    self.first = first
    let header = SegmentHeader(first: first, acknowledged: acknowledged, device: device)
    writer = SegmentWriter(header.salt)
    append { header.write(into: &$0) }
  }

  /// One with a number of sensor 0 under each of these sequence numbers.
  init(_ sequences: ClosedRange<UInt64>) {
    self.init(first: sequences.lowerBound)
    for sequence in sequences { add(sequence) }
  }

  var file: SegmentFile { SegmentFile(first: first) }

  private mutating func append(_ write: (inout ByteBuffer) -> Void) {
    var buffer = ByteBuffer(capacity: 4096)
    write(&buffer)
    bytes += [UInt8](buffer.bytes)
  }

  /// Adds a reading, whose number is its sequence.
  mutating func add(_ sequence: UInt64, sensor: UInt8 = 0) {
    names.set(sensor, to: [UInt8]("s\(sensor)".utf8))
    let entry = SpoolEntry(
      sequence: nil, time: WallTime(nanoseconds: 0), isTimeTrusted: true,
      content: .reading(sensor: sensor, .number(FixedPoint(Int64(sequence)))))
    let (names, before) = (names, writer)
    var changed = before
    append { changed.write(entry, sequence: sequence, names: names, into: &$0) }
    writer = changed
  }

  mutating func acknowledge(_ number: UInt64) {
    let writer = writer
    append { writer.write(acknowledged: number, into: &$0) }
  }

  /// Adds the record with which an earlier agent said that ranges of numbers are acknowledged.
  mutating func addRanges(_ ranges: ClosedRange<UInt64>..., device: DeviceFingerprint = .boat) {
    let body = ranges.flatMap { $0.lowerBound.bytesInFile + $0.upperBound.bytesInFile }
    bytes += Self.record(5, body, SegmentSalt(first: first, device: device))
  }

  /// A record whose checksum is right.
  static func record(_ kind: UInt8, _ body: [UInt8], _ salt: SegmentSalt) -> [UInt8] {
    let record: [UInt8] = [0xA5, UInt8(body.count), kind] + body
    var checksum = salt.checksum
    checksum.update(record.span.extracting(1...))
    return record + checksum.value.bytesInFile
  }

  /// The same with a bit flipped in the record at each of these places.
  func damaged(at places: [Int]) -> WrittenSegment {
    var damaged = self
    for place in places { damaged.bytes[place + 4] ^= 1 }
    return damaged
  }

  /// The same as an earlier agent left it that had taken detail out.
  func thinned() -> WrittenSegment {
    var thinned = self
    thinned.bytes = changed(bytes, 1, at: 6)
    return thinned
  }

  /// Bytes that are no record.
  mutating func addGarbage(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }
}

extension FixedWidthInteger {
  /// The lowest first.
  var bytesInFile: [UInt8] {
    (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }
}

extension [WrittenSegment] {
  /// What stands in the file that an action reads.
  func chunk(_ action: Spool.Action) -> [UInt8] {
    guard case .read(let file, let offset, let byteCountMax) = action else { return [] }
    let bytes = first { $0.first == file.first }?.bytes ?? []
    return [UInt8](bytes.dropFirst(offset).prefix(byteCountMax))
  }
}

extension SegmentReader {
  /// What the disk does for an action: it reads these bytes.
  func fill(_ chunk: [UInt8], for action: Spool.Action) {
    guard case .read(_, _, let byteCountMax) = action else { return }
    chunkAsked(byteCountMax: byteCountMax)
    fill { free in
      for (place, byte) in chunk.enumerated() { free[place] = byte }
      return chunk.count
    }
  }
}

extension SpoolOpening {
  func found(_ file: SegmentFile, byteCount: Int) {
    let name = file.name
    fileFound(name: name.span, byteCount: byteCount)
  }

  /// Does its next action on a disk that holds these files.
  func step(on files: [WrittenSegment], _ records: SegmentReader) {
    let action = nextAction()
    if action == .list {
      for file in files { found(file.file, byteCount: file.bytes.count) }
    }
    records.fill(files.chunk(action), for: action)
    performed()
  }
}

extension SpoolLog {
  /// A log that finds these files at the start.
  static func opened(_ files: [WrittenSegment]) -> SpoolLog {
    let records = SegmentReader()
    let opening = SpoolOpening(.boat, records)
    while !opening.isOver { opening.step(on: files, records) }
    let log = SpoolLog(of: .boat, byteCountCap: 64 << 20, segmentByteCount: 1 << 20)
    log.opened(with: opening.findings)
    return log
  }
}
