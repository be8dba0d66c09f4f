import Bytes

/// A sensor of a battery that is estimated from its voltage.
public enum EstimatedBatterySensor: Sendable {
  case capacity, status, confidence

  fileprivate var word: StaticString {
    switch self {
    case .capacity: "capacity"
    case .status: "status"
    case .confidence: "confidence"
    }
  }

  fileprivate var icon: StaticString? {
    switch self {
    case .capacity: nil
    case .status: "mdi:battery-charging"
    case .confidence: "mdi:battery-unknown"
    }
  }
}

extension SensorDescription {
  /// Returns the description of this sensor for Home Assistant. There is one such battery, with
  /// this display name.
  public static func estimated(
    _ sensor: EstimatedBatterySensor, of name: [UInt8]
  ) -> SensorDescription {
    var description = SensorDescription(
      // The configuration gives no other sensor an id with this prefix.
      uniqueID: [UInt8]("supply_estimated_battery_") + [UInt8](sensor.word),
      name: name + [UInt8(ascii: " ")] + [UInt8](sensor.word),
      icon: sensor.icon.map { [UInt8]($0) },
      isDiagnostic: sensor != .capacity)
    guard sensor == .capacity else { return description }
    description.unit = [UInt8]("%")
    description.deviceClass = [UInt8]("battery")
    description.stateClass = [UInt8]("measurement")
    description.powerFigure = .charge
    return description
  }
}
