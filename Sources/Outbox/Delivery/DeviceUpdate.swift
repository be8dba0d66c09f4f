import Bytes
import HomeAssistant

/// Reports the changes of the device since the last report to Home Assistant.
///
/// Home Assistant's confirmation counts with the proof of the cycle. If it ignores the report,
/// nothing is delayed: the next start of the agent reports again.
struct DeviceUpdate {
  private enum State {
    /// Home Assistant has the present data of the device, or ignores them.
    case none
    case due(Webhook.UpdateRegistration)
    /// Home Assistant has confirmed the data in this cycle.
    case answered(Webhook.UpdateRegistration)
  }

  private var state: State

  init(_ untold: Webhook.UpdateRegistration?) { state = untold.map { .due($0) } ?? .none }

  var isDue: Bool { if case .due = state { true } else { false } }

  func write(into data: inout ByteBuffer) {
    if case .due(let update) = state { update.write(into: &data) }
  }

  /// Makes the report due again if its confirmation was not proven.
  mutating func cycleBegan() {
    if case .answered(let update) = state { state = .due(update) }
  }

  mutating func answered(
    _ content: Span<UInt8>, telling tellings: inout Queue<DeliveryEvent>
  ) {
    guard case .due(let update) = state, update.isKnown(by: content) else {
      return dropped(telling: &tellings)
    }
    state = .answered(update)
  }

  mutating func dropped(telling tellings: inout Queue<DeliveryEvent>) {
    state = .none
    tellings.append(.registrationDropped)
  }

  mutating func proven(telling tellings: inout Queue<DeliveryEvent>) {
    guard case .answered(let update) = state else { return }
    state = .none
    tellings.append(.registrationTold(fingerprint: update.fingerprint))
  }
}
