public import Bytes

/// Whether Home Assistant knows that a notification has arrived.
public enum PushConfirmation: Equatable, Sendable {
  /// It took the confirmation.
  case taken
  /// The channel was opened without confirmations.
  case notAsked
  /// It refused the confirmation, or its answer was lost: it may have told the sender that the
  /// notification did not arrive, or have sent it another way.
  case failed
}

/// A notification for this device, as the local channel brings it.
public struct PushNotification: JSONDecodable, Equatable, Sendable {
  /// What it says; nil of a command such as `clear_notification`'s tag alone.
  public let message: Text?
  /// What stands above it.
  public let title: Text?
  /// Whatever the sender wrote, passed through unchanged.
  public let data: JSONObject
  /// What a confirmation must name; nil where the channel was opened without confirmations.
  public let confirmID: Text?
  /// What became of the confirmation.
  public internal(set) var confirmation = PushConfirmation.notAsked

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    message = try members.getIfPresent("message")
    title = try members.getIfPresent("title")
    data = try members.get("data", default: [:])
    confirmID = try members.getIfPresent("hass_confirm_id")
  }

  /// The same, with what Home Assistant answered to its confirmation.
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

/// What a webhook answered that was called over the WebSocket.
public struct WebhookReply: JSONDecodable, Equatable, Sendable {
  /// Of HTTP. That the command succeeded says nothing of this.
  public let status: Int
  /// Of the answer; nil where there was none.
  public let body: Text?
  /// By name, as the webhook wrote it.
  public let headers: [Text: Text]

  public init(json: JSON) throws(JSONDecodingError) {
    status = try json.get("status")
    body = try json.getIfPresent("body")
    headers = try json.get("headers", default: [:])
  }
}
