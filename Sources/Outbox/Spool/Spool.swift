public import Bytes
public import Sensing

/// Why the disk did not do what it should, as the kernel numbers it (`errno(3)`).
public struct DiskFailure: Error, Equatable, Sendable {
  public let code: Int32

  public init(code: Int32) { self.code = code }
}

/// Keeps what could not be proven delivered, through power cuts, full disks and broken ones.
///
/// Entries are recorded, and written in batches to the newest of the segments, which are files of one
/// directory. They are taken in order (`Order`), and are there until they are acknowledged. Whoever
/// takes them acknowledges a position after the proof, or rewinds.
///
/// What was acknowledged is a few ranges of numbers (`SequenceSet`). It stands in the header of the
/// next segment and in a record of the next batch; so it costs no write of its own. Where it is not
/// known any more, after a power cut or because there were too many ranges, entries are taken again.
/// A segment of which everything was acknowledged is deleted, wherever it stands.
///
/// A batch costs one write and one `fsync`; the first one of a segment makes the file and costs one
/// `fsync` of the directory more. While entries are taken and acknowledged before their batch is
/// closed nothing is written at all.
///
/// When the segments come near the cap, the oldest is thinned (`SpoolThinning`), up to three times,
/// then the next one; when all are thinned, the oldest is dropped. Never the newest. All of it is
/// counted.
///
/// Where the disk fails, entries are in memory, at most `memoryEntryCountMax`; the oldest goes first.
/// The disk is tried again after a while that doubles. A full disk is such a failure: nothing is
/// dropped for it.
///
/// Files of another version or of another device are set aside under another name.
///
/// Invariants:
/// 1. A number is given to one entry only, whenever the power goes.
/// 2. An entry is taken with its number only after it is on the disk.
/// 3. An entry leaves the disk acknowledged, or counted as thinned or dropped.
/// 4. All files together never take more than the cap.
public struct Spool: ~Copyable {
  /// A segment that is this large takes no more batches, unless somebody says otherwise.
  public static let segmentByteCount = 1024 * 1024
  /// What a file is taken to have that nobody could look at. Nothing is less certain of it than of a
  /// segment that got shorter.
  public static let unknownByteCount = 2 * segmentByteCount
  /// What all segments may take unless somebody says otherwise.
  public static let byteCountCap = 64 * 1024 * 1024
  /// Every file takes whole blocks; in a cap of only small ones, this many.
  public static let segmentCountMax = 4096
  static let blockByteCount = 4096
  public static let memoryEntryCountMax = 2048
  /// An open batch of this many entries is written before it is closed.
  public static let batchEntryCountMax = 512
  /// So many acknowledged entries are worth a write of its own.
  static let acknowledgementsPerWrite: UInt64 = 4096
  static let outgoingByteCountMax = 64 * 1024
  /// What is taken at a time where the newest goes first: about as much as a message holds.
  public static let recentByteCount = 24 * 1024
  public static let uniqueIDByteCountMax = SpoolRecord.uniqueIDByteCountMax
  public static let firstRetryDelay: Duration = .seconds(30)
  public static let longestRetryDelay: Duration = .seconds(1800)
  /// A segment that the disk did not read so often is left alone until the next start.
  static let readAttemptsMax: UInt8 = 4
  /// A file that the disk did not delete so often is there until the next start.
  static let deletionAttemptsMax: UInt8 = 4
  /// Each segment that is left alone is a gap in what was acknowledged, and a `SequenceSet` keeps so
  /// many without forgetting any. Where there would be more, what comes next is tried for ever.
  static let gapCountMax = SequenceSet.rangeCountMax / 2

  /// What is taken first.
  public enum Order: Equatable, CaseIterable, Sendable {
    /// As it came; what is in memory only comes last.
    case oldestFirst
    /// What is in memory only, as it came. Then what is on the disk, in blocks of `recentByteCount`:
    /// the newest block first, each as it came. What is written meanwhile follows the block under
    /// way.
    case newestFirst
  }

  public enum Action: Equatable, Sendable {
    /// Tell `fileFound` of every file in the directory, which is made where it is missing.
    case list
    /// Read once from `offset` with `fill`. Nothing read is the end.
    case read(SegmentFile, offset: Int, byteCountMax: Int)
    /// Make the file; one that is there is an error.
    case create(SegmentFile)
    /// Append all of `outgoing` to the file.
    case append(SegmentFile)
    case synchronize(SegmentFile)
    case synchronizeDirectory
    case truncate(SegmentFile, byteCount: Int)
    /// One that is not there is no error.
    case delete(SegmentFile)
    /// Rename the first to the second, in its place where it is there, and synchronise the directory.
    case replace(SegmentFile, SegmentFile)
    /// Rename the first to the second; one that is there is an error.
    case setAside(SegmentFile, as: SegmentFile)
  }

