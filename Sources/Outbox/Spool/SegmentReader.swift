import Bytes

/// Finds the records of a segment, chunk by chunk and with the memory of one chunk.
///
/// What is no record is skipped byte by byte until one begins again. Bytes before a record that is
/// found are damage; bytes behind the last one are a torn tail.
final class SegmentReader {
  static let windowByteCount = 32 * 1024

  private(set) var window = ByteBuffer(capacity: windowByteCount)
  private(set) var names = SensorNames()
  /// The clock of the entry that was found last, where its time is not trusted.
  private(set) var clock: ClockOrigin?
  private var first: UInt64 = 0
  private var salt = CRC32C()
  /// Where in the file the window begins, and where in the window the next record is looked for.
  private var windowOffset = 0
  private var place = 0
  /// What the chunk under way may bring, and what it brought.
  private var chunkByteCountMax = 0
  private var chunkByteCount = 0

  private(set) var recordCount = 0
  /// Where in the file the last record ends.
  private(set) var endOfRecords = 0
  /// Bytes of damage right before the last record, and between all records.
  private(set) var damage = 0
  private(set) var damagedByteCount = 0
  /// Bytes of damage since the last entry.
  private(set) var unclearByteCount = 0
  /// The numbers that are missing before the entry that was found last, and the damage there.
  private(set) var missing: Range<UInt64> = 0..<0
  private(set) var missingByteCount = 0
  /// The number of the next entry, where none is missing.
  private(set) var nextSequence: UInt64 = 0

  /// Where in the file the next chunk comes from.
  var readOffset: Int { windowOffset + window.count }

  /// Begins with the records of another segment.
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

  /// Goes on at a record of the same segment, with the names that are known by now.
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

  /// The next chunk of the segment.
  func nextChunk(of segment: Segment) -> Spool.Action {
    .read(
      segment.file, offset: readOffset,
      byteCountMax: max(0, min(window.freeCapacity, segment.byteCount - readOffset)))
  }

  /// A chunk is read, in one `fill` or in none.
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

  /// Whether nothing was left to be read.
  var isAtEnd: Bool { chunkByteCount == 0 }

  /// Takes the window for something that is no record.
  func clear() {
    window.removeAll()
    place = 0
  }

  /// The next record, or nil where the window holds no more whole ones. `isWhole` says that the
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

  /// What the record at `start` says that it takes; 0 where too little of it is there.
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

  /// Whether the segment says of which sensor the entry is.
  func isNamed(_ entry: SpoolEntry) -> Bool {
    guard case .reading(let slot, _) = entry.content else { return true }
    return !names[slot].isEmpty
  }
}

/// What the slots of sensor records mean. Nothing is allocated for a name that stays the same.
struct SensorNames {
  private var names = [[UInt8]](repeating: [], count: Int(UInt8.max) + 1)

  /// Empty where nothing was said of the slot.
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
