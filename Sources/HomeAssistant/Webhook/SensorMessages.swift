public import Bytes

/// Kind of entity that `mobile_app` creates for a sensor.
public enum SensorKind: Sendable {
  /// Sensor with a value.
  case sensor
  /// Sensor that is on or off.
  case binarySensor

  fileprivate var name: StaticString { self == .sensor ? "sensor" : "binary_sensor" }
}

/// Constant properties of a sensor, for `register_sensor`.
public struct SensorRegistration: Sendable {
  /// Identifier of the sensor in Home Assistant; constant for a sensor of this device.
  public let uniqueID: [UInt8]
  /// Name in Home Assistant, after the name of the device.
  public let name: [UInt8]
  /// Kind of the sensor.
  public let kind: SensorKind
  /// Unit, such as `°C`; nil for a value without one, and for a binary sensor.
  public let unit: [UInt8]?
  /// Device class, such as `temperature`; nil if none fits.
  public let deviceClass: [UInt8]?
  /// State class, only for a `.sensor`: Home Assistant drops a binary sensor that has one.
  public let stateClass: [UInt8]?
  /// Icon as `prefix:name`, such as `mdi:water`; nil for the icon of the device class, which
  /// changes with the state.
  public let icon: [UInt8]?
  /// Whether it describes the device itself, and is separate from its measurements.
  public let isDiagnostic: Bool
  /// Constant part of this sensor's element of an `update_sensor_states`, up to its state.
  private let updateHead: [UInt8]

  /// Creates a sensor. All texts are UTF-8.
  public init(
    uniqueID: [UInt8], name: [UInt8], kind: SensorKind, unit: [UInt8]? = nil,
    deviceClass: [UInt8]? = nil, stateClass: [UInt8]? = nil, icon: [UInt8]? = nil,
    isDiagnostic: Bool = false
  ) {
    self.uniqueID = uniqueID
    self.name = name
    self.kind = kind
    self.unit = unit
    self.deviceClass = deviceClass
    self.stateClass = stateClass
    self.icon = icon
    self.isDiagnostic = isDiagnostic
    updateHead = Self.updateHead(kind, uniqueID: uniqueID, icon: icon)
  }

  private static func updateHead(
    _ kind: SensorKind, uniqueID: [UInt8], icon: [UInt8]?
  ) -> [UInt8] {
    // Each byte may need an escape.
    var head = ByteBuffer(capacity: 64 + 6 * (uniqueID.count + (icon?.count ?? 0)))
    head.openJSONObject()
    head.appendJSON(key: "type", kind.name)
    head.appendJSON(key: "unique_id", uniqueID)
    head.append(icon: icon)
    head.appendJSON(key: "state")
    precondition(!head.isOverflowed, "no escape is longer than six bytes")
    return [UInt8](head.bytes)
  }

  /// Writes the `data` of a `register_sensor`. A null or unknown key can make Home Assistant drop
  /// the message, so unset members are left out, except the icon. `writeState` writes the JSON of
  /// the current state.
  public func write(
    into buffer: inout ByteBuffer, writeState: (inout ByteBuffer) -> Void
  ) {
    func append(_ key: StaticString, _ text: [UInt8]?) {
      guard let text else { return }
      buffer.appendJSON(key: key, text)
    }
    buffer.openJSONObject()
    buffer.appendJSON(key: "type", kind.name)
    append("unique_id", uniqueID)
    append("name", name)
    buffer.appendJSON(key: "state")
    writeState(&buffer)
    append("unit_of_measurement", unit)
    append("device_class", deviceClass)
    if kind == .sensor { append("state_class", stateClass) }
    buffer.append(icon: icon)
    if isDiagnostic { append("entity_category", [UInt8]("diagnostic")) }
    buffer.closeJSONObject()
  }

  /// Writes this sensor's element of an `update_sensor_states`. The icon is always sent, since Home
  /// Assistant resets it if it is missing.
  public func writeUpdate(
    into buffer: inout ByteBuffer, writeState: (inout ByteBuffer) -> Void
  ) {
    buffer.appendJSON(written: updateHead)
    writeState(&buffer)
    buffer.closeJSONObject()
  }
}

extension ByteBuffer {
  /// Appends the icon, or null: without the key, Home Assistant shows a phone.
  fileprivate mutating func append(icon: [UInt8]?) {
    appendJSON(key: "icon")
    if let icon { appendJSON(icon) } else { appendJSONNull() }
  }
}

/// Verdict of Home Assistant on one sensor of an `update_sensor_states`.
public enum SensorVerdict: Equatable, Sendable {
  /// Home Assistant shows the value.
  case accepted
  /// Accepted but not shown: the user disabled the entity.
  case disabled
  /// Unknown to Home Assistant; the sensor must be registered again.
  case notRegistered
  /// Invalid element, which is a fault of this library.
  case refused
}

/// Calls `body` with every verdict in the decrypted answer to `update_sensor_states`.
///
///     {"cpu":{"success":true},"door":{"success":false,"error":{"code":"not_registered",…}}}
public func forEachVerdict(
  in answer: Span<UInt8>, _ body: (JSONReader.Text, SensorVerdict) -> Void
) throws(JSONError) {
  var reader = JSONReader(answer)
  try reader.openObject()
  while let uniqueID = try reader.nextKey() {
    body(uniqueID, try readVerdict(&reader))
  }
  try reader.finish()
}

/// Whether the decrypted answer to `register_sensor` reports `success`.
public func isSuccess(_ answer: Span<UInt8>) throws(JSONError) -> Bool {
  var reader = JSONReader(answer)
  let verdict = try readVerdict(&reader)
  try reader.finish()
  return verdict == .accepted || verdict == .disabled
}

func readVerdict(_ reader: inout JSONReader) throws(JSONError) -> SensorVerdict {
  // Home Assistant writes nearly all verdicts like this.
  if reader.skipValue(written: #"{"success":true}"#) { return .accepted }
  var isSuccess = false
  var isDisabled = false
  var isNotRegistered = false
  try reader.openObject()
  while let key = try reader.nextKey() {
    if key.elementsEqual("success") {
      isSuccess = try reader.boolean()
    } else if key.elementsEqual("is_disabled") {
      isDisabled = try reader.boolean()
    } else if key.elementsEqual("error"), try reader.nextKind() == .object {
      try reader.openObject()
      while let detail = try reader.nextKey() {
        if detail.elementsEqual("code"), try reader.nextKind() == .string {
          isNotRegistered = try reader.text().elementsEqual("not_registered")
        } else {
          try reader.skipValue()
        }
      }
    } else {
      try reader.skipValue()
    }
  }
  guard isSuccess else { return isNotRegistered ? .notRegistered : .refused }
  return isDisabled ? .disabled : .accepted
}
