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

  /// Notifies until that fails, and says how; nil when it never does.
  func failure(by deadline: ContinuousClock.Instant) async throws -> JSON? {
    while ContinuousClock.now < deadline {
      let answer = try await notify("still")
      if answer["success"] == false { return answer["error"]["code"] }
      try await Task.sleep(for: .milliseconds(100))
    }
    return nil
  }

  func confirm(_ event: JSON, on socket: WebSocket? = nil) async throws -> JSON {
    try await (socket ?? self.socket).ask(
      "mobile_app/push_notification_confirm",
      ["webhook_id": .string(device.webhookID), "confirm_id": event["hass_confirm_id"]])
  }

  /// Whether there is an action that notifies this device, as soon as it is so or not.
  func isListed(_ expected: Bool, as service: String? = nil) async throws -> Bool {
    let deadline = ContinuousClock.now + Server.settlingTimeMax
    while true {
      let services = try await sender.result("get_services")
      let isListed = services["notify"][service ?? self.service] != .absent
      if isListed == expected || ContinuousClock.now >= deadline { return isListed }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
