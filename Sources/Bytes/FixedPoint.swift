/// Exact decimal number, `coefficient` × 10^-`decimals`.
///
/// Kernel interfaces count in millionths and Home Assistant expects decimal text, so values are
/// converted without binary floating point.
public struct FixedPoint: Equatable, Sendable {
  /// Maximum number of digits after the point: enough for nanoseconds.
  public static let decimalsMax: UInt8 = 9

  /// Number without its decimal point.
  public let coefficient: Int64
  /// Number of digits after the point, 0...`decimalsMax`.
  public let decimals: UInt8

  /// Creates `coefficient` × 10^-`decimals`.
  ///
  /// - Precondition: `decimals` is at most `decimalsMax`.
  public init(_ coefficient: Int64, decimals: UInt8 = 0) {
    precondition(decimals <= Self.decimalsMax, "more decimals than any sensor has")
    self.coefficient = coefficient
    self.decimals = decimals
  }

  /// Creates the nearest number with `decimals` digits; nil if `value` is not finite or too large.
  public init?(rounding value: Double, decimals: UInt8) {
    let scaled = (value * Double(Self.power(of: decimals))).rounded()
    guard let coefficient = Int64(exactly: scaled) else { return nil }
    self.init(coefficient, decimals: decimals)
  }

  /// Reads a number in the form of people and the kernel: an optional minus, then digits,
  /// optionally with a point between two of them. Returns nil if `text` is anything else, or has
  /// more decimals than `decimalsMax` or more digits than fit.
  public init?(written text: Span<UInt8>) {
    let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    var point: Int?
    var coefficient: Int64 = 0
    for index in start..<text.count {
      if text[index] == UInt8(ascii: "."), point == nil {
        point = index
        continue
      }
      guard text[index].isASCIIDigit else { return nil }
      let digit = Int64(text[index] - UInt8(ascii: "0"))
      let (tens, multiplied) = coefficient.multipliedReportingOverflow(by: 10)
      let (sum, added) = tens.addingReportingOverflow(isNegative ? -digit : digit)
      guard !multiplied, !added else { return nil }
      coefficient = sum
    }
    guard (point ?? text.count) > start, point != text.count - 1 else { return nil }
    let decimals = point.map { text.count - $0 - 1 } ?? 0
    guard decimals <= Int(Self.decimalsMax) else { return nil }
    self.init(coefficient, decimals: UInt8(decimals))
  }

  /// Whether this number and `other` differ by at least `distance`; true if the numbers are too
  /// large to compare.
  ///
  /// - Precondition: `distance` is not negative.
  public func isApart(from other: FixedPoint, by distance: FixedPoint) -> Bool {
    precondition(distance.coefficient >= 0, "a distance has no direction")
    let decimals = max(decimals, other.decimals, distance.decimals)
    let left = rounded(to: decimals)
    let right = other.rounded(to: decimals)
    let least = distance.rounded(to: decimals)
    guard left.decimals == decimals, right.decimals == decimals, least.decimals == decimals else {
      return true
    }
    let (difference, overflowed) = left.coefficient.subtractingReportingOverflow(right.coefficient)
    return overflowed || difference.magnitude >= least.coefficient.magnitude
  }

  /// Returns the number with `newDecimals` digits after the point, rounded half away from zero;
  /// unchanged if it is too large for more digits.
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

  /// Nearest `Double` for numbers with up to 15 digits; an approximation for longer ones.
  public var double: Double { Double(coefficient) / Double(Self.power(of: decimals)) }

  static func power(of decimals: UInt8) -> Int64 { powers[Int(decimals)] }

  private static let powers: InlineArray<10, Int64> = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  ]
}

extension ByteBuffer {
  /// Appends a whole number in decimal digits, after a minus if it is negative.
  public mutating func append(decimal number: some BinaryInteger & FixedWidthInteger) {
    append(digitsOf: UInt64(number.magnitude), decimals: 0, isNegative: number < 0)
  }

  /// Appends a number in decimal digits, with exactly its `decimals` after the point.
  public mutating func append(_ number: FixedPoint) {
    append(
      digitsOf: number.coefficient.magnitude, decimals: number.decimals,
      isNegative: number.coefficient < 0)
  }

  // Called, not inlined into each caller, like the other appending functions of `ByteBuffer`.
  @inline(never)
  private mutating func append(digitsOf magnitude: UInt64, decimals: UInt8, isNegative: Bool) {
    // From the last digit to the first: a sign, a point, and the digits of the largest number.
    var text = InlineArray<22, UInt8>(repeating: 0)
    var start = text.count
    var rest = magnitude
    var place: UInt8 = 0
    repeat {
      if place == decimals, place > 0 {
        start -= 1
        text[start] = UInt8(ascii: ".")
      }
      start -= 1
      text[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      place += 1
    } while rest > 0 || place <= decimals
    if isNegative {
      start -= 1
      text[start] = UInt8(ascii: "-")
    }
    append(text.span.extracting(start...))
  }

  /// Appends a number with `decimals` digits after the point; nothing if it is too large.
  @inline(never)
  public mutating func append(_ number: Double, decimals: UInt8) {
    if let number = FixedPoint(rounding: number, decimals: decimals) { append(number) }
  }
}
