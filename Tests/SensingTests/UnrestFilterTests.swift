import Bytes
import Sensing
import Testing

/// What Home Assistant sees of a sensor that comes and goes: each change is a row of its database.
@Suite struct UnrestFilterTests {
  private func told(_ readings: [Value]) -> [Value] {
    var filter = UnrestFilter()
    return readings.map { filter.admit($0) }
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

  /// OctoPrint-Enclosure issue 507, HyDE issue 210.
  @Test(arguments: [1, 2, 5, 10])
  func whatComesAndGoesMakesNoRowEachTime(goodCount: Int) {
    let period = [Value](repeating: good, count: goodCount) + [.unknown]
    let readings = (0..<1000).flatMap { _ in period }
    #expect(rows(readings) <= 8)
  }

  @Test func burstsOfFailuresMakeNoRowEachTime() {
    let period = [good, good, good, .unavailable, .unavailable, .unavailable]
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

  @Test func aSensorThatNeverHadAValueHasNone() {
    #expect(told([.unknown, .unavailable, .unknown]) == [.unknown, .unavailable, .unknown])
  }
}
