public import Bytes

/// The two kinds of entity that `mobile_app` makes of a sensor.
public enum SensorKind: Sendable {
  /// Anything with a value.
  case sensor
  /// Something that is on or off.
  case binarySensor

  fileprivate var name: StaticString { self == .sensor ? "sensor" : "binary_sensor" }
}

/// What stays the same about a sensor, for `register_sensor`.
public struct SensorRegistration: Sendable {
  /// What Home Assistant knows the sensor by; always the same for a sensor of this device.
  public let uniqueID: [UInt8]
  /// What Home Assistant calls it behind the name of the device.
  public let name: [UInt8]
  /// Which of the two it is.
  public let kind: SensorKind
  /// Such as `°C`; nil of a value without one, and of a binary sensor.
  public let unit: [UInt8]?
  /// Such as `temperature`; nil where none fits.
  public let deviceClass: [UInt8]?
  /// Only of a `.sensor`: Home Assistant drops a binary sensor that has one.
  public let stateClass: [UInt8]?
  /// `prefix:name`, such as `mdi:water`; nil for that of the device class, which Home Assistant
  /// changes with the state.
  public let icon: [UInt8]?
  /// Whether it is about the device itself, and kept apart from what the device measures.
  public let isDiagnostic: Bool
  /// What never changes of this sensor's element of an `update_sensor_states`, up to its state.
  private let updateHead: [UInt8]

  /// A sensor as Home Assistant is told of it. All texts are UTF-8.
  ///
  /// - Parameters:
  ///   - uniqueID: what Home Assistant knows the sensor by.
  ///   - name: what Home Assistant calls it behind the name of the device.
  ///   - kind: which of the two it is.
  ///   - unit: such as `°C`, one that fits the device class.
  ///   - deviceClass: one of Home Assistant's for this kind.
  ///   - stateClass: `measurement`, `total` or `total_increasing`; nil of a binary sensor.
  ///   - icon: `prefix:name`, such as `mdi:water`; nil for that of the device class.
  ///   - isDiagnostic: whether it is about the device itself.
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
    // Every byte may be one that is escaped.
    var head = ByteBuffer(capacity: 64 + 6 * (uniqueID.count + (icon?.count ?? 0)))
    head.openJSONObject()
    head.appendJSON(key: "type")
    head.appendJSON(kind.name)
    head.appendJSON(key: "unique_id")
    head.appendJSON(uniqueID)
    head.append(icon: icon)
    head.appendJSON(key: "state")
    precondition(!head.isOverflowed, "no escape is longer than six bytes")
    return [UInt8](head.bytes)
  }

  /// Writes the `data` of a `register_sensor`. A key that is null or unknown can make Home
  /// Assistant drop the message, so what is not set is not written, except the icon.
  /// `writeState` writes the JSON of the present state.
  public func write(
    into buffer: inout ByteBuffer, writeState: (inout ByteBuffer) -> Void
  ) {
    func append(_ key: StaticString, _ text: [UInt8]?) {
      guard let text else { return }
      buffer.appendJSON(key: key)
      buffer.appendJSON(text)
    }
    buffer.openJSONObject()
    buffer.appendJSON(key: "type")
    buffer.appendJSON(kind.name)
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

  /// Writes this sensor's element of an `update_sensor_states`. The icon is sent each time, for
  /// Home Assistant resets it where it is missing.
  public func writeUpdate(
    into buffer: inout ByteBuffer, writeState: (inout ByteBuffer) -> Void
  ) {
    buffer.appendJSON(written: updateHead)
    writeState(&buffer)
    buffer.closeJSONObject()
  }
}

extension ByteBuffer {
  /// Without the key, Home Assistant shows a phone.
  fileprivate mutating func append(icon: [UInt8]?) {
    appendJSON(key: "icon")
    if let icon { appendJSON(icon) } else { appendJSONNull() }
  }
}

/// What Home Assistant says of one sensor of an `update_sensor_states`.
public enum SensorVerdict: Equatable, Sendable {
  /// Its value is shown.
  case accepted
  /// Accepted, and not shown: the user disabled the entity.
  case disabled
  /// Home Assistant does not know it (any more); it must be registered again.
  case notRegistered
  /// The element is not what Home Assistant wants; our mistake.
  case refused
}

/// Reads the opened answer to `update_sensor_states` and tells `body` every verdict.
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

/// Reads the opened answer to `register_sensor`: whether it says `success`.
public func isSuccess(_ answer: Span<UInt8>) throws(JSONError) -> Bool {
  var reader = JSONReader(answer)
  let verdict = try readVerdict(&reader)
  try reader.finish()
  return verdict == .accepted || verdict == .disabled
}

func readVerdict(_ reader: inout JSONReader) throws(JSONError) -> SensorVerdict {
  // Nearly every one, as Home Assistant writes it.
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
