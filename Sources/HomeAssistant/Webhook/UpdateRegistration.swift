public import Bytes

extension Webhook {
  /// Report of this device's changes.
  ///
  /// It always has all members: Home Assistant drops a message without a required one, and forgets
  /// the push target after a message without it.
  public struct UpdateRegistration: Sendable {
    /// Version of this program.
    public var appVersion: Text
    /// Name of the device; the notify service takes its name from it, and is renamed at once.
    public var deviceName: Text
    /// Manufacturer of the device.
    public var manufacturer: Text
    /// Model of the manufacturer.
    public var model: Text
    /// Version of the operating system.
    public var osVersion: Text
    /// New routes of notifications to the device.
    public var push: PushRoutes

    /// Creates a report of all these values, changed or not. All texts are UTF-8.
    public init(
      appVersion: Text, deviceName: Text, manufacturer: Text, model: Text, osVersion: Text,
      push: PushRoutes
    ) {
      self.appVersion = appVersion
      self.deviceName = deviceName
      self.manufacturer = manufacturer
      self.model = model
      self.osVersion = osVersion
      self.push = push
    }

    /// Creates a report of the values that the device would register with now.
    public init(_ request: RegistrationRequest) {
      self.init(
        appVersion: Text(request.appVersion), deviceName: Text(request.deviceName),
        manufacturer: Text(request.manufacturer), model: Text(request.model),
        osVersion: Text(request.osVersion), push: request.push)
    }

    /// Writes the `data` of the message.
    public func write(into data: inout ByteBuffer) {
      data.openJSONObject()
      data.appendJSON(key: "app_version", appVersion)
      data.appendJSON(key: "device_name", deviceName)
      data.appendJSON(key: "manufacturer", manufacturer)
      data.appendJSON(key: "model", model)
      data.appendJSON(key: "os_version", osVersion)
      data.appendJSON(key: "app_data")
      push.write(into: &data)
      data.closeJSONObject()
    }

    /// Irreversible fingerprint of the content, stored with the registration so that only changes
    /// are sent to Home Assistant.
    public var fingerprint: Text {
      let target = push.target.map { [$0.url.bytes, $0.token.bytes] } ?? []
      let channel: [UInt8] = [push.isWebSocketWanted ? 1 : 0]
      let parts = [appVersion, deviceName, manufacturer, model, osVersion].map { $0.bytes }
      return Text(
        HomeAssistant.fingerprint(of: parts + [channel] + target, purpose: "update_registration"))
    }

    /// Whether the data of the answer equal this message, as far as the answer shows them; the
    /// answer may be an old one.
    public func isKnown(by answer: Span<UInt8>) -> Bool {
      guard let device = try? JSON(parsing: answer, valueCountMax: 256) else { return false }
      return device["app_version"] == .text(appVersion)
        && device["device_name"] == .text(deviceName)
        && device["manufacturer"] == .text(manufacturer)
        && device["model"] == .text(model) && device["os_version"] == .text(osVersion)
    }
  }
}

extension Registration {
  /// Stores the properties that the device registered with.
  public mutating func answers(_ request: RegistrationRequest) {
    toldFingerprint = Webhook.UpdateRegistration(request).fingerprint
    deviceID = Text(request.deviceID)
    board = request.board.isEmpty ? nil : Text(request.board)
  }
}

extension Webhook {
  /// Answer to `enable_encryption`, the request for a key for a plain registration. After it, Home
  /// Assistant accepts only encrypted messages.
  ///
  /// If the answer is lost, no request returns that key again: the registration is locked, and the
  /// device must register again. A registration with encryption avoids this.
  public enum EnableEncryption {
    /// Result of the request.
    public enum Result: Sendable {
      /// Key, which was sent unencrypted. Store it before any other step.
      case enabled(SecretKey)
      /// The registration already has a key, which Home Assistant does not send again.
      case alreadyEnabled
      /// This Home Assistant does not support encryption; such versions are older than 2022.
      case notAvailable
      /// Another answer, from Home Assistant or from another server.
      case unanswered(Answer)
    }

    /// Reads the answer, which is always plain.
    public static func read(_ head: AnswerHead, body: borrowing ByteBuffer) -> Result {
      let answer = Answer.read(head, plain: body)
      switch answer {
      case .content(let range):
        guard let key = key(in: body.bytes.extracting(range)) else {
          return .unanswered(.server(ServerRefusal(head, body.bytes)))
        }
        return .enabled(key)
      case .encryptionRequired: return .alreadyEnabled
      case .refused where body.bytes.contains("encryption_already_enabled"): return .alreadyEnabled
      case .refused where body.bytes.contains("encryption_not_available"): return .notAvailable
      default: return .unanswered(answer)
      }
    }

    private static func key(in answer: Span<UInt8>) -> SecretKey? {
      guard let json = try? JSON(parsing: answer),
        let secret = try? json.get("secret", as: Text.self)
      else { return nil }
      return SecretKey(hexadecimal: secret.bytes.span)
    }
  }
}
