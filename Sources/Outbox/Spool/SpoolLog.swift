/// Segments of a spool and the numbers of their entries: the files on the disk, the acknowledged
/// part, the losses, and the files to remove.
///
/// Invariants:
/// 1. Segments are in the order of their numbers, and no two begin with the same one.
/// 2. `next` only grows: a number is given to one entry, or to none and never again.
/// 3. A segment leaves the log when all of it is acknowledged, or the rest is counted as lost.
/// 4. A write with room (`hasRoom`) does not make the files exceed the cap.
/// 5. Losses are counted once, and rather too many than too few.
final class SpoolLog {
  /// File to be deleted or renamed.
  struct Removal {
    let action: Spool.Action
    /// Number of bytes of the cap that it takes until then.
    var occupiedByteCount = 0
    var lossCount = 0
    var failureCount: UInt8 = 0
  }

  let device: DeviceFingerprint
  private let byteCountCap: Int
  /// Size at which a segment accepts no more batches.
  let segmentByteCount: Int

  private(set) var segments: [Segment] = []
  private var removals: [Removal] = []
  /// Files that this run set aside, the oldest first.
  private var asides: [Removal] = []
  /// Number of bytes of files that could not be deleted.
  private var undeletedByteCount = 0

  /// Number of the next entry.
  private(set) var next: UInt64 = 1
  /// Numbers below `next` without an entry. The first number of a segment is in none or begins one.
  private var gaps: [ClosedRange<UInt64>] = []
  /// Last acknowledged number: Home Assistant has every entry up to it that was not lost.
  private(set) var acknowledged: UInt64 = 0
  /// Last acknowledged number according to the disk.
  private(set) var persisted: UInt64 = 0
  /// Whether each acknowledgement is worth a write, until the next write.
  private var areAllKept = false
  var losses = Spool.Losses()

  init(of device: DeviceFingerprint, byteCountCap: Int, segmentByteCount: Int) {
    self.device = device
    self.byteCountCap = byteCountCap
    self.segmentByteCount = segmentByteCount
  }

  /// Takes over the findings about earlier runs.
  func opened(with findings: SpoolOpening.Findings) {
    segments = findings.segments
    removals = findings.removals
    gaps = findings.gaps
    losses.setAside += findings.setAsideCount
    losses.tornByteCount += findings.tornByteCount
    persisted = findings.acknowledged
    // A number that Home Assistant has was given, even if no file contains it.
    next = max(findings.nextNumber, persisted + 1)
    acknowledge(upTo: persisted)
    makeRoom()
  }

  // MARK: Segments

  var count: Int { segments.count }
  var newestIndex: Int { segments.count - 1 }

  /// The only segment that is written to.
  var newest: Segment { segments[newestIndex] }

  subscript(index: Int) -> Segment { segments[index] }

  /// Returns the segment that has the number, or the first one after it.
  func index(of number: UInt64) -> Int { segments.lastIndex { $0.first <= number } ?? 0 }

  /// Returns the segment that begins with this number, while it is in the log.
  func index(beginningAt first: UInt64) -> Int? { segments.firstIndex { $0.first == first } }

  /// Returns the initial bytes of the checksums in the segment's file.
  func salt(of index: Int) -> SegmentSalt {
    SegmentSalt(first: segments[index].first, device: device)
  }

  /// Returns the numbers that entries of the segment can have, below `next`.
  func numbers(of index: Int) -> Range<UInt64> {
    let first = segments[index].first
    let end = index < newestIndex ? segments[index + 1].first : next
    return first..<max(first, end)
  }

  /// Records the end of a file that became shorter.
  func ended(_ index: Int, at byteCount: Int) { segments[index].byteCount = byteCount }

  // MARK: Numbers

  /// Last number up to which every entry is acknowledged, or lost and counted.
  private var settled: UInt64 { max(acknowledged, (segments.first?.first ?? next) - 1) }

  /// Whether no entry of the log waits.
  var isSettled: Bool { settled + 1 >= next }

  /// Number of unacknowledged entries of the log; too large if the disk lost some that are still
  /// unread.
  var waitingCount: Int { waitingCount(in: 1..<next) }

  /// Returns the number of waiting entries with these numbers.
  func waitingCount(in numbers: Range<UInt64>) -> Int {
    let first = max(numbers.lowerBound, settled + 1)
    guard first < numbers.upperBound else { return 0 }
    var count = numbers.upperBound - first
    for gap in gaps where gap.upperBound >= first && gap.lowerBound < numbers.upperBound {
      count -= min(gap.upperBound + 1, numbers.upperBound) - max(gap.lowerBound, first)
    }
    return Int(clamping: count)
  }

  func acknowledge(upTo number: UInt64) {
    acknowledged = max(acknowledged, number)
    passGaps()
    dropDelivered()
  }

  /// Acknowledges numbers without an entry.
  private func passGaps() {
    while let gap = gaps.first(where: { $0.contains(acknowledged + 1) }) {
      acknowledged = gap.upperBound
    }
  }

  /// Drops fully acknowledged segments. One stays as a record of the used numbers: the newest, or
  /// the one before it while the newest has no certain content.
  private func dropDelivered() {
    while count > 1, segments[1].byteCount > 0, segments[1].first <= acknowledged + 1 {
      dropOldest()
    }
  }

