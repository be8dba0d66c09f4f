import Bytes
public import LinuxIO
import Sensing

/// What a run is to do that reads everything once, brings it, and ends.
public struct OnceOptions {
  /// How long such a run may take.
  public static let standardTimeout: Duration = .seconds(90)
  /// The clock that wakes a board.
  public static let standardClock = Path(WakeClock.standardDevice)

  /// How long it may take from its start, also where there is no network; a program that follows it
  /// has its own limit.
  public var timeout = standardTimeout
  /// Whether standard output has the moment at which the board has to be on again, and nothing
  /// else.
  public var printsNextWake = false
  /// Whether the person vouches for the board's clock, which another one has set.
  public var isClockTrusted = false
  /// The clock whose alarm is set to that moment; nil where none is.
  public var clock: Path?

  public init() {}

  /// How long a source may take for its answer. A receiver that was without power has its time to
  /// start, where a third of the run is left to bring what was read.
  var answerTimeout: Duration {
    let third: Duration = .nanoseconds(timeout.nanoseconds / 3)
    return max(third, min(GPSDSession.startTimeout, third * 2))
  }
}
