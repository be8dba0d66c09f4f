public import Bytes

/// Answer of Home Assistant to a registration.
public enum RegistrationAnswer: Sendable {
  /// Home Assistant registered the device, and issued a key.
  case registered(Registration)
  /// Home Assistant registered the device without a key: messages are not encrypted.
  case withoutEncryption(Registration)
  /// 401 in Home Assistant's own words: the token is invalid. Sending it again may ban the client's
  /// address.
  case tokenRejected
  /// 400: Home Assistant rejects the request, which is a fault of this library.
  case requestRejected
  /// The server did not process the registration.
  case server(ServerRefusal)

  /// Reads any answer to a registration.
  public static func read(_ head: AnswerHead, body: borrowing ByteBuffer) -> RegistrationAnswer {
    switch head.status {
    case 200, 201: if let answer = readRegistration(body.bytes) { return answer }
    case 400: if isOfHandler(body.bytes) { return .requestRejected }
    case 401: if head.rejectsToken(body.bytes) { return .tokenRejected }
    default: break
    }
    return .server(ServerRefusal(head, body.bytes))
  }

  /// Whether Home Assistant processed the request and refused it: `{"message": …}`.
  private static func isOfHandler(_ body: Span<UInt8>) -> Bool {
    (try? JSON(parsing: body))?["message"] != nil
  }

  /// Maximum number of values; Home Assistant sends four.
  private static let valueCountMax = 256

  /// Returns nil if the body is not a registration.
  private static func readRegistration(_ body: Span<UInt8>) -> RegistrationAnswer? {
    guard let json = try? JSON(parsing: body, valueCountMax: valueCountMax),
      let webhookID = try? json.get("webhook_id", as: Text.self),
      var registration = Registration(webhookID: webhookID.bytes, protection: .plain)
    else { return nil }
    func text(_ key: Text) -> Text? { json.get(key, orOnFailure: nil) }
    _ = registration.setAddresses(
      cloudhook: text("cloudhook_url"), remoteUI: text("remote_ui_url"))
    guard let secret = text("secret") else { return .withoutEncryption(registration) }
    guard let key = SecretKey(hexadecimal: secret.bytes.span) else { return nil }
    registration.protection = .sealed(key)
    return .registered(registration)
  }
}
