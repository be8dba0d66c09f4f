import Bytes
import Sensing
import Testing

/// What Home Assistant sees of a sensor that comes and goes: each change is a row of its database.
@Suite struct UnrestFilterTests {
  private func told(_ readings: [Value], each seconds: Int64 = 60) -> [Value] {
    var filter = UnrestFilter()
    return readings.indices.map { index in
      filter.admit(
        readings[index], at: WallTime(nanoseconds: Int64(index) * seconds * 1_000_000_000))
    }
  }

  private func rows(_ readings: [Value]) -> Int {
    let told = told(readings)
    return zip(told, told.dropFirst()).count { $0 != $1 }
  }

  private let good = Value.number(FixedPoint(21))

  @Test func whatFailsOnceIsToldAsItIs() {
    let readings: [Value] = [good, .unknown, good, good, .unavailable, good]
    #expect(told(readings) == readings)
  }

  /// OctoPrint-Enclosure issue 507, HyDE issue 210; and bursts of failures.
  @Test(
    arguments: [
      (1, [.unknown]), (2, [.unknown]), (5, [.unknown]), (10, [.unknown]),
      (3, [.unavailable, .unavailable, .unavailable]),
    ] as [(Int, [Value])])
  func whatComesAndGoesMakesNoRowEachTime(goodCount: Int, failures: [Value]) {
    let period = [Value](repeating: good, count: goodCount) + failures
    #expect(rows((0..<1000).flatMap { _ in period }) <= 8)
  }

  @Test func theNumbersOfASensorThatComesAndGoesAreTold() {
    let readings = (Int64(0)..<100).flatMap { [Value.number(FixedPoint($0)), .unknown] }
    #expect(told(readings).contains(.number(FixedPoint(99))))
    let numbers: [Int64] = [98, 98, 99, 99]
    #expect(Array(told(readings).suffix(4)) == numbers.map { .number(FixedPoint($0)) })
  }

  @Test func whatCameAndWentAndThenFailsForGoodIsToldAsThat() {
    let readings = (0..<10).flatMap { _ in [good, Value.unknown] }
    let end = [Value](repeating: .unavailable, count: UnrestFilter.standInMax)
    #expect(told(readings + end).last == .unavailable)
    #expect(told(readings + end).suffix(3).first == good)
  }

  /// Else the value of the morning would be recorded as that of the afternoon.
  @Test func aValueThatIsOldStandsInForNone() {
    let readings = (Int64(0)..<20).flatMap { [Value.number(FixedPoint($0)), .unknown] }
    #expect(told(readings, each: 600).last == .number(FixedPoint(19)))
    #expect(told(readings, each: 601) == readings)
    #expect(told(readings, each: 3600) == readings)
  }

  @Test func aValueStandsInForTenMinutesOfFailures() {
    let readings = (0..<10).flatMap { _ in [good, Value.unknown] }
    let end = [Value](repeating: .unavailable, count: 4)
    // The last value was read 300 seconds before the first of these.
    #expect(told(readings + end, each: 150).suffix(4) == [good, good, good, .unavailable])
  }

  /// How old the value is is not known then; eight failures end it.
  @Test func aClockThatIsSetBackEndsNothing() {
    var filter = UnrestFilter()
    for _ in 0..<10 {
      _ = filter.admit(good, at: WallTime(nanoseconds: .max))
      _ = filter.admit(.unknown, at: WallTime(nanoseconds: .max))
    }
    #expect(filter.admit(.unknown, at: WallTime(nanoseconds: .min)) == good)
  }

  @Test func aSensorThatNeverHadAValueHasNone() {
    #expect(told([.unknown, .unavailable, .unknown]) == [.unknown, .unavailable, .unknown])
  }
}
