/// One segment, as far as the spool knows its file.
///
/// What is found wrong with it is told once: each `…Found` returns what is new of it.
struct Segment {
  /// What is known of its header.
  enum Header {
    /// The disk did not read it.
    case unread
    case valid
    case damaged
  }

  /// What its name says: every number of it is this or more.
  let first: UInt64
  /// What of it is on the disk for certain.
  private(set) var byteCount: Int
  /// What a write that failed may have left behind that.
  private var tailByteCount = 0
  private(set) var thinnings: UInt8 = 0
  private(set) var header: Header
  /// How often the disk did not read it since it was read to its end.
  private var failedReadCount: UInt8 = 0
  private var damagedByteCount = 0
  private var namelessCount = 0
  private(set) var lostCount = 0
  /// How often the disk did not delete it.
  private var failedDeletionCount: UInt8 = 0
  /// Whether it has a segment's name and no record in it.
  private(set) var isGarbage = false

  init(first: UInt64, byteCount: Int, header: Header = .unread) {
    self.first = first
    self.byteCount = byteCount
    self.header = header
  }

  // MARK: What it looks like

  var file: SegmentFile { SegmentFile(first: first) }
  /// A copy of it with less detail.
  var thinnedFile: SegmentFile { SegmentFile(first: first, kind: .thinned) }
  /// What it is called once it is none of the spool's.
  var asideFile: SegmentFile { SegmentFile(first: first, kind: .aside) }
  var occupiedByteCount: Int { Spool.occupiedByteCount(of: byteCount + tailByteCount) }
  /// A file that is larger was not written by a spool.
  var isTooLarge: Bool { byteCount > Spool.unknownByteCount }
  /// A number that no entry of it can have reached: each takes more than a byte.
  var numbersEnd: UInt64 { first + UInt64(min(byteCount, Spool.unknownByteCount)) + 1 }
  /// Whether its file stays until the next start.
  var isUndeletable: Bool { failedDeletionCount >= Spool.deletionAttemptsMax }
  /// Whether it waits for the next start. Until then nothing of it is taken, and none of its
  /// numbers is acknowledged because later ones are.
  var isLeftAlone: Bool { failedReadCount >= Spool.readAttemptsMax }
  /// Whether the disk has one more chance to read it.
  var isLastAttempt: Bool { failedReadCount + 1 == Spool.readAttemptsMax }
  var isThinnable: Bool {
    thinnings < SpoolThinning.countMax && occupiedByteCount > Spool.blockByteCount
  }

  // MARK: What happened to it

  mutating func headerRead(_ read: SegmentHeader) {
    thinnings = read.thinnings
    header = .valid
  }

  mutating func headerFoundDamaged() { header = .damaged }

  mutating func grew(by count: Int) { byteCount += count }

  /// So many bytes may stand behind what is certain.
  mutating func writeFailed(byteCount count: Int) { tailByteCount = max(tailByteCount, count) }

  /// Nothing stands behind what is certain.
  mutating func wasCut() { tailByteCount = 0 }

  /// The file ends here: it was cut, or is shorter than it was.
  mutating func ended(at count: Int) { byteCount = count }

  mutating func readFailed() { failedReadCount += 1 }

  mutating func deletionFailed() { failedDeletionCount += 1 }

  /// A copy with less detail took its place.
  mutating func thinned(to count: Int) {
    byteCount = count
    tailByteCount = 0
    thinnings += 1
    header = .valid
    damagedByteCount = 0
  }

  /// It is not thinned any more.
  mutating func keepsItsDetail() { thinnings = SpoolThinning.countMax }

  /// It was read to its end.
  mutating func readToItsEnd() { failedReadCount = 0 }

  mutating func foundToBeGarbage() { isGarbage = true }

  mutating func damageFound(byteCount count: Int) -> Int {
    Self.raise(&damagedByteCount, to: count)
  }
  mutating func namelessFound(_ count: Int) -> Int { Self.raise(&namelessCount, to: count) }
  mutating func lossFound(_ count: Int) -> Int { Self.raise(&lostCount, to: count) }

  private static func raise(_ known: inout Int, to count: Int) -> Int {
    let isNew = max(0, count - known)
    known = max(known, count)
    return isNew
  }
}

/// The files of a device's spool: which segments there are, what they take of the disk, and which
/// of them has to become smaller or go.
///
/// Invariants:
/// 1. Segments are in the order of their numbers, and no two begin with the same one.
/// 2. What they take never grows past the cap by a write or a copy for which there was no room
///    (`hasRoomForWrite`); what is to be deleted, or could not be, is counted in it.
/// 3. The newest segment is neither thinned nor dropped.
final class SegmentDirectory {
  /// A copy that was not finished when the power went or the disk failed, or a file of nothing.
  private struct Leftover {
    let file: SegmentFile
    /// What it takes of the disk at most.
    let occupiedByteCount: Int
  }

  let device: DeviceFingerprint
  private(set) var segments: [Segment] = []
  private var leftovers: [Leftover] = []
  /// How often the disk did not delete the last one of those.
  private var failedLeftoverCount: UInt8 = 0
  /// What those take at most that were not deleted, and wait for the next start.
  private var undeletedByteCount = 0
  private let byteCountCap: Int
  /// A segment that is this large takes no more batches.
  let segmentByteCount: Int

