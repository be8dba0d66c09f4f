public import Bytes

/// Keeps a line with too many edges, such as a wire that floats beside a motor, from taking the
/// whole machine.
///
/// In each tenth of a second a line is read 16 times at the most; then it rests until the tenth is
/// over, and the kernel keeps or drops what comes. So a line costs at most 160 wake-ups a second,
/// however many edges it has, and a change of a line that rests is seen a tenth of a second late.
public struct EdgeRateLimiter: Sendable {
  public static let readsMax = 16
  public static let window: Duration = .milliseconds(100)

  private var windowBegan = Instant(nanoseconds: .min)
  private var readCount = 0
  private var edgeCount: Int64 = 0
  public private(set) var isResting = false
  /// Whether it rested since the last cycle.
  private var hasRested = false

  /// How many edges a second there were when they were too many last; nil where that is over.
  public private(set) var excessEdgesPerSecond: Int?

  public init() {}

  /// When the rest is over; nil while there is none.
  public var deadline: Instant? { isResting ? windowBegan + Self.window : nil }

  /// The line was read because it had edges: so many came since the last time, those that the
  /// kernel dropped included.
  public mutating func lineRead(edgeCount count: UInt32, now: Instant) {
    if now >= windowBegan + Self.window { beginWindow(with: count, now: now) }
    readCount += 1
    // A window has 16 reads of 32 bits at the most.
    edgeCount += Int64(count)
    guard readCount >= Self.readsMax else { return }
    isResting = true
    hasRested = true
  }

  public mutating func deadlineReached(now: Instant) {
    if let deadline, now >= deadline { isResting = false }
  }

  /// A cycle has come. After one without a rest, there are not too many edges any more.
  public mutating func cycleBegan() {
    if !hasRested { excessEdgesPerSecond = nil }
    hasRested = false
  }

  /// What is read first in a window came in the one before.
  private mutating func beginWindow(with count: UInt32, now: Instant) {
    if readCount >= Self.readsMax {
      let milliseconds = max(1, (now - windowBegan).nanoseconds / 1_000_000)
      let rate = (edgeCount + Int64(count)) * 1000 / milliseconds
      // Where the edges ended with the window, little is left of a long time.
      if rate >= Self.excess { excessEdgesPerSecond = Int(clamping: rate) }
    }
    windowBegan = now
    readCount = 0
    edgeCount = -Int64(count)
    isResting = false
  }

  /// The fewest edges a second that make a line rest.
  private static let excess: Int64 = 160
}
