import Bytes

/// What a channel of a kernel interface measures, and how its numbers become ours.
public struct Quantity: Sendable {
  /// What its files begin with, behind the `in_` of Industrial IO.
  let prefix: StaticString
  /// Home Assistant's device class and unit of what is sent.
  public let deviceClass: StaticString?
  public let unit: StaticString?
  /// The kernel's number times ten to this is a number in `unit`; -9...9.
  let exponent: Int
  public let icon: StaticString
  /// Whether the kernel computes it with the resistor that a current flows through.
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

  /// What a file measures of which the kernel's documentation says no more than that it has a
  /// number.
  static let any = Quantity("", nil, nil, 0, "mdi:numeric")

  /// Whether a number of it is more than a number.
  var hasMeaning: Bool { unit != nil || deviceClass != nil }

  /// The kernel's number in `unit`; nil where it is too large.
  func inUnit(_ number: FixedPoint) -> FixedPoint? {
    if exponent < 0 {
      return number.times(FixedPoint(1, decimals: UInt8(-exponent)))
    }
    var factor: Int64 = 1
    for _ in 0..<exponent { factor *= 10 }
    return number.times(FixedPoint(factor))
  }
}
