import Bytes
import Sensing

/// Whether the machine's clock is right, and by how much it was wrong before.
///
/// A board without a battery for its clock begins in 1970, or where it ended, until the network or
/// the receiver tells the time. Then what was read before can be put right, because the monotonic
/// clock has gone on all the time. The network sets the machine's clock; a receiver alone does not,
/// so how far it is ahead is kept here.
struct ClockMonitor {
  /// A smaller change is a clock that is kept right.
  static let smallestStep: Duration = .seconds(2)
  /// The receiver's clock and ours may be this far apart.
  static let agreement: Duration = .seconds(10)
  /// A receiver that is farther from a clock that the network set is wrong.
  static let errorMax: Duration = .seconds(86_400)

  /// What the wall clock showed when the other one began.
  private var origin: WallTime?
  /// How far the true time is ahead of the machine's clock, as the receiver says.
  private(set) var ahead: Duration = .zero
  /// By how much the last fix disagreed: one may be wrong, two with the same error are not.
  private var disagreement: Duration?
  /// Whether another clock set ours, and keeps it right.
  var isSynchronized = false {
    didSet {
      guard isSynchronized else { return }
      wasRight = true
      ahead = .zero
    }
  }
  /// The network or two fixes vouched for it, and it was not set since. The kernel takes its word
  /// back after nine hours without the network; but a clock loses seconds a day, and not its time.
  private var wasRight = false

  /// Whether the clock is known to be right.
  var isTrusted: Bool { isSynchronized || wasRight }

  /// Both clocks were read. Returns by how much the time is another one where the wall clock was
  /// set since the last time.
  mutating func clockRead(_ instant: Instant, _ wallTime: WallTime) -> Duration? {
    let origin = wallTime - (instant - Instant(nanoseconds: 0))
    guard let former = self.origin else {
      self.origin = origin
      return nil
    }
    let step = origin - former
    guard step.nanoseconds.magnitude >= Self.smallestStep.nanoseconds.magnitude else { return nil }
    self.origin = origin
    wasRight = false
    disagreement = nil
    defer { ahead = .zero }
    return step - ahead
  }

  /// Whether a fix has the time: not where it was timed by our clock, or contradicts the network's.
  func believes(_ fix: Fix) -> Bool {
    guard fix.clock == .receiver, isSynchronized, let ours = time(of: fix) else {
      return fix.clock == .receiver
    }
    return (fix.time - ours).nanoseconds.magnitude <= Self.errorMax.nanoseconds.magnitude
  }

  /// What the best clock of the board shows; nil before the clocks were read.
  func time(at instant: Instant) -> WallTime? {
    origin.map { $0 + (instant - Instant(nanoseconds: 0)) + ahead }
  }

  /// The time of a fix by the best clock of the board; nil before the clocks were read.
  func time(of fix: Fix) -> WallTime? {
    origin.map { $0 - (Instant(nanoseconds: 0) - fix.notBefore) + ahead }
  }

  /// The receiver says what time it is. Returns by how much the time is another one from now on,
  /// where no other clock knows it.
  mutating func fixReported(_ fix: Fix) -> Duration? {
    guard let ours = time(of: fix) else { return nil }
    let error = fix.time - ours
    wasRight = error.isWithinAgreement
    guard !wasRight, !isSynchronized else {
      disagreement = nil
      return nil
    }
    guard let disagreement, (error - disagreement).isWithinAgreement else {
      disagreement = error
      return nil
    }
    ahead += error
    self.disagreement = nil
    wasRight = true
    return error
  }
}

extension Duration {
  fileprivate var isWithinAgreement: Bool {
    nanoseconds.magnitude <= ClockMonitor.agreement.nanoseconds.magnitude
  }
}
