import Bytes

extension Spool {
  /// What the disk is to do.
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
    /// Rename the first to the second, and synchronise the directory. A first one that is not there
    /// is no error; a second one that is there is one.
    case setAside(SegmentFile, as: SegmentFile)
  }

  /// Losses since the start.
  public struct Losses: Equatable, Sendable {
    /// Entries of segments that were dropped for their room.
    public var dropped = 0
    /// Entries that the memory had no room for.
    public var overflowed = 0
    /// Entries that were damaged, as the numbers around them tell. How many stood behind the last
    /// whole one of the newest segment is not known.
    public var damaged = 0
    /// Entries of segments that the disk did not read, or in which nothing could be read.
    public var unreadable = 0
    /// Readings that do not say of which sensor they are.
    public var nameless = 0
    /// Bytes on the disk that are not what was written.
    public var damagedByteCount = 0
    /// Bytes of batches that a power cut tore.
    public var tornByteCount = 0
    /// Files that were set aside: unreadable ones, and those of another version or another device.
    public var setAside = 0

    /// Entries that are gone, as far as they can be counted.
    public var entryCount: Int { dropped + overflowed + damaged + unreadable + nameless }
  }
}

extension Spool {
  /// Size at which a segment takes no more batches, unless the caller says otherwise.
  public static let segmentByteCount = 1024 * 1024
  /// Size of a file of which the kernel does not tell it. Nothing is less certain of it than of a
  /// segment that got shorter.
  public static let unknownByteCount = 2 * segmentByteCount
  /// Room that all segments may take, unless the caller says otherwise.
  public static let byteCountCap = 64 * 1024 * 1024
  /// Number of segments at most: every file takes whole blocks, and a cap of small ones is many.
  public static let segmentCountMax = 4096
  static let blockByteCount = 4096
  public static let memoryEntryCountMax = 2048
  /// An open batch of this many entries is written before it is closed.
  public static let batchEntryCountMax = 512
  static let outgoingByteCountMax = 64 * 1024
  /// Bytes read in one wake-up, beside batches. Other actions count as a block.
  public static let sliceByteCount = 128 * 1024
  public static let uniqueIDByteCountMax = SpoolRecord.uniqueIDByteCountMax
  public static let firstRetryDelay: Duration = .seconds(30)
  public static let longestRetryDelay: Duration = .seconds(1800)
  /// Attempts of the disk to read a segment before that is set aside.
  static let readAttemptsMax: UInt8 = 4
  /// Attempts of the disk to delete a file before that stays.
  static let deletionAttemptsMax: UInt8 = 4

  /// Room that a file of this size takes of the disk: whole blocks.
  static func occupiedByteCount(of byteCount: Int) -> Int {
    max(1, (byteCount + blockByteCount - 1) / blockByteCount) * blockByteCount
  }
}

/// Why the disk did not do what it should, as the kernel numbers it (`errno(3)`).
public struct DiskFailure: Error, Equatable, Sendable {
  public let code: Int32

  public init(code: Int32) { self.code = code }
}

/// Whether the disk does what it is asked, and when it is asked again after it did not.
///
/// Invariant: while `retryAt` is set there is a failure to tell, and nothing is written or deleted.
struct DiskStatus {
  private(set) var failure: DiskFailure?
  /// When the disk is tried again, or nil where it can be asked now.
  private(set) var retryAt: Instant?
  /// Whether what is to be written goes before what is to be deleted, which failed.
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

  /// Puts deletions off: a write does not wait for them.
  mutating func deletionFailed(_ failure: DiskFailure, now: Instant) {
    areDeletionsPostponed = true
    failed(failure, now: now)
  }

  mutating func worked() {
    failure = nil
    areDeletionsPostponed = false
    backOff.succeeded()
  }

  /// It is tried again now, whatever it did before.
  mutating func retryWanted() { retryAt = nil }

  /// Returns whether the disk is tried again.
  mutating func deadlineReached(now: Instant) -> Bool {
    guard let retryAt, now >= retryAt else { return false }
    self.retryAt = nil
    return true
  }
}

/// How much of the work that can wait is done in one wake-up: files are looked at, deleted and read
/// in slices, and the other sources of the agent have their turn in between.
///
/// Invariant: where work was put off, there is a deadline.
struct WorkSlice {
  private let byteCountMax: Int
  private var byteCount = 0
  private var now = Instant(nanoseconds: 0)
  /// When the next slice begins: at once, but in another wake-up. Nil where nothing waits for it.
  private(set) var deadline: Instant?

  init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

  var isOver: Bool { byteCount >= byteCountMax }

  /// The disk is asked for this: bytes that it reads, or about as much as a block costs.
  mutating func spend(_ action: Spool.Action) {
    let read = if case .read(_, _, let byteCountMax) = action { byteCountMax } else { 0 }
    byteCount += max(Spool.blockByteCount, read)
  }

  /// The disk has done it, or has not.
  mutating func actionEnded(now: Instant) { self.now = now }

  /// There is more to do, which waits.
  mutating func workPutOff() { deadline = now }

  /// Another wake-up.
  mutating func begin() {
    byteCount = 0
    deadline = nil
  }
}
