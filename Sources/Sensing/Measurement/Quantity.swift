import Bytes

/// A quantity of a kernel interface, and the conversion of its numbers.
public struct Quantity: Sendable {
  /// Prefix of its files, after the `in_` of Industrial IO.
  let prefix: StaticString
  /// Home Assistant's device class and unit of the value that is sent.
  public let deviceClass: StaticString?
  public let unit: StaticString?
  /// Power of ten that converts the kernel's number to `unit`; -9...9.
  let exponent: Int
  public let icon: StaticString
  /// Whether the kernel computes the number with a shunt resistor.
  public let isThroughShunt: Bool

  init(
    _ prefix: StaticString, _ deviceClass: StaticString?, _ unit: StaticString?, _ exponent: Int,
    _ icon: StaticString, isThroughShunt: Bool = false
  ) {
    self.prefix = prefix
    self.deviceClass = deviceClass
    self.unit = unit
    self.exponent = exponent
    self.icon = icon
    self.isThroughShunt = isThroughShunt
  }

  /// Quantity of a file about which the kernel's documentation says only that it holds a number.
  static let any = Quantity("", nil, nil, 0, "mdi:numeric")

  /// Whether its numbers have a unit or a class.
  var hasMeaning: Bool { unit != nil || deviceClass != nil }

  /// Returns the kernel's number in `unit`; nil if it is too large.
  func inUnit(_ number: FixedPoint) -> FixedPoint? {
    if exponent < 0 {
      return number.times(FixedPoint(1, decimals: UInt8(-exponent)))
    }
    var factor: Int64 = 1
    for _ in 0..<exponent { factor *= 10 }
    return number.times(FixedPoint(factor))
  }
}
