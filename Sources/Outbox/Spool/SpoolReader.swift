import Bytes

/// Takes the entries on the disk in the order of their numbers, segment by segment, and counts the
/// losses.
///
/// Invariants:
/// 1. Acknowledged entries count as taken.
/// 2. An entry is taken once until it is rewound.
/// 3. A number without an entry is skipped with the next entry, or at the end of its segment.
// A class: it is queried at every turn, and a struct of this size is copied for each query.
final class SpoolReader {
  /// Next request to the disk.
  private enum Want: Equatable {
    case nothing
    /// More of the segment must be read.
    case chunk
    /// The segment cannot be read, or contains no record, and must be set aside.
    case aside(isGarbage: Bool)
  }

  private let log: SpoolLog
  private let records: SegmentReader
  /// Number of the entry taken last, or a later one without an entry.
  private var last: UInt64 = 0
  /// First number of the present segment.
  private var segment: UInt64?
  private var want = Want.nothing
  /// Number of consecutive failed reads.
  private var failedReadCount: UInt8 = 0
  /// Whether the last read failed and must be repeated.
  private(set) var isPostponed = false
  /// Position up to which segments were read before: losses before it are already counted.
  private var known = (segment: UInt64(0), offset: 0)

  init(_ log: SpoolLog, _ records: SegmentReader) {
    self.log = log
    self.records = records
  }

  /// Last number up to which every entry was taken.
  var taken: UInt64 { max(last, log.acknowledged) }

  /// Whether the disk is needed before the next entry can be taken.
  var isActionWanted: Bool { want != .nothing && !isPostponed && index != nil }

  /// Index of the present segment, while it is in the log: a removed one needs nothing of the disk.
  private var index: Int? { segment.flatMap { log.index(beginningAt: $0) } }

  // MARK: Taking

  /// Returns the next entry on the disk; nil without one, or if more must be read first.
  func take() -> SpoolEntry? {
    while let index = index ?? entered(), want == .nothing {
      if let entry = nextEntry(of: index) { return entry }
      // A completely taken segment may have been removed meanwhile.
      if let index = self.index, want != .nothing || !leave(index) { return nil }
    }
    return nil
  }

  /// Makes all unacknowledged entries available again.
  func rewind() {
    last = 0
    leaveSegment()
  }

  private func leaveSegment() {
    segment = nil
    want = .nothing
  }

  /// Enters the segment of the next number; nil if no such number was given.
  private func entered() -> Int? {
    leaveSegment()
    guard taken + 1 < log.next, log.count > 0 else { return nil }
    let index = log.index(of: taken + 1)
    segment = log[index].first
    records.begin(log.salt(of: index))
    return index
  }

  /// Returns the next entry of the segment; nil at its end, or if more of it must be read.
  private func nextEntry(of index: Int) -> SpoolEntry? {
    let (first, numbers) = (log[index].first, log.numbers(of: index))
    let isWhole = records.readOffset >= log[index].byteCount
    while let record = records.next(isWhole: isWhole) {
      let isNews = isNews(first, at: records.endOfRecords)
      if isNews { log.losses.damagedByteCount += records.damage }
      // A number outside the segment's range was not written by a spool.
      guard case .entry(let entry) = record, let sequence = entry.sequence,
        numbers.contains(sequence)
      else { continue }
      if isNews { countMissing() }
      guard sequence > taken else { continue }
      if records.isNamed(entry) {
        last = sequence
        return entry
      }
      if isNews { log.losses.nameless += 1 }
      pass(upTo: sequence)
    }
    if !isWhole {
      records.makeRoom()
      want = .chunk
    }
    return nil
  }

  /// Skips numbers up to `number` that belong to no entry still to be taken. If Home Assistant has
  /// all entries before them, they are acknowledged.
  private func pass(upTo number: UInt64) {
    let isAcknowledged = taken == log.acknowledged
    last = number
    if isAcknowledged { log.acknowledge(upTo: number) }
  }

  /// Moves to the next segment. Returns false at the end of the newest, which may grow, and if the
  /// disk is needed first.
  private func leave(_ index: Int) -> Bool {
    let end = log.numbers(of: index).upperBound
    let isNewest = index == log.newestIndex
    if !isNewest, log[index].header == .damaged, records.recordCount == 0 {
      want = .aside(isGarbage: true)
      return false
    }
    if !isNewest {
      countTail(of: index, before: end)
      leaveSegment()
    }
    pass(upTo: end - 1)
    return !isNewest
  }

  // MARK: Disk

  /// Returns the next action for the present segment.
  func nextAction() -> Spool.Action? {
    guard isActionWanted, let index else { return nil }
    let segment = log[index]
    if want == .chunk { return records.nextChunk(of: segment) }
    return .setAside(segment.file, as: segment.file.aside)
  }

  func performed() {
    guard let index else { return }
    guard want == .chunk else { return log.wasSetAside(index) }
    want = .nothing
    failedReadCount = 0
    // The file became shorter.
    if records.isAtEnd { log.ended(index, at: records.readOffset) }
  }

  /// Handles a failed action. The disk is tried again; after several attempts the segment is set
  /// aside. If that fails too, the disk is at fault, and the attempts start again. Returns whether
  /// the disk is tried again.
  func failed() -> Bool {
    if want == .aside(isGarbage: true), let index {
      log.wasSetAside(index)
      return false
    }
    failedReadCount += 1
    if want == .chunk, failedReadCount >= Spool.readAttemptsMax {
      failedReadCount = 0
      want = .aside(isGarbage: false)
      return false
    }
    want = .chunk
    isPostponed = true
    return true
  }

  /// Allows the next attempt.
  func retryDue() { isPostponed = false }

  // MARK: Losses

  /// Returns whether the segment was not read up to this offset before, and records it.
  private func isNews(_ first: UInt64, at offset: Int) -> Bool {
    let place = (segment: first, offset: offset)
    guard place > known else { return false }
    known = place
    return true
  }

  /// Counts the entries that damage destroyed before the entry found last.
  private func countMissing() {
    countDamage(records.missing, byteCount: records.missingByteCount)
  }

  /// Counts the entries that damage destroyed after the last record, from the first number of the
  /// next segment.
  private func countTail(of index: Int, before end: UInt64) {
    guard isNews(log[index].first, at: .max) else { return }
    let tail = max(0, log[index].byteCount - records.endOfRecords)
    log.losses.damagedByteCount += tail
    let first = min(records.nextSequence, end)
    countDamage(first..<end, byteCount: records.unclearByteCount + tail)
  }

  /// Counts missing numbers, limited by the space of the damaged bytes.
  private func countDamage(_ numbers: Range<UInt64>, byteCount: Int) {
    let roomCount = byteCount / SpoolRecord.entryByteCountMin
    if roomCount > 0 { log.losses.damaged += min(log.waitingCount(in: numbers), roomCount) }
  }
}
