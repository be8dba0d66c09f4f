/// The segments of a spool and the numbers of their entries: what stands on the disk, how far Home
/// Assistant has it, what was lost of it, and the files that have to go.
///
/// Invariants:
/// 1. Segments are in the order of their numbers, and no two begin with the same one.
/// 2. `next` only grows: a number is given to one entry, or to none and never again.
/// 3. A segment leaves the log when all of it is acknowledged, or what was not is counted as lost.
/// 4. A write for which there is room (`hasRoom`) does not take the files past the cap.
/// 5. Losses are counted once, and rather too many than too few.
final class SpoolLog {
  /// A file that has to go: it is deleted, or gets another name.
  struct Removal {
    let action: Spool.Action
    /// Bytes that it takes of the cap until then.
    var occupiedByteCount = 0
    /// Entries that are lost with it.
    var lossCount = 0
    /// How often the disk did not do it.
    var failureCount: UInt8 = 0
  }

  let device: DeviceFingerprint
  private let byteCountCap: Int
  /// A segment that is this large takes no more batches.
  let segmentByteCount: Int

  private(set) var segments: [Segment] = []
  private var removals: [Removal] = []
  /// Files that this run set aside, the oldest first.
  private var asides: [Removal] = []
  /// Bytes of files that could not be deleted.
  private var undeletedByteCount = 0

  /// Number of the next entry.
  private(set) var next: UInt64 = 1
  /// Numbers below it that no entry of the log has. None holds the first number of a segment.
  private var gaps: [ClosedRange<UInt64>] = []
  /// Home Assistant has every entry up to this number that was not lost.
  private(set) var acknowledged: UInt64 = 0
  /// What the disk says of that.
  private(set) var persisted: UInt64 = 0
  var losses = Spool.Losses()

  init(of device: DeviceFingerprint, byteCountCap: Int, segmentByteCount: Int) {
    self.device = device
    self.byteCountCap = byteCountCap
    self.segmentByteCount = segmentByteCount
  }

