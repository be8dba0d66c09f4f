import Bytes
import Foundation
import Testing

@Suite struct FixedPointTests {
  private func string(_ number: FixedPoint) -> String { text { $0.append(number) } }

  @Test(
    arguments: [
      (0, 0, "0"), (0, 3, "0.000"), (7, 0, "7"), (-7, 0, "-7"), (5, 1, "0.5"), (-5, 1, "-0.5"),
      (-5, 2, "-0.05"), (-105, 2, "-1.05"), (12_345_678, 6, "12.345678"),
      (1, 9, "0.000000001"), (Int64.max, 0, "9223372036854775807"),
      (Int64.max, 9, "9223372036.854775807"), (Int64.min, 0, "-9223372036854775808"),
      (Int64.min, 9, "-9223372036.854775808"),
    ] as [(Int64, UInt8, String)])
  func aNumberIsWrittenWithAllItsDecimals(coefficient: Int64, decimals: UInt8, written: String) {
    #expect(string(FixedPoint(coefficient, decimals: decimals)) == written)
  }

  @Test(
    arguments: [
      (149, 2, 1, 15), (-149, 2, 1, -15), (144, 2, 1, 14), (145, 2, 1, 15), (-145, 2, 1, -15),
      (-4, 1, 0, 0), (-5, 1, 0, -1), (5, 1, 0, 1), (999, 3, 0, 1), (25_080, 3, 1, 251),
      (7, 0, 2, 700), (-7, 1, 1, -7),
      (Int64.max, 9, 0, 9_223_372_037), (Int64.min, 9, 0, -9_223_372_037),
      (Int64.max, 1, 0, 922_337_203_685_477_581), (Int64.min, 1, 0, -922_337_203_685_477_581),
    ] as [(Int64, UInt8, UInt8, Int64)])
  func halvesAreRoundedAwayFromZero(
    coefficient: Int64, decimals: UInt8, newDecimals: UInt8, rounded: Int64
  ) {
    let number = FixedPoint(coefficient, decimals: decimals)
    #expect(number.rounded(to: newDecimals) == FixedPoint(rounded, decimals: newDecimals))
  }

  @Test(arguments: [Int64.min, Int64.max, Int64.max / 10 + 1])
  func aNumberThatHasNoRoomForMoreDecimalsKeepsItsValue(coefficient: Int64) {
    let number = FixedPoint(coefficient, decimals: 2)
    #expect(number.rounded(to: 3) == number)
  }

  @Test(
    arguments: [
      (0.0, 2, 0), (-0.0, 2, 0), (1.25, 1, 13), (-1.25, 1, -13), (51.507_351, 6, 51_507_351),
      (-0.004, 2, 0), (-0.006, 2, -1), (1e-300, 9, 0), (9.2e18, 0, 9_200_000_000_000_000_000),
      (-0x1p63, 0, Int64.min),
    ] as [(Double, UInt8, Int64)])
  func aDoubleBecomesTheNearestDecimal(value: Double, decimals: UInt8, coefficient: Int64) {
    #expect(
      FixedPoint(rounding: value, decimals: decimals) == FixedPoint(coefficient, decimals: decimals)
    )
  }

  @Test(
    arguments: [
      .nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude, 1e300, -1e300, 0x1p63,
      -0x1.1p63, 9.3e18,
    ] as [Double])
  func aDoubleThatNoDecimalCanHoldIsRefused(value: Double) {
    #expect(FixedPoint(rounding: value, decimals: 0) == nil)
    #expect(FixedPoint(rounding: value, decimals: 9) == nil)
  }

  @Test func everyRoundTripThroughTextIsExact() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<2000 {
      let coefficient = Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random)
      let decimals = UInt8.random(in: 0...FixedPoint.decimalsMax, using: &random)
      let written = string(FixedPoint(coefficient, decimals: decimals))
      let read = try #require(Decimal(string: written))
      #expect(read == Decimal(coefficient) / pow(10, Int(decimals)), "\(coefficient) \(decimals)")
    }
  }

  @Test func wholeNumbersOfEveryWidthAreWritten() {
    #expect(text { $0.append(decimal: UInt8.max) } == "255")
    #expect(text { $0.append(decimal: Int8.min) } == "-128")
    #expect(text { $0.append(decimal: UInt64.max) } == "18446744073709551615")
    #expect(text { $0.append(decimal: Int64.min) } == "-9223372036854775808")
    #expect(text { $0.append(decimal: 0) } == "0")
  }

  @Test(
    arguments: [
      (200, 1, 202, 1, 2, 1, true), (202, 1, 200, 1, 2, 1, true), (200, 1, 201, 1, 2, 1, false),
      (20, 0, 2002, 2, 2, 2, true), (20, 0, 2002, 2, 3, 2, false), (5, 0, 5, 0, 0, 0, true),
      (-1, 0, 1, 0, 2, 0, true), (-1, 0, 1, 0, 3, 0, false),
      (Int64.max, 0, Int64.max, 0, 1, 9, true), (Int64.max, 0, Int64.min, 0, Int64.max, 0, true),
      (Int64.max, 9, 0, 0, Int64.max, 9, true),
    ] as [(Int64, UInt8, Int64, UInt8, Int64, UInt8, Bool)])
  func numbersAreApartByTheDistanceOrMore(
    left: Int64, leftDecimals: UInt8, right: Int64, rightDecimals: UInt8, distance: Int64,
    distanceDecimals: UInt8, isApart: Bool
  ) {
    #expect(
      FixedPoint(left, decimals: leftDecimals).isApart(
        from: FixedPoint(right, decimals: rightDecimals),
        by: FixedPoint(distance, decimals: distanceDecimals)) == isApart)
  }

  @Test(arguments: [(9, true), (10, false), (300, false)])
  func zerosBehindThePointAreDecimalsToo(count: Int, isRead: Bool) {
    let text = "0." + String(repeating: "0", count: count)
    #expect((FixedPoint(written: [UInt8](text.utf8).span) != nil) == isRead)
  }
}
