public import Bytes

/// Plan of the wake-ups of a board that is switched off between two reports.
///
/// The moments are whole multiples of the interval since 1970, so that neither the duration of a
/// run nor a late alarm clock accumulates.
public enum WakePlan {
  /// Minimum time until the moment. An alarm before the board is off never wakes it: some clocks
  /// have alarms of whole minutes, and setting the alarm and switching off take time.
  public static let marginMin: Duration = .seconds(120)

  /// Returns the next multiple of the interval that is far enough away.
  ///
  /// - Parameters:
  ///   - interval: interval of wake-ups; positive.
  ///   - now: present time.
  /// - Returns: the moment, at least `marginMin` away.
  public static func wake(every interval: Duration, at now: WallTime) -> WallTime {
    precondition(interval > .zero, "the configuration allows no other one")
    return onGrid(of: interval.nanoseconds, notBefore: now + marginMin)
  }

  /// Returns the next multiple of the interval by the best clock.
  ///
  /// - Parameters:
  ///   - interval: interval of wake-ups; positive.
  ///   - boardTime: present time by the board's own clock.
  ///   - error: lead of the true time over that clock, as far as known.
  ///   - isTrusted: whether the corrected time is known to be right.
  ///   - isVouchedFor: whether a person vouches for the board's clock. Only that clock is used
  ///     then: the clock that sets it at each start also counts the time to the alarm.
  /// - Returns: the moment, at least `marginMin` away.
  public static func moment(
    every interval: Duration, at boardTime: WallTime, aheadBy error: Duration, isTrusted: Bool,
    isVouchedFor: Bool
  ) -> WakeMoment {
    let now = isVouchedFor ? boardTime : boardTime + error
    let time = wake(every: interval, at: now)
    // Near the end of the range of time there is no next moment.
    let isPossible = now >= WakeMoment.earliest && time - now >= marginMin
    let isRight = isTrusted || isVouchedFor
    let doubt: WakeMoment.Doubt? = isRight ? (isPossible ? nil : .impossibleTime) : .unknownTime
    return WakeMoment(time: time, doubt: doubt)
  }

  private static func onGrid(of step: Int64, notBefore earliest: WallTime) -> WallTime {
    let rest = earliest.nanoseconds % step
    if rest == 0 { return earliest }
    // The remainder of a time before 1970 is negative.
    return earliest + .nanoseconds(rest > 0 ? step - rest : -rest)
  }
}

/// Time of a wake-up, and whether another clock may use it: a time from a wrong clock may be past
/// there, and the board would never wake.
public struct WakeMoment: Equatable, Sendable {
  /// Reason why another clock must not use the time.
  public enum Doubt: Equatable, Sendable {
    /// Neither the network nor a fix has confirmed the board's clock.
    case unknownTime
    /// The time is outside the range of a right clock.
    case impossibleTime
  }

  /// 2024-01-01 00:00 UTC: no board ran this program before.
  static let earliest = WallTime(nanoseconds: 1_704_067_200_000_000_000)

  /// UTC by the best clock of the board.
  public let time: WallTime
  public let doubt: Doubt?

  /// Time that another clock may use; nil if in doubt.
  public var certainTime: WallTime? { doubt == nil ? time : nil }
}
