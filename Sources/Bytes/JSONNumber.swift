import CText

/// JSON number (RFC 8259), stored exactly: 1, 1.0 and 1e0 stay different, and neither a large
/// integer nor a long fraction loses a digit.
///
/// Two numbers are equal if their texts are equal. To compare by value, compare `double`.
public struct JSONNumber: Hashable, Sendable {
  fileprivate enum Storage: Hashable {
    /// Number in the form in which `Int64` writes it, as nearly all numbers are. No allocation.
    case integer(Int64)
    /// Any other form.
    case literal(Text)
  }

  fileprivate let storage: Storage

  /// Creates a whole number.
  public init(_ integer: Int64) { storage = .integer(integer) }

  /// Creates the shortest number that reads back as `double`; nil if it is infinite or NaN, which
  /// JSON cannot express.
  public init?(_ double: Double) {
    guard double.isFinite else { return nil }
    storage = .literal(Text(double.description))
  }

  /// Reads `text`; nil if it is not a number.
  public init?(_ text: Span<UInt8>) {
    var reader = JSONReader(text)
    do throws(JSONError) {
      let number = try reader.number()
      guard number.count == text.count else { return nil }
      self.init(checked: number)
    } catch {
      return nil
    }
  }

  /// Creates a number from a text that a `JSONReader` has checked.
  init(checked text: Span<UInt8>) {
    // `Int64` has no -0.
    if let integer = Self.integer(of: text), !text.elementsEqual("-0") {
      storage = .integer(integer)
    } else {
      storage = .literal(Text(text))
    }
  }

  /// Value as an integer; nil if the number has a fraction or an exponent (even 1.0), or does not
  /// fit.
  public var integer: Int64? {
    switch storage {
    case .integer(let integer): integer
    case .literal(let text): Self.integer(of: text.bytes.span)
    }
  }

  /// Nearest `Double`, ties to even. A number that is too large is infinite and one that is too
  /// small is zero, with its sign, as in Home Assistant's own reader.
  public var double: Double {
    switch storage {
    case .integer(let integer): Double(integer)
    case .literal(let text): Self.double(terminated: text.bytes + [0])
    }
  }

  private static func double(terminated text: [UInt8]) -> Double {
    unsafe text.withUnsafeBufferPointer { text in
      guard let start = text.baseAddress else { preconditionFailure("the NUL is always there") }
      return unsafe ctext_double(start)
    }
  }

  /// Returns the number times 10^`exponent`, rounded to a whole number, halves away from zero; nil
  /// if it does not fit.
  public func scaled(byPowerOfTen exponent: Int64) -> Int64? {
    switch storage {
    case .integer(let integer): integer.scaled(byPowerOfTen: exponent)
    case .literal(let text): text.bytes.span.scaledNumber(byPowerOfTen: exponent)
    }
  }

  private static func integer(of text: Span<UInt8>) -> Int64? {
    var reader = JSONReader(text)
    do throws(JSONError) { return try reader.integer() } catch { return nil }
  }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  public init(integerLiteral literal: Int64) { self.init(literal) }

  public init(floatLiteral literal: Double) {
    guard let number = JSONNumber(literal) else { preconditionFailure("a literal is finite") }
    self = number
  }
}

extension ByteBuffer {
  /// Appends a number exactly as written.
  public mutating func appendJSON(_ number: JSONNumber) {
    switch number.storage {
    case .integer(let integer): appendJSON(integer)
    case .literal(let text): appendJSON(checkedNumber: text.bytes.span)
    }
  }
}

// Decimal numbers as whole numbers of a smaller unit, such as seconds as milliseconds: exact, and
// without an allocation.

extension JSONReader {
  /// Reads a number and returns it times 10^`exponent`, rounded, halves away from zero.
  public mutating func number(timesPowerOfTen exponent: Int64) throws(JSONError) -> Int64 {
    let start = position
    guard let scaled = try number().scaledNumber(byPowerOfTen: exponent) else {
      throw .outOfRange(at: start)
    }
    return scaled
  }
}

