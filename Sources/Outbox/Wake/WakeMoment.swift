public import Bytes

/// When a board that is switched off has to be on again, and whether another clock may be given
/// that moment.
///
/// A real-time clock is set by how far ahead the moment is, whatever the board's clock shows. A
/// power HAT with a clock of its own is given the moment itself: one by a clock that is wrong may
/// have passed there, and the board would never wake.
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

  /// By the best clock of the board; UTC where there is no doubt.
  public let time: WallTime
  /// The same moment, as the board's own clock shows it.
  public let boardTime: WallTime
  public let doubt: Doubt?

  /// What another clock may be given.
  public var certainTime: WallTime? { doubt == nil ? time : nil }
}

extension WakePlan {
  /// The next moment on the grid of the best clock.
  ///
  /// - Parameters:
  ///   - interval: from one wake to the next; more than nothing.
  ///   - boardTime: the present by the board's own clock.
  ///   - error: how far the true time is ahead of that clock, as far as it is known.
  ///   - isTrusted: whether the time that comes of both is known to be right.
  /// - Returns: the moment, at least `marginMin` away once the board has done its work.
  public func moment(
    every interval: Duration, at boardTime: WallTime, aheadBy error: Duration, isTrusted: Bool
  ) -> WakeMoment {
    let now = boardTime + error
    let time = wake(every: interval, at: now)
    // Where time ends, there is no next moment.
    let isPossible = now >= WakeMoment.earliest && time - now >= Self.marginMin
    let doubt: WakeMoment.Doubt? = isTrusted ? (isPossible ? nil : .impossibleTime) : .unknownTime
    return WakeMoment(time: time, boardTime: time - error, doubt: doubt)
  }
}
