import Bytes

/// Takes the entries on the disk, in the order of the spool, and knows which of them were taken.
///
/// Entries are taken block by block: of the segment that holds the next number that was not taken,
/// and of its blocks the next one that holds such an entry.
///
/// In the oldest-first order a segment is one block. In the other one a record belongs to the block
/// of `recentByteCount` bytes of the file in which it begins. Only what was read tells which
/// numbers a block holds; so the segment is read once to its end before its last block is taken.
/// The blocks below follow without that.
///
/// Invariants:
/// 1. What is acknowledged is taken.
/// 2. An entry is taken once until it is rewound.
/// 3. A number below one that was found, which no entry has, is taken with it: no number is given
///    to an entry in between.
struct SpoolReader {
  /// Where in the segments the next entry is looked for.
  private struct Cursor {
    var segment: Int
    /// What has a higher number is not looked at.
    let limit: UInt64
    /// Whether the segment is gone through to find the block that is next.
    var isSearching: Bool
    /// The block that entries are taken from; while it is searched, the last that has some.
    var block: Int?
    /// The highest number of the block or below: everything above was taken.
    var upper: UInt64 = 0
    /// From the first to the last number that was found.
    var found: ClosedRange<UInt64>?
    var namelessCount = 0
    var lostCount = 0
    /// Whether more of the segment has to be read.
    var isChunkWanted = false

    mutating func find(_ sequence: UInt64) {
      let former = found ?? sequence...sequence
      found = min(former.lowerBound, sequence)...max(former.upperBound, sequence)
    }
  }

  /// What becomes of a segment that the disk did not read.
  enum Failure {
    case postponed
    case leftAlone(Int)
  }

  private let order: Spool.Order
  private let records: SegmentReader
  private let directory: SegmentDirectory
  private let ledger: SpoolLedger
  private var cursor: Cursor?
  private(set) var taken = SequenceSet()
  /// Whether the disk did not read what is next, and is to be tried again.
  private(set) var isPostponed = false

  init(
    _ order: Spool.Order, _ records: SegmentReader, _ directory: SegmentDirectory,
    _ ledger: SpoolLedger
  ) {
    self.order = order
    self.records = records
    self.directory = directory
    self.ledger = ledger
  }

  /// Whether more has to be read before the next entry can be taken.
  var isChunkWanted: Bool { cursor?.isChunkWanted == true && !isPostponed }

  private var blockByteCount: Int { order == .oldestFirst ? .max : Spool.recentByteCount }

  // MARK: What becomes of what was taken

  /// Home Assistant has these.
  mutating func acknowledged() {
    taken.formUnion(ledger.acknowledged, forgetting: ledger.forgotten)
  }

  /// Whatever was not acknowledged is taken again.
  mutating func rewind() {
    taken = ledger.acknowledged
    cursor = nil
  }

  // MARK: What becomes of the segments

  /// What is read is another segment, or none: where this one was read is forgotten.
  mutating func loseCursor() { cursor = nil }

  mutating func removed(_ index: Int) {
    guard let here = cursor else { return }
    if here.segment > index { cursor?.segment -= 1 }
    if here.segment == index { cursor = nil }
  }

  /// The disk is tried again.
  mutating func retryDue() { isPostponed = false }

  // MARK: Taking

  /// The next entry on the disk; nil where there is none, or where more has to be read first. With
  /// the newest first, none above `limit`; with the oldest first there is no limit.
  mutating func take(upTo limit: UInt64) -> SpoolEntry? {
    // What it was looked for with holds for a block, unless it was more.
    if let here = cursor, here.limit > limit { cursor = nil }
    while cursor != nil || enterSegment(upTo: limit) {
      if let entry = takeFromBlock() { return entry }
      if cursor?.isChunkWanted == true
        || !leaveBlock(upTo: limit)
      {
        return nil
      }
    }
    return nil
  }

