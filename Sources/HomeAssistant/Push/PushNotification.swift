public import Bytes

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
    if case .success = result {
      notification.confirmation = .taken
    } else {
      notification.confirmation = .failed
    }
    return notification
  }
}

/// Answer of a webhook that was called over the WebSocket.
public struct WebhookReply: JSONDecodable, Equatable, Sendable {
  /// HTTP status, independent of the command's success.
  public let status: Int
  /// Body of the answer; nil if there was none.
  public let body: Text?
  /// Headers by name.
  public let headers: [Text: Text]

  public init(json: JSON) throws(JSONDecodingError) {
    status = try json.get("status")
    body = try json.getIfPresent("body")
    headers = try json.get("headers", default: [:])
  }
}
