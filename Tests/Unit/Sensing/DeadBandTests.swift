import Bytes
import Testing

@testable import Sensing

@Suite struct DeadBandTests {
  private func told(_ values: [Value], minChange: FixedPoint?) -> [Value] {
    var band = DeadBand(minChange: minChange)
    return values.map { band.admit($0) }
  }

  private func tenths(_ numbers: [Int64]) -> [Value] {
    numbers.map { .number(FixedPoint($0, decimals: 1)) }
  }

  private static let fifth = FixedPoint(2, decimals: 1)

  @Test func noiseIsNoNews() {
    #expect(
      told(tenths([200, 201, 199, 200, 201]), minChange: Self.fifth)
        == tenths([200, 200, 200, 200, 200]))
  }

  @Test func theLeastChangeCounts() {
    #expect(told(tenths([200, 202, 200]), minChange: Self.fifth) == tenths([200, 202, 200]))
  }

  /// Each step is too small; the number told last is what they are measured from.
  @Test func aSlowDriftIsTold() {
    #expect(
      told(tenths([200, 201, 202, 203, 204, 205]), minChange: Self.fifth)
        == tenths([200, 200, 202, 202, 204, 204]))
  }

  /// Rain that has stopped is not left at its last drizzle.
  @Test func theEndOfARateIsToldHoweverNearItIs() {
    var band = DeadBand(minChange: FixedPoint(1), isRate: true)
    let values = tenths([4, 6, 0, 6])
    #expect(values.map { band.admit($0) } == tenths([4, 4, 0, 0]))
    #expect(told(tenths([4, 0]), minChange: FixedPoint(1)) == tenths([4, 4]))
  }

  @Test func withoutALeastChangeEachOneCounts() {
    for none in [nil, FixedPoint(0)] {
      #expect(told(tenths([200, 201, 200]), minChange: none) == tenths([200, 201, 200]))
    }
  }

  @Test func whatIsNoNumberIsToldAndSoIsTheNumberAfterIt() {
    let values: [Value] = tenths([200]) + [.unavailable] + tenths([201]) + [.unknown]
    #expect(told(values, minChange: Self.fifth) == values)
  }

  @Test func numbersTooLargeToCompareAreTold() {
    let values: [Value] = [
      .number(FixedPoint(.max)), .number(FixedPoint(.min)), .number(FixedPoint(.max, decimals: 9)),
    ]
    #expect(told(values, minChange: FixedPoint(1, decimals: 9)) == values)
  }

  // MARK: What is usual

  private func sensor(
    _ deviceClass: String?, _ unit: String?, stateClass: String? = "measurement"
  ) -> SensorDescription {
    SensorDescription(
      uniqueID: [1], name: [1], unit: unit.map { [UInt8]($0.utf8) },
      deviceClass: deviceClass.map { [UInt8]($0.utf8) },
      stateClass: stateClass.map { [UInt8]($0.utf8) }, icon: [])
  }

  @Test func aTemperatureHasALeastChangeOfItsOwn() {
    #expect(DeadBand.standardMinChange(of: sensor("temperature", "°C")) == Self.fifth)
    #expect(DeadBand.standardMinChange(of: sensor("humidity", "%")) == FixedPoint(1))
  }

  @Test func ofWhatIsCountedNothingIsLeftOut() {
    let energy = sensor("energy_storage", "Wh", stateClass: "total_increasing")
    #expect(DeadBand.standardMinChange(of: energy) == nil)
    #expect(DeadBand.standardMinChange(of: sensor("voltage", "V", stateClass: nil)) == nil)
  }

  @Test func anotherUnitOrNoClassHasNone() {
    #expect(DeadBand.standardMinChange(of: sensor("voltage", "mV")) == nil)
    #expect(DeadBand.standardMinChange(of: sensor(nil, "V")) == nil)
    #expect(DeadBand.standardMinChange(of: sensor("voltage", nil)) == nil)
    #expect(DeadBand.standardMinChange(of: sensor("battery", "%")) == nil)
  }
}
