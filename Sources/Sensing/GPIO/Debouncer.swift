public import Bytes

/// Accepts a level only after it has lasted.
///
/// Contacts bounce: one push of a button is dozens of edges. Each edge restarts the debounce
/// window; the accepted level is returned as the last edge that led to it. A window of zero accepts
/// every edge. The first level is accepted as it is read.
public struct Debouncer: Sendable {
  private enum State {
    case awaitingLevel
    case settled(Level)
    case settling(from: Level?, Edge, until: Instant)
  }

  private let window: Duration
  private var state = State.awaitingLevel

  /// - Precondition: `window` is not negative.
  public init(window: Duration) {
    precondition(window >= .zero, "a level cannot last less than no time")
    self.window = window
  }

  /// Instant at which `deadlineReached(now:)` is due; nil while no level is settling.
  public var deadline: Instant? {
    guard case .settling(_, _, let until) = state else { return nil }
    return until
  }

  /// Handles a level that was read from the line. The known level changes nothing; another level
  /// means that an edge was missed or is still to come, and is treated as an edge.
  public mutating func levelRead(_ level: Level, now: Instant) -> Edge? {
    switch state {
    case .awaitingLevel:
      state = .settled(level)
      return Edge(to: level, at: now)
    case .settled(level): return nil
    case .settling(_, let edge, _) where edge.level == level: return deadlineReached(now: now)
    case .settled, .settling: return edgeDetected(Edge(to: level, at: now))
    }
  }

  /// Returns the level before this edge if it had lasted long enough by then.
  public mutating func edgeDetected(_ edge: Edge) -> Edge? {
    let settled = deadlineReached(now: edge.instant)
    state = .settling(from: settledLevel, edge, until: edge.instant + window)
    return settled
  }

  /// Returns the level that has now lasted long enough, if it differs from the previous one. An
  /// early call is harmless.
  public mutating func deadlineReached(now: Instant) -> Edge? {
    guard case .settling(let from, let edge, let until) = state, now >= until else { return nil }
    state = .settled(edge.level)
    return from == edge.level ? nil : edge
  }

  private var settledLevel: Level? {
    switch state {
    case .awaitingLevel: nil
    case .settled(let level): level
    case .settling(let from, _, _): from
    }
  }
}