  /// Earlier runs left this.
  func opened(with findings: SpoolOpening.Findings) {
    segments = findings.segments
    removals = findings.removals
    gaps = findings.gaps
    losses.setAside += findings.setAsideCount
    losses.tornByteCount += findings.tornByteCount
    persisted = findings.acknowledged
    // What Home Assistant has was given, whether or not a file still says so.
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

  /// The segment that has the number, or the first behind it.
  func index(of number: UInt64) -> Int { segments.lastIndex { $0.first <= number } ?? 0 }

  /// The segment of that name, while it is in the log.
  func index(beginningAt first: UInt64) -> Int? { segments.firstIndex { $0.first == first } }

  /// Start of the checksums in the segment's file.
  func salt(of index: Int) -> SegmentSalt {
    SegmentSalt(first: segments[index].first, device: device)
  }

  /// The numbers that entries of the segment can have, as far as they were given.
  func numbers(of index: Int) -> Range<UInt64> {
    let first = segments[index].first
    let end = index < newestIndex ? segments[index + 1].first : next
    return first..<max(first, end)
  }

  /// The file ends here: it is shorter than it was.
  func ended(_ index: Int, at byteCount: Int) { segments[index].byteCount = byteCount }

  // MARK: Numbers

  /// Every entry up to this number is acknowledged, or gone and counted.
  private var settled: UInt64 { max(acknowledged, (segments.first?.first ?? next) - 1) }

  /// Whether no entry of the log waits.
  var isSettled: Bool { settled + 1 >= next }

  /// Entries of the log that are not acknowledged; more where the disk lost some and they were not
  /// read yet.
  var waitingCount: Int { waitingCount(in: 1..<next) }

  /// How many of these numbers are of entries that wait.
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

  /// Numbers that no entry has need no acknowledgement.
  private func passGaps() {
    while let gap = gaps.first(where: { $0.contains(acknowledged + 1) }) {
      acknowledged = gap.upperBound
    }
  }

  /// Drops segments of which everything is acknowledged. One stays that says which numbers were
  /// given: the newest, or the one before while nothing in that is certain.
  private func dropDelivered() {
    while count > 1, segments[1].byteCount > 0, segments[1].first <= acknowledged + 1 {
      dropOldest()
    }
  }

  /// Notes numbers that no entry has; those that are settled need no note.
  private func note(_ gap: ClosedRange<UInt64>) {
    let settled = settled
    gaps.removeAll { $0.upperBound <= settled || gap.contains($0.lowerBound) }
    guard gap.upperBound > settled else { return }
    if let last = gaps.last, last.upperBound + 1 == gap.lowerBound {
      gaps[gaps.count - 1] = last.lowerBound...gap.upperBound
    } else {
      gaps.append(gap)
    }
    passGaps()
  }

  // MARK: Writing

  /// So many acknowledged entries are worth a write of their own.
  private static let acknowledgementsPerWrite: UInt64 = 4096

  /// Whether a write is worthwhile without an entry: it notes what is acknowledged, or makes a new
  /// segment so that the last one can go.
  var isNoteWanted: Bool {
    isNewestDelivered || acknowledged >= persisted + Self.acknowledgementsPerWrite
  }

  /// Whether the newest segment is the only one, and Home Assistant has all of it.
  var isNewestDelivered: Bool { count == 1 && next > newest.first && isSettled }

  /// Whether the newest segment is as large as a segment becomes.
  var isNewestFull: Bool { newest.byteCount >= segmentByteCount }

  /// A segment was made, and is the newest.
  func created() {
    precondition(segments.last.map { $0.first < next } ?? true, "numbers rise")
    segments.append(Segment(first: next, byteCount: 0, header: .valid))
  }

  /// As many entries stand in the newest segment, and what was acknowledged.
  func written(_ byteCount: Int, entryCount: UInt64, acknowledged: UInt64) {
    segments[newestIndex].byteCount += byteCount
    next += entryCount
    persisted = acknowledged
    dropDelivered()
    makeRoom()
  }

  /// As many bytes may stand behind the newest segment, with numbers that are not given again.
  /// Returns whether the segment is still there.
  func writeFailed(_ byteCount: Int, numberCount: UInt64) -> Bool {
    skip(numberCount)
    segments[newestIndex].tailByteCount = max(newest.tailByteCount, byteCount)
    if newest.byteCount == 0 {
      // Nothing in it is certain. At the next start it would be a file that cannot be read.
      removals.append(segments.removeLast().deletion)
      return false
    }
    makeRoom()
    return true
  }

  /// The next numbers are of no entry.
  func skip(_ count: UInt64) {
    next += count
    note(next - count...next - 1)
  }

  /// The newest segment was cut to what is certain.
  func newestWasCut() { segments[newestIndex].tailByteCount = 0 }

  // MARK: The cap

  /// Bytes that all files take of the disk.
  var occupiedByteCount: Int {
    removals.reduce(lastingByteCount) { $0 + $1.occupiedByteCount }
  }

  /// Bytes that are taken once the files are gone that have to go.
  private var lastingByteCount: Int {
    segments.reduce(undeletedByteCount + asideByteCount) { $0 + $1.occupiedByteCount }
  }

  private var asideByteCount: Int { asides.reduce(0) { $0 + $1.occupiedByteCount } }

  /// Bytes of the cap that a write may take at most: a segment may end an entry behind its limit.
  private var writeByteCountMax: Int { segmentByteCount + Spool.blockByteCount }

  /// Whether a write has room beside the files that still have to go.
  var hasRoom: Bool {
    removals.isEmpty || occupiedByteCount + writeByteCountMax <= byteCountCap
  }

  /// Drops the oldest segments until a new one has room beside the others, also while one file is
  /// not deleted. Never drops the newest.
  private func makeRoom() {
    while count > 1,
      count > Spool.segmentCountMax || lastingByteCount + 2 * writeByteCountMax > byteCountCap
    {
      dropOldest()
    }
  }

  // MARK: Files that go

  /// Drops the oldest segment; what of it is not acknowledged is lost with the file.
  private func dropOldest() {
    var removal = segments[0].deletion
    removal.lossCount = takeOut(0)
    removals.append(removal)
  }

  /// A segment that cannot be read was set aside. If more than a quarter of the cap is set aside,
  /// the oldest of that is deleted.
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

  /// Returns how many entries are lost with the segment: no more than have room in it.
  private func takeOut(_ index: Int) -> Int {
    let numbers = numbers(of: index)
    let count = min(waitingCount(in: numbers), segments[index].entryCountMax)
    segments.remove(at: index)
    if !numbers.isEmpty { note(numbers.lowerBound...numbers.upperBound - 1) }
    return count
  }

  /// What has to be done with the first of the files that have to go.
  var nextRemoval: Spool.Action? { removals.first?.action }

  /// It was done.
  func removed() { losses.dropped += removals.removeFirst().lossCount }

  /// The disk did not do it. A deletion is tried again after the others; after some attempts that
  /// count the file stays until the next start, and takes its room. So does one that is not set
  /// aside.
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
