import Bytes
import Sensing

@testable import Outbox

/// The bytes of a segment, as a writer puts them on the disk.
struct WrittenSegment {
  let first: UInt64
  private(set) var bytes: [UInt8] = []
  private var writer: SegmentWriter
  private var names = SensorNames()

  init(
    first: UInt64 = 1, thinnings: UInt8 = 0, acknowledged: UInt64 = 0,
    device: DeviceFingerprint = .boat
  ) {
    self.first = first
    let header = SegmentHeader(
      thinnings: thinnings, first: first, acknowledged: acknowledged, device: device)
    writer = SegmentWriter(header.salt)
    append { header.write(into: &$0) }
  }

  /// One with a number of sensor 0 under each of these sequence numbers.
  init(_ sequences: ClosedRange<UInt64>) {
    self.init(first: sequences.lowerBound)
    for sequence in sequences { add(sequence) }
  }

  var segment: Segment { Segment(first: first, byteCount: bytes.count) }

  private mutating func append(_ write: (inout ByteBuffer) -> Void) {
    var buffer = ByteBuffer(capacity: 4096)
    write(&buffer)
    bytes += [UInt8](buffer.bytes)
  }

  /// Adds a reading; a number that is its sequence, unless a value is given.
  mutating func add(_ sequence: UInt64, _ value: Value? = nil, sensor: UInt8 = 0) {
    let value = value ?? .number(FixedPoint(Int64(sequence)))
    add(.reading(sensor: sensor, value), sequence)
  }

  mutating func add(_ fix: Fix, _ sequence: UInt64) { add(.fix(fix), sequence) }

  private mutating func add(_ content: SpoolEntry.Content, _ sequence: UInt64) {
    if case .reading(let slot, _) = content { names.set(slot, to: [UInt8]("s\(slot)".utf8)) }
    let entry = SpoolEntry(
      sequence: nil, time: WallTime(nanoseconds: 0), isTimeTrusted: true, content: content)
    let (names, before) = (names, writer)
    var changed = before
    append { changed.write(entry, sequence: sequence, names: names, into: &$0) }
    writer = changed
  }

  mutating func acknowledge(_ numbers: SequenceSet) {
    let writer = writer
    append { writer.write(acknowledged: numbers, since: SequenceSet(), into: &$0) }
  }

  /// The same with a bit flipped in the record at each of these places.
  func damaged(at places: [Int]) -> WrittenSegment {
    var damaged = self
    for place in places { damaged.bytes[place + 4] ^= 1 }
    return damaged
  }

  /// Bytes that are no record.
  mutating func addGarbage(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }
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

/// The numbers of the entries in a file, with its header.
struct ReadSegment {
  private(set) var header: SegmentHeader?
  private(set) var sequences: [UInt64] = []

  init(_ bytes: [UInt8], device: DeviceFingerprint = .boat) {
    guard case .valid(let header) = SegmentHeader.read(bytes.span) else { return }
    self.header = header
    let reader = SegmentReader()
    reader.begin(header.salt)
    var left = bytes.dropFirst(SegmentHeader.byteCount)
    while !left.isEmpty {
      let chunk = [UInt8](left.prefix(reader.window.freeCapacity))
      left = left.dropFirst(chunk.count)
      let read = Spool.Action.read(
        SegmentFile(first: header.first), offset: 0, byteCountMax: chunk.count)
      reader.fill(chunk, for: read)
      while let record = reader.next(isWhole: left.isEmpty) {
        if case .entry(let entry) = record, let sequence = entry.sequence {
          sequences.append(sequence)
        }
      }
      reader.makeRoom()
    }
  }
}
