public import Bytes

/// What an answer to a sealed webhook message means.
///
/// Home Assistant's status proves nothing: it is 200 for almost everything, the undecryptable
/// included. Only an envelope that opens with our key shows that the message was opened with it.
public enum Answer: Equatable, Sendable {
  /// The handler ran to its end and Home Assistant holds our key. The JSON of its answer stands
  /// in this part of the buffer.
  case opened(Range<Int>)
  /// An envelope sealed with another key: the registration is not ours any more.
  case otherKey
  /// A plain `{}`: success of a message that needs no answer, or a message dropped without a
  /// word. For a message that must be answered it means dropped.
  case unproven
  /// A body of no bytes: the webhook does not live now (Home Assistant starts, reloads, or the
  /// registration is gone), or its handler failed.
  case notLive
  /// 400 `encryption_required`: the webhook lives, and what we sent was not sealed.
  case encryptionRequired
  /// 400: the body was not JSON, or a proxy in between refuses us.
  case badRequest
  /// 401 or 403: a proxy wants a login, or Home Assistant banned this address.
  case forbidden(status: Int)
  /// 404: `mobile_app` is not loaded yet, or the URL is not Home Assistant's.
  case notFound
  /// 410: the registration was deleted and Home Assistant has restarted since.
  case gone
  /// 5xx: Home Assistant stops, or a proxy cannot reach it.
  case unavailable(status: Int)
  /// Something that is not Home Assistant answered, such as the login page of a hotel.
  case notHomeAssistant(status: Int)
}

extension Answer {
  /// Judges an answer; an envelope is opened in place.
  public static func read(
    status: Int, body: inout ByteBuffer, with key: SecretKey
  ) -> Answer {
    switch status {
    case 200, 201: return readSuccess(status: status, body: &body, with: key)
    case 400: return body.bytes.contains("encryption_required") ? .encryptionRequired : .badRequest
    case 401, 403: return .forbidden(status: status)
    case 404: return .notFound
    case 410: return .gone
    case 500...599: return .unavailable(status: status)
    default: return .notHomeAssistant(status: status)
    }
  }

  private static func readSuccess(
    status: Int, body: inout ByteBuffer, with key: SecretKey
  ) -> Answer {
    if body.isOverflowed { return .notHomeAssistant(status: status) }
    if body.isEmpty { return .notLive }
    if body.bytes.trimmed().elementsEqual("{}") { return .unproven }
    switch Envelope.open(&body, with: key) {
    case .message(let range): return .opened(range)
    case .otherKey: return .otherKey
    case .notAnEnvelope: return .notHomeAssistant(status: status)
    }
  }
}

extension Span where Element == UInt8 {
  fileprivate func contains(_ text: StaticString) -> Bool {
    for start in indices where extracting(start..<count).starts(with: text) { return true }
    return false
  }
}
