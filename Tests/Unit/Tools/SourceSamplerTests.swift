import Board
import Bytes
import Drivers
import LinuxIO
import Sensing
import Testing

@testable import Tools

/// What a sample of a source says, for check and for sensors.
@Suite struct SourceSamplerTests {
  private let board = FakeBoard()

  private func sample(_ values: [(name: String, value: Value)]) -> SourceSample {
    SourceSample(
      sensors: values.map { name, value in
        SourceSample.Sensor(
          description: SensorDescription(
            uniqueID: [UInt8](name.utf8), name: [UInt8](name.utf8), icon: []), value: value)
      }, fix: nil, failures: [])
  }

  private func words(
    _ values: [(name: String, value: Value)], without name: String
  ) -> String? {
    sample(values).words(without: [UInt8](name.utf8)).map { text($0.bytes) }
  }

  @Test func whatStandsBeforeItIsNotSaidAgainButNoPartOfAWordIsCut() {
    let on = Value.boolean(true)
    #expect(
      words([("BAT0 capacity", on), ("BAT0 status", on)], without: "BAT0")
        == "capacity on, status on")
    #expect(words([("GPIO17 door", on)], without: "GPIO1") == "GPIO17 door on")
    #expect(words([("Load, 1 minute", on)], without: "Load") == "1 minute on")
    let none = Value.number(FixedPoint(0, decimals: 4))
    #expect(words([("Rain", none)], without: "") == "Rain 0", "not 0.0000")
    #expect(words([("Cabin", on)], without: "Cabin") == "on")
    #expect(words([("Cabin", on)], without: "") == "Cabin on")
    #expect(words([("Cabin", .unavailable)], without: "") == nil)
  }

  @Test(arguments: [
    (Value.number(FixedPoint(1)), true), (.boolean(false), true), (.text(InlineText("x")), true),
    (.unknown, false), (.unavailable, false),
  ])
  func aValueIsWhatIsNeitherUnknownNorUnavailable(value: Value, isOne: Bool) {
    #expect(sample([("x", value)]).hasValue == isOne)
    #expect(sample([("y", .unknown), ("x", value)]).hasValue == isOne)
  }

  private func samples(_ configuration: String) throws -> [SourceSample] {
    let configuration = try board.configuration("system: off\n\(configuration)")
    let sampler = SourceSampler(loop: try EventLoop(), timeout: .seconds(1), screen: nil)
    return try configuration.sources(sampler.context(of: configuration)).map {
      try sampler.sample($0)
    }
  }

  /// The voltage is read by another source than the battery that it tells about.
  @Test func aBatteryThatIsJudgedHasItsOwnRow() throws {
    try board.write("12.5\n", to: "volts")
    let samples = try samples(
      """
      battery: { name: Bank, voltage: Volts, chemistry: agm }
      sensors: [{ file: \(board.folder.path)/volts, name: Volts, unit: V, device_class: voltage }]
      """)
    #expect(samples.allSatisfy { $0.failures.isEmpty })
    let rows = samples.map { text($0.words()?.bytes ?? []) }
    #expect(rows.count == 2)
    #expect(rows.first == "Volts 12.50 V")
    #expect(rows.last?.hasPrefix("Bank capacity ") == true, "\(rows)")
  }

  /// The kernels of many handhelds and phones call theirs `battery` (armada-os/armada issue 466).
  @Test func aSupplyCalledBatteryHasItsValues() throws {
    try board.write("Battery\n", to: "class/power_supply/battery/type")
    try board.write("17\n", to: "class/power_supply/battery/capacity")
    let words = try samples("battery: auto\n").first?.words(without: [UInt8]("battery".utf8))
    #expect(words.map { text($0.bytes) } == "capacity 17 %")
  }

  @Test func eachSupplyIsSampledByItself() throws {
    for name in ["BAT0", "BAT1"] {
      try board.write("Battery\n", to: "class/power_supply/\(name)/type")
      try board.write("83\n", to: "class/power_supply/\(name)/capacity")
    }
    func names(_ battery: String) throws -> [String] {
      let configuration = try board.configuration("system: off\nbattery: \(battery)\n")
      let sampler = SourceSampler(loop: try EventLoop(), timeout: .seconds(1), screen: nil)
      return configuration.sources(sampler.context(of: configuration)).map {
        text([UInt8]($0.name.bytes))
      }
    }
    #expect(try names("auto") == ["BAT0", "BAT1"])
    #expect(try names("[BAT1, BAT9]") == ["BAT1", "BAT9"])
    #expect(try names("off") == [])
    for number in 2...17 {
      try board.write("Battery\n", to: "class/power_supply/BAT\(number)/type")
    }
    #expect(try names("auto") == ["power supplies"], "too many are told by the list of them")
  }
}
