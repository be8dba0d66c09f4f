public import Bytes

/// Believes a level only once it has lasted.
///
/// Contacts bounce: one push of a button is dozens of edges. Each edge starts the debounce window
/// anew, and the level at its end counts from the last edge that led to it. A window of zero
/// believes every edge. The first level is believed as it is read.
public struct Debouncer: Sendable {
  /// A level that is believed, and since when the line has had it.
  public struct Settled: Equatable, Sendable {
    public let level: Level
    public let since: Instant

    public init(_ level: Level, since: Instant) {
      self.level = level
      self.since = since
    }
  }

  private enum State {
    case awaitingLevel
    case settled(Level)
    case settling(from: Level?, to: Level, since: Instant, until: Instant)
  }

  private let window: Duration
  private var state = State.awaitingLevel

  /// - Precondition: `window` is not negative.
  public init(window: Duration) {
    precondition(window >= .zero, "a level cannot last less than no time")
    self.window = window
  }

  /// When `deadlineReached(now:)` is due, or nil while nothing is settling.
  public var deadline: Instant? {
    guard case .settling(_, _, _, let until) = state else { return nil }
    return until
  }

  /// The line was asked for its level. One that is known already changes nothing; another one
  /// means that an edge was missed, or is still on its way, and is treated as one.
  public mutating func levelRead(_ level: Level, now: Instant) -> Settled? {
    switch state {
    case .awaitingLevel:
      state = .settled(level)
      return Settled(level, since: now)
    case .settled(level): return nil
    case .settling(_, level, _, _): return deadlineReached(now: now)
    case .settled, .settling: return edgeDetected(Edge(to: level, at: now))
    }
  }

  /// Returns the level before this edge where it had lasted long enough by then.
  public mutating func edgeDetected(_ edge: Edge) -> Settled? {
    let settled = deadlineReached(now: edge.instant)
    state = .settling(
      from: settledLevel, to: edge.level, since: edge.instant, until: edge.instant + window)
    return settled
  }

  /// Returns the level that has now lasted long enough, where it is another than before. Coming
  /// too early is harmless.
  public mutating func deadlineReached(now: Instant) -> Settled? {
    guard case .settling(let from, let to, let since, let until) = state, now >= until else {
      return nil
    }
    state = .settled(to)
    return from == to ? nil : Settled(to, since: since)
  }

  /// The level that is believed now.
  private var settledLevel: Level? {
    switch state {
    case .awaitingLevel: nil
    case .settled(let level): level
    case .settling(let from, _, _, _): from
    }
  }
}
