public import Bytes

/// When a board that is switched off between two reports has to be on again.
///
/// The moments lie on a grid, the whole multiples of the interval since 1970: neither the time that
/// a run takes nor a clock that wakes the board late adds up from wake to wake.
public struct WakePlan: Equatable, Sendable {
  /// A moment nearer than that may pass before the board is off, and then the board never wakes. It
  /// is more than the alarm needs: time goes on until that is set, also while a clock is busy.
  public static let marginMin = WakeAlarm.aheadMin + ClockRetry.patience + settingMax
  /// How long a clock may take for all else.
  private static let settingMax: Duration = .seconds(20)

  private let margin: Duration

  /// - Parameter staysOn: how long the board may go on working once the moment is decided.
  public init(staysOn: Duration = .zero) { margin = Self.marginMin + staysOn }

  /// The next moment on the grid that is far enough away.
  ///
  /// - Parameters:
  ///   - interval: from one wake to the next; more than nothing.
  ///   - now: the present.
  /// - Returns: the moment, at least `marginMin` away once the board has done its work.
  public func wake(every interval: Duration, at now: WallTime) -> WallTime {
    precondition(interval > .zero, "the configuration allows no other one")
    return Self.onGrid(of: interval.nanoseconds, notBefore: now + margin)
  }

  private static func onGrid(of step: Int64, notBefore earliest: WallTime) -> WallTime {
    let rest = earliest.nanoseconds % step
    if rest == 0 { return earliest }
    // The rest of a moment before 1970 is negative.
    return earliest + .nanoseconds(rest > 0 ? step - rest : -rest)
  }
}
