/// What is sent to a device, as an action was asked to.
struct Notification: Sendable, Equatable {
  /// A title that says no more than none.
  private static let idleTitle = "Home Assistant"

  static let fields: [Field] = [
    .required("message", .string), .optional("title", .string),
    .optional("target", .listOrOne(of: .string)), .optional("data", .dictionary),
  ]

  var content: JSONObject

  /// - Parameter data: the data of the action, as the schema leaves it.
  init(_ data: JSONObject) {
    content = ["message": data["message"] ?? ""]
    if let title = data["title"]?.string, !title.isEmpty, title != Self.idleTitle {
      content["title"] = .string(title)
    }
    content["data"] = data["data"]
  }
}

/// The way of notifications to one device, over the WebSocket it has open.
struct PushChannel: Sendable {
  let session: Int
  /// The command that opened it; notifications come under its id.
  let command: Int128
  /// Whether every notification must be confirmed.
  let confirms: Bool
  /// Tells it from the channel before and the one after it.
  let serial: Int
  /// When each notification must be confirmed, by its id.
  var pending: [String: Moment] = [:]
}

// MARK: Sending

extension Home {
  /// Sends a notification to devices, one after the other, up to one that does not listen.
  mutating func notify(
    _ targets: [String], _ notification: Notification, now: Moment
  ) throws(ServiceFailure) {
    for id in targets { try notify(id, notification, now: now) }
  }

  private mutating func notify(
    _ webhookID: String, _ notification: Notification, now: Moment
  ) throws(ServiceFailure) {
    guard let registration = registrations.first(where: { $0.webhookID == webhookID }) else {
      return
    }
    let name = registration.deviceName
    guard let channel = channels[webhookID] else {
      // Posting it to the device's own address is not played; the caller sees no difference.
      if registration.hasPushAddress {
        return note(.notificationPosted, device: name, at: now)
      }
      note(.notificationUndelivered, device: name, at: now)
      throw .failed("Device not connected to local push notifications")
    }
    var content = notification.content
    if channel.confirms {
      let id = random(16).hexadecimal
      channels[webhookID]?.pending[id] = now + household.confirmationLimit
      content["hass_confirm_id"] = .string(id)
    }
    post(
      [
        "id": .integer(channel.command), "type": "event", "event": .object(content),
      ], to: channel.session)
    note(
      .notified(notification.content), device: name, deviceID: registration.deviceID, at: now)
  }
}

// MARK: Channels

extension Home {
  private func target(_ call: Call) throws(CommandFailure) -> Registration {
    let id = call.text("webhook_id")
    let registration = registrations.first { $0.webhookID == id && $0.isAlive }
    guard let registration, !isSilent(call.now) else { throw .notFound("Webhook ID not found") }
    return registration
  }

  /// The newest channel of a registration is the only one; the one before is not told.
  mutating func openChannel(_ call: Call) throws(CommandFailure) {
    let registration = try target(call)
    channelCount += 1
    let confirms = call.content["support_confirm"] == true
    channels[registration.webhookID] = PushChannel(
      session: call.session, command: call.id, confirms: confirms, serial: channelCount)
    subscribe(call, .channel(webhookID: registration.webhookID, serial: channelCount))
    note(.channelOpened(confirms: confirms), device: registration.deviceName, at: call.now)
    succeed(call)
  }

  mutating func confirmNotification(_ call: Call) throws(CommandFailure) {
    let registration = try target(call)
    guard
      channels[registration.webhookID]?.pending.removeValue(forKey: call.text("confirm_id"))
        != nil
    else { throw .notFound("Push notification channel not found") }
    note(.notificationConfirmed, device: registration.deviceName, at: call.now)
    succeed(call)
  }

  /// Closes a channel, unless another has taken its place.
  mutating func closeChannel(of webhookID: String, serial: Int, now: Moment) {
    guard channels[webhookID]?.serial == serial else { return }
    channels[webhookID] = nil
    note(.channelClosed(.left), device: deviceName(of: webhookID), at: now)
  }

  private func deviceName(of webhookID: String) -> String? {
    registrations.first { $0.webhookID == webhookID }?.deviceName
  }

  var channelDeadlines: [Moment] { channels.values.flatMap(\.pending.values) }

  /// One notification that is not confirmed in time ends its channel, and no client is told.
  mutating func expireChannels(_ now: Moment) {
    for (webhookID, channel) in channels.sorted(by: { $0.value.serial < $1.value.serial })
    where channel.pending.values.contains(where: { $0 <= now }) {
      channels[webhookID] = nil
      note(.channelClosed(.unconfirmed), device: deviceName(of: webhookID), at: now)
    }
  }

  /// Forgets every channel, as if a notification had not been confirmed.
  mutating func dropChannels(now: Moment) {
    for (webhookID, _) in channels.sorted(by: { $0.value.serial < $1.value.serial }) {
      channels[webhookID] = nil
      note(.channelClosed(.accident), device: deviceName(of: webhookID), at: now)
    }
  }
}
