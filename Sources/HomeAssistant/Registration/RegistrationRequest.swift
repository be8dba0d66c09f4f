public import Bytes

/// Request to register a device: `POST /api/mobile_app/registrations`.
///
/// It has all keys: Home Assistant accepts a request without `os_version`, and then never opens the
/// webhook.
public struct RegistrationRequest: Sendable {
  /// Identifier of the device, constant and unique: registering it again replaces the earlier
  /// registration.
  public var deviceID: [UInt8]
  /// Serial number of the board, stored with the registration and not sent; empty if there is none.
  public var board: [UInt8]
  /// Name of the device in Home Assistant, from which its entities are named.
  public var deviceName: [UInt8]
  /// Manufacturer; may be empty.
  public var manufacturer: [UInt8]
  /// Model of the manufacturer; may be empty.
  public var model: [UInt8]
  /// Operating system, such as `Linux`.
  public var osName: [UInt8]
  /// Version of the operating system, such as `12`. Without it Home Assistant never opens the
  /// webhook.
  public var osVersion: [UInt8]
  /// Version of this program.
  public var appVersion: [UInt8]
  /// Routes of notifications to the device.
  public var push: PushRoutes

  /// Path below the address of Home Assistant.
  public static let path: StaticString = "/api/mobile_app/registrations"

  /// Creates a request to register. All texts are UTF-8.
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

  /// Writes the JSON of the body in place of the buffer's content.
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
