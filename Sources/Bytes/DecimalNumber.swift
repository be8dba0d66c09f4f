/// Decimal number in two parts: ±digits × 10^exponent.
///
/// The conversion to `Double` is correctly rounded. Most numbers take the fast path: both parts are
/// exact in a `Double`, so one multiplication or division rounds once. All others are divided as
/// natural numbers of bounded length.
struct DecimalNumber {
  /// Maximum number of significant digits. No point halfway between two `Double`s has more than
  /// 767; one digit replaces all later ones, which only decide on which side of it a number lies.
  static let significantDigitsMax = 768

  /// Limit of the exponent; beyond it the number is infinite or zero, whatever digits a text can
  /// have.
  private static let exponentMax: Int64 = 1_000_000_000_000

  private let isNegative: Bool
  /// Significant digits, without leading zeros; empty for zero.
  private var digits: [UInt8] = []
  private var exponent: Int64 = 0

  /// Splits `text`, a number of JSON.
  init(_ text: Span<UInt8>) {
    isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
    digits.reserveCapacity(min(text.count, Self.significantDigitsMax + 1))
    var isFraction = false
    var isCut = false
    var index = isNegative ? 1 : 0
    scan: while index < text.count {
      switch text[index] {
      case UInt8(ascii: "."): isFraction = true
      case let byte where byte.isASCIIDigit:
        if isFraction { exponent -= 1 }
        if digits.count < Self.significantDigitsMax {
          if byte != UInt8(ascii: "0") || !digits.isEmpty {
            digits.append(byte - UInt8(ascii: "0"))
          }
        } else {
          exponent += 1
          if byte != UInt8(ascii: "0") { isCut = true }
        }
      default: break scan
      }
      index += 1
    }
    if index < text.count { exponent += Self.exponent(text.extracting((index + 1)...)) }
    if isCut {
      digits.append(1)
      exponent -= 1
    }
  }

  /// Returns the value of `text`, the part of the number after the `e`.
  static func exponent(_ text: Span<UInt8>) -> Int64 {
    let isSigned = text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+")
    var exponent: Int64 = 0
    for index in (isSigned ? 1 : 0)..<text.count {
      exponent = min(exponent * 10 + Int64(text[index] - UInt8(ascii: "0")), exponentMax)
    }
    return text[0] == UInt8(ascii: "-") ? -exponent : exponent
  }

  var double: Double {
    let magnitude = exactMagnitude ?? roundedMagnitude
    return isNegative ? -magnitude : magnitude
  }

  /// Magnitude if digits and power of ten are both exact in a `Double`.
  private var exactMagnitude: Double? {
    guard digits.count <= 16, exponent.magnitude <= 22 else { return nil }
    var whole: Int64 = 0
    for digit in digits { whole = whole * 10 + Int64(digit) }
    guard whole <= 1 << 53 else { return nil }
    var power = 1.0
    for _ in 0..<exponent.magnitude { power *= 10 }
    return exponent < 0 ? Double(whole) / power : Double(whole) * power
  }

  private var roundedMagnitude: Double {
    // 10^(pointPosition - 1) <= number < 10^pointPosition
    let pointPosition = Int64(digits.count) + exponent
    guard !digits.isEmpty, pointPosition > -324 else { return 0 }
    guard pointPosition <= 309 else { return .infinity }
    var numerator = NaturalNumber(digits: digits)
    var denominator = NaturalNumber.one
    if exponent >= 0 {
      numerator.multiply(byPowerOfTen: Int(exponent))
    } else {
      denominator.multiply(byPowerOfTen: Int(-exponent))
    }
    return NaturalNumber.ratio(numerator, denominator)
  }
}
