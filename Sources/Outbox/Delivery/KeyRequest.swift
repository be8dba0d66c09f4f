import Bytes
import HomeAssistant

extension Delivery {
  /// Encryption of the registration.
  public enum Protection: Equatable, Sendable {
    case sealed
    case plain
    /// The registration has no key, and Home Assistant offers none.
    case plainForGood
  }
}

/// Request for a key of a registration without one, repeated until it has a key or Home Assistant
/// offers none.
struct KeyRequest {
  static let interval: Duration = .seconds(24 * 3600)

  private enum State {
    /// The registration has a key, or Home Assistant offers none.
    case over
    /// A request is due at this time; nil means at once.
    case due(at: Instant?)
  }

  private var state: State
  private let events: DeliveryEvents

  init(_ protection: Delivery.Protection, _ events: DeliveryEvents) {
    self.events = events
    state = protection == .plain ? .due(at: nil) : .over
  }

  func isDue(now: Instant) -> Bool {
    guard case .due(let moment) = state else { return false }
    return moment.map { now >= $0 } ?? true
  }

  mutating func sent(now: Instant) { state = .due(at: now + Self.interval) }

  /// Handles the answer. Returns the cause if the message was not answered, otherwise nil.
  mutating func answered(_ result: Webhook.EnableEncryption.Result) -> OutageCause? {
    switch result {
    case .enabled:
      state = .over
      events.append(.sealed)
    case .notAvailable:
      state = .over
      events.append(.sealingImpossible)
    case .alreadyEnabled: return .encryptionRequired
    case .unanswered(let answer): return OutageCause(answer)
    }
    return nil
  }
}
