public import Bytes

/// Limits the CPU time that a line with too many edges can take, such as a wire that floats beside
/// a motor.
///
/// In each tenth of a second a line is read at most 16 times; then it rests until the tenth is
/// over, and the kernel queues or drops its edges. So a line causes at most 160 wake-ups a second,
/// whatever its number of edges, and a change of a resting line is seen a tenth of a second late.
public struct EdgeRateLimiter: Sendable {
  public static let readsMax = 16
  public static let window: Duration = .milliseconds(100)

  private var windowBegan = Instant(nanoseconds: .min)
  private var readCount = 0
  private var edgeCount: Int64 = 0
  public private(set) var isResting = false
  private var hasRested = false

  /// Edges per second when they were last too many; nil after a cycle without a rest.
  public private(set) var excessEdgesPerSecond: Int?

  public init() {}

  /// End of the rest; nil while the line does not rest.
  public var deadline: Instant? { isResting ? windowBegan + Self.window : nil }

  /// Records a read of the line, with the number of edges since the last read, including those that
  /// the kernel dropped.
  public mutating func lineRead(edgeCount count: UInt32, now: Instant) {
    if now >= windowBegan + Self.window { beginWindow(with: count, now: now) }
    readCount += 1
    // A window has at most 16 reads of 32 bits.
    edgeCount += Int64(count)
    guard readCount >= Self.readsMax else { return }
    isResting = true
    hasRested = true
  }

  public mutating func deadlineReached(now: Instant) {
    if let deadline, now >= deadline { isResting = false }
  }

  /// Starts a cycle. After a cycle without a rest the edges are no longer too many.
  public mutating func cycleBegan() {
    if !hasRested { excessEdgesPerSecond = nil }
    hasRested = false
  }

  /// The edges of the first read in a window came in the previous window.
  private mutating func beginWindow(with count: UInt32, now: Instant) {
    if readCount >= Self.readsMax {
      let milliseconds = max(1, (now - windowBegan).nanoseconds / 1_000_000)
      let rate = (edgeCount + Int64(count)) * 1000 / milliseconds
      // If the edges ended with the window, the rate over the long time since is low.
      if rate >= Self.excess { excessEdgesPerSecond = Int(clamping: rate) }
    }
    windowBegan = now
    readCount = 0
    edgeCount = -Int64(count)
    isResting = false
  }

  /// Lowest rate of edges that makes a line rest.
  private static let excess: Int64 = 160
}
