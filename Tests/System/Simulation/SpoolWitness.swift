import Bytes
import ModelDisk

@testable import Outbox

/// Sees what the disk is told to do, and what takes an entry away that Home Assistant does not have
/// as far as the agent knows. What the agent counts as lost is held against that at once.
///
/// It looks at the files themselves. Of the agent it asks which entries are in memory, which
/// numbers it is about to give, what it takes for acknowledged, and what it counts.
final class SpoolWitness {
  /// What took an entry from where it was.
  enum Cause: Equatable {
    /// It was in memory only, or the power took what was not synchronised yet.
    case agentEnded(at: Instant)
    /// There was no room for it in memory.
    case overflowed
    case dropped
    /// Its segment was set aside because the disk did not read it.
    case unread
  }

  private let disk: ModelDisk
  private let plan: DayPlan
  private(set) var complaints: [String] = []
  /// The last thing that took the entry; none where it may still arrive.
  private(set) var causes: [RecordedEntry: Cause] = [:]
  /// Which entry each number was given to last.
  private(set) var entries: [UInt64: RecordedEntry] = [:]
  /// The numbers of entries that were synchronised: no other entry has them ever.
  private var durable: Set<UInt64> = []
  /// The numbers of entries that an agent found when it started, and that were not synchronised
  /// since, with the first number of their segment. The power may still take them.
  private var found: [UInt64: UInt64] = [:]
  /// The numbers of what is being written.
  private var numbersUnderWay: Range<UInt64> = 0..<0
  /// When each life of the agent began, and what the disk said then of what Home Assistant has;
  /// nothing where it did not let itself be read.
  private(set) var starts: [(at: Instant, acknowledged: UInt64)] = []
  private var ends: [Int: Instant] = [:]
  /// What this life of the agent has counted so far.
  private var counted = Spool.Losses()
  /// The segments that this life of the agent has, by their first numbers, and what it took for
  /// acknowledged when it gave one up.
  private var segments: Set<UInt64> = []
  private var acknowledgedAtEnd: [UInt64: UInt64] = [:]

  init(_ disk: ModelDisk, _ plan: DayPlan) {
    self.disk = disk
    self.plan = plan
  }

  func takeComplaints() -> [String] {
    defer { complaints = [] }
    return complaints
  }

  private func take(_ entry: RecordedEntry, _ cause: Cause) { causes[entry] = cause }

  private func isOnDisk(_ number: UInt64) -> Bool {
    durable.contains(number) || found[number] != nil
  }

  /// What is counted since this was asked last.
  private func newLosses(_ spool: Spool) -> Spool.Losses {
    var new = Spool.Losses()
    new.dropped = spool.losses.dropped - counted.dropped
    new.unreadable = spool.losses.unreadable - counted.unreadable
    new.overflowed = spool.losses.overflowed - counted.overflowed
    counted = spool.losses
    return new
  }

  // MARK: The lives of the agent

  /// What of the former lives stands on the disk is not lost with them; unless the power took it
  /// since, because it was not synchronised.
  func agentStarts(at moment: Instant) {
    counted = Spool.Losses()
    self.segments = []
    acknowledgedAtEnd = [:]
    let segments = disk.segments()
    starts.append((moment, acknowledged(in: segments)))
    let before = found
    found = [:]
    for segment in segments {
      for (number, item) in segment.items where !segment.nameless.contains(number) {
        find(item, number, in: segment.first)
      }
    }
    for number in before.keys where found[number] == nil {
      guard let entry = entries[number], let end = ends[entry.life] else { continue }
      take(entry, .agentEnded(at: end))
    }
  }

  /// As the format has it: every header tells, and the newest segment.
  private func acknowledged(in segments: [SegmentContents]) -> UInt64 {
    let newest = segments.last(where: \.isSegment)?.acknowledged ?? 0
    return segments.compactMap(\.acknowledgedBefore).reduce(newest, max)
  }

  private func find(_ item: RecordedEntry.Item, _ number: UInt64, in segment: UInt64) {
    guard let entry = entries[number], entry.item == item else {
      let owner = entries[number].map { "\($0)" } ?? "no entry"
      return complaints.append("\(item) is on the disk as number \(number), which is of \(owner)")
    }
    guard !durable.contains(number) else { return }
    found[number] = segment
    causes[entry] = nil
  }

  /// The power or the process went with this in memory.
  func agentEnded(_ spool: Spool, life: Int, at moment: Instant) {
    ends[life] = moment
    for index in 0..<spool.memory.count {
      take(RecordedEntry(spool.memory[index], life: life), .agentEnded(at: moment))
    }
    numbersUnderWay = 0..<0
  }

  /// Notes which segments the agent gave up since the last look.
  private func look(at spool: Spool) {
    let present = Set(spool.log.segments.map(\.first))
    for first in segments.subtracting(present) {
      acknowledgedAtEnd[first] = spool.log.acknowledged
    }
    segments = present
  }

  // MARK: The memory

  /// The entry that goes where another one comes.
  func oldestInFullMemory(_ spool: Spool, life: Int) -> RecordedEntry? {
    spool.memory.count == Spool.memoryEntryCountMax
      ? RecordedEntry(spool.memory[0], life: life) : nil
  }

  /// Something was recorded, or was no news.
  func recorded(_ spool: Spool, oldest: RecordedEntry?) {
    let new = newLosses(spool)
    if new.overflowed == 1, let oldest { take(oldest, .overflowed) }
    if new.overflowed > (oldest == nil ? 0 : 1) || new.dropped + new.unreadable != 0 {
      complaints.append("what is recorded is counted as a loss: \(new)")
    }
  }

