public import Bytes

/// When a real-time clock that another program has open is tried again, such as one that a daemon
/// reads or sets when the board has started.
public struct ClockRetry: Sendable {
  /// How long it is tried. `WakePlan.marginMin` has room for it.
  public static let patience: Duration = .seconds(10)
  private static let interval: Duration = .milliseconds(500)

  private let end: Instant

  /// - Parameter now: the present, at which it is tried first.
  public init(now: Instant) { end = now + Self.patience }

  /// Nil where it was tried for long enough.
  public func nextTry(after now: Instant) -> Instant? {
    now < end ? min(now + Self.interval, end) : nil
  }
}
