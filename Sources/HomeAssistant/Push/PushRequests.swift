public import Bytes

/// The notifications for a registered device. The token must be of the user who registered it.
///
/// With confirmations, one that is not confirmed within 10 seconds goes elsewhere, and Home
/// Assistant closes the channel without a word: confirm before doing anything, and when a
/// confirmation is refused, subscribe again.
public struct SubscribePush: SubscriptionRequest {
  public typealias Event = PushNotification
  /// A secret: it stands for the device.
  public let webhookID: Text
  /// Whether each notification is confirmed with `ConfirmPush`.
  public let isConfirmed: Bool

  /// The channel of one device.
  ///
  /// - Parameters:
  ///   - webhookID: of the device.
  ///   - isConfirmed: whether each notification is confirmed with `ConfirmPush`.
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

/// Says that a notification has arrived. Refused as `not_found` where the channel is closed.
public struct ConfirmPush: Request {
  public typealias Response = NoContent
  /// Of the device; a secret.
  public let webhookID: Text
  /// Of the notification: `PushNotification.confirmID`.
  public let confirmID: Text

  /// The confirmation of one notification.
  ///
  /// - Parameters:
  ///   - webhookID: of the device.
  ///   - confirmID: of the notification.
  public init(webhookID: Text, confirmID: Text) {
    self.webhookID = webhookID
    self.confirmID = confirmID
  }

  public var command: Text { "mobile_app/push_notification_confirm" }
  public var payload: JSONObject {
    ["webhook_id": .text(webhookID), "confirm_id": .text(confirmID)]
  }
  /// Another connection has another channel.
  public var retry: Retry { .never }
}

/// Calls a webhook over the WebSocket, which then needs no connection of its own.
public struct HandleWebhook: Request {
  public typealias Response = WebhookReply
  /// A secret.
  public let webhookID: Text
  /// What would be the body of the POST, as text.
  public let body: Text
  public let retry: Retry

  /// A `POST` of JSON to one webhook.
  ///
  /// - Parameters:
  ///   - webhookID: which webhook.
  ///   - body: what would be the body of the POST.
  ///   - retry: whether it is sent again where its connection is lost before the answer.
  public init(webhookID: Text, body: Text, retry: Retry = .within(.seconds(10))) {
    self.webhookID = webhookID
    self.body = body
    self.retry = retry
  }

  public var command: Text { "webhook/handle" }
  public var payload: JSONObject {
    [
      "webhook_id": .text(webhookID), "method": "POST", "body": .text(body),
      "headers": ["Content-Type": "application/json"], "query": "",
    ]
  }
}
