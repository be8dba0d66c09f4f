import Bytes
import HomeAssistant

extension Delivery {
  /// Whether the registration has a key.
  public enum Protection: Equatable, Sendable {
    case sealed
    case plain
    /// It has none, and Home Assistant said that there is none to be had.
    case plainForGood
  }
}

/// A registration without a key asks for one from time to time, until it has one or is told that
/// there is none to be had.
struct KeyRequest {
  static let interval: Duration = .seconds(24 * 3600)

  private enum State {
    /// The registration has its key, or there is none to be had.
    case over
    /// Nil: at once.
    case due(at: Instant?)
  }

  private var state: State

  init(_ protection: Delivery.Protection) {
    state = protection == .plain ? .due(at: nil) : .over
  }

  func isDue(now: Instant) -> Bool {
    guard case .due(let moment) = state else { return false }
    return moment.map { now >= $0 } ?? true
  }

  mutating func sent(now: Instant) { state = .due(at: now + Self.interval) }

  /// Returns why the message was not answered; nil where it was.
  mutating func answered(
    _ result: Webhook.EnableEncryption.Result, telling tellings: inout Queue<DeliveryEvent>
  ) -> OutageCause? {
    switch result {
    case .enabled:
      state = .over
      tellings.append(.sealed)
    case .notAvailable:
      state = .over
      tellings.append(.sealingImpossible)
    case .alreadyEnabled: return .encryptionRequired
    case .unanswered(let answer): return OutageCause(answer)
    }
    return nil
  }
}
