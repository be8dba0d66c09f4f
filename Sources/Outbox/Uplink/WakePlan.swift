public import Bytes

/// Plan of the wake-ups of a board that is switched off between two reports.
///
/// The moments are whole multiples of the interval since 1970, so that neither the duration of a
/// run nor a late alarm clock accumulates.
public enum WakePlan {
  /// Minimum time until the moment. An alarm before the board is off never wakes it: some clocks
  /// have alarms of whole minutes, and setting the alarm and switching off take time.
  public static let marginMin: Duration = .seconds(120)

  /// Returns the next multiple of the interval that is at least `marginMin` away.
  public static func wake(every interval: Duration, at now: WallTime) -> WallTime {
    precondition(interval > .zero, "the configuration allows no other one")
    let earliest = now + marginMin
    let rest = earliest.nanoseconds % interval.nanoseconds
    // The remainder of a time before 1970 is negative.
    let wait = rest > 0 ? interval.nanoseconds - rest : -rest
    return earliest + .nanoseconds(wait)
  }

  /// Returns the next multiple of the interval by the best clock: the true time leads that of the
  /// board by `error`, as far as known. If a person vouches for the board's clock, only that one is
  /// used: the clock that sets it at each start also counts the time to the alarm.
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
