import Bytes

/// Where in the segments whoever takes is.
struct SpoolCursor {
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

  mutating func find(_ sequence: UInt64) {
    let former = found ?? sequence...sequence
    found = min(former.lowerBound, sequence)...max(former.upperBound, sequence)
  }
}

/// Entries are taken block by block: of the segment that holds the next number that was not taken,
/// and of its blocks the next one that holds such an entry.
///
/// In the oldest-first order a segment is one block. In the other one a record belongs to the block of
/// `recentByteCount` bytes of the file in which it begins. Only what was read tells which numbers a
/// block holds; so the segment is read once to its end before its last block is taken. The blocks
/// below follow without that.
extension Spool {
  /// What would be taken last is forgotten first.
  var forgotten: SequenceSet.End { order == .oldestFirst ? .highest : .lowest }

  private var blockByteCount: Int { order == .oldestFirst ? .max : Self.recentByteCount }

  /// The next entry on the disk. With the newest first, none above `limit`; with the oldest first
  /// there is no limit.
  mutating func takeFromDisk(upTo limit: UInt64) -> SpoolEntry? {
    // What it was looked for with holds for a block, unless it was more.
    if let here = cursor, here.limit > limit { cursor = nil }
    while isOpen, cursor != nil || enterSegment(upTo: limit) {
      if let entry = takeFromBlock() { return entry }
      if isChunkWanted || !leaveBlock(upTo: limit) { return nil }
    }
    return nil
  }

  /// The next number that was not taken, and is not in a segment that is left alone.
  private func nextNumber(upTo limit: UInt64) -> UInt64? {
    guard let oldest = segments.first else { return nil }
    var passed = taken
    for index in segments.indices where segments[index].isLeftAlone {
      if let held = numbers(of: index) { passed.insert(held, forgetting: forgotten) }
    }
    switch order {
    case .oldestFirst:
      return passed.prefix + 1 < nextSequence ? passed.prefix + 1 : nil
    case .newestFirst:
      let number = passed.highestMissing(below: min(nextSequence, limit + 1))
      return number >= oldest.first ? number : nil
    }
  }

  private mutating func enterSegment(upTo limit: UInt64) -> Bool {
    guard let number = nextNumber(upTo: limit) else { return false }
    let index = segments.lastIndex { $0.first <= number } ?? 0
    let isSearching = order == .newestFirst
    cursor = SpoolCursor(
      segment: index, limit: limit, isSearching: isSearching, block: isSearching ? nil : 0)
    reader.begin(SegmentSalt(first: segments[index].first, device: device))
    return true
  }

  /// The next entry of the block; nil at its end, or where more of it has to be read.
  private mutating func takeFromBlock() -> SpoolEntry? {
    guard var here = cursor else { preconditionFailure("somebody entered a segment") }
    defer { cursor = here }
    let byteCount = segments[here.segment].byteCount
    while here.isSearching || reader.offset / blockByteCount <= here.block ?? 0 {
      guard let record = reader.next(isWhole: reader.readOffset >= byteCount) else {
        isChunkWanted = reader.readOffset < byteCount
        if isChunkWanted { reader.makeRoom() }
        return nil
      }
      guard case .entry(let entry) = record, let sequence = entry.sequence else { continue }
      if isTaken(entry, sequence, &here) { return entry }
    }
    return nil
  }

  /// Whether the entry that was found is one to take.
  private mutating func isTaken(
    _ entry: SpoolEntry, _ sequence: UInt64, _ here: inout SpoolCursor
  ) -> Bool {
    let block = reader.foundOffset / blockByteCount
    guard here.isSearching || block == here.block, sequence <= here.limit else { return false }
    here.find(sequence)
    let isNamed = reader.isNamed(entry)
    if !isNamed, !acknowledged.contains(sequence) { here.namelessCount += 1 }
    here.lostCount += lostCount(in: here.segment)
    guard !taken.contains(sequence) else { return false }
    if here.isSearching {
      here.block = block
      return false
    }
    if let numbers = numbersFound(here) { taken.insert(numbers, forgetting: forgotten) }
    return isNamed
  }

  /// The numbers up to the last one found of the block. None is given to an entry in between.
  private func numbersFound(_ here: SpoolCursor) -> ClosedRange<UInt64>? {
    guard let found = here.found else { return nil }
    return lowest(of: here, found)...found.upperBound
  }

  /// Where nothing is in front of the block, the numbers that belong to it begin before its first one.
  private func lowest(of here: SpoolCursor, _ found: ClosedRange<UInt64>) -> UInt64 {
    guard here.block == 0 || here.isSearching else { return found.lowerBound }
    return here.segment == 0 ? 0 : min(found.lowerBound, segments[here.segment].first)
  }

  // MARK: The end of a block

  /// Goes on to the next block. False where none is next: more may come into this one.
  private mutating func leaveBlock(upTo limit: UInt64) -> Bool {
    guard var here = cursor else { preconditionFailure("somebody entered a segment") }
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
    if order == .oldestFirst, here.segment == segments.count - 1 { return false }
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
    (index + 1 < segments.count ? segments[index + 1].first : nextSequence) - 1
  }