  init(of device: DeviceFingerprint, byteCountCap: Int, segmentByteCount: Int) {
    self.device = device
    self.byteCountCap = byteCountCap
    self.segmentByteCount = segmentByteCount
  }

  /// Whether there is nothing that could be thinned or deleted.
  var isEmpty: Bool { segments.isEmpty && leftovers.isEmpty }
  var count: Int { segments.count }
  var newestIndex: Int { segments.count - 1 }

  subscript(index: Int) -> Segment {
    get { segments[index] }
    set { segments[index] = newValue }
  }

  /// What the checksums in the segment's file begin with.
  func salt(of segment: Segment) -> SegmentSalt {
    SegmentSalt(first: segment.first, device: device)
  }

  var newest: Segment {
    get { segments[newestIndex] }
    set { segments[newestIndex] = newValue }
  }

  // MARK: Files come and go

  /// There is such a file; its place is known after `sort`.
  func found(_ file: SegmentFile, byteCount: Int) {
    if file.kind == .thinned {
      leave(file, byteCount: byteCount)
    } else {
      segments.append(Segment(first: file.first, byteCount: byteCount))
    }
  }

  func sort() { segments.sort { $0.first < $1.first } }

  func removeAll() {
    segments.removeAll(keepingCapacity: true)
    leftovers.removeAll(keepingCapacity: true)
  }

  /// A segment was made, and is the newest.
  func created(first: UInt64) {
    precondition(segments.last.map { $0.first < first } ?? true, "numbers rise")
    segments.append(Segment(first: first, byteCount: 0, header: .valid))
  }

  func remove(_ index: Int) { segments.remove(at: index) }

  /// A file that holds nothing of use is to be deleted; it has so many bytes at most.
  func leave(_ file: SegmentFile, byteCount: Int) {
    leftovers.append(
      Leftover(file: file, occupiedByteCount: Spool.occupiedByteCount(of: byteCount)))
  }

  // MARK: Numbers

  /// The numbers that entries of the segment can have, of those below `end`; nil where it has none.
  func numbers(of index: Int, before end: UInt64) -> ClosedRange<UInt64>? {
    let first = segments[index].first
    let end = index + 1 < segments.count ? segments[index + 1].first : end
    return first < end ? first...end - 1 : nil
  }

  /// The segment that has the number.
  func index(of number: UInt64) -> Int { segments.lastIndex { $0.first <= number } ?? 0 }

  var leftAloneCount: Int { segments.count { $0.isLeftAlone } }
  var firstGarbage: Int? { segments.firstIndex { $0.isGarbage } }

  // MARK: What can be deleted

  var nextLeftover: SegmentFile? { leftovers.last?.file }

  func leftoverDeleted() {
    failedLeftoverCount = 0
    leftovers.removeLast()
  }

  /// The disk did not delete it, and is not asked for ever.
  func leftoverDeletionFailed() {
    failedLeftoverCount += 1
    guard failedLeftoverCount >= Spool.deletionAttemptsMax, let leftover = leftovers.popLast()
    else { return }
    failedLeftoverCount = 0
    undeletedByteCount += leftover.occupiedByteCount
  }

  // MARK: The cap

  var occupiedByteCount: Int {
    let leftByteCount = leftovers.reduce(undeletedByteCount) { $0 + $1.occupiedByteCount }
    return segments.reduce(leftByteCount) { $0 + $1.occupiedByteCount }
  }

  /// Whether a new segment and a copy would not find room.
  private var isOverCap: Bool {
    occupiedByteCount > byteCountCap - 2 * fullSegmentByteCount
      || segments.count > Spool.segmentCountMax
  }

  /// A segment may end an entry behind its limit.
  private var fullSegmentByteCount: Int { segmentByteCount + Spool.blockByteCount }

  /// Whether a write to the newest segment, or to a new one, fits beside a copy that may take so
  /// much.
  func hasRoomForWrite(toNew isNew: Bool, besideCopyOf copyByteCount: Int) -> Bool {
    let former = isNew ? 0 : newest.byteCount
    let grown = max(former, min(former + Spool.outgoingByteCountMax, fullSegmentByteCount))
    let growth =
      Spool.occupiedByteCount(of: grown) - (isNew ? 0 : Spool.occupiedByteCount(of: former))
    return occupiedByteCount + growth + copyByteCount <= byteCountCap
  }

  /// The segment that has to be thinned or dropped next, or nil where there is room, or where none
  /// can be.
  var nextCompaction: (index: Int, isThinned: Bool)? {
    guard segments.count > 1, isOverCap,
      let oldest = segments.indices.dropLast().first(where: { !segments[$0].isUndeletable })
    else { return nil }
    let thinnable = segments.indices.dropLast().first {
      !segments[$0].isUndeletable && segments[$0].isThinnable
    }
    guard segments.count <= Spool.segmentCountMax, let thinnable,
      occupiedByteCount + segments[thinnable].occupiedByteCount <= byteCountCap
    else { return (oldest, false) }
    return (thinnable, true)
  }
}
