public import Bytes

/// When a board that is switched off between two reports has to be on again.
///
/// The moments lie on a grid, the whole multiples of the interval since 1970: neither the time that
/// a run takes nor a clock that wakes the board late adds up from wake to wake.
public enum WakePlan {
  /// Least time until the moment. An alarm that passes before the board is off never wakes it: some
  /// clocks have alarms of whole minutes, and setting the alarm and switching off take their time.
  public static let marginMin: Duration = .seconds(120)

  /// The next moment on the grid that is far enough away.
  ///
  /// - Parameters:
  ///   - interval: from one wake to the next; more than nothing.
  ///   - now: the present.
  /// - Returns: the moment, at least `marginMin` away.
  public static func wake(every interval: Duration, at now: WallTime) -> WallTime {
    precondition(interval > .zero, "the configuration allows no other one")
    return onGrid(of: interval.nanoseconds, notBefore: now + marginMin)
  }

  /// The next moment on the grid of the best clock.
  ///
  /// - Parameters:
  ///   - interval: from one wake to the next; more than nothing.
  ///   - boardTime: the present by the board's own clock.
  ///   - error: how far the true time is ahead of that clock, as far as it is known.
  ///   - isTrusted: whether the time that comes of both is known to be right.
  ///   - isVouchedFor: whether a person vouches for the board's clock. The moment is by that clock
  ///     alone then: the one that sets it at each start counts the time to the alarm, too.
  /// - Returns: the moment, at least `marginMin` away.
  public static func moment(
    every interval: Duration, at boardTime: WallTime, aheadBy error: Duration, isTrusted: Bool,
    isVouchedFor: Bool
  ) -> WakeMoment {
    let now = isVouchedFor ? boardTime : boardTime + error
    let time = wake(every: interval, at: now)
    // Where time ends, there is no next moment.
    let isPossible = now >= WakeMoment.earliest && time - now >= marginMin
    let isRight = isTrusted || isVouchedFor
    let doubt: WakeMoment.Doubt? = isRight ? (isPossible ? nil : .impossibleTime) : .unknownTime
    return WakeMoment(time: time, doubt: doubt)
  }

  private static func onGrid(of step: Int64, notBefore earliest: WallTime) -> WallTime {
    let rest = earliest.nanoseconds % step
    if rest == 0 { return earliest }
    // The rest of a moment before 1970 is negative.
    return earliest + .nanoseconds(rest > 0 ? step - rest : -rest)
  }
}

/// When a board that is switched off has to be on again, and whether another clock may be given
/// that moment: one by a clock that is wrong may have passed there, and the board would never wake.
public struct WakeMoment: Equatable, Sendable {
  /// Why another clock must not be given it.
  public enum Doubt: Equatable, Sendable {
    /// Neither the network nor a fix vouched for the board's clock.
    case unknownTime
    /// No clock that is right shows such a time.
    case impossibleTime
  }

  /// 2024-01-01 00:00 UTC: no board runs this program before.
  static let earliest = WallTime(nanoseconds: 1_704_067_200_000_000_000)

  /// UTC by the best clock of the board.
  public let time: WallTime
  public let doubt: Doubt?

  /// What another clock may be given.
  public var certainTime: WallTime? { doubt == nil ? time : nil }
}