extension Span where Element == UInt8 {
  /// Returns this number of JSON times 10^`power`, rounded to a whole number, halves away from
  /// zero; nil if it does not fit.
  func scaledNumber(byPowerOfTen power: Int64) -> Int64? {
    let mantissa = extracting(..<endOfMantissa)
    var exponent: Int64 = 0
    if mantissa.count < count {
      exponent = extracting((mantissa.count + 1)...).clampedExponent
    }
    return mantissa.scaledMantissa(byPowerOfTen: exponent.addingClamped(power))
  }

  /// Value of the part of a number after the `e`, within a limit beyond which the number is
  /// infinite or zero, whatever digits a text can have.
  private var clampedExponent: Int64 {
    let isSigned = self[0] == UInt8(ascii: "-") || self[0] == UInt8(ascii: "+")
    var exponent: Int64 = 0
    for index in (isSigned ? 1 : 0)..<count {
      exponent = min(exponent * 10 + Int64(self[index] - UInt8(ascii: "0")), 1_000_000_000_000)
    }
    return self[0] == UInt8(ascii: "-") ? -exponent : exponent
  }

  private var endOfMantissa: Int {
    firstIndex(of: UInt8(ascii: "e")) ?? firstIndex(of: UInt8(ascii: "E")) ?? count
  }

  private func scaledMantissa(byPowerOfTen power: Int64) -> Int64? {
    let isNegative = self[0] == UInt8(ascii: "-")
    let point = firstIndex(of: UInt8(ascii: "."))
    let digits = extracting((isNegative ? 1 : 0)...)
    // Number of digits before the moved point; missing digits are zeros.
    var left = Int64((point ?? count) - (isNegative ? 1 : 0)).addingClamped(power)
    var whole: UInt64 = 0
    guard left >= 0 else { return 0 }
    for index in digits.indices where digits[index] != UInt8(ascii: ".") {
      let digit = UInt64(digits[index] - UInt8(ascii: "0"))
      if left == 0 {
        return whole.rounded(up: digit >= 5).flatMap { Int64($0, isNegative: isNegative) }
      }
      guard let longer = whole.followed(by: digit) else { return nil }
      whole = longer
      left -= 1
    }
    guard whole > 0 else { return 0 }
    while left > 0 {
      guard let longer = whole.followed(by: 0) else { return nil }
      whole = longer
      left -= 1
    }
    return Int64(whole, isNegative: isNegative)
  }
}

extension UInt64 {
  fileprivate func followed(by digit: UInt64) -> UInt64? {
    let (tens, multiplied) = multipliedReportingOverflow(by: 10)
    let (sum, added) = tens.addingReportingOverflow(digit)
    return multiplied || added ? nil : sum
  }

  fileprivate func rounded(up isUp: Bool) -> UInt64? {
    let (sum, overflowed) = addingReportingOverflow(isUp ? 1 : 0)
    return overflowed ? nil : sum
  }
}

extension Int64 {
  func scaled(byPowerOfTen power: Int64) -> Int64? {
    var whole = magnitude
    var left = power
    while left > 0, whole > 0 {
      guard let longer = whole.followed(by: 0) else { return nil }
      whole = longer
      left -= 1
    }
    var isHalf = false
    while left < 0, whole > 0 || isHalf {
      isHalf = whole % 10 >= 5
      whole /= 10
      left += 1
    }
    return Int64(isHalf ? whole + 1 : whole, isNegative: self < 0)
  }

  fileprivate init?(_ magnitude: UInt64, isNegative: Bool) {
    guard isNegative, magnitude > 0 else {
      self.init(exactly: magnitude)
      return
    }
    // The magnitude of the least Int64 has no positive counterpart.
    guard let lessOne = Int64(exactly: magnitude - 1) else { return nil }
    self = -lessOne - 1
  }
}
