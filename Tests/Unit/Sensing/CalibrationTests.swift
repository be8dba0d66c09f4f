import Bytes
import Testing

@testable import Sensing

@Suite struct CalibrationTests {
  private typealias Flaw = Calibration.Flaw

  private func flaw(_ make: () throws(Flaw) -> Calibration) -> Flaw? {
    do throws(Flaw) {
      _ = try make()
      return nil
    } catch {
      return error
    }
  }

  private func points(_ texts: [(String, String)]) throws -> [Calibration.Point] {
    try texts.map { Calibration.Point(try number($0.0), try number($0.1)) }
  }

  @Test(arguments: [
    ("2.9", "0"), ("1.2", "100"), ("2.05", "50.00"), ("3.07", "-10.00"), ("0", "170.588235294"),
  ])
  func twoPointsAreALineThatGoesOn(measured: String, meant: String) throws {
    let probe = try Calibration(
      points: try points([("2.9", "0"), ("1.2", "100")]), isClamped: false)
    #expect(
      try probe.meaning(of: try number(measured))?.rounded(to: 6) == number(meant).rounded(to: 6))
  }

  @Test(arguments: [("3.07", "0"), ("2.9", "0"), ("2.05", "50"), ("1.2", "100"), ("-5", "100")])
  func aClampedLineEndsAtItsPoints(measured: String, meant: String) throws {
    let probe = try Calibration(
      points: try points([("2.9", "0"), ("1.2", "100")]), isClamped: true)
    let found = try #require(probe.meaning(of: try number(measured)))
    #expect(try found.rounded(to: 3) == number(meant).rounded(to: 3))
  }

  @Test(arguments: [
    ("300", "0"), ("240", "0"), ("171.5", "25"), ("103", "50"), ("68", "75"), ("33", "100"),
    ("32.999", "100"), ("0", "100"),
  ])
  func aTankSenderIsReadFromItsTable(ohms: String, percent: String) throws {
    let tank = try Calibration(
      points: try points([("240", "0"), ("103", "50"), ("33", "100")]), isClamped: true)
    let found = try #require(tank.meaning(of: try number(ohms)))
    #expect(try found.rounded(to: 3) == number(percent).rounded(to: 3))
  }

  @Test func theOrderOfThePointsMakesNoDifference() throws {
    let texts = [("33", "100"), ("103", "50"), ("240", "0")]
    let rising = try Calibration(points: try points(texts), isClamped: true)
    let falling = try Calibration(points: try points(texts.reversed()), isClamped: true)
    #expect(rising == falling)
  }

  @Test func anUnclampedTableGoesOnWithItsLastLines() throws {
    let table = try Calibration(
      points: try points([("0", "0"), ("1", "10"), ("2", "30")]), isClamped: false)
    #expect(try table.meaning(of: number("-1")) == number("-10"))
    #expect(try table.meaning(of: number("4")) == number("70"))
  }

  @Test func aFactorAndAnOffsetAreAppliedInThisOrder() throws {
    let divider = try Calibration(factor: try number("4.03"), offset: try number("-0.05"))
    #expect(written(divider.meaning(of: try number("3.1"))) == "12.443")
    #expect(written(divider.meaning(of: try number("-1"))) == "-4.08")
  }

  @Test(arguments: [
    [("1", "0"), ("1", "5")], [("1", "0"), ("1.0", "5")], [("1", "0"), ("2", "5"), ("2", "6")],
    [("1", "0"), ("2", "5"), ("1.5", "6")], [("3", "0"), ("2", "5"), ("2.5", "6")],
  ])
  func pointsThatTurnBackOrStandStillAreRefused(_ texts: [(String, String)]) throws {
    let points = try points(texts)
    #expect(throws: Calibration.Flaw.notMonotonic) {
      try Calibration(points: points, isClamped: false)
    }
  }

  @Test(arguments: [(0, false), (1, false), (2, true), (32, true), (33, false)])
  func aTableHasTwoToThirtyTwoPoints(count: Int, isRight: Bool) throws {
    let points = (0..<count).map { Calibration.Point(FixedPoint(Int64($0)), FixedPoint(0)) }
    if isRight {
      _ = try Calibration(points: points, isClamped: true)
    } else {
      #expect(throws: Calibration.Flaw.wrongCount) {
        try Calibration(points: points, isClamped: true)
      }
    }
  }

  @Test(arguments: [
    ("1000000000", true), ("1000000000.000000001", false), ("-1000000000", true),
    ("-1000000001", false),
  ])
  func aNumberUpToABillionIsUsable(_ text: String, isRight: Bool) throws {
    let large = try number(text)
    let wanted: Calibration.Flaw? = isRight ? nil : .tooLarge
    let zero = FixedPoint(0)
    let one = Calibration.Point(FixedPoint(1), zero)
    #expect(flaw { () throws(Flaw) in try Calibration(factor: large, offset: zero) } == wanted)
    #expect(flaw { () throws(Flaw) in try Calibration(factor: zero, offset: large) } == wanted)
    for point in [Calibration.Point(large, zero), Calibration.Point(zero, large)] {
      let found = flaw { () throws(Flaw) in
        try Calibration(points: [one, point], isClamped: false)
      }
      #expect(found == wanted)
    }
  }

  @Test func aResultThatFitsNoNumberIsNone() throws {
    let factor = try Calibration(factor: FixedPoint(1_000_000_000), offset: FixedPoint(0))
    #expect(factor.meaning(of: FixedPoint(.max)) == nil)
    #expect(factor.meaning(of: FixedPoint(9_000_000_000)) == FixedPoint(9_000_000_000_000_000_000))
    let steep = try Calibration(
      points: try points([("0", "0"), ("0.000000001", "1000000000")]), isClamped: false)
    #expect(steep.meaning(of: FixedPoint(10)) == nil)
  }

  /// Any numbers of a person and of a device: no trap, and between the points nothing beyond them.
  @Test func noNumbersTrapAndNoneLeaveATable() throws {
    var random = SplitMix64(seed: 20_261_123)
    func next(_ range: ClosedRange<Int64>) -> FixedPoint {
      let decimals = UInt8(random.next() % 10)
      let width = UInt64(range.upperBound - range.lowerBound) + 1
      let whole = Int64(random.next() % width) + range.lowerBound
      let fraction = Int64(bitPattern: random.next()) % 1_000_000_000
      let edge = random.next() % 8
      if edge == 0 { return FixedPoint(.max, decimals: decimals) }
      if edge == 1 { return FixedPoint(.min, decimals: decimals) }
      return FixedPoint(whole).plus(FixedPoint(fraction, decimals: 9))?.rounded(to: decimals)
        ?? FixedPoint(whole)
    }
    var made = 0
    for _ in 0..<5_000 {
      let range: ClosedRange<Int64> = random.next() % 2 == 0 ? -3...3 : -999_999_999...999_999_998
      let isClamped = random.next() % 2 == 0
      let points = (0..<2 + Int(random.next() % 3)).map { _ in
        Calibration.Point(next(range), next(range))
      }
      guard let table = try? Calibration(points: points, isClamped: isClamped) else { continue }
      made += 1
      let meant = points.map(\.meant.double)
      let low = try #require(meant.min()), high = try #require(meant.max())
      for _ in 0..<8 {
        let found = table.meaning(of: next(-1_000_000...1_000_000))
        guard isClamped else { continue }
        let value = try #require(found).double
        #expect(value >= low - 1e-6 && value <= high + 1e-6)
      }
    }
    #expect(made > 200)
  }
}
