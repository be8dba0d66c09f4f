import Bytes

/// Finds the records of a segment, with the memory of one chunk.
///
/// Bytes that are not a record are skipped until the next record. Those before a record are damage;
/// those after the last one are a torn tail.
final class SegmentReader {
  static let windowByteCount = 32 * 1024

  private(set) var window = ByteBuffer(capacity: windowByteCount)
  private(set) var names = SensorNames()
  /// Clock of the entry found last, if its time is not trusted.
  private(set) var clock: ClockOrigin?
  private var first: UInt64 = 0
  private var salt = CRC32C()
  /// Offset of the window in the file, and of the next search in the window.
  private var windowOffset = 0
  private var place = 0
  /// Maximum size of the present chunk, and the number of its bytes read so far.
  private var chunkByteCountMax = 0
  private var chunkByteCount = 0

  private(set) var recordCount = 0
  /// Offset in the file of the end of the last record.
  private(set) var endOfRecords = 0
  /// Number of damaged bytes directly before the last record, and between all records.
  private(set) var damage = 0
  private(set) var damagedByteCount = 0
  /// Number of damaged bytes since the last entry.
  private(set) var unclearByteCount = 0
  /// Missing numbers before the entry found last, and the number of damaged bytes there.
  private(set) var missing: Range<UInt64> = 0..<0
  private(set) var missingByteCount = 0
  /// Number of the next entry, if none is missing.
  private(set) var nextSequence: UInt64 = 0

  /// Offset of the next chunk in the file.
  var readOffset: Int { windowOffset + window.count }

  /// Starts with the records of another segment.
  func begin(_ salt: SegmentSalt) {
    first = salt.first
    self.salt = salt.checksum
    names.removeAll()
    clock = nil
    recordCount = 0
    damagedByteCount = 0
    unclearByteCount = 0
    nextSequence = first
    seek(to: SegmentHeader.byteCount)
  }

  /// Continues at a record of the same segment, with the names known so far.
  func seek(to offset: Int) {
    clear()
    windowOffset = offset
    endOfRecords = offset
  }

  /// Makes room for the chunk at `readOffset`.
  func makeRoom() {
    window.removeFirst(place)
    windowOffset += place
    place = 0
  }

  func nextChunk(of segment: Segment) -> Spool.Action {
    .read(
      segment.file, offset: readOffset,
      byteCountMax: max(0, min(window.freeCapacity, segment.byteCount - readOffset)))
  }

  /// Prepares for a chunk, which is read in one `fill` or in none.
  func chunkAsked(byteCountMax: Int) {
    chunkByteCountMax = byteCountMax
    chunkByteCount = 0
  }

  func fill<Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Int
  ) throws(Failure) {
    let before = window.count
    try window.fill(body)
    chunkByteCount += window.count - before
    precondition(chunkByteCount <= chunkByteCountMax, "no more is read than was asked for")
  }

  /// Whether the last chunk was empty.
  var isAtEnd: Bool { chunkByteCount == 0 }

  /// Empties the window for other content than records.
  func clear() {
    window.removeAll()
    place = 0
  }

  /// Returns the next record; nil if the window contains no other complete one. `isWhole` if the
  /// file ends with the window.
  func next(isWhole: Bool) -> SpoolRecord? {
    while place < window.count {
      let start = window.bytes.firstIndex(of: SpoolRecord.start, from: place) ?? window.count
      let end = start + byteCount(at: start)
      place = start
      // A damaged length may point past the end, and whole records may follow it.
      if start == end || end > window.count, !isWhole { return nil }
      guard end <= window.count,
        let record = SpoolRecord(window.bytes.extracting(start..<end), first: first, salt: salt)
      else {
        place = min(start + 1, window.count)
        continue
      }
      took(start..<end, record)
      return record
    }
    return nil
  }

  /// Returns the size of the record at `start`, from its length field; 0 if that is missing.
  private func byteCount(at start: Int) -> Int {
    window.withBytes { SpoolRecord.byteCount(startingWith: $0.extracting(start...)) }
  }

  private func took(_ range: Range<Int>, _ record: SpoolRecord) {
    damage = windowOffset + range.lowerBound - endOfRecords
    damagedByteCount += damage
    unclearByteCount += damage
    place = range.upperBound
    endOfRecords = windowOffset + range.upperBound
    recordCount += 1
    switch record {
    case .sensor(let slot):
      let name = range.lowerBound + SpoolRecord.prefixByteCount + 1
      names.set(slot, to: name..<range.upperBound - SpoolRecord.checksumByteCount, of: window)
    case .entry(let entry): took(entry.sequence ?? 0)
    case .clock(let clock): self.clock = clock
    case .acknowledged, .passedOver: break
    }
  }

  private func took(_ sequence: UInt64) {
    missing = nextSequence..<max(nextSequence, sequence)
    missingByteCount = unclearByteCount
    unclearByteCount = 0
    nextSequence = sequence + 1
  }

  /// Whether the segment contains the name of the entry's sensor.
  func isNamed(_ entry: SpoolEntry) -> Bool {
    guard case .reading(let slot, _) = entry.content else { return true }
    return !names[slot].isEmpty
  }
}

/// Unique ids for the slots of sensor records. An unchanged name causes no allocation.
struct SensorNames {
  private var names = [[UInt8]](repeating: [], count: Int(UInt8.max) + 1)

  /// Unique id of the slot; empty if unknown.
  subscript(slot: UInt8) -> [UInt8] { names[Int(slot)] }

  mutating func set(_ slot: UInt8, to name: [UInt8]) {
    if names[Int(slot)] != name { names[Int(slot)] = name }
  }

  mutating func set(_ slot: UInt8, to range: Range<Int>, of buffer: borrowing ByteBuffer) {
    let name = buffer.bytes.extracting(range)
    let former = names[Int(slot)]
    if !name.elementsEqual(former.span) { names[Int(slot)] = [UInt8](name) }
  }

  mutating func removeAll() {
    for slot in names.indices where !names[slot].isEmpty { names[slot] = [] }
  }
}
