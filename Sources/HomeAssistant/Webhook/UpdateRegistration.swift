public import Bytes

extension Webhook {
  /// Tells Home Assistant what has changed about this device.
  ///
  /// All members are written: it drops a message without one of those it wants, and what it knew
  /// of the push target goes with a message that does not tell it.
  public struct UpdateRegistration: Message {
    /// `update_registration`
    public static let type = MessageType.updateRegistration

    /// The version of this program.
    public var appVersion: Text
    /// The notify service is named after it, and renamed at once.
    public var deviceName: Text
    /// Who made the device.
    public var manufacturer: Text
    /// Which one it is of its maker's.
    public var model: Text
    /// The version of the system that it runs.
    public var osVersion: Text
    /// How notifications reach the device from now on.
    public var push: PushRoutes

    /// Tells all of this, whatever of it has changed. All texts are UTF-8.
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

    /// What the device would register with now.
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

    /// The same for the same content. It is kept with the registration, so that Home Assistant is
    /// told only what it does not know. It says nothing about what it was made of.
    public var fingerprint: Text {
      let target = push.target.map { [$0.url.bytes, $0.token.bytes] } ?? []
      let channel: [UInt8] = [push.isWebSocketWanted ? 1 : 0]
      let parts = [appVersion, deviceName, manufacturer, model, osVersion].map { $0.bytes }
      return Text(
        HomeAssistant.fingerprint(of: parts + [channel] + target, purpose: "update_registration"))
    }

    /// What Home Assistant has on record now. What it was told as push target is left out.
    public struct Device: Equatable, Sendable, JSONDecodable {
      /// Which program registered, as programs call it.
      public let appID: Text
      /// Which program registered, as people call it.
      public let appName: Text
      /// The version of that program.
      public let appVersion: Text
      /// What Home Assistant calls the device.
      public let deviceName: Text
      /// Who made the device.
      public let manufacturer: Text
      /// Which one it is of its maker's.
      public let model: Text
      /// The version of the system that it runs; nil is fatal to a registration.
      public let osVersion: Text?
      /// Whether the registration has a key, and takes sealed messages only.
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

    /// Whether what Home Assistant has on record is what this message says, as far as it shows
    /// that: an old answer may say something else.
    public func isKnown(by device: Device) -> Bool {
      device.appVersion == appVersion && device.deviceName == deviceName
        && device.manufacturer == manufacturer && device.model == model
        && device.osVersion == osVersion
    }

    /// Reads the JSON of an answer.
    ///
    /// - Throws: where it is none to this message.
    public static func read(_ answer: Span<UInt8>) throws(JSONDecodingError) -> Device {
      try decoding(answer)
    }
  }
}

extension Registration {
  /// Keeps what the device said of itself when it registered.
  public mutating func answers(_ request: RegistrationRequest) {
    toldFingerprint = Webhook.UpdateRegistration(request).fingerprint
    deviceID = Text(request.deviceID)
    board = request.board.isEmpty ? nil : Text(request.board)
  }
}
