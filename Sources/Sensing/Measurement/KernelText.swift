public import Bytes

/// Numbers as sysfs and procfs write them: one per file, or in fields between spaces.
///
/// The functions accept any bytes and return nil if they do not have the promised form. No value is
/// guessed, and none passes through binary floating point.
public enum KernelText {
  /// Returns a whole number in `range`. White space may surround it, and it may have a minus.
  public static func integer(
    _ text: Span<UInt8>, in range: ClosedRange<Int64> = Int64.min...Int64.max
  ) -> Int64? {
    guard let number = FixedPoint(written: text.trimmed()), number.decimals == 0 else {
      return nil
    }
    return range.contains(number.coefficient) ? number.coefficient : nil
  }

  /// Returns a decimal number with the decimals that are written, rounded to
  /// `FixedPoint.decimalsMax`: the same file of IIO reads `25080` on one kernel and
  /// `25080.000000000` on the next, and programs write 22.6 as `22.600000000000001`.
  public static func decimal(_ text: Span<UInt8>) -> FixedPoint? { LongDecimal(text)?.rounded }

  /// Returns the field with this number, counted from 0, of fields that white space separates.
  @_lifetime(copy text)
  public static func field(_ number: Int, of text: Span<UInt8>) -> Span<UInt8>? {
    var index = 0
    for passed in 0...number {
      while index < text.count, text[index].isASCIISpace { index += 1 }
      let start = index
      while index < text.count, !text[index].isASCIISpace { index += 1 }
      guard index > start else { return nil }
      if passed == number { return text.extracting(start..<index) }
    }
    return nil
  }

  /// Returns the parts of a text between its separators, without empty ones.
  static func parts(of text: Span<UInt8>, between separator: UInt8) -> [[UInt8]] {
    var parts: [[UInt8]] = []
    var start = 0
    while start < text.count {
      let end = text.firstIndex(of: separator, from: start) ?? text.count
      if end > start { parts.append([UInt8](text.extracting(start..<end))) }
      start = end + 1
    }
    return parts
  }

  /// Returns the decimal number in the field with this number.
  public static func number(_ number: Int, of text: Span<UInt8>) -> FixedPoint? {
    guard let field = field(number, of: text) else { return nil }
    return decimal(field)
  }
}

/// A decimal number with more decimals than `FixedPoint` has: the scale of a fine converter, in
/// which the ninth decimal is a large part of the number.
public struct LongDecimal: Equatable, Sendable {
  /// Maximum number of digits behind the point; further ones are cut.
  private static let decimalsMax: UInt8 = 18

  private var coefficient: Int64
  private var decimals: UInt8

  public init(_ number: FixedPoint) {
    coefficient = number.coefficient
    decimals = number.decimals
  }

  /// Nil if `text` is not a number, or its first nine decimals do not fit.
  public init?(_ text: Span<UInt8>) {
    let text = text.trimmed()
    let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.count
    let end = min(text.count, point + 1 + Int(FixedPoint.decimalsMax))
    guard let short = FixedPoint(written: text.extracting(..<end)) else { return nil }
    self.init(short)
    var isFull = false
    for index in end..<text.count {
      guard text[index].isASCIIDigit else { return nil }
      let digit = Int64(text[index] - UInt8(ascii: "0"))
      isFull = isFull || !append(text[0] == UInt8(ascii: "-") ? -digit : digit)
    }
  }

  /// Appends a digit with its sign. Returns whether it fits.
  private mutating func append(_ digit: Int64) -> Bool {
    let (tens, multiplied) = coefficient.multipliedReportingOverflow(by: 10)
    let (sum, added) = tens.addingReportingOverflow(digit)
    guard !multiplied, !added, decimals < Self.decimalsMax else { return false }
    coefficient = sum
    decimals += 1
    return true
  }

  /// The number as a `FixedPoint`; nil if it does not fit.
  public var rounded: FixedPoint? {
    decimals > FixedPoint.decimalsMax
      ? product(with: FixedPoint(1))?.rounded(to: FixedPoint.decimalsMax)
      : FixedPoint(coefficient, decimals: decimals)
  }

  /// Returns the product; nil if it is too large.
  public func product(with number: FixedPoint) -> FixedPoint? {
    var divisor: Int64 = 1
    for _ in 0..<decimals { divisor *= 10 }
    return number.times(FixedPoint(coefficient), over: FixedPoint(divisor))
  }
}
