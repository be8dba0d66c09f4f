// Arithmetic with numbers from outside: nothing overflows, and a result that does not fit is nil. A
// result is exact if nine decimals and an `Int64` can hold it; otherwise it has as many decimals as
// fit, and its last decimal is rounded half away from zero.

extension FixedPoint {
  /// Returns the sum, or nil if it is too large.
  public func plus(_ other: FixedPoint) -> FixedPoint? {
    let most = max(decimals, other.decimals)
    for places in (0...most).reversed() {
      guard let left = shifted(to: places), let right = other.shifted(to: places) else { continue }
      let (sum, overflowed) = left.coefficient.addingReportingOverflow(right.coefficient)
      if !overflowed { return FixedPoint(sum, decimals: places) }
    }
    return nil
  }

  /// Returns the difference, or nil if it is too large.
  public func minus(_ other: FixedPoint) -> FixedPoint? {
    if let opposite = other.negated { return plus(opposite) }
    // The least coefficient has no opposite: negate one unit less, then add the unit.
    return FixedPoint(Int64.max, decimals: other.decimals).plus(self)?
      .plus(FixedPoint(1, decimals: other.decimals))
  }

  /// Returns the product divided by `divisor`; nil if it is too large or the divisor is zero.
  public func times(_ factor: FixedPoint, over divisor: FixedPoint = FixedPoint(1)) -> FixedPoint? {
    guard divisor.coefficient != 0 else { return nil }
    var quotient = WideNumber(coefficient.magnitude, times: factor.coefficient.magnitude)
    let unit = divisor.coefficient.magnitude
    var rest = quotient.divide(by: unit)
    var places = Int(decimals) + Int(factor.decimals) - Int(divisor.decimals)
    // Append digits while some are left and they fit.
    while places < 0 || (rest > 0 && places < Int(Self.decimalsMax)) {
      guard let longer = quotient.digits(followedBy: &rest, of: unit) else { break }
      quotient = longer
      places += 1
    }
    guard places >= 0 else { return nil }
    var isUp = WideNumber(rest, times: 2).isAtLeast(unit)
    // Remove digits until the rest fits; the digit removed last decides the rounding.
    while places > 0, places > Int(Self.decimalsMax) || quotient.rounded(up: isUp) == nil {
      isUp = quotient.divide(by: 10) >= 5
      places -= 1
    }
    let isProductNegative = (coefficient < 0) != (factor.coefficient < 0)
    let isNegative = isProductNegative != (divisor.coefficient < 0)
    guard let magnitude = quotient.rounded(up: isUp) else { return nil }
    return FixedPoint(isNegative ? -magnitude : magnitude, decimals: UInt8(places))
  }

  /// Whether the number is smaller than another one.
  public func isLess(than other: FixedPoint) -> Bool {
    let (left, right) = (wholeAndNanos, other.wholeAndNanos)
    return left.whole == right.whole ? left.nanos < right.nanos : left.whole < right.whole
  }

  /// Whole part and billionths, both with the sign.
  private var wholeAndNanos: (whole: Int64, nanos: Int64) {
    let (whole, rest) = coefficient.quotientAndRemainder(dividingBy: Self.power(of: decimals))
    return (whole, rest * Self.power(of: Self.decimalsMax - decimals))
  }

  private var negated: FixedPoint? {
    coefficient == .min ? nil : FixedPoint(-coefficient, decimals: decimals)
  }

  /// Returns the number with `places` decimals, rounded if those are fewer; nil if it does not fit.
  private func shifted(to places: UInt8) -> FixedPoint? {
    let shifted = rounded(to: places)
    return shifted.decimals == places ? shifted : nil
  }
}

/// Natural number of 128 bits. Swift's own type is not available on every 32-bit processor.
private struct WideNumber {
  private var high: UInt64
  private var low: UInt64

  init(_ left: UInt64, times right: UInt64) { (high, low) = left.multipliedFullWidth(by: right) }

  /// Divides the number in place and returns the remainder.
  mutating func divide(by divisor: UInt64) -> UInt64 {
    let (quotient, carried) = high.quotientAndRemainder(dividingBy: divisor)
    high = quotient
    // What is carried is less than the divisor, so the quotient fits.
    let division = divisor.dividingFullWidth((carried, low))
    low = division.quotient
    return division.remainder
  }

  /// Returns the number followed by the next digit of `rest` over `divisor`, and leaves the
  /// remainder in `rest`. If an `Int64` cannot hold the result, returns nil and changes nothing.
  func digits(followedBy rest: inout UInt64, of divisor: UInt64) -> WideNumber? {
    guard high == 0, low <= (UInt64(Int64.max) - 9) / 10 else { return nil }
    var digit = WideNumber(rest, times: 10)
    rest = digit.divide(by: divisor)
    var longer = self
    longer.low = low * 10 + digit.low
    return longer
  }

  func isAtLeast(_ other: UInt64) -> Bool { high > 0 || low >= other }

  /// Returns the number, plus one if `isUp`; nil if an `Int64` cannot hold it.
  func rounded(up isUp: Bool) -> Int64? {
    guard high == 0, let number = Int64(exactly: low) else { return nil }
    let (sum, overflowed) = number.addingReportingOverflow(isUp ? 1 : 0)
    return overflowed ? nil : sum
  }
}