  /// What was lost or left out since the start.
  public struct Losses: Equatable, Sendable {
    /// Entries that were taken out to save room.
    public var thinned = 0
    /// Entries of segments that were dropped.
    public var dropped = 0
    /// Entries that the memory had no room for.
    public var overflowed = 0
    /// Entries that were damaged, as the numbers around them tell. Nobody knows how many stood behind
    /// the last whole one of the newest segment, or in a segment that was thinned.
    public var damaged = 0
    /// Bytes on the disk that are not what was written.
    public var damagedByteCount = 0
    /// Bytes of batches that a power cut tore.
    public var tornByteCount = 0
    /// Segments that the disk would not read. They are left alone, and are tried at the next start;
    /// one that had to go unread for its room is among them.
    public var unreadableSegments = 0
    /// Files of another version or another device.
    public var setAside = 0
    /// Readings that do not say any more of which sensor they are.
    public var nameless = 0

    /// Entries that are gone, as far as they can be counted.
    public var entryCount: Int { thinned + dropped + overflowed + damaged + nameless }
  }

  struct Segment {
    let first: UInt64
    /// What of it is on the disk for certain.
    var byteCount: Int
    var thinnings: UInt8 = 0
    var isHeaderReadable = false
    /// How often the disk did not read it since it was read to its end.
    var failedReadCount: UInt8 = 0
    /// Damage that was counted, readings of no sensor, and entries that are missing.
    var damagedByteCount = 0
    var namelessCount = 0
    var lostCount = 0
    /// How often the disk did not delete it.
    var failedDeletionCount: UInt8 = 0
    /// Whether it has our name and nothing of ours in it.
    var isGarbage = false

    /// Whether its file stays until the next start.
    var isUndeletable: Bool { failedDeletionCount >= Spool.deletionAttemptsMax }
    /// Whether it waits for the next start. Until then nothing of it is taken, and none of its numbers
    /// is acknowledged because later ones are.
    var isLeftAlone: Bool { failedReadCount >= Spool.readAttemptsMax }

    var file: SegmentFile { SegmentFile(first: first) }
    /// What it is called once it is none of ours.
    var asideFile: SegmentFile { SegmentFile(first: first, kind: .aside) }
    var occupiedByteCount: Int {
      let blockCount = (byteCount + Spool.blockByteCount - 1) / Spool.blockByteCount
      return max(1, blockCount) * Spool.blockByteCount
    }
  }

  let device: DeviceFingerprint
  let durability: Durability
  let order: Order
  let byteCountCap: Int
  let segmentByteCount: Int
  var segments: [Segment] = []
  /// Copies that were not finished when the power went, or when the disk failed.
  var leftovers: [SegmentFile] = []
  /// How often the disk did not delete the last one of those.
  var failedLeftoverCount: UInt8 = 0
  /// What those take at most that were not deleted, and wait for the next start.
  var undeletedByteCount = 0
  /// Whether what is to be written goes before what is to be deleted, which failed.
  var areDeletionsPostponed = false
  var reader = SegmentReader()
  var names = SensorNames()
  var waiting = EntryQueue(capacity: Spool.memoryEntryCountMax)
  /// What `.append` is about.
  public internal(set) var outgoing = ByteBuffer(capacity: Spool.outgoingByteCountMax)
  public internal(set) var losses = Losses()

  var step = Step.unlisted
  var isUnderWay = false
  var isOpen = false
  var backOff: BackOff
  var retryAt: Instant?
  /// Why entries are in memory, where they are not meant to be.
  public internal(set) var failure: DiskFailure?

  // Writing
  var nextSequence: UInt64 = 1
  /// What of the numbers below was skipped since the start, in order.
  var skipped: [ClosedRange<UInt64>] = []
  var writer: SegmentWriter?
  /// Whether the newest segment takes more.
  var isNewestOpen = false
  /// Whether there may be more in the newest segment than is certain.
  var isNewestUnclean = false
  var isDirectoryUnclean = false
  var isWriteDue = false
  /// Entries in `outgoing` that wait in memory until they are on the disk, and numbers given there.
  var outgoingEntryCount = 0
  var outgoingNumberCount: UInt64 = 0
  /// What `outgoing` says of it.
  var outgoingAcknowledged = SequenceSet()
  /// What stands on the disk of it.
  var persisted = SequenceSet()

