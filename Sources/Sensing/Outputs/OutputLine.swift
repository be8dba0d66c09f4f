public import Bytes

/// State machine of a GPIO output: off, on for a limited time, and safe while the agent cannot
/// control it.
///
/// After each event call `nextAction` until it returns nil. `deadlineReached` is due at `deadline`.
///
/// Invariants:
/// 1. An output is on without a time limit only if a command asked for that and `maxOn` is nil.
/// 2. The level of a lost line is dropped: a reopened line starts at its safe level.
public struct OutputLine: Sendable {
  private enum State {
    case closed
    case open(Level, until: Instant?)
  }

  /// Level from the first moment on, and when the agent ends.
  public let safe: Level
  /// Maximum time that the output is on after a command; nil for no limit.
  private let maxOn: Duration?
  private var state = State.closed
  /// Level to set.
  private var action: Level?

  public init(safe: Level, maxOn: Duration?) {
    self.safe = safe
    self.maxOn = maxOn
  }

  /// Instant at which the output goes off without a command; nil if it does not.
  public var deadline: Instant? {
    guard case .open(_, let until) = state else { return nil }
    return until
  }

  /// Current target level; nil if the line is not open.
  public var wanted: Level? {
    guard case .open(let level, _) = state else { return nil }
    return level
  }

  /// Returns the level to set, or nil.
  public mutating func nextAction() -> Level? {
    defer { action = nil }
    return action
  }

  /// Records that the line was opened at its safe level.
  public mutating func opened() {
    state = .open(safe, until: nil)
    action = nil
  }

  /// Records that the line was lost.
  public mutating func lost() {
    state = .closed
    action = nil
  }

  /// Switches the output on for `duration`, if given, and never longer than `maxOn`. A command to
  /// an output that is on restarts the time.
  ///
  /// - Returns: whether the line is open.
  public mutating func onRequested(for duration: Duration? = nil, now: Instant) -> Bool {
    let until = earliest(duration.map { now + $0 }, maxOn.map { now + $0 })
    return set(.active, until: until)
  }

  /// Switches the output off.
  ///
  /// - Returns: whether the line is open.
  public mutating func offRequested() -> Bool { set(.inactive, until: nil) }

  /// Sets the safe level because the agent ends.
  public mutating func stopped() { _ = set(safe, until: nil) }

  public mutating func deadlineReached(now: Instant) {
    if let deadline, now >= deadline { _ = set(.inactive, until: nil) }
  }

  private mutating func set(_ level: Level, until: Instant?) -> Bool {
    guard case .open = state else { return false }
    state = .open(level, until: until)
    action = level
    return true
  }
}