  /// The next number that was not taken, and is not in a segment that is left alone.
  private func nextNumber(upTo limit: UInt64) -> UInt64? {
    guard let oldest = directory.segments.first else { return nil }
    var passed = taken
    for index in directory.segments.indices where directory[index].isLeftAlone {
      if let held = ledger.numbers(of: index) {
        passed.insert(held, forgetting: ledger.forgotten)
      }
    }
    switch order {
    case .oldestFirst:
      return passed.prefix + 1 < ledger.nextSequence ? passed.prefix + 1 : nil
    case .newestFirst:
      let number = passed.highestMissing(below: min(ledger.nextSequence, limit + 1))
      return number >= oldest.first ? number : nil
    }
  }

  private mutating func enterSegment(upTo limit: UInt64) -> Bool {
    guard let number = nextNumber(upTo: limit) else { return false }
    let index = directory.index(of: number)
    let isSearching = order == .newestFirst
    cursor = Cursor(
      segment: index, limit: limit, isSearching: isSearching, block: isSearching ? nil : 0)
    records.begin(directory.salt(of: directory[index]))
    return true
  }

  /// The next entry of the block; nil at its end, or where more of it has to be read.
  private mutating func takeFromBlock() -> SpoolEntry? {
    guard var here = cursor else { preconditionFailure("a segment was entered") }
    defer { cursor = here }
    let byteCount = directory[here.segment].byteCount
    while here.isSearching || records.offset / blockByteCount <= here.block ?? 0 {
      guard let record = records.next(isWhole: records.readOffset >= byteCount) else {
        here.isChunkWanted = records.readOffset < byteCount
        if here.isChunkWanted { records.makeRoom() }
        return nil
      }
      guard case .entry(let entry) = record, let sequence = entry.sequence else { continue }
      if isTaken(entry, sequence, &here) { return entry }
    }
    return nil
  }

  /// Whether the entry that was found is one to take.
  private mutating func isTaken(
    _ entry: SpoolEntry, _ sequence: UInt64, _ here: inout Cursor
  ) -> Bool {
    let block = records.foundOffset / blockByteCount
    guard here.isSearching || block == here.block, sequence <= here.limit else { return false }
    here.find(sequence)
    let isNamed = records.isNamed(entry)
    if !isNamed, !ledger.acknowledged.contains(sequence) { here.namelessCount += 1 }
    here.lostCount += lostCount(in: directory[here.segment])
    guard !taken.contains(sequence) else { return false }
    if here.isSearching {
      here.block = block
      return false
    }
    if let found = here.found {
      taken.insert(lowest(of: here, found)...found.upperBound, forgetting: ledger.forgotten)
    }
    return isNamed
  }

  /// Where nothing is in front of the block, the numbers that belong to it begin before its first
  /// one.
  private func lowest(of here: Cursor, _ found: ClosedRange<UInt64>) -> UInt64 {
    guard here.block == 0 || here.isSearching else { return found.lowerBound }
    return here.segment == 0 ? 0 : min(found.lowerBound, directory[here.segment].first)
  }

  // MARK: The end of a block

  /// Goes on to the next block. False where none is next: more may come into this one.
  private mutating func leaveBlock(upTo limit: UInt64) -> Bool {
    guard var here = cursor else { preconditionFailure("a segment was entered") }
    if here.isSearching || order == .oldestFirst {
      segmentRead(here)
      here.upper = min(here.limit, highest(of: here.segment))
    }
    if here.isSearching, here.block != nil {
      here.isSearching = false
      go(to: here)
      return true
    }
    let lower = noteTaken(here)
    if order == .oldestFirst, here.segment == directory.newestIndex { return false }
    guard !here.isSearching, let block = here.block, block > 0 else {
      cursor = nil
      return true
    }
    here.upper = lower.map { $0 - 1 } ?? here.upper
    here.block = block - 1
    // What was written meanwhile is next.
    if nextNumber(upTo: limit) == here.upper {
      go(to: here)
    } else {
      cursor = nil
    }
    return true
  }