  /// Records numbers without an entry, unless they are settled.
  private func note(_ gap: ClosedRange<UInt64>) {
    let settled = settled
    gaps.removeAll { $0.upperBound <= settled || gap.contains($0.lowerBound) }
    guard gap.upperBound > settled else { return }
    if let last = gaps.last, last.upperBound + 1 == gap.lowerBound,
      index(beginningAt: gap.lowerBound) == nil
    {
      gaps[gaps.count - 1] = last.lowerBound...gap.upperBound
    } else {
      gaps.append(gap)
    }
    passGaps()
  }

  // MARK: Writing

  /// Number of acknowledged entries that justify a separate write.
  private static let acknowledgementsPerWrite: UInt64 = 4096

  /// Whether a write without an entry is useful: it stores acknowledgements, or starts a new
  /// segment so that the last one can be deleted.
  var isNoteWanted: Bool {
    isNewestDelivered
      || acknowledged >= persisted + (areAllKept ? 1 : Self.acknowledgementsPerWrite)
  }

  /// Makes any new acknowledgement worth a write: none may come later.
  func keepAcknowledgements() { areAllKept = true }

  /// Whether the newest segment is the only one, and Home Assistant has all of it.
  var isNewestDelivered: Bool { count == 1 && next > newest.first && isSettled }

  var isNewestFull: Bool { newest.byteCount >= segmentByteCount }

  /// Adds a new, empty segment.
  func created() {
    precondition(segments.last.map { $0.first < next } ?? true, "numbers rise")
    segments.append(Segment(first: next, byteCount: 0, header: .valid))
  }

  /// Records a completed write to the newest segment.
  func written(_ byteCount: Int, entryCount: UInt64, acknowledged: UInt64) {
    segments[newestIndex].byteCount += byteCount
    next += entryCount
    persisted = acknowledged
    areAllKept = false
    dropDelivered()
    makeRoom()
  }

  /// Records a failed write: bytes may follow the newest segment, with numbers that are not given
  /// again. Returns whether the segment still exists.
  func writeFailed(_ byteCount: Int, numberCount: UInt64) -> Bool {
    skip(numberCount)
    segments[newestIndex].tailByteCount = max(newest.tailByteCount, byteCount)
    if newest.byteCount == 0 {
      // No certain content: at the next start it would be an unreadable file.
      removals.append(segments.removeLast().deletion)
      return false
    }
    makeRoom()
    return true
  }

  /// Leaves the next `count` numbers without an entry.
  func skip(_ count: UInt64) {
    next += count
    note(next - count...next - 1)
  }

  /// Records that the newest segment was cut to its certain content.
  func newestWasCut() { segments[newestIndex].tailByteCount = 0 }

  // MARK: Cap

  /// Number of bytes that all files occupy on the disk.
  var occupiedByteCount: Int {
    removals.reduce(lastingByteCount) { $0 + $1.occupiedByteCount }
  }

  /// Number of bytes that stay occupied after the pending removals.
  private var lastingByteCount: Int {
    segments.reduce(undeletedByteCount + asideByteCount) { $0 + $1.occupiedByteCount }
  }

  private var asideByteCount: Int { asides.reduce(0) { $0 + $1.occupiedByteCount } }

  /// Maximum size of a write: a segment may end an entry after its limit.
  private var writeByteCountMax: Int { segmentByteCount + Spool.blockByteCount }

  /// Whether a write has room beside the files to remove.
  var hasRoom: Bool {
    removals.isEmpty || occupiedByteCount + writeByteCountMax <= byteCountCap
  }

  /// Drops the oldest segments until a new one has room, even if one file cannot be deleted. Never
  /// drops the newest.
  private func makeRoom() {
    while count > 1,
      count > Spool.segmentCountMax || lastingByteCount + 2 * writeByteCountMax > byteCountCap
    {
      dropOldest()
    }
  }

  // MARK: Removals

  /// Drops the oldest segment; its unacknowledged entries are lost with the file.
  private func dropOldest() {
    var removal = segments[0].deletion
    removal.lossCount = takeOut(0)
    removals.append(removal)
  }

  /// Records that an unreadable segment was set aside. If more than a quarter of the cap is set
  /// aside, the oldest of these files is deleted.
  func wasSetAside(_ index: Int) {
    let segment = segments[index]
    losses.unreadable += takeOut(index)
    losses.setAside += 1
    asides.append(
      Removal(
        action: .delete(segment.file.aside), occupiedByteCount: segment.occupiedByteCount))
    while asides.count > 1, asideByteCount > byteCountCap / 4 {
      removals.append(asides.removeFirst())
    }
  }

  /// Removes a segment. Returns the number of lost entries, limited by its size.
  private func takeOut(_ index: Int) -> Int {
    let numbers = numbers(of: index)
    let count = min(waitingCount(in: numbers), segments[index].entryCountMax)
    segments.remove(at: index)
    if !numbers.isEmpty { note(numbers.lowerBound...numbers.upperBound - 1) }
    return count
  }

  var nextRemoval: Spool.Action? { removals.first?.action }

  func removed() { losses.dropped += removals.removeFirst().lossCount }

  /// Handles a failed removal. A deletion is tried again after the others; after several counted
  /// attempts the file stays until the next start and takes its space, like a file that cannot be
  /// set aside.
  func removalFailed(isCounted: Bool = true) {
    var removal = removals.removeFirst()
    if isCounted { removal.failureCount += 1 }
    if case .delete = removal.action, removal.failureCount < Spool.deletionAttemptsMax {
      return removals.append(removal)
    }
    losses.dropped += removal.lossCount
    undeletedByteCount += removal.occupiedByteCount
    makeRoom()
  }
}
