public import Bytes

extension Webhook {
  /// Report of this device's changes.
  ///
  /// It always has all members: Home Assistant drops a message without a required one, and forgets
  /// the push target after a message without it.
  public struct UpdateRegistration: Message {
    /// Type `update_registration`.
    public static let type = MessageType.updateRegistration

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

    /// Stored data of the device in Home Assistant, without the push target.
    public struct Device: Equatable, Sendable, JSONDecodable {
      /// Identifier of the program that registered.
      public let appID: Text
      /// Name of the program that registered.
      public let appName: Text
      /// Version of that program.
      public let appVersion: Text
      /// Name of the device in Home Assistant.
      public let deviceName: Text
      /// Manufacturer of the device.
      public let manufacturer: Text
      /// Model of the manufacturer.
      public let model: Text
      /// Version of the operating system; nil breaks a registration.
      public let osVersion: Text?
      /// Whether the registration has a key, and accepts only encrypted messages.
      public let isEncrypted: Bool

      public init(json: JSON) throws(JSONDecodingError) {
        appID = try json.get("app_id")
        appName = try json.get("app_name")
        appVersion = try json.get("app_version")
        deviceName = try json.get("device_name")
        manufacturer = try json.get("manufacturer")
        model = try json.get("model")
        osVersion = try json.getIfPresent("os_version")
        isEncrypted = try json.get("supports_encryption")
      }
    }

    /// Whether the stored data equal this message, as far as the answer shows them; the answer may
    /// be an old one.
    public func isKnown(by device: Device) -> Bool {
      device.appVersion == appVersion && device.deviceName == deviceName
        && device.manufacturer == manufacturer && device.model == model
        && device.osVersion == osVersion
    }

    /// Reads the JSON of an answer.
    ///
    /// - Throws: `JSONDecodingError` if it does not answer this message.
    public static func read(_ answer: Span<UInt8>) throws(JSONDecodingError) -> Device {
      try decoding(answer)
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