  /// All of the block was taken, and what was lost behind it. Returns its lowest number.
  private mutating func noteTaken(_ here: SpoolCursor) -> UInt64? {
    var lower: UInt64?
    if let found = here.found {
      lower = lowest(of: here, found)
    } else if here.block ?? 0 == 0 {
      lower = here.segment == 0 ? 0 : segments[here.segment].first
    }
    guard let lower else { return nil }
    // Numbers that are none of the segment's were not written by us.
    guard lower <= here.upper else { return lower }
    taken.insert(lower...here.upper, forgetting: forgotten)
    if here.found.map({ acknowledged.contains($0) }) ?? true {
      acknowledged.insert(lower...here.upper, forgetting: forgotten)
    }
    return lower
  }

  private mutating func go(to here: SpoolCursor) {
    var here = here
    here.found = nil
    cursor = here
    guard let block = here.block else { preconditionFailure("somebody found a block") }
    if reader.doNamesDependOnPlace {
      reader.begin(SegmentSalt(first: segments[here.segment].first, device: device))
    } else {
      reader.seek(to: max(SegmentHeader.byteCount, block * blockByteCount))
    }
  }

  /// The reader is wanted for something else, or its segment is gone; nobody waits for a chunk of it.
  mutating func loseCursor() {
    cursor = nil
    isChunkWanted = false
  }

  // MARK: What was read

  mutating func fetched() {
    isChunkWanted = false
    step = .idle
    if retryAt == nil { diskWorks() }
    // The file is shorter than it was.
    if chunkByteCount == 0, let here = cursor {
      segments[here.segment].byteCount = reader.readOffset
    }
  }

  /// The disk is tried again, and after some times no more. The numbers of what is left alone are
  /// nobody else's: it stays among the segments.
  mutating func fetchFailed(_ failure: DiskFailure, now: Instant) {
    guard let index = cursor?.segment else { preconditionFailure("what is fetched has a place") }
    step = .idle
    let isLast = segments[index].failedReadCount + 1 == Self.readAttemptsMax
    guard isLast, taken.rangeCount + leftAloneCount < Self.gapCountMax else {
      if !isLast { segments[index].failedReadCount += 1 }
      isReadPostponed = true
      return diskFailed(failure, now: now)
    }
    segments[index].failedReadCount += 1
    losses.unreadableSegments += 1
    // Nor is there less of it to be made.
    segments[index].thinnings = SpoolThinning.countMax
    if index == segments.count - 1 {
      isNewestOpen = false
      isNewestUnclean = false
    }
    loseCursor()
  }

  private var leftAloneCount: Int { segments.count { $0.isLeftAlone } }

  /// The segment was read from its start to its end.
  private mutating func segmentRead(_ here: SpoolCursor) {
    let index = here.segment
    countDamage(of: index)
    segments[index].failedReadCount = 0
    let lostCount = here.lostCount + lostCountBehind(index)
    losses.damaged += max(0, lostCount - segments[index].lostCount)
    segments[index].lostCount = max(lostCount, segments[index].lostCount)
    losses.nameless += max(0, here.namelessCount - segments[index].namelessCount)
    segments[index].namelessCount = max(here.namelessCount, segments[index].namelessCount)
    if index + 1 < segments.count { segments[index].isGarbage = isGarbage(index) }
  }

  /// How many entries the damage before the last one took that nobody has. Where a segment was
  /// thinned its numbers do not tell.
  func lostCount(in index: Int) -> Int {
    let lost = reader.lost
    if lost.isEmpty || segments[index].thinnings > 0 || acknowledged.contains(lost.lowerBound) {
      return 0
    }
    return lost.count
  }

  /// How many entries the damage behind the last record took, as the first number of the next
  /// segment tells: no more than had room there.
  private func lostCountBehind(_ index: Int) -> Int {
    let byteCount = segments[index].byteCount - reader.endOfRecords
    guard index + 1 < segments.count, segments[index].thinnings == 0, byteCount > 0,
      !isGarbage(index)
    else { return 0 }
    let (first, end) = (reader.nextSequence, segments[index + 1].first)
    guard first < end, !acknowledged.contains(first) else { return 0 }
    return min(Int(clamping: end - first), byteCount / SpoolRecord.entryByteCountMin)
  }

  /// Counts what was found to be no record in the segment that was read to its end, once.
  mutating func countDamage(of index: Int) {
    let tail = max(0, segments[index].byteCount - reader.endOfRecords)
    let byteCount = reader.damagedByteCount + tail
    losses.damagedByteCount += max(0, byteCount - segments[index].damagedByteCount)
    segments[index].damagedByteCount = max(byteCount, segments[index].damagedByteCount)
  }

  /// Whether nothing of ours was found in the segment that was read to its end.
  func isGarbage(_ index: Int) -> Bool {
    !segments[index].isHeaderReadable && reader.recordCount == 0
  }
}
