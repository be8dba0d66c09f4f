public import Bytes

extension SubscriptionRequest where Self == TypedSubscription<PushNotification> {
  /// Subscription to the notifications for a registered device, by its webhook, a secret. The token
  /// must be of the user who registered it.
  ///
  /// If `isConfirmed`, Home Assistant sends a notification that is not confirmed within 10 seconds
  /// elsewhere, and closes the channel silently: confirm each notification first with
  /// `confirmPush`, and subscribe again after a refused confirmation.
  public static func pushNotifications(webhookID: Text, isConfirmed: Bool) -> Self {
    var payload: JSONObject = ["webhook_id": .text(webhookID)]
    if isConfirmed { payload["support_confirm"] = true }
    return TypedSubscription("mobile_app/push_notification_channel", payload)
  }
}

extension Request where Self == TypedRequest<NoContent> {
  /// Confirmation that the notification with this `PushNotification.confirmID` has arrived. Refused
  /// as `not_found` if the channel is closed. It is never repeated: another connection has another
  /// channel.
  public static func confirmPush(webhookID: Text, confirmID: Text) -> Self {
    TypedRequest(
      "mobile_app/push_notification_confirm",
      ["webhook_id": .text(webhookID), "confirm_id": .text(confirmID)], retry: .never)
  }
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
