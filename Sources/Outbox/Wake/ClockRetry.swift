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

  /// Nil where it was tried for long enough, and where the run is asked to stop: it ends at
  /// once then, and says that there is no alarm.
  public func nextTry(after now: Instant, isStopRequested: Bool) -> Instant? {
    now < end && !isStopRequested ? min(now + Self.interval, end) : nil
  }
}