  private func highest(of index: Int) -> UInt64 {
    (index < directory.newestIndex ? directory[index + 1].first : ledger.nextSequence) - 1
  }

  /// All of the block was taken, and what was lost behind it. Returns its lowest number.
  private mutating func noteTaken(_ here: Cursor) -> UInt64? {
    var lower: UInt64?
    if let found = here.found {
      lower = lowest(of: here, found)
    } else if here.block ?? 0 == 0 {
      lower = here.segment == 0 ? 0 : directory[here.segment].first
    }
    guard let lower else { return nil }
    // Numbers that are none of the segment's were not written by a spool.
    guard lower <= here.upper else { return lower }
    taken.insert(lower...here.upper, forgetting: ledger.forgotten)
    if here.found.map({ ledger.acknowledged.contains($0) }) ?? true {
      ledger.acknowledge(lower...here.upper)
    }
    return lower
  }

  private mutating func go(to here: Cursor) {
    guard let block = here.block else { preconditionFailure("a block was found") }
    var here = here
    here.found = nil
    cursor = here
    if records.doNamesDependOnPlace {
      records.begin(directory.salt(of: directory[here.segment]))
    } else {
      records.seek(to: max(SegmentHeader.byteCount, block * blockByteCount))
    }
  }

  // MARK: What is read

  /// What has to be read of the segment that entries are taken from.
  func nextAction() -> Spool.Action? {
    guard isChunkWanted, let here = cursor else { return nil }
    return records.nextChunk(of: directory[here.segment])
  }

  mutating func performed() {
    guard let here = cursor else { return }
    cursor?.isChunkWanted = false
    // The file is shorter than it was.
    if records.isAtEnd { directory[here.segment].ended(at: records.readOffset) }
  }

  /// The disk is tried again, and after some times no more. The numbers of what is left alone are
  /// given to no other segment: it stays in the directory.
  mutating func failed() -> Failure {
    guard let index = cursor?.segment else { return .postponed }
    guard directory[index].isLastAttempt,
      taken.rangeCount + directory.leftAloneCount < Spool.gapCountMax
    else {
      if !directory[index].isLastAttempt { directory[index].readFailed() }
      isPostponed = true
      return .postponed
    }
    directory[index].readFailed()
    ledger.losses.unreadableSegments += 1
    // Nor is there less of it to be made.
    directory[index].keepsItsDetail()
    cursor = nil
    return .leftAlone(index)
  }

  // MARK: What is damaged

  /// The segment was read from its start to its end.
  private mutating func segmentRead(_ here: Cursor) {
    let index = here.segment
    ledger.countDamage(of: &directory[index], as: records)
    directory[index].readToItsEnd()
    let lostCount = here.lostCount + lostCountBehind(index)
    ledger.losses.damaged += directory[index].lossFound(lostCount)
    ledger.losses.nameless += directory[index].namelessFound(here.namelessCount)
    if index < directory.newestIndex, directory[index].isGarbage(as: records) {
      directory[index].foundToBeGarbage()
    }
  }

  /// How many entries the damage before the last one took that are not acknowledged. Where a
  /// segment was thinned its numbers do not tell.
  private func lostCount(in segment: Segment) -> Int {
    let lost = records.lost
    if lost.isEmpty || segment.thinnings > 0 || ledger.acknowledged.contains(lost.lowerBound) {
      return 0
    }
    return lost.count
  }

  /// How many entries the damage behind the last record took, as the first number of the next
  /// segment tells: no more than had room there.
  private func lostCountBehind(_ index: Int) -> Int {
    let segment = directory[index]
    let byteCount = segment.byteCount - records.endOfRecords
    guard index < directory.newestIndex, segment.thinnings == 0, byteCount > 0,
      !segment.isGarbage(as: records)
    else { return 0 }
    let (first, end) = (records.nextSequence, directory[index + 1].first)
    guard first < end, !ledger.acknowledged.contains(first) else { return 0 }
    return min(Int(clamping: end - first), byteCount / SpoolRecord.entryByteCountMin)
  }
}
