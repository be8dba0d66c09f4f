public import Bytes

/// The alarm of a real-time clock, in the time of that clock.
///
/// The clock may show local time, or be wrong by years: only how far ahead the alarm is counts.
public struct WakeAlarm: Equatable, Sendable {
  /// Why a clock is given no alarm.
  public enum Refusal: Error, Equatable, Sendable {
    /// So little lies between now and then: it may pass before the board is off.
    case tooNear(Duration)
    /// The clock does not count that far.
    case beyondTime
  }

  /// Some clocks have alarms of whole minutes.
  static let resolutionSeconds: Int64 = 60
  /// What is nearer is refused: such a clock may be early by its resolution, and the kernel takes
  /// its time to switch the board off.
  static let aheadMin: Duration = .seconds(resolutionSeconds) + .seconds(30)

  /// Since 1970, as the clock counts.
  public let seconds: Int64

  /// - Parameters:
  ///   - wake: when the board has to be on, by the system's clock.
  ///   - now: the present by the system's clock.
  ///   - clockSeconds: the present by the real-time clock, in seconds since 1970.
  /// - Throws: why the clock is given none.
  public init(for wake: WallTime, at now: WallTime, clockSeconds: Int64) throws(Refusal) {
    let ahead = wake - now
    guard ahead >= Self.aheadMin else { throw .tooNear(ahead) }
    let nanosecondsPerSecond: Int64 = 1_000_000_000
    let (whole, rest) = ahead.nanoseconds.quotientAndRemainder(dividingBy: nanosecondsPerSecond)
    let (seconds, overflowed) = clockSeconds.addingReportingOverflow(whole + (rest > 0 ? 1 : 0))
    guard !overflowed else { throw .beyondTime }
    self.seconds = seconds
  }

  /// Whether what the clock says of its alarm, once that was set, is this one.
  public func isKept(seconds: Int64, isEnabled: Bool) -> Bool {
    let (difference, overflowed) = seconds.subtractingReportingOverflow(self.seconds)
    return isEnabled && !overflowed && difference.magnitude < Self.resolutionSeconds
  }
}
