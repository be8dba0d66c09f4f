import Bytes

/// A sensor that a power supply can have.
public enum SupplySensor: Int, CaseIterable, Sendable {
  case capacity, status, online, voltage, current, energy

  public static let count = 6

  /// Whether the sensor is a measurement, and so has a minimum change.
  public var isMeasured: Bool { unit != nil }

  /// Returns the description of this sensor of the supply `supply` for Home Assistant.
  public func description(of supply: [UInt8]) -> SensorDescription {
    var description = SensorDescription(
      uniqueID: uniqueID("supply_", supply.span) + [UInt8(ascii: "_")] + [UInt8](word),
      name: supply, icon: icon.map { [UInt8]($0) },
      isDiagnostic: isDiagnostic, isUrgent: self == .online)
    description.name += [UInt8(ascii: " ")] + [UInt8](word)
    if self == .online { description.kind = .binarySensor }
    description.deviceClass = deviceClass.map { [UInt8]($0) }
    description.unit = unit.map { [UInt8]($0) }
    description.stateClass = unit == nil ? nil : [UInt8]("measurement")
    description.powerFigure = powerFigure
    return description
  }

  private var powerFigure: PowerFigure? {
    switch self {
    case .capacity: .charge
    case .voltage: .voltage
    case .online: .mains
    case .status: .batteryStatus
    case .current, .energy: nil
    }
  }

  /// Key in the configuration, and end of the name and of the unique id.
  public var word: StaticString {
    switch self {
    case .capacity: "capacity"
    case .status: "status"
    case .online: "online"
    case .voltage: "voltage"
    case .current: "current"
    case .energy: "energy"
    }
  }

  private var unit: StaticString? {
    switch self {
    case .capacity: "%"
    case .voltage: "V"
    case .current: "A"
    case .energy: "Wh"
    case .status, .online: nil
    }
  }

  /// Nil for the status: Home Assistant's `enum` wants a closed list, and drivers add words.
  private var deviceClass: StaticString? {
    switch self {
    case .capacity: "battery"
    case .online: "plug"
    case .voltage: "voltage"
    case .current: "current"
    case .energy: "energy_storage"
    case .status: nil
    }
  }

  private var icon: StaticString? { self == .status ? "mdi:battery-charging" : nil }

  private var isDiagnostic: Bool { self == .status || self == .energy }
}
