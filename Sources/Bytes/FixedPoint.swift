/// An exact decimal number, `coefficient` × 10^-`decimals`.
///
/// Kernel interfaces count in millionths and Home Assistant wants decimal text, so a value goes
/// from one to the other without passing through binary floating point.
public struct FixedPoint: Equatable, Sendable {
  public static let decimalsMax: UInt8 = 9

  public let coefficient: Int64
  /// Digits after the point, 0...`decimalsMax`.
  public let decimals: UInt8

  public init(_ coefficient: Int64, decimals: UInt8 = 0) {
    precondition(decimals <= Self.decimalsMax, "more decimals than any sensor has")
    self.coefficient = coefficient
    self.decimals = decimals
  }

  /// The nearest number with `decimals` digits, or nil where `value` is not finite or too large.
  public init?(rounding value: Double, decimals: UInt8) {
    let scaled = (value * Double(Self.power(of: decimals))).rounded()
    guard let coefficient = Int64(exactly: scaled) else { return nil }
    self.init(coefficient, decimals: decimals)
  }

  /// The same number with `newDecimals` digits, rounded half away from zero when digits go; the
  /// number as it is where it is too large for more of them.
  public func rounded(to newDecimals: UInt8) -> FixedPoint {
    if newDecimals >= decimals {
      let factor = Self.power(of: newDecimals - decimals)
      let (product, overflowed) = coefficient.multipliedReportingOverflow(by: factor)
      return overflowed ? self : FixedPoint(product, decimals: newDecimals)
    }
    let divisor = Self.power(of: decimals - newDecimals)
    let (quotient, remainder) = coefficient.quotientAndRemainder(dividingBy: divisor)
    let carry: Int64 = remainder.magnitude * 2 >= divisor.magnitude ? coefficient.signum() : 0
    return FixedPoint(quotient + carry, decimals: newDecimals)
  }

  static func power(of decimals: UInt8) -> Int64 {
    var power: Int64 = 1
    for _ in 0..<decimals { power *= 10 }
    return power
  }
}

extension ByteBuffer {
  public mutating func append(decimal number: some BinaryInteger & FixedWidthInteger) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(digitsOf: UInt64(number.magnitude), atLeast: 1)
  }

  public mutating func append(_ number: FixedPoint) {
    if number.coefficient < 0 { append(UInt8(ascii: "-")) }
    let power = FixedPoint.power(of: number.decimals).magnitude
    append(digitsOf: number.coefficient.magnitude / power, atLeast: 1)
    guard number.decimals > 0 else { return }
    append(UInt8(ascii: "."))
    append(digitsOf: number.coefficient.magnitude % power, atLeast: number.decimals)
  }

  private mutating func append(digitsOf number: UInt64, atLeast places: UInt8) {
    var divisor: UInt64 = 1
    var digits: UInt8 = 1
    while digits < places || number / divisor >= 10 {
      divisor *= 10
      digits += 1
    }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
      divisor /= 10
    }
  }
}
