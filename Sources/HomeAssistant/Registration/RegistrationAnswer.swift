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

  /// Returns nil if the body is not a registration.
  private static func readRegistration(_ body: Span<UInt8>) -> RegistrationAnswer? {
    var fields = RegistrationFields()
    guard (try? fields.read(body)) != nil, let webhookID = fields.webhookID,
      var registration = Registration(webhookID: webhookID, protection: .plain)
    else { return nil }
    _ = registration.setAddresses(cloudhook: fields.cloudhookURL, remoteUI: fields.remoteUIURL)
    guard let secret = fields.secret else { return .withoutEncryption(registration) }
    guard let key = SecretKey(hexadecimal: secret.span) else { return nil }
    registration.protection = .sealed(key)
    return .registered(registration)
  }
}

private struct RegistrationFields {
  var webhookID: [UInt8]?
  var secret: [UInt8]?
  var cloudhookURL: Text?
  var remoteUIURL: Text?

  mutating func read(_ bytes: Span<UInt8>) throws(JSONError) {
    var reader = JSONReader(bytes)
    try reader.openObject()
    while let key = try reader.nextKey() {
      let kind = try reader.nextKind()
      if key.elementsEqual("webhook_id"), kind == .string {
        webhookID = [UInt8](try reader.text().raw)
      } else if key.elementsEqual("secret"), kind == .string {
        secret = [UInt8](try reader.text().raw)
      } else if key.elementsEqual("cloudhook_url"), kind == .string {
        cloudhookURL = try reader.ownedText()
      } else if key.elementsEqual("remote_ui_url"), kind == .string {
        remoteUIURL = try reader.ownedText()
      } else {
        try reader.skipValue()
      }
    }
    try reader.finish()
  }
}
