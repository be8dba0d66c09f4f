import Bytes

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

  /// It is tried again some times, of which those count that a disk that works said no. What is to
  /// be written does not wait for it.
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

/// How much of the work that can wait is done in one wake-up: the files are looked at, copied,
/// deleted and read for delivery in slices, and the other sources of the agent have their turn in
/// between.
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

  /// The disk is asked for so many bytes, or for something that costs about as much as a block.
  mutating func spend(_ count: Int) { byteCount += max(Spool.blockByteCount, count) }

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
