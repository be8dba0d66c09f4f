import Bytes
import Testing

@Suite struct FixedPointArithmeticTests {
  private func point(_ coefficient: Int64, _ decimals: UInt8 = 0) -> FixedPoint {
    FixedPoint(coefficient, decimals: decimals)
  }

  @Test func sumsHaveTheDecimalsOfTheLongerNumber() {
    #expect(point(25, 1).plus(point(125, 3)) == point(2625, 3))
    #expect(point(25, 1).minus(point(125, 3)) == point(2375, 3))
    #expect(point(-5).plus(point(5)) == point(0))
    #expect(point(1).minus(point(15, 1)) == point(-5, 1))
  }

  @Test func aSumThatIsTooLargeForItsDecimalsLosesThem() {
    #expect(point(Int64.max).plus(point(-16, 1)) == point(Int64.max - 2))
    #expect(
      point(5_000_000_000_000_000_000, 9).plus(point(5_000_000_000_000_000_000, 9))
        == point(1_000_000_000_000_000_000, 8))
    #expect(point(Int64.max).plus(point(1)) == nil)
    #expect(point(Int64.min).minus(point(1)) == nil)
    #expect(point(Int64.min).plus(point(Int64.max)) == point(-1))
  }

  @Test func theLeastNumberIsSubtractedToo() {
    #expect(point(-1).minus(point(.min)) == point(.max))
    #expect(point(.min).minus(point(.min)) == point(0))
    #expect(point(0).minus(point(.min)) == nil)
  }

  @Test(
    arguments: [
      (73, 0, 1333, 6, 97_309, 6), (-5, 1, 5, 1, -25, 2), (3, 9, 3, 9, 0, 9), (0, 0, -5, 3, 0, 3),
      (123_456_789, 9, 1_000_000_000, 9, 123_456_789, 9), (7, 9, 5, 1, 4, 9), (-7, 9, 5, 1, -4, 9),
    ] as [(Int64, UInt8, Int64, UInt8, Int64, UInt8)])
  func productsAreExactOrRoundedToNineDecimals(
    _ a: Int64, _ aPlaces: UInt8, _ b: Int64, _ bPlaces: UInt8, _ c: Int64, _ cPlaces: UInt8
  ) {
    #expect(point(a, aPlaces).times(point(b, bPlaces)) == point(c, cPlaces))
  }

  @Test func aQuotientHasNineDecimalsOrIsExact() {
    #expect(point(1).times(point(1), over: point(3)) == point(333_333_333, 9))
    #expect(point(2).times(point(1), over: point(-3)) == point(-666_666_667, 9))
    #expect(point(1).times(point(3), over: point(4)) == point(75, 2))
    #expect(point(6).times(point(1), over: point(2, 9)) == point(3_000_000_000))
    #expect(point(1).times(point(1), over: point(0)) == nil)
  }

  @Test func aProductThatIsTooLargeLosesDecimalsAndThenIsNone() {
    #expect(point(.max).times(point(1, 9)) == point(.max, 9))
    #expect(point(.max, 3).times(point(1000, 3)) == point(.max, 3))
    #expect(point(.max).times(point(15, 1), over: point(2)) == point(6_917_529_027_641_081_855))
    #expect(point(.max).times(point(2)) == nil)
    #expect(point(.min).times(point(1)) == nil)
    #expect(point(.min, 1).times(point(1)) == point(-922_337_203_685_477_581))
    #expect(point(.min).times(point(.min)) == nil)
    #expect(point(.max).times(point(1), over: point(1, 1)) == nil)
  }

  @Test func aCarryThatLeavesTheRangeTakesADecimalAway() {
    // 922337203685477580.75, whose last digit goes, and of which ...580.8 has too many already.
    #expect(point(.max, 1).times(point(2), over: point(2)) == point(.max, 1))
    #expect(point(.max).times(point(3), over: point(3)) == point(.max))
  }

  @Test func numbersCompareAcrossDecimals() {
    #expect(point(15, 1).isLess(than: point(2)))
    #expect(!point(2).isLess(than: point(20, 1)))
    #expect(point(-2).isLess(than: point(-15, 1)))
    #expect(point(-5, 1).isLess(than: point(5, 1)))
    #expect(point(.min).isLess(than: point(.min, 9)))
    #expect(point(.max, 9).isLess(than: point(.max)))
  }

  /// Against the machine's own 128 bits, where those hold the whole calculation.
  @Test func productsAndQuotientsAreTheNearestNumber() {
    var random = SplitMix64(seed: 20_261_123)
    func next(_ bits: UInt64) -> Int64 { Int64(truncatingIfNeeded: random.next()) >> (64 - bits) }
    for _ in 0..<10_000 {
      let (a, b) = (next(1 + random.next() % 30), next(1 + random.next() % 30))
      let c = max(1, next(1 + random.next() % 30).magnitude)
      let result = point(a).times(point(b), over: point(Int64(c)))
      let exact = Int128(a) * Int128(b) * 1_000_000_000
      guard let result else {
        Issue.record("\(a) × \(b) / \(c) fits")
        return
      }
      var step: Int128 = 1
      for _ in result.decimals..<9 { step *= 10 }
      // Exact with fewer decimals, or off by half of the last one at most.
      let error = abs(Int128(result.coefficient) * step * Int128(c) - exact) * 2
      #expect(error == 0 || error <= Int128(c) * step)
      #expect(error == 0 || result.decimals == 9 || result.coefficient.magnitude > 1 << 59)
    }
  }

  @Test func noNumbersTrap() {
    var random = SplitMix64(seed: 7)
    func next() -> FixedPoint {
      let bits = random.next() % 64
      let edges: [Int64] = [.min, .max, .min + 1, 0, 1, -1]
      let coefficient =
        random.next() % 4 == 0
        ? edges[Int(random.next() % 6)] : Int64(bitPattern: random.next()) >> Int64(bits)
      return FixedPoint(coefficient, decimals: UInt8(random.next() % 10))
    }
    for _ in 0..<20_000 {
      let (a, b, c) = (next(), next(), next())
      if let sum = a.plus(b) { expectNear(sum, a.double + b.double, a.double, b.double) }
      if let difference = a.minus(b) {
        expectNear(difference, a.double - b.double, a.double, b.double)
      }
      if let product = a.times(b, over: c) {
        expectNear(product, a.double * b.double / c.double, 0, 0)
      } else if c.coefficient != 0 {
        #expect(abs(a.double * b.double / c.double) > 9.2e18)
      }
      #expect(!(a.isLess(than: b) && b.isLess(than: a)))
    }
  }

  private func expectNear(_ found: FixedPoint, _ wanted: Double, _ a: Double, _ b: Double) {
    let slack = max(abs(wanted), abs(a), abs(b)) * 1e-12 + 1e-9
    #expect(abs(found.double - wanted) <= max(slack, found.decimals == 0 ? 1 : slack))
  }
}
