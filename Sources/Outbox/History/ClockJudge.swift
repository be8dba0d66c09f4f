import Bytes
import Sensing

/// Whether the machine's clock is right, and by how much it was wrong before.
///
/// A board without a battery for its clock begins in 1970, or where it ended, until the network or
/// the receiver tells the time. Then the clock is set, and what was read before can be put right,
/// because the monotonic clock has gone on all the time.
struct ClockJudge {
  /// A smaller change is a clock that is kept right.
  static let smallestStep: Duration = .seconds(2)
  /// The receiver's clock and ours may be this far apart.
  static let agreement: Duration = .seconds(10)

  /// What the wall clock shows at the origin of the monotonic one.
  private var origin: WallTime?
  /// Whether another clock set ours, and keeps it right.
  var isSynchronized = false { didSet { if isSynchronized { wasRight = true } } }
  /// Somebody vouched for it, and nobody has set it since. The kernel takes its word back after nine
  /// hours without the network; but a clock loses seconds a day, and not its time.
  private var wasRight = false

  /// Whether the clock is known to be right.
  var isTrusted: Bool { isSynchronized || wasRight }

  /// Both clocks were read. Returns by how much the wall clock was set since the last time, if it was.
  mutating func clockRead(_ instant: Instant, _ wallTime: WallTime) -> Duration? {
    let origin = wallTime - (instant - Instant(nanoseconds: 0))
    guard let former = self.origin else {
      self.origin = origin
      return nil
    }
    let step = origin - former
    guard abs(step.nanoseconds) >= Self.smallestStep.nanoseconds else { return nil }
    self.origin = origin
    wasRight = false
    return step
  }

  /// The receiver says what time it is.
  mutating func fixReported(_ fix: Fix) {
    guard let origin else { return }
    let ours = origin - (Instant(nanoseconds: 0) - fix.notBefore)
    wasRight = abs((fix.time - ours).nanoseconds) <= Self.agreement.nanoseconds
  }
}
