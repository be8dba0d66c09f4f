import Bytes
import LinuxIO
import Sensing
import Testing
import YAML

@testable import Drivers

/// Noise makes no rows in Home Assistant's database, whatever the sensor.
@Suite final class MinChangeTests: DriverSuite {
  private func read<Settings>(
    _ text: String, _ settings: (ConfigurationField) -> Settings?
  ) throws -> Settings {
    let problems = ProblemCollector()
    let read = settings(try #require(problems.field(text)))
    #expect(problems.texts == [])
    return try #require(read)
  }

  private func hundredths(_ number: Int64) -> Value { .number(FixedPoint(number, decimals: 2)) }

  private func context() -> SourceContext {
    SourceContext(in: tree.path, loop, sink, supervisor, readsInLoop: true)
  }

  @Test func theNoiseOfABatterysVoltageIsNoNews() throws {
    let battery = "class/power_supply/BAT0"
    try tree.write(
      ["type": "Battery\n", "capacity": "83\n", "voltage_now": "12300000\n"], in: battery)
    let settings = try read("{ min_change: { voltage: 0.5, capacity: 5 } }") {
      BatterySettings($0)
    }
    guard case .supplies(let supply) = settings else { throw AnotherKind() }
    #expect(supply.names == nil)
    let supplies = Supplies(supply, context())
    try supplies.sample(at: at(seconds: 1))
    try tree.write(["capacity": "79\n", "voltage_now": "12700000\n"], in: battery)
    try supplies.sample(at: at(seconds: 2))
    #expect(sink.values["supply_bat0_voltage"] == hundredths(1230))
    #expect(sink.values["supply_bat0_capacity"] == .number(FixedPoint(83)))
    try tree.write(["capacity": "78\n", "voltage_now": "12800000\n"], in: battery)
    try supplies.sample(at: at(seconds: 3))
    #expect(sink.values["supply_bat0_voltage"] == hundredths(1280))
    #expect(sink.values["supply_bat0_capacity"] == .number(FixedPoint(78)))
  }

  private struct AnotherKind: Error {}

  @Test func theNoiseOfTheBoardItselfIsNoNews() throws {
    let system = try read(
      "{ only: [load, memory], min_change: { load: 0.5, memory: 30 } }"
    ) { SystemSettings($0) }
    #expect(system.sensors == [.load, .memory])
    try tree.write("1.00 1.00 1.00 1/80 11206\n", to: "loadavg")
    try tree.write("MemTotal: 100 kB\nMemAvailable: 50 kB\n", to: "meminfo")
    let sources = system.sources(SourceContext(in: tree.path, loop, sink, supervisor))
    func sample(at second: Int64) throws {
      for source in sources { try source.sample(at: at(seconds: second)) }
      while sources.contains(where: \.isGathering) { try loop.turn(until: nil) }
    }
    try sample(at: 1)
    try tree.write("1.49 1.50 0.40 1/80 11206\n", to: "loadavg")
    try tree.write("MemTotal: 100 kB\nMemAvailable: 25 kB\n", to: "meminfo")
    try sample(at: 2)
    #expect(
      sink.values == [
        "load_1_minute": hundredths(100), "load_5_minutes": hundredths(150),
        "load_15_minutes": hundredths(40),
        "memory_used": .number(FixedPoint(500, decimals: 1)),
      ])
  }

  @Test func theBoardsFiguresHaveALeastChangeWithoutOneWritten() throws {
    try tree.write("1.00 1.00 1.00 1/80 11206\n", to: "loadavg")
    let load = LoadAverage(.all, context())
    try load.sample(at: at(seconds: 1))
    try tree.write("1.09 1.10 1.00 1/80 11206\n", to: "loadavg")
    try load.sample(at: at(seconds: 2))
    #expect(sink.values["load_1_minute"] == hundredths(100))
    #expect(sink.values["load_5_minutes"] == hundredths(110))
  }

  /// The step of 2 of the judgement is too fine for a person who wants one row a day.
  @Test func aBatteryThatIsJudgedIsToldInThePersonsSteps() throws {
    let battery = EstimatedBattery(
      EstimatedBatterySettings(
        name: [UInt8]("House"), voltage: [UInt8]("V"), charge: [UInt8]("SOC"), chemistry: .leadAcid,
        cells: 6, minChange: FixedPoint(10)),
      context(), now: { at(seconds: 1).instant })
    let charge = try #require(
      battery.declare(
        SensorDescription(
          uniqueID: [UInt8]("soc"), name: [UInt8]("SOC"), unit: [UInt8]("%"),
          icon: [UInt8]("mdi:flash"))))
    var told: [Value?] = []
    for percent: Int64 in [80, 71, 70] {
      battery.record(
        Reading(
          sensor: charge, value: .number(FixedPoint(percent)), time: at(seconds: 1).wallTime))
      told.append(sink.values["supply_estimated_battery_capacity"])
    }
    #expect(told == [80, 80, 70].map { .number(FixedPoint($0)) })
  }

  // MARK: VE.Direct

  private func veDirect(_ keys: String) throws -> VEDirectSettings {
    let sensors = try read("[{ ve_direct: /dev/serial0, name: House\(keys) }]") {
      SensorKind.list($0)
    }
    return try #require(sensors.first as? SensorEntry<VEDirectSettings>).settings
  }

  private func number(_ key: String) throws -> Int {
    try #require(VEDirectSensor.keys.firstIndex { "\($0)" == key })
  }

  @Test func aMonitorsSensorsEachHaveALeastChange() throws {
    let settings = try veDirect(", min_change: { voltage: 0.05, time_to_go: 60 }")
    #expect(settings.minChange(of: try number("voltage")) == FixedPoint(5, decimals: 2))
    #expect(settings.minChange(of: try number("time_to_go")) == FixedPoint(60))
    #expect(settings.minChange(of: try number("current")) == nil, "that of its class holds")
  }

  @Test func theTimeThatABatteryLastsDoesNotJumpWithEachLamp() throws {
    #expect(try veDirect("").minChange(of: try number("time_to_go")) == FixedPoint(5))
  }

  @Test func noCountOfAMonitorIsMeasured() {
    let counted = VEDirectSensor.all.filter { $0.isCounted }
    #expect(
      counted.map { "\($0.key)" } == [
        "discharged_energy", "charged_energy", "yield_total", "yield_today",
      ])
    #expect(counted.allSatisfy { !$0.isMeasured })
  }
}
