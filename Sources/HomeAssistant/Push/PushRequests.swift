public import Bytes

/// Subscription to the notifications for a registered device. The token must be of the user who
/// registered it.
///
/// With confirmations, Home Assistant sends a notification that is not confirmed within 10 seconds
/// elsewhere, and closes the channel silently: confirm each notification first, and subscribe again
/// after a refused confirmation.
public struct SubscribePush: SubscriptionRequest {
  public typealias Event = PushNotification
  /// Webhook of the device; a secret.
  public let webhookID: Text
  /// Whether each notification is confirmed with `ConfirmPush`.
  public let isConfirmed: Bool

  /// Creates a subscription for one device.
  public init(webhookID: Text, isConfirmed: Bool) {
    self.webhookID = webhookID
    self.isConfirmed = isConfirmed
  }

  public var command: Text { "mobile_app/push_notification_channel" }
  public var payload: JSONObject {
    var payload: JSONObject = ["webhook_id": .text(webhookID)]
    if isConfirmed { payload["support_confirm"] = true }
    return payload
  }
}

/// Confirmation that a notification has arrived. Refused as `not_found` if the channel is closed.
public struct ConfirmPush: Request {
  public typealias Response = NoContent
  /// Webhook of the device; a secret.
  public let webhookID: Text
  /// Identifier of the notification: `PushNotification.confirmID`.
  public let confirmID: Text

  /// Creates the confirmation of one notification.
  public init(webhookID: Text, confirmID: Text) {
    self.webhookID = webhookID
    self.confirmID = confirmID
  }

  public var command: Text { "mobile_app/push_notification_confirm" }
  public var payload: JSONObject {
    ["webhook_id": .text(webhookID), "confirm_id": .text(confirmID)]
  }
  /// Never repeated: another connection has another channel.
  public var retry: Retry { .never }
}

/// State of the confirmation of a notification.
public enum PushConfirmation: Equatable, Sendable {
  /// Home Assistant accepted it.
  case taken
  /// The channel does not use confirmations.
  case notAsked
  /// Home Assistant refused it, or its answer was lost: it may have reported the notification to
  /// its sender as lost, or have sent it another way.
  case failed
}

/// Notification for this device, from the local channel.
public struct PushNotification: JSONDecodable, Equatable, Sendable {
  /// Message; nil for a command without one, such as `clear_notification`.
  public let message: Text?
  /// Title above the message.
  public let title: Text?
  /// Unchanged data of the sender.
  public let data: JSONObject
  /// Identifier for the confirmation; nil if the channel does not use confirmations.
  public let confirmID: Text?
  /// State of the confirmation.
  public internal(set) var confirmation = PushConfirmation.notAsked

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    message = try members.getIfPresent("message")
    title = try members.getIfPresent("title")
    data = try members.get("data", default: [:])
    confirmID = try members.getIfPresent("hass_confirm_id")
  }

  /// Returns the notification with the state of its confirmation.
  func confirmed(_ result: Result<NoContent, RequestError>) -> PushNotification {
    var notification = self
    notification.confirmation = if case .success = result { .taken } else { .failed }
    return notification
  }
}
