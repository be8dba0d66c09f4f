public import Bytes

/// Supervises one source: reports a failure once, and limits how often a failing source is read.
///
/// A source that fails again and again is intermittent, which is reported once, and ends when the
/// source was steady for `steadyTime`.
public struct Supervision: Sendable {
  /// First delay after a failure; each further failure doubles it.
  public static let firstDelay: Duration = .seconds(5)
  public static let longestDelay: Duration = .seconds(60)

  /// Number of new failures within `steadyTime` of the last one after which the source is reported
  /// as intermittent.
  public static let returnsMax = 2
  public static let steadyTime: Duration = .seconds(3600)

  private enum State {
    case working
    /// A nil failure means an absent source that need not be present, which is not reported.
    case failing(SourceFailure?, delay: Duration, retryAt: Instant)
  }

  private var state = State.working
  private var returns = 0
  private var isIntermittent = false
  /// Instants of the last failure, and of the first one since the source last worked.
  private var failedAt: Instant?
  private var failingSince: Instant?

  public init() {}

  // Inlined: a call would copy the failure for each source in each turn of the loop.

  /// Whether the source is due to be read; true while it works.
  @inline(__always)
  public func isDue(now: Instant) -> Bool {
    guard case .failing(_, _, let retryAt) = state else { return true }
    return now >= retryAt
  }

  /// Instant at which a failing source is read again; nil while it works.
  @inline(__always)
  public var retryAt: Instant? {
    guard case .failing(_, _, let retryAt) = state else { return nil }
    return retryAt
  }

  /// Whether the delay has reached its maximum, so that the failure is more than momentary.
  @inline(__always)
  public var isLasting: Bool {
    guard case .failing(_, let delay, _) = state else { return false }
    return delay >= Self.longestDelay
  }

  /// Records a failure, and returns the one to report, if any. `isUnplugged` means that people plug
  /// the source in and out, which is not a fault.
  public mutating func failed(
    _ failure: SourceFailure, now: Instant, isUnplugged: Bool = false
  ) -> SourceFailure? {
    let known = known
    let comesAndGoes = known == nil && !isUnplugged && isReturn(now: now)
    failedAt = now
    pause(failure, now: now)
    if isIntermittent {
      guard let failingSince, now - failingSince >= Self.steadyTime else { return nil }
      isIntermittent = false
      return failure
    }
    isIntermittent = comesAndGoes
    if comesAndGoes { return .intermittent(failure) }
    if let known, failure.isSameTrouble(as: known) { return nil }
    return failure
  }

  /// Records that a working source fails. Returns whether that happened often enough.
  private mutating func isReturn(now: Instant) -> Bool {
    let isSoon = failedAt.map { now - $0 < Self.steadyTime } ?? false
    returns = isSoon ? returns + 1 : 0
    failingSince = now
    return returns >= Self.returnsMax
  }

  /// Records that an optional source is absent. An earlier report remains.
  public mutating func absent(now: Instant) { pause(known, now: now) }

  /// Records that the source works, and returns whether that is a recovery to report.
  public mutating func succeeded() -> Bool {
    defer { state = .working }
    return known != nil && !isIntermittent
  }

  /// Instant at which an intermittent source counts as steady; nil if the source is not
  /// intermittent, or fails.
  @inline(__always)
  public var steadyAt: Instant? {
    guard isIntermittent, retryAt == nil, let failedAt else { return nil }
    return failedAt + Self.steadyTime
  }

  /// Returns whether an intermittent source was steady for long enough: a recovery to report.
  @inline(__always)
  public mutating func settled(now: Instant) -> Bool {
    guard let steadyAt, now >= steadyAt else { return false }
    isIntermittent = false
    returns = 0
    return true
  }

  private var known: SourceFailure? {
    guard case .failing(let failure, _, _) = state else { return nil }
    return failure
  }

  private mutating func pause(_ failure: SourceFailure?, now: Instant) {
    var delay = Self.firstDelay
    if case .failing(_, let last, _) = state { delay = min(last + last, Self.longestDelay) }
    state = .failing(failure, delay: delay, retryAt: now + delay)
  }
}
