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
    buffer.appendJSON(key: "device_id", deviceID)
    buffer.appendJSON(key: "app_id", "homeward")
    buffer.appendJSON(key: "app_name", "Homeward")
    appendChangeable(to: &buffer)
    buffer.appendJSON(key: "os_name", osName)
    buffer.appendJSON(key: "supports_encryption")
    buffer.appendJSON(true)
    if push != .none {
      buffer.appendJSON(key: "app_data")
      push.write(into: &buffer)
    }
    buffer.closeJSONObject()
  }

  private func appendChangeable(to buffer: inout ByteBuffer) {
    buffer.appendJSON(key: "app_version", appVersion)
    buffer.appendJSON(key: "device_name", deviceName)
    buffer.appendJSON(key: "manufacturer", manufacturer)
    buffer.appendJSON(key: "model", model)
    buffer.appendJSON(key: "os_version", osVersion)
  }

  // MARK: Changes

  /// Writes the `data` of an `update_registration`, the report of this device's changes.
  ///
  /// It always has all members, changed or not: Home Assistant drops a message without a required
  /// one, and forgets the push target after a message without it.
  public func writeUpdate(into data: inout ByteBuffer) {
    data.openJSONObject()
    appendChangeable(to: &data)
    data.appendJSON(key: "app_data")
    push.write(into: &data)
    data.closeJSONObject()
  }

  /// Irreversible fingerprint of the content of `writeUpdate`, stored with the registration to
  /// detect changes since the last report.
  public var fingerprint: Text {
    let target = push.target.map { [$0.url.bytes, $0.token.bytes] } ?? []
    let channel: [UInt8] = [push.isWebSocketWanted ? 1 : 0]
    let parts = [appVersion, deviceName, manufacturer, model, osVersion, channel] + target
    return Text(HomeAssistant.fingerprint(of: parts, purpose: "update_registration"))
  }

  /// Whether the data of the answer to an `update_registration` equal this device's, as far as the
  /// answer shows them; the answer may be an old one.
  public func isKnown(by answer: Span<UInt8>) -> Bool {
    guard let device = try? JSON(parsing: answer, valueCountMax: 256) else { return false }
    return device["app_version"] == .text(Text(appVersion))
      && device["device_name"] == .text(Text(deviceName))
      && device["manufacturer"] == .text(Text(manufacturer))
      && device["model"] == .text(Text(model)) && device["os_version"] == .text(Text(osVersion))
  }
}
