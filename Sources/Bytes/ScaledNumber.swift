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
      exponent = DecimalNumber.exponent(extracting((mantissa.count + 1)...))
    }
    return mantissa.scaledMantissa(byPowerOfTen: exponent.addingClamped(power))
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

  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflowed) = addingReportingOverflow(other)
    return overflowed ? (self < 0 ? .min : .max) : sum
  }
}
