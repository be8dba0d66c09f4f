import Bytes
import Sensing

/// Monitor of the machine's clock: whether it is right, and its former error.
///
/// The clock of a board without a battery for it begins in 1970, or at its last time, until the
/// network or the receiver gives the time. Earlier times can then be corrected, because the
/// monotonic clock has been running. The network sets the machine's clock; a receiver does not, so
/// its difference is stored here.
struct ClockMonitor {
  /// Minimum step of the clock; smaller changes are the normal synchronisation.
  static let smallestStep: Duration = .seconds(2)
  /// Maximum difference between the receiver's clock and the machine's.
  static let agreement: Duration = .seconds(10)
  /// Maximum error of a receiver's time, compared with a synchronised clock.
  static let errorMax: Duration = .seconds(86_400)

  /// Time of the wall clock at the start of the monotonic clock.
  private var origin: WallTime?
  /// Lead of the true time over the machine's clock, as the receiver reports it.
  private(set) var ahead: Duration = .zero
  /// Error in the last fix: one fix may be wrong, but two fixes with the same error are right.
  private var disagreement: Duration?
  /// Whether another clock has set the machine's clock, and keeps it right.
  var isSynchronized = false {
    didSet {
      guard isSynchronized else { return }
      wasRight = true
      ahead = .zero
    }
  }
  /// Whether the network or two fixes confirmed the clock, and it was not set since. The kernel's
  /// flag ends after nine hours without the network, but a clock loses only seconds a day.
  private var wasRight = false

  /// Whether the clock is known to be right.
  var isTrusted: Bool { isSynchronized || wasRight }

  /// Compares both clocks. Returns the change of the time if the wall clock was set since the last
  /// call.
  mutating func clockRead(_ instant: Instant, _ wallTime: WallTime) -> Duration? {
    let origin = wallTime.origin(at: instant)
    guard let former = self.origin else {
      self.origin = origin
      return nil
    }
    let step = origin - former
    guard step >= Self.smallestStep || step <= .zero - Self.smallestStep else { return nil }
    self.origin = origin
    wasRight = false
    disagreement = nil
    defer { ahead = .zero }
    return step - ahead
  }

  /// Whether a fix has the receiver's time, without a contradiction to the network's.
  func believes(_ fix: Fix) -> Bool {
    guard fix.clock == .receiver, isSynchronized, let ours = time(of: fix) else {
      return fix.clock == .receiver
    }
    return (fix.time - ours).nanoseconds.magnitude <= Self.errorMax.nanoseconds.magnitude
  }

  /// Returns the time of the board's best clock; nil before the first `clockRead`.
  func time(at instant: Instant) -> WallTime? {
    origin.map { $0 + (instant - Instant(nanoseconds: 0)) + ahead }
  }

  /// Returns the time of a fix by the board's best clock; nil before the first `clockRead`.
  func time(of fix: Fix) -> WallTime? {
    origin.map { $0 - (Instant(nanoseconds: 0) - fix.notBefore) + ahead }
  }

  /// Compares the receiver's time. Returns the change of the time if no other clock has it.
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
