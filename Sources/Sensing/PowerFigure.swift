import Bytes

/// Part of the board's power status that a sensor reports.
public enum PowerFigure: Equatable, Sendable {
  /// State of charge of the battery, in percent.
  case charge
  /// Voltage of the battery, in V or mV.
  case voltage
  /// Whether external power is present: mains or a charger.
  case mains
  /// The kernel's battery status; `Charging` implies external power.
  case batteryStatus
}

extension SensorDescription {
  /// Number of decimals of this unit at a resolution of a millionth of percent, volts or amperes;
  /// nil for other units.
  public var decimalsOfMillionths: UInt8? {
    guard let unit else { return nil }
    let words = unit.span
    if words.elementsEqual("%") || words.elementsEqual("V") || words.elementsEqual("A") { return 6 }
    return words.elementsEqual("mV") || words.elementsEqual("mA") ? 3 : nil
  }
}

extension Value {
  /// Returns the value in millionths of percent, volts or amperes; `decimals` is
  /// `decimalsOfMillionths` of the unit. Nil if the value is not a number, or too large.
  public func millionths(decimals: UInt8) -> Int64? {
    guard case .number(let number) = self else { return nil }
    let scaled = number.rounded(to: decimals)
    return scaled.decimals == decimals ? scaled.coefficient : nil
  }
}
