public import Bytes

/// Everything that Home Assistant wants to know about a device before it registers it.
///
/// `POST /api/mobile_app/registrations`. All keys are written: Home Assistant accepts a request
/// without `os_version` and then never opens the webhook.
public struct RegistrationRequest: Sendable {
  /// Always the same for a device, and another one for each: registering it again replaces the
  /// earlier registration.
  public var deviceID: [UInt8]
  /// The serial number of its board, which is kept with the registration and not sent; empty where
  /// it has none.
  public var board: [UInt8]
  /// What Home Assistant calls the device and names its entities after.
  public var deviceName: [UInt8]
  /// Who made the device; may be empty.
  public var manufacturer: [UInt8]
  /// Which one it is of its maker's; may be empty.
  public var model: [UInt8]
  /// Such as `Linux`.
  public var osName: [UInt8]
  /// Such as `12`. Without one Home Assistant never opens the webhook.
  public var osVersion: [UInt8]
  /// The version of this program.
  public var appVersion: [UInt8]
  /// How notifications reach the device.
  public var push: PushRoutes

  /// The path below the address of Home Assistant.
  public static let path: StaticString = "/api/mobile_app/registrations"

  /// A request to register. All texts are UTF-8.
  public init(
    deviceID: [UInt8], deviceName: [UInt8], manufacturer: [UInt8], model: [UInt8],
    osName: [UInt8], osVersion: [UInt8], appVersion: [UInt8], push: PushRoutes = .none,
    board: [UInt8] = []
  ) {
    self.deviceID = deviceID
    self.board = board
    self.deviceName = deviceName
    self.manufacturer = manufacturer
    self.model = model
    self.osName = osName
    self.osVersion = osVersion
    self.appVersion = appVersion
    self.push = push
  }

  /// Writes the JSON of the body, in place of what the buffer holds.
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
    if push != .none {
      buffer.appendJSON(key: "app_data")
      push.write(into: &buffer)
    }
    buffer.closeJSONObject()
  }
}
