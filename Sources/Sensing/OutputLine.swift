public import Bytes

/// What a GPIO output is to be: off or on for a while, and safe where the agent cannot care for it.
///
/// Events go in; then `nextAction` is asked until it is nil. `deadlineReached` is due at
/// `deadline`.
///
/// Invariants:
/// 1. An output that is on without end was asked to be so, and has no `maxOn`.
/// 2. A line that was lost is forgotten: opened again, it is safe, and not what it was.
public struct OutputLine: Sendable {
  public enum Action: Equatable, Sendable {
    case set(Level)
  }

  private enum State {
    case closed
    case open(Level, until: Instant?)
  }

  /// What it is from its first moment on, and when the agent ends.
  public let safe: Level
  private let maxOn: Duration?
  private var state = State.closed
  private var action: Action?

  /// - Parameters:
  ///   - safe: what it is while no command has come.
  ///   - maxOn: how long it is on after a command at the most; nil for ever.
  public init(safe: Level, maxOn: Duration?) {
    self.safe = safe
    self.maxOn = maxOn
  }

  /// When it goes off by itself; nil where it does not.
  public var deadline: Instant? {
    guard case .open(_, let until) = state else { return nil }
    return until
  }

  /// What it is to be now; nil where there is no line.
  public var wanted: Level? {
    guard case .open(let level, _) = state else { return nil }
    return level
  }

  public mutating func nextAction() -> Action? {
    defer { action = nil }
    return action
  }

  /// The line is ours, and safe.
  public mutating func opened() {
    state = .open(safe, until: nil)
    action = nil
  }

  /// The line is ours no more.
  public mutating func lost() {
    state = .closed
    action = nil
  }

  /// It shall be on; for so long, where there is a `duration`, and never longer than `maxOn`. A
  /// command while it is on counts from now.
  ///
  /// - Returns: whether there is a line.
  public mutating func onRequested(for duration: Duration? = nil, now: Instant) -> Bool {
    let until = earliest(duration.map { now + $0 }, maxOn.map { now + $0 })
    return set(.active, until: until)
  }

  /// It shall be off.
  ///
  /// - Returns: whether there is a line.
  public mutating func offRequested() -> Bool { set(.inactive, until: nil) }

  /// The agent ends.
  public mutating func stopped() { _ = set(safe, until: nil) }

  public mutating func deadlineReached(now: Instant) {
    if let deadline, now >= deadline { _ = set(.inactive, until: nil) }
  }

  private mutating func set(_ level: Level, until: Instant?) -> Bool {
    guard case .open = state else { return false }
    state = .open(level, until: until)
    action = .set(level)
    return true
  }
}
