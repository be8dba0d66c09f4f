public import Bytes

/// Everything that Home Assistant wants to know about a device before it registers it.
///
/// `POST /api/mobile_app/registrations`. All keys are written: Home Assistant accepts a request
/// without `os_version` and then never opens the webhook.
public struct RegistrationRequest: Sendable {
  public var deviceID: [UInt8]
  public var deviceName: [UInt8]
  public var manufacturer: [UInt8]
  public var model: [UInt8]
  public var osName: [UInt8]
  public var osVersion: [UInt8]
  public var appVersion: [UInt8]

  /// The path below the address of Home Assistant.
  public static let path: StaticString = "/api/mobile_app/registrations"

  public init(
    deviceID: [UInt8], deviceName: [UInt8], manufacturer: [UInt8], model: [UInt8],
    osName: [UInt8], osVersion: [UInt8], appVersion: [UInt8]
  ) {
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.manufacturer = manufacturer
    self.model = model
    self.osName = osName
    self.osVersion = osVersion
    self.appVersion = appVersion
  }

  public func write(into buffer: inout ByteBuffer) {
    buffer.removeAll()
    buffer.openJSONObject()
    func append(_ key: StaticString, _ value: [UInt8]) {
      buffer.appendJSON(key: key)
      buffer.appendJSON(value)
    }
    append("device_id", deviceID)
    append("app_id", [UInt8]("homeward"))
    append("app_name", [UInt8]("Homeward"))
    append("app_version", appVersion)
    append("device_name", deviceName)
    append("manufacturer", manufacturer)
    append("model", model)
    append("os_name", osName)
    append("os_version", osVersion)
    buffer.appendJSON(key: "supports_encryption")
    buffer.appendJSON(true)
    buffer.closeJSONObject()
  }
}

/// What Home Assistant gave to a device when it registered: where to send, and with which key.
public struct Registration: Sendable {
  /// The last part of the webhook's URL. Who knows it can talk to the webhook: it is a secret.
  public let webhookID: [UInt8]
  public let key: SecretKey

  static let webhookIDCountMax = 256

  /// Nil where `webhookID` is not a plain path component.
  init?(webhookID: [UInt8], key: SecretKey) {
    guard (1...Self.webhookIDCountMax).contains(webhookID.count),
      webhookID.allSatisfy({ $0.isPathSafe })
    else { return nil }
    self.webhookID = webhookID
    self.key = key
  }

  /// Appends the webhook's path below the address of Home Assistant.
  public func appendPath(to buffer: inout ByteBuffer) {
    buffer.append("/api/webhook/")
    buffer.append(webhookID)
  }
}

/// What Home Assistant answered to a registration.
public enum RegistrationAnswer: Sendable {
  case registered(Registration)
  /// It registered the device without a key. Homeward does not send plain messages.
  case withoutEncryption
  /// 401: the token is not valid. Sending it again may ban this address.
  case tokenRejected
  /// 400: Home Assistant does not like the request; our mistake.
  case requestRejected
  /// 403: this address is banned, or may not register.
  case forbidden
  /// 404: `mobile_app` is not loaded yet, or the URL is not Home Assistant's.
  case notFound
  case unavailable(status: Int)
  case notHomeAssistant(status: Int)

  public static func read(status: Int, body: borrowing ByteBuffer) -> RegistrationAnswer {
    switch status {
    case 200, 201: return readRegistration(status: status, body: body.bytes)
    case 400: return .requestRejected
    case 401: return .tokenRejected
    case 403: return .forbidden
    case 404: return .notFound
    case 500...599: return .unavailable(status: status)
    default: return .notHomeAssistant(status: status)
    }
  }

  private static func readRegistration(status: Int, body: Span<UInt8>) -> RegistrationAnswer {
    var fields = RegistrationFields()
    guard (try? fields.read(body)) != nil, let webhookID = fields.webhookID else {
      return .notHomeAssistant(status: status)
    }
    guard let secret = fields.secret else { return .withoutEncryption }
    guard let key = SecretKey(hexadecimal: secret.span),
      let registration = Registration(webhookID: webhookID, key: key)
    else { return .notHomeAssistant(status: status) }
    return .registered(registration)
  }
}

/// The members of an answer to a registration.
private struct RegistrationFields {
  var webhookID: [UInt8]?
  var secret: [UInt8]?

  mutating func read(_ bytes: Span<UInt8>) throws(JSONError) {
    var reader = JSONReader(bytes)
    try reader.openObject()
    while let key = try reader.nextKey() {
      let kind = try reader.nextKind()
      if key.elementsEqual("webhook_id"), kind == .string {
        webhookID = [UInt8](try reader.text().raw)
      } else if key.elementsEqual("secret"), kind == .string {
        secret = [UInt8](try reader.text().raw)
      } else {
        try reader.skipValue()
      }
    }
    try reader.finish()
  }
}
