import Bytes
import Sensing
import Testing

/// A meter with pulses at some seconds, asked in cycles.
private struct Meter {
  private var rate: PulseRate
  private let perPulse: FixedPoint
  private var count: Int64 = 0
  private var last: Instant?

  init(per span: Duration, _ perPulse: FixedPoint) {
    rate = PulseRate(per: span, count: 0)
    self.perPulse = perPulse
  }

  mutating func cycle(_ now: Int64, pulses: [Int64]) -> String? {
    count += Int64(pulses.count)
    last = pulses.last.map { at($0 * 1000) } ?? last
    return written(
      rate.sampled(
        count: count, firstPulse: pulses.first.map { at($0 * 1000) }, lastPulse: last,
        perPulse: perPulse, now: at(now * 1000)))
  }
}

@Suite struct PulseRateTests {
  private let rain = FixedPoint(2794, decimals: 4)

  /// A gauge that tips every ten minutes.
  @Test func theRateOfTheRainIsThatOfTheTimeBetweenTwoTips() {
    var meter = Meter(per: .seconds(3600), rain)
    #expect(meter.cycle(60, pulses: []) == "0.000")
    #expect(meter.cycle(120, pulses: [100]) == "0.279", "one tip in an hour")
    #expect(meter.cycle(720, pulses: [700]) == "1.676", "0.2794 mm in 600 s")
    #expect(meter.cycle(1290, pulses: []) == "1.676")
    #expect(meter.cycle(1900, pulses: []) == "0.838", "none in 1200 s")
    #expect(meter.cycle(4299, pulses: []) == "0.279")
    #expect(meter.cycle(4300, pulses: []) == "0.000")
  }

  /// A meter of 1000 flashes for a kWh: 3 kW is one every 1.2 s.
  @Test func aMeterTellsThePowerOfNow() {
    var meter = Meter(per: .seconds(3600), FixedPoint(1, decimals: 3))
    #expect(meter.cycle(60, pulses: [22, 58]) == "0.100")
    #expect(meter.cycle(119, pulses: (1...50).map { 58 + $0 * 6 / 5 }) == "3.000")
  }

  @Test func aFlowThatBeginsIsCountedFromItsFirstPulse() {
    // 450 pulses are a litre.
    var meter = Meter(per: .seconds(60), FixedPoint(2_222_222, decimals: 9))
    #expect(meter.cycle(60, pulses: []) == "0.000")
    #expect(meter.cycle(110, pulses: Array(50...110)) == "0.133")
    #expect(meter.cycle(169, pulses: []) == "0.002", "a pulse in 59 s")
    #expect(meter.cycle(170, pulses: []) == "0.000")
  }

  @Test func anotherRainIsNoAverageWithTheTimeBetween() {
    var meter = Meter(per: .seconds(3600), rain)
    _ = meter.cycle(1000, pulses: [1000])
    // Asked again after a day, the gauge has just tipped twice.
    #expect(meter.cycle(90_000, pulses: [89_000, 89_600]) == "1.676")
  }

  @Test func aWholeNumberHasDigitsToo() {
    var meter = Meter(per: .seconds(60), FixedPoint(1))
    _ = meter.cycle(10, pulses: [1])
    #expect(meter.cycle(12, pulses: [8]) == "8.571")
  }

  @Test func aRateThatNoNumberHoldsIsNone() {
    var meter = Meter(per: .seconds(86_400), FixedPoint(.max))
    #expect(meter.cycle(10, pulses: [1, 2]) == nil)
    var small = Meter(per: .seconds(86_400), FixedPoint(.max, decimals: 9))
    #expect(small.cycle(10, pulses: [1, 2]) != nil)
  }

  @Test func atTheSameMomentTwoPulsesAreNoInfinity() {
    var meter = Meter(per: .seconds(60), FixedPoint(1))
    #expect(meter.cycle(10, pulses: [5, 5]) == "1.000")
    #expect(meter.cycle(11, pulses: [5]) == "1.000")
  }

  @Test func aTotalIsExact() {
    #expect(
      FixedPoint(2794, decimals: 4).times(1_000_003) == FixedPoint(2_794_008_382, decimals: 4))
    #expect(FixedPoint(2794, decimals: 4).times(.max) == nil)
  }
}
