import Bytes

/// A registration without a key asks for one from time to time, until it has one or is told that
/// there is none to be had.
struct KeyQuest {
  static let interval: Duration = .seconds(24 * 3600)

  private enum State {
    case found
    case hopeless
    case due(Instant?)
  }

  private var state: State

  init(_ protection: Delivery.Protection) {
    switch protection {
    case .sealed: state = .found
    case .plain: state = .due(nil)
    case .plainForGood: state = .hopeless
    }
  }

  /// Whether the registration has its key.
  var isOver: Bool { if case .found = state { true } else { false } }

  func isDue(now: Instant) -> Bool {
    guard case .due(let moment) = state else { return false }
    return moment.map { now >= $0 } ?? true
  }

  mutating func asked(now: Instant) { state = .due(now + Self.interval) }

  mutating func succeeded() { state = .found }

  mutating func gaveUp() { state = .hopeless }
}
