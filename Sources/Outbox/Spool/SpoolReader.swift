import Bytes

/// Takes the entries on the disk in the order of their numbers, segment by segment, and counts what
/// the disk lost of them.
///
/// Invariants:
/// 1. What is acknowledged is taken.
/// 2. An entry is taken once until it is rewound.
/// 3. A number that no entry has is passed with the next one that was found, or at the end of its
///    segment.
// A class: it is asked at every turn, and a struct of this size is copied for each question.
final class SpoolReader {
  /// What the disk is asked for next.
  private enum Want: Equatable {
    case nothing
    /// More of the segment has to be read.
    case chunk
    /// The segment was not read, or nothing in it is a record.
    case aside(isGarbage: Bool)
  }

  private let log: SpoolLog
  private let records: SegmentReader
  /// Number of the entry that was taken last, or a later one that no entry has.
  private var last: UInt64 = 0
  /// First number of the segment that entries are taken from.
  private var segment: UInt64?
  private var want = Want.nothing
  /// How often in a row the disk did not read.
  private var failedReadCount: UInt8 = 0
  /// Whether the disk did not read what is next, and is to be tried again.
  private(set) var isPostponed = false
  /// Up to where the segments were read before: what was lost there is counted.
  private var known = (segment: UInt64(0), offset: 0)

  init(_ log: SpoolLog, _ records: SegmentReader) {
    self.log = log
    self.records = records
  }

  /// Every entry up to this number was taken.
  var taken: UInt64 { max(last, log.acknowledged) }

  /// Whether the disk has to be asked before the next entry can be taken.
  var isActionWanted: Bool { want != .nothing && !isPostponed && index != nil }

  /// The segment that entries are taken from, while the log has it.
  private var index: Int? { segment.flatMap { log.index(beginningAt: $0) } }

  // MARK: Taking

  /// The next entry on the disk; nil where there is none, or where more has to be read first.
  func take() -> SpoolEntry? {
    while let index = index ?? entered(), want == .nothing {
      if let entry = nextEntry(of: index) { return entry }
      // A segment of which nothing is left to be taken may have gone meanwhile.
      if let index = self.index, want != .nothing || !leave(index) { return nil }
    }
    return nil
  }

  /// Everything that was not acknowledged is taken again.
  func rewind() {
    last = 0
    leaveSegment()
  }

  private func leaveSegment() {
    segment = nil
    want = .nothing
  }

  /// Begins with the segment of the next number that was given; nil where none was.
  private func entered() -> Int? {
    leaveSegment()
    guard taken + 1 < log.next, log.count > 0 else { return nil }
    let index = log.index(of: taken + 1)
    segment = log[index].first
    records.begin(log.salt(of: index))
    return index
  }

  /// The next entry of the segment; nil at its end, or where more of it has to be read.
  private func nextEntry(of index: Int) -> SpoolEntry? {
    let (first, numbers) = (log[index].first, log.numbers(of: index))
    let isWhole = records.readOffset >= log[index].byteCount
    while let record = records.next(isWhole: isWhole) {
      let isNews = isNews(first, at: records.endOfRecords)
      if isNews { log.losses.damagedByteCount += records.damage }
      // Numbers that are none of the segment's were not written by a spool.
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

  /// No entry that is still to be taken has a number up to this one. Where Home Assistant has all
  /// before it, there is nothing to wait for either.
  private func pass(upTo number: UInt64) {
    guard number > taken else { return }
    let isAcknowledged = taken == log.acknowledged
    last = number
    if isAcknowledged { log.acknowledge(upTo: number) }
  }

  /// Goes on to the next segment. False at the end of the newest, to which more may come, and where
  /// the disk has to be asked first.
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

  // MARK: The disk

  /// What is asked of the segment that entries are taken from.
  func nextAction() -> Spool.Action? {
    guard isActionWanted, let index else { return nil }
    let segment = log[index]
    if want == .chunk { return records.nextChunk(of: segment) }
    return .setAside(segment.file, as: segment.file.aside)
  }

  func performed() {
    guard let index else { return }
    guard want == .chunk else { return wasSetAside(index) }
    want = .nothing
    failedReadCount = 0
    // The file is shorter than it was.
    if records.isAtEnd { log.ended(index, at: records.readOffset) }
  }

  /// The disk is tried again; after some attempts the segment is set aside. Where the disk does not
  /// do that either, it is the disk that fails, and all begins anew. Returns whether it is tried
  /// again.
  func failed() -> Bool {
    if want == .aside(isGarbage: true), let index {
      wasSetAside(index)
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

  private func wasSetAside(_ index: Int) {
    leaveSegment()
    log.wasSetAside(index)
  }

  /// The disk is tried again.
  func retryDue() { isPostponed = false }

  // MARK: Losses

  /// Whether the segment was not read up to there before.
  private func isNews(_ first: UInt64, at offset: Int) -> Bool {
    let place = (segment: first, offset: offset)
    guard place > known else { return false }
    known = place
    return true
  }

  /// Counts the entries that damage took before the one that was found last.
  private func countMissing() {
    countDamage(records.missing, byteCount: records.missingByteCount)
  }

  /// Counts the entries that damage took behind the last record, as the first number of the next
  /// segment tells.
  private func countTail(of index: Int, before end: UInt64) {
    guard isNews(log[index].first, at: .max) else { return }
    let tail = max(0, log[index].byteCount - records.endOfRecords)
    log.losses.damagedByteCount += tail
    let first = min(records.nextSequence, end)
    countDamage(first..<end, byteCount: records.unclearByteCount + tail)
  }

  /// Counts missing numbers: no more than had room in the bytes that are no record.
  private func countDamage(_ numbers: Range<UInt64>, byteCount: Int) {
    let roomCount = byteCount / SpoolRecord.entryByteCountMin
    if roomCount > 0 { log.losses.damaged += min(log.waitingCount(in: numbers), roomCount) }
  }
}
