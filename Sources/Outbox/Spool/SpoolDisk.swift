import Bytes

extension Spool {
  public enum Action: Equatable, Sendable {
    /// Report every file of the directory to `fileFound`; create a missing directory.
    case list
    /// Read once from `offset` with `fill`. Zero bytes mean the end.
    case read(SegmentFile, offset: Int, byteCountMax: Int)
    /// Create the file; an existing one is an error.
    case create(SegmentFile)
    /// Append all of `outgoing` to the file.
    case append(SegmentFile)
    case synchronize(SegmentFile)
    case synchronizeDirectory
    case truncate(SegmentFile, byteCount: Int)
    /// Delete the file; a missing one is not an error.
    case delete(SegmentFile)
    /// Rename the first to the second, and synchronise the directory. A missing first file is not
    /// an error; an existing second one is.
    case setAside(SegmentFile, as: SegmentFile)
  }

  /// Losses since the start.
  public struct Losses: Equatable, Sendable {
    /// Number of entries of segments that were dropped to make room.
    public var dropped = 0
    /// Number of entries that did not fit into the memory.
    public var overflowed = 0
    /// Number of damaged entries, from the numbers around them. Those after the last valid entry of
    /// the newest segment are not counted.
    public var damaged = 0
    /// Number of entries of segments that the disk did not read, or without a readable record.
    public var unreadable = 0
    /// Number of readings whose sensor is unknown.
    public var nameless = 0
    /// Number of bytes on the disk that differ from the written ones.
    public var damagedByteCount = 0
    /// Number of bytes of batches that a power cut tore.
    public var tornByteCount = 0
    /// Number of files set aside: unreadable, or of another version or another device.
    public var setAside = 0

    /// Number of lost entries, as far as known.
    public var entryCount: Int { dropped + overflowed + damaged + unreadable + nameless }
  }
}

extension Spool {
  /// Default size at which a segment accepts no more batches.
  public static let segmentByteCount = 1024 * 1024
  /// Size assumed for a file whose size the kernel does not report. It is read like a segment that
  /// became shorter.
  public static let unknownByteCount = 2 * segmentByteCount
  /// Default cap of all segments together.
  public static let byteCountCap = 64 * 1024 * 1024
  /// Maximum number of segments: every file takes whole blocks, and small segments are many.
  public static let segmentCountMax = 4096
  static let blockByteCount = 4096
  public static let memoryEntryCountMax = 2048
  /// Number of entries at which an open batch is written.
  public static let batchEntryCountMax = 512
  static let outgoingByteCountMax = 64 * 1024
  /// Maximum number of bytes read in one wake-up, beside batches. Other actions count as a block.
  public static let sliceByteCount = 128 * 1024
  public static let uniqueIDByteCountMax = SpoolRecord.uniqueIDByteCountMax
  public static let firstRetryDelay: Duration = .seconds(30)
  public static let longestRetryDelay: Duration = .seconds(1800)
  /// Maximum number of attempts to read a segment before it is set aside.
  static let readAttemptsMax: UInt8 = 4
  /// Maximum number of attempts to delete a file before it stays.
  static let deletionAttemptsMax: UInt8 = 4

  /// Returns the disk space that all files together may take: at most 1023 MiB on a processor of 32
  /// bits, whose `Int` ends at 2 GiB.
  public static func byteCountCap(megabytes: Int) -> Int { min(megabytes, .max >> 21) << 20 }

  /// Returns the disk space of a file of this size: whole blocks.
  static func occupiedByteCount(of byteCount: Int) -> Int {
    // A foreign file may be of any size; several together stay an `Int`, also one of 32 bits.
    let byteCount = min(byteCount, .max >> 8)
    return max(1, (byteCount + blockByteCount - 1) / blockByteCount) * blockByteCount
  }
}

/// Failure of the disk, as an error number of the kernel (`errno(3)`).
public struct DiskFailure: Error, Equatable, Sendable {
  public let code: Int32

  public init(code: Int32) { self.code = code }
}

/// State of the disk, and the time of the next attempt after a failure.
///
/// Invariant: while `retryAt` is set there is a failure to report, no write and no deletion.
struct DiskStatus {
  private(set) var failure: DiskFailure?
  /// Time of the next attempt; nil if the disk can be used now.
  private(set) var retryAt: Instant?
  /// Whether writes come before deletions, which failed.
  private(set) var areDeletionsPostponed = false
  private var backOff: BackOff

  init(seed: UInt64) {
    backOff = BackOff(first: Spool.firstRetryDelay, longest: Spool.longestRetryDelay, seed: seed)
  }

  var isUsable: Bool { retryAt == nil }

  mutating func failed(_ failure: DiskFailure, now: Instant) {
    self.failure = failure
    retryAt = now + backOff.failed()
  }

  /// Postpones deletions, so that no write waits for them.
  mutating func deletionFailed(_ failure: DiskFailure, now: Instant) {
    areDeletionsPostponed = true
    failed(failure, now: now)
  }

  mutating func worked() {
    failure = nil
    areDeletionsPostponed = false
    backOff.succeeded()
  }

  /// Allows an attempt at once.
  mutating func retryWanted() { retryAt = nil }

  /// Returns whether the disk is tried again.
  mutating func deadlineReached(now: Instant) -> Bool {
    guard let retryAt, now >= retryAt else { return false }
    self.retryAt = nil
    return true
  }
}

/// Limit of the postponable work in one wake-up, so that the other sources of the agent have their
/// turn in between. While work is postponed, there is a deadline.
struct WorkSlice {
  private let byteCountMax: Int
  private var byteCount = 0
  private var now = Instant(nanoseconds: 0)
  /// Time of the next slice: at once, but in another wake-up. Nil without postponed work.
  private(set) var deadline: Instant?

  init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

  var isOver: Bool { byteCount >= byteCountMax }

  /// Counts an action: the bytes that it reads, or at least a block.
  mutating func spend(_ action: Spool.Action) {
    let read = if case .read(_, _, let byteCountMax) = action { byteCountMax } else { 0 }
    byteCount += max(Spool.blockByteCount, read)
  }

  mutating func actionEnded(now: Instant) { self.now = now }

  mutating func workPutOff() { deadline = now }

  mutating func begin() {
    byteCount = 0
    deadline = nil
  }
}
