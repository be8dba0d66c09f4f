/// One device's registration, and all that hangs on it.
struct Registration: Sendable {
  let webhookID: String
  /// 64 hexadecimal digits, or nil until encryption is enabled.
  var secret: String?
  /// Set by the first message the real key opens; from then on the legacy key is dead.
  var knowsRealKey = false
  /// The content of the registration, defaults filled in.
  private(set) var content: JSONObject
  /// The device's id in Home Assistant's own registry.
  let registryID: String
  /// The id of what the user interface calls an integration entry.
  let entryID: String
  let createdAt: Moment
  var sensors: [Sensor] = []
  /// Nil if another app holds the same device id.
  var tracker: Tracker?

  init(
    webhookID: String, secret: String?, registryID: String, entryID: String,
    content: JSONObject, now: Moment
  ) {
    self.webhookID = webhookID
    self.secret = secret
    self.registryID = registryID
    self.entryID = entryID
    self.content = content
    createdAt = now
  }

  func text(_ key: String) -> String { content[key]?.string ?? "" }

  var appID: String { text("app_id") }
  var deviceID: String { text("device_id") }
  var deviceName: String { text("device_name") }
  var supportsEncryption: Bool { content["supports_encryption"] == true }

  /// Without an os_version the registration is accepted and its webhook never comes to life.
  var isAlive: Bool { content["os_version"] != nil }

  mutating func update(_ changes: JSONObject) { content.merge(changes) }

  private var appData: JSONObject { content["app_data"]?.object ?? [:] }

  /// Whether notifications can be sent to it at all: over its WebSocket, or somewhere else.
  var takesNotifications: Bool {
    isAlive && (appData["push_websocket_channel"] != nil || hasPushAddress)
  }

  /// Whether there is an address that notifications can be posted to.
  var hasPushAddress: Bool { appData["push_url"] != nil }

  mutating func enableEncryption(secret: String) {
    self.secret = secret
    content["supports_encryption"] = true
  }

  /// The key answers are sealed with.
  var sealingKey: SealingKey? {
    guard supportsEncryption, let secret else { return nil }
    return knowsRealKey ? SealingKey(secret: secret) : SealingKey(legacySecret: secret)
  }

  var description: DeviceDescription {
    DeviceDescription(
      appID: appID, appVersion: text("app_version"), deviceID: deviceID, deviceName: deviceName,
      manufacturer: text("manufacturer"), model: text("model"),
      osVersion: content["os_version"]?.string, supportsEncryption: supportsEncryption)
  }

  /// What `update_registration` repeats back.
  var safeContent: JSONObject {
    var safe = JSONObject()
    for key in [
      "app_data", "app_id", "app_name", "app_version", "device_name", "manufacturer", "model",
      "os_version", "supports_encryption",
    ] {
      safe[key] = content[key]
    }
    return safe
  }
}
