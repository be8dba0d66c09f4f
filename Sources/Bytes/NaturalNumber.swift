/// Natural number of any size, with just the arithmetic that reading a decimal number needs.
///
/// The largest comes from a number near the smallest `Double` with all its digits: 10^1093, which
/// is less than 2^3634.
struct NaturalNumber {
  /// Groups of 32 bits, the lowest first; the last one is never zero.
  private var limbs: [UInt32] = []

  static var one: NaturalNumber { NaturalNumber(digits: [1]) }

  /// Creates a number from decimal digits (0...9), the highest first.
  init(digits: [UInt8]) {
    for digit in digits { multiply(by: 10, adding: UInt32(digit)) }
  }

  var bitCount: Int {
    guard let last = limbs.last else { return 0 }
    return limbs.count * 32 - last.leadingZeroBitCount
  }

  mutating func multiply(byPowerOfTen exponent: Int) {
    for _ in 0..<exponent / 9 { multiply(by: 1_000_000_000, adding: 0) }
    for _ in 0..<exponent % 9 { multiply(by: 10, adding: 0) }
  }

  private mutating func multiply(by factor: UInt32, adding summand: UInt32) {
    var carry = UInt64(summand)
    for index in limbs.indices {
      carry += UInt64(limbs[index]) * UInt64(factor)
      limbs[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    if carry > 0 { limbs.append(UInt32(carry)) }
  }

  private mutating func shiftLeft(by bitCount: Int) {
    let bits = UInt64(bitCount % 32)
    var carry: UInt64 = 0
    for index in limbs.indices {
      carry |= UInt64(limbs[index]) << bits
      limbs[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    if carry > 0 { limbs.append(UInt32(carry)) }
    limbs.insert(contentsOf: repeatElement(0, count: bitCount / 32), at: 0)
  }

  /// Subtracts `other` if it is not larger, and returns whether it did.
  private mutating func subtract(ifNotLarger other: NaturalNumber) -> Bool {
    guard !isLess(than: other) else { return false }
    var borrow: Int64 = 0
    for index in limbs.indices {
      let subtrahend = index < other.limbs.count ? Int64(other.limbs[index]) : 0
      borrow += Int64(limbs[index]) - subtrahend
      limbs[index] = UInt32(truncatingIfNeeded: borrow)
      borrow >>= 32
    }
    while limbs.last == 0 { limbs.removeLast() }
    return true
  }

  private func isLess(than other: NaturalNumber) -> Bool {
    guard limbs.count == other.limbs.count else { return limbs.count < other.limbs.count }
    for index in limbs.indices.reversed() where limbs[index] != other.limbs[index] {
      return limbs[index] < other.limbs[index]
    }
    return false
  }

  /// Returns the `Double` nearest to numerator / denominator, ties to even; may be infinity.
  static func ratio(_ numerator: NaturalNumber, _ denominator: NaturalNumber) -> Double {
    var (rest, divisor) = (numerator, denominator)
    let shift = numerator.bitCount - denominator.bitCount
    if shift > 0 { divisor.shiftLeft(by: shift) } else { rest.shiftLeft(by: -shift) }
    // Now 1/2 < rest / divisor < 2, so 64 steps of long division give 63 or 64 bits.
    var quotient: UInt64 = 0
    for step in 0..<64 {
      if step > 0 { rest.shiftLeft(by: 1) }
      quotient = quotient << 1 | (rest.subtract(ifNotLarger: divisor) ? 1 : 0)
    }
    // The remainder only decides whether a tie is exact, and the lowest bit is always dropped.
    if rest.bitCount > 0 { quotient |= 1 }
    return rounded(quotient, timesTwoToThe: shift - 63)
  }

  /// Rounds `bits` × 2^`exponent`. The highest or second highest bit of `bits` must be set.
  private static func rounded(_ bits: UInt64, timesTwoToThe exponent: Int) -> Double {
    let highest = 63 - bits.leadingZeroBitCount
    let binaryExponent = highest + exponent
    let leastNormal = -1022
    // A subnormal number has fewer bits.
    let dropped = highest - 52 + max(leastNormal - binaryExponent, 0)
    guard dropped < 64 else { return dropped == 64 && bits > 1 << 63 ? .leastNonzeroMagnitude : 0 }
    var significand = bits >> dropped
    let rest = bits & (1 << dropped - 1)
    let half: UInt64 = 1 << (dropped - 1)
    if rest > half || (rest == half && significand & 1 == 1) { significand += 1 }
    // The carry of the rounding extends into the exponent, and from there to infinity.
    let biased = UInt64(max(binaryExponent, leastNormal) - leastNormal)
    let pattern = biased << 52 + significand
    return Double(bitPattern: min(pattern, Double.infinity.bitPattern))
  }
}