  // Reading
  /// Where the reader is, for whoever takes.
  var cursor: SpoolCursor?
  var isChunkWanted = false
  /// Whether the disk did not read what is next, and is to be tried again at the deadline.
  var isReadPostponed = false
  /// What was taken holds what was acknowledged.
  var taken = SequenceSet()
  var acknowledged = SequenceSet()
  var takenInMemory: UInt64 = 0

  /// What the last `.read` may bring, and what it brought.
  var chunkByteCountMax = 0
  var chunkByteCount = 0

  // Making room
  var thinning = SpoolThinning()
  var copyIndex = 0
  var copyLosses = 0
  var copiedByteCount = 0

  /// - Parameters:
  ///   - device: whose readings these are.
  ///   - durability: what may be lost when the power goes.
  ///   - order: what is taken first.
  ///   - byteCountCap: what all files together may take; at least four segments.
  ///   - segmentByteCount: how large a segment becomes, less one batch.
  ///   - seed: where the jitter of the waits starts.
  public init(
    device: DeviceFingerprint, durability: Durability = .batch, order: Order = .oldestFirst,
    byteCountCap: Int = Spool.byteCountCap, segmentByteCount: Int = Spool.segmentByteCount,
    seed: UInt64
  ) {
    precondition(
      segmentByteCount <= Self.segmentByteCount && byteCountCap >= 4 * segmentByteCount,
      "a segment, its copy and the next one fit")
    self.segmentByteCount = segmentByteCount
    self.device = device
    self.durability = durability
    self.order = order
    self.byteCountCap = byteCountCap
    backOff = BackOff(first: Self.firstRetryDelay, longest: Self.longestRetryDelay, seed: seed)
  }

  // MARK: Entries come

  /// Keeps a reading of the sensor that is called `uniqueID`.
  public mutating func record(_ reading: Reading, of uniqueID: [UInt8], isTimeTrusted: Bool) {
    precondition(
      (1...Self.uniqueIDByteCountMax).contains(uniqueID.count), "a unique id fits into a record")
    guard let slot = UInt8(exactly: reading.sensor.value) else {
      preconditionFailure("a spool has as many slots as a batch has sensors")
    }
    names.set(slot, to: uniqueID)
    record(
      SpoolEntry(
        sequence: nil, time: reading.time, isTimeTrusted: isTimeTrusted,
        content: .reading(sensor: slot, reading.value)))
  }

  /// Keeps a fix.
  public mutating func record(_ fix: Fix, isTimeTrusted: Bool) {
    var fix = fix
    fix.notBefore = Instant(nanoseconds: .min)
    record(
      SpoolEntry(
        sequence: nil, time: fix.time, isTimeTrusted: isTimeTrusted, content: .fix(fix)))
  }

  private mutating func record(_ entry: SpoolEntry) {
    // What is being written stays where it is, until it is known to be on the disk.
    if waiting.isFull {
      waiting.removeFirst(1)
      outgoingEntryCount = max(0, outgoingEntryCount - 1)
      losses.overflowed += 1
    }
    waiting.append(entry)
    if durability == .reading || waiting.count >= Self.batchEntryCountMax { isWriteDue = true }
  }

  /// The clock, which nobody vouched for, was wrong by `step`. Corrects what is in memory only.
  mutating func correctTimesInMemory(by step: Duration) { waiting.correctTimes(by: step) }

  /// No more comes in this cycle, and it is not proven.
  public mutating func batchClosed() {
    if !waiting.isEmpty { isWriteDue = true }
  }

  // MARK: What it looks like

  /// When `deadlineReached` is due, or nil.
  public var deadline: Instant? { retryAt }

  /// Whether nothing is kept, on the disk or in memory, that was not acknowledged.
  public var isEmpty: Bool {
    isOpen && waiting.isEmpty && segments.indices.allSatisfy { isAcknowledged($0) }
  }

  /// Entries that are in memory only.
  public var entryCountInMemory: Int { waiting.count }

  /// Entries that were not acknowledged; more where the disk lost some and they were not read yet.
  public var entryCount: Int {
    var count = Int(clamping: nextSequence - 1 - acknowledged.count + UInt64(waiting.count))
    for numbers in skipped where !acknowledged.contains(numbers) { count -= numbers.count }
    return max(waiting.count, count)
  }

  /// What all files take of the disk.
  public var occupiedByteCount: Int {
    var sum = undeletedByteCount
    for segment in segments { sum += segment.occupiedByteCount }
    return sum
  }
}
