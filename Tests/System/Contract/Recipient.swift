import Testing

/// A device that takes notifications over the WebSocket.
struct Recipient: Sendable {
  let device: Device
  /// Its own connection.
  let socket: WebSocket
  /// The connection of the user who sends it notifications.
  let sender: WebSocket

  init(appContent: JSON = ["push_websocket_channel": true]) async throws {
    let identity = Device.Identity()
    device = try await Device.registered(
      identity, as: identity.registration.replacing("app_data", appContent))
    socket = try await WebSocket.opened()
    sender = try await WebSocket.opened()
  }

  /// The same device with new connections.
  init(again recipient: Recipient) async throws {
    device = recipient.device
    socket = try await WebSocket.opened()
    sender = try await WebSocket.opened()
  }

  /// A new device that listens, and its channel.
  static func listening(confirming: Bool = false) async throws -> (Recipient, JSON) {
    let recipient = try await Recipient()
    return (recipient, try await recipient.listen(confirming: confirming))
  }

  func listen(on socket: WebSocket? = nil, confirming: Bool = false) async throws -> JSON {
    try await (socket ?? self.socket).subscribe(
      "mobile_app/push_notification_channel",
      ["webhook_id": .string(device.webhookID), "support_confirm": .bool(confirming)])
  }

  var service: String { "mobile_app_contract_\(device.identity.suffix)" }

  /// Sends a notification, and says how that was answered.
  @discardableResult
  func notify(_ message: String, _ more: JSON = [:]) async throws -> JSON {
    try await sender.ask(
      "call_service",
      [
        "domain": "notify", "service": .string(service),
        "service_data": more.replacing("message", .string(message)),
      ])
  }

  func confirm(_ event: JSON, on socket: WebSocket? = nil) async throws -> JSON {
    try await (socket ?? self.socket).ask(
      "mobile_app/push_notification_confirm",
      ["webhook_id": .string(device.webhookID), "confirm_id": event["hass_confirm_id"]])
  }

  /// Whether there is an action that notifies this device, as soon as it is so or not.
  func isListed(_ expected: Bool, as service: String? = nil) async throws -> Bool {
    try await Server.settled(until: { $0 == expected }) {
      try await sender.result("get_services")["notify"][service ?? self.service] != .absent
    }
  }
}

extension WebSocket {
  /// The code with which the server refuses the channel of a registration.
  func refusedChannel(of webhookID: String) async throws -> JSON {
    try await refusal(
      "mobile_app/push_notification_channel", ["webhook_id": .string(webhookID)])
  }
}
