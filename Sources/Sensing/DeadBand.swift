public import Bytes

/// Keeps the noise of a measured number from becoming news: a number that is less than the least
/// change away from the last one that was told, is told as that one.
///
/// Home Assistant makes a row of its database of every state that is another one than before.
/// What drifts slowly is told as soon as it has gone far enough from the number told last.
public struct DeadBand: Sendable {
  /// The least change that counts; nil where each one does.
  private let minChange: FixedPoint?
  private let isRate: Bool
  private var told: FixedPoint?

  /// - Parameters:
  ///   - minChange: the least change that counts; nil where each one does.
  ///   - isRate: whether 0 means that it has ended, which is told however near it is.
  /// - Precondition: `minChange` is not negative.
  public init(minChange: FixedPoint?, isRate: Bool = false) {
    precondition((minChange?.coefficient ?? 0) >= 0, "a change has no direction here")
    self.minChange = minChange
    self.isRate = isRate
  }

  /// What is told where `value` was read. What is no number is told as it is, and so is the first
  /// number after it.
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
  /// The least change that counts where the configuration names none: more than the noise of
  /// common parts, less than a person cares for. Nil for what is counted, is not in the unit that
  /// the agent itself gives to its class, or has no class.
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
