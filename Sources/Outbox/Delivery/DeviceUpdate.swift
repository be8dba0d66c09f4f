import Bytes
import HomeAssistant

/// Tells Home Assistant what has changed about the device since it was told last.
///
/// That Home Assistant says that it knows it counts with the proof of the cycle. Where it does not
/// want to know it, nothing is held up: the next start of the agent tells it again.
struct DeviceUpdate {
  private enum State {
    /// Home Assistant knows the device as it is, or does not want to.
    case none
    case due(Webhook.UpdateRegistration)
    /// Home Assistant says in this cycle that it knows it.
    case answered(Webhook.UpdateRegistration)
  }

  private var state: State

  init(_ untold: Webhook.UpdateRegistration?) { state = untold.map { .due($0) } ?? .none }

  var isDue: Bool { if case .due = state { true } else { false } }

  func write(into data: inout ByteBuffer) {
    if case .due(let update) = state { update.write(into: &data) }
  }

  /// What was answered in the cycle before was not proven.
  mutating func cycleBegan() {
    if case .answered(let update) = state { state = .due(update) }
  }

  mutating func answered(
    _ content: Span<UInt8>, telling tellings: inout Queue<DeliveryEvent>
  ) {
    guard case .due(let update) = state,
      let device = try? Webhook.UpdateRegistration.read(content), update.isKnown(by: device)
    else { return dropped(telling: &tellings) }
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
