import Bytes

/// What a sensor tells of the supply of the board.
public enum PowerFigure: Equatable, Sendable {
  /// How full the battery is, in percent.
  case charge
  /// The voltage of the battery, in V or mV.
  case voltage
  /// Whether power comes in from outside: mains, a charger.
  case mains
  /// The kernel's word for what the battery does: it is charged only where power comes in.
  case batteryStatus
}

extension SensorDescription {
  /// How many decimals a number of this unit has that counts in millionths of percent, volts or
  /// amperes; nil of another unit.
  public var decimalsOfMillionths: UInt8? {
    guard let unit else { return nil }
    let words = unit.span
    if words.elementsEqual("%") || words.elementsEqual("V") || words.elementsEqual("A") { return 6 }
    return words.elementsEqual("mV") || words.elementsEqual("mA") ? 3 : nil
  }
}

extension Value {
  /// Millionths of a unit whose numbers have so many `decimals` then; nil where this is no number,
  /// or too large for them.
  public func millionths(decimals: UInt8) -> Int64? {
    guard case .number(let number) = self else { return nil }
    let scaled = number.rounded(to: decimals)
    return scaled.decimals == decimals ? scaled.coefficient : nil
  }
}
