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
  /// Where in the window the last record stands that was found.
  private(set) var found = 0..<0

  /// Whether it began with the first record, and not with a block.
  private(set) var isFromStart = false
  /// Whether some record means something else, or nothing, without those before it: a slot was
  /// given another name, or its name was lost, or the clock is another one.
  private(set) var doNamesDependOnPlace = false
  private(set) var recordCount = 0
  /// Where in the file the last record ends.
  private(set) var endOfRecords = 0
  /// Bytes of damage between the records.
  private(set) var damagedByteCount = 0
  /// What the chunk under way may bring, and what it brought.
  private var chunkByteCountMax = 0
  private var chunkByteCount = 0
  /// The numbers that are missing before the entry that was found last, where there is damage.
  private(set) var lost: Range<UInt64> = 0..<0
  private var isDamageBefore = false
  /// The number of the next entry, where none is missing.
  private(set) var nextSequence: UInt64 = 0

  /// Where in the file the next chunk comes from.
  var readOffset: Int { windowOffset + window.count }
  /// Where in the file the next record is looked for, and where the last one begins.
  var offset: Int { windowOffset + place }
  var foundOffset: Int { windowOffset + found.lowerBound }

  /// Begins with the records of another segment.
  func begin(_ salt: SegmentSalt) {
    first = salt.first
    self.salt = salt.checksum
    names.removeAll()
    clock = nil
    doNamesDependOnPlace = false
    recordCount = 0
    damagedByteCount = 0
    isDamageBefore = false
    nextSequence = first
    seek(to: SegmentHeader.byteCount)
    isFromStart = true
  }

  /// Goes on with another part of the same segment, with the names that are known by now.
  func seek(to offset: Int) {
    clear()
    windowOffset = offset
    endOfRecords = offset
    isFromStart = false
  }

  /// Makes room for the chunk at `readOffset`.
  func makeRoom() {
    window.removeFirst(place)
    windowOffset += place
    place = 0
    found = 0..<0
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
    found = 0..<0
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
    let damage = windowOffset + range.lowerBound - endOfRecords
    damagedByteCount += damage
    if damage > 0 { isDamageBefore = true }
    place = range.upperBound
    found = range
    endOfRecords = windowOffset + range.upperBound
    recordCount += 1
    switch record {
    case .sensor(let slot):
      let name = range.lowerBound + SpoolRecord.prefixByteCount + 1
      let isOther = names.set(
        slot, to: name..<range.upperBound - SpoolRecord.checksumByteCount, of: window)
      if isOther { doNamesDependOnPlace = true }
    case .entry(let entry):
      if !isNamed(entry) { doNamesDependOnPlace = true }
      note(entry.sequence ?? 0)
    case .clock(let clock):
      if clock != self.clock, nextSequence > first { doNamesDependOnPlace = true }
      self.clock = clock
    case .acknowledged, .acknowledgedRanges: break
    }
  }

  private func note(_ sequence: UInt64) {
    lost = isDamageBefore && sequence > nextSequence ? nextSequence..<sequence : 0..<0
    isDamageBefore = false
    nextSequence = sequence + 1
  }

  /// Whether the segment says of which sensor the entry is.
  func isNamed(_ entry: SpoolEntry) -> Bool {
    guard case .reading(let slot, _) = entry.content else { return true }
    return !names[slot].isEmpty
  }
}
