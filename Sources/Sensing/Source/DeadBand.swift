public import Bytes

/// Suppresses the noise of a measured number: returns the last reported number while the new one
/// differs from it by less than the minimum change.
///
/// Home Assistant adds a row to its database for every state that differs from the previous one. A
/// slow drift is reported as soon as it is far enough from the last reported number.
public struct DeadBand: Sendable {
  /// Smallest change to report; nil if every change counts.
  private let minChange: FixedPoint?
  private let isRate: Bool
  private var told: FixedPoint?

  /// - Parameters:
  ///   - minChange: smallest change to report; nil if every change counts.
  ///   - isRate: whether 0 means an end, which is reported even after a small change.
  /// - Precondition: `minChange` is not negative.
  public init(minChange: FixedPoint?, isRate: Bool = false) {
    precondition((minChange?.coefficient ?? 0) >= 0, "a change has no direction here")
    self.minChange = minChange
    self.isRate = isRate
  }

  /// Returns the value to report for the reading `value`. A value that is not a number, and the
  /// first number after it, pass unchanged.
  public mutating func admit(_ value: Value) -> Value {
    guard let minChange else { return value }
    guard case .number(let number) = value else {
      told = nil
      return value
    }
    let hasEnded = isRate && number.coefficient == 0
    if let told, !hasEnded, !number.isApart(from: told, by: minChange) { return .number(told) }
    told = number
    return value
  }
}

extension DeadBand {
  /// Smallest change to report if the configuration sets none: more than the noise of common parts,
  /// less than a person cares for. Nil for a count, for a sensor without a class and for a unit
  /// that is not the agent's own for the class.
  public static func standardMinChange(of sensor: SensorDescription) -> FixedPoint? {
    guard let stateClass = sensor.stateClass, stateClass.span.elementsEqual("measurement"),
      let deviceClass = sensor.deviceClass, let unit = sensor.unit
    else { return nil }
    guard let usual = usual(of: Text(deviceClass)), unit.span.elementsEqual(usual.unit) else {
      return nil
    }
    return usual.minChange
  }

  private static func usual(of deviceClass: Text) -> (unit: StaticString, minChange: FixedPoint)? {
    switch deviceClass {
    case "apparent_power": ("VA", FixedPoint(1))
    case "precipitation_intensity": ("mm/h", FixedPoint(1, decimals: 1))
    case "temperature": ("°C", FixedPoint(2, decimals: 1))
    case "humidity", "moisture": ("%", FixedPoint(1))
    case "atmospheric_pressure": ("hPa", FixedPoint(2, decimals: 1))
    case "voltage": ("V", FixedPoint(2, decimals: 2))
    case "current": ("A", FixedPoint(5, decimals: 2))
    case "power": ("W", FixedPoint(1))
    case "energy_storage": ("Wh", FixedPoint(1, decimals: 1))
    case "illuminance": ("lx", FixedPoint(5))
    case "volume_flow_rate": ("L/min", FixedPoint(1, decimals: 1))
    case "wind_speed": ("km/h", FixedPoint(1))
    case "carbon_dioxide": ("ppm", FixedPoint(20))
    case "signal_strength": ("dBm", FixedPoint(3))
    default: nil
    }
  }
}