  // MARK: The disk

  /// What the disk is told, and what was known before it does that.
  struct Deed {
    fileprivate let action: Spool.Action
    fileprivate let life: Int
    /// What stands in the segment that the action takes something from.
    fileprivate let contents: SegmentContents?
    /// The numbers in it that Home Assistant does not have. What is not certain to be on the disk
    /// is in memory, too.
    fileprivate let kept: Set<UInt64>
    /// The size of the file that is appended to.
    fileprivate let byteCount: Int
  }

  func begins(_ action: Spool.Action, _ spool: Spool, life: Int) -> Deed {
    look(at: spool)
    let new = newLosses(spool)
    if new.entryCount != 0 { complaints.append("a loss before \(action): \(new)") }
    var (contents, kept, byteCount): (SegmentContents?, Set<UInt64>, Int) = (nil, [], 0)
    switch action {
    case .append(let file):
      byteCount = disk.bytes(of: SpoolFiles.path(of: file))?.count ?? 0
      if spool.memory.writtenCount > 0 { giveNumbers(spool, life: life) }
    default: break
    }
    if let file = action.reducedSegment {
      contents = disk.contents(of: file)
      let acknowledged = acknowledgedAtEnd[file.first] ?? spool.log.acknowledged
      kept = (contents?.numbers ?? []).filter { isOnDisk($0) && $0 > acknowledged }
    }
    return Deed(action: action, life: life, contents: contents, kept: kept, byteCount: byteCount)
  }

  private func giveNumbers(_ spool: Spool, life: Int) {
    let first = spool.log.next
    numbersUnderWay = first..<first + UInt64(spool.memory.writtenCount)
    for number in numbersUnderWay {
      let entry = RecordedEntry(spool.memory[Int(number - first)], life: life)
      if isOnDisk(number), let former = entries[number] {
        complaints.append("the number \(number) of \(former) is given to \(entry)")
      }
      entries[number] = entry
    }
  }

  /// The disk has done it, or has not, or the power went meanwhile.
  func done(_ deed: Deed) {
    let occupied = disk.spoolByteCount
    if deed.action.needsRoom, occupied > plan.spoolByteCountCap {
      complaints.append("the spool takes \(occupied) bytes of the disk after \(deed.action)")
    }
    guard let file = deed.action.reducedSegment, let contents = deed.contents else { return }
    let gone = contents.numbers.subtracting(disk.contents(of: file)?.numbers ?? [])
    let cause: Cause = if case .delete = deed.action { .dropped } else { .unread }
    for number in gone {
      if deed.kept.contains(number), let entry = entries[number] { take(entry, cause) }
      found[number] = nil
    }
  }

  /// The spool knows that it was done: what it counts is what went.
  func performed(_ deed: Deed, _ spool: Spool) {
    look(at: spool)
    switch deed.action {
    case .append(let file) where file.kind == .segment: checkWritten(deed, file)
    case .synchronize(let file): synchronized(file)
    default: break
    }
    if !numbersUnderWay.isEmpty, spool.log.next >= numbersUnderWay.upperBound {
      durable.formUnion(numbersUnderWay)
      numbersUnderWay = 0..<0
    }
    checkCount(newLosses(spool), of: deed)
  }

  /// Each number stands in the file with the entry that it was given to.
  private func checkWritten(_ deed: Deed, _ file: SegmentFile) {
    let written = disk.contents(of: file, from: deed.byteCount)?.items ?? [:]
    let given = numbersUnderWay.map { ($0, entries[$0]?.item) }
    if written != Dictionary(uniqueKeysWithValues: given) {
      complaints.append("\(deed.action) wrote \(written) and not \(given)")
    }
  }

  private func synchronized(_ file: SegmentFile) {
    guard file.kind == .segment else { return }
    for (number, segment) in found where segment == file.first {
      durable.insert(number)
      found[number] = nil
    }
  }

  private func checkCount(_ new: Spool.Losses, of deed: Deed) {
    guard let contents = deed.contents else {
      // One that got its name in an attempt that failed is counted with the next one.
      if case .setAside = deed.action { return }
      if new.entryCount != 0 { complaints.append("\(deed.action) is counted as a loss: \(new)") }
      return
    }
    // Numbers are counted, and not what has them; never more than have room in the file.
    let lostCount = contents.numbers.intersection(deed.kept).count
    let countMax = max(lostCount, contents.entryCountMax)
    let count = if case .delete = deed.action { new.dropped } else { new.unreadable }
    if !(lostCount...countMax).contains(count) || new.entryCount != count {
      complaints.append("\(deed.action) took \(lostCount) entries, and counted is \(new)")
    }
  }

  func failed(_ deed: Deed, _ spool: Spool) {
    look(at: spool)
    // A file that is never deleted is given up all the same.
    if newLosses(spool).dropped > 0 {
      for number in deed.kept { if let entry = entries[number] { take(entry, .dropped) } }
    }
    if !spool.isOpen { starts[starts.count - 1].acknowledged = 0 }
    switch deed.action {
    // The numbers are skipped, and the entries are written again under others.
    case .create, .append, .synchronize, .synchronizeDirectory: numbersUnderWay = 0..<0
    default: break
    }
  }
}

extension Spool.Action {
  /// The segment that has less in it afterwards.
  fileprivate var reducedSegment: SegmentFile? {
    switch self {
    case .delete(let file), .setAside(let file, _): file.kind == .segment ? file : nil
    default: nil
    }
  }

  fileprivate var needsRoom: Bool {
    switch self {
    case .create, .append: true
    default: false
    }
  }
}
