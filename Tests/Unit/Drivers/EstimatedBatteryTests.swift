import Bytes
import LinuxIO
import Sensing
import Testing

@testable import Drivers

@Suite final class EstimatedBatteryTests: DriverSuite {
  private lazy var context = SourceContext(in: tree.path, loop, sink, supervisor)
  private var now = Instant(nanoseconds: 0)
  private static let capacity = "supply_estimated_battery_capacity"
  private static let status = "supply_estimated_battery_status"
  private static let confidence = "supply_estimated_battery_confidence"

  private func settings(
    current: String? = nil, charge: String? = nil, _ chemistry: BatteryChemistry = .leadAcid,
    cells: Int = 6
  ) -> EstimatedBatterySettings {
    EstimatedBatterySettings(
      name: [UInt8]("House".utf8), voltage: [UInt8]("House voltage".utf8),
      current: current.map { [UInt8]($0.utf8) }, charge: charge.map { [UInt8]($0.utf8) },
      chemistry: chemistry, cells: cells)
  }

  private func battery(
    current: String? = "House current", charge: String? = nil
  ) -> EstimatedBattery {
    EstimatedBattery(
      settings(current: current, charge: charge), context, now: { [unowned self] in now })
  }

  private func sensor(_ name: String, unit: String, id: String? = nil) -> SensorDescription {
    SensorDescription(
      uniqueID: [UInt8]((id ?? name).utf8), name: [UInt8](name.utf8), unit: [UInt8](unit.utf8),
      icon: [UInt8]("mdi:flash".utf8))
  }

  private func index(
    _ battery: EstimatedBattery, _ name: String, unit: String, id: String? = nil
  ) throws -> SensorIndex {
    try #require(battery.declare(sensor(name, unit: unit, id: id)))
  }

  private func say(
    _ battery: EstimatedBattery, _ sensor: SensorIndex, _ value: Value, second: Int64 = 0
  ) {
    battery.record(Reading(sensor: sensor, value: value, time: at(seconds: second).wallTime))
  }

  private func number(_ hundredths: Int64) -> Value { .number(FixedPoint(hundredths, decimals: 2)) }

  private func text(_ key: String) -> String? {
    guard case .text(let text) = sink.values[key] else { return nil }
    return string(text)
  }

  @Test func theVoltageAndTheCurrentOfOtherSensorsBecomeABattery() throws {
    let battery = battery()
    let voltage = try index(battery, "House voltage", unit: "V")
    let current = try index(battery, "House current", unit: "A")
    let other = try index(battery, "Cabin", unit: "V")
    say(battery, other, number(500))
    #expect(sink.sensors.count == 3, "nothing is told of a battery that was not measured")
    #expect(sink.sensors.map(\.powerFigure) == [.voltage, nil, nil], "the board's is one")
    say(battery, voltage, number(1250), second: 7)
    say(battery, current, number(-300), second: 7)
    #expect(sink.values["House voltage"] == number(1250), "readings are passed on")
    #expect(sink.values["Cabin"] == number(500))
    #expect(sink.values[Self.capacity] == .number(FixedPoint(80)))
    #expect(sink.times[Self.capacity] == at(seconds: 7).wallTime)
    #expect(text(Self.status) == "discharging")
    #expect(text(Self.confidence) == "under load")
    now = Instant(nanoseconds: 0) + .seconds(60)
    say(battery, current, number(10))
    now = now + BatteryEstimator.restTime
    say(battery, voltage, number(1224))
    now = now + BatteryEstimator.restTime
    say(battery, voltage, number(1224))
    #expect(sink.values[Self.capacity] == .number(FixedPoint(60)))
    #expect(text(Self.confidence) == "rested")
    #expect(text(Self.status) == "idle")

    let description = try #require(sink.sensors.first { string($0.uniqueID) == Self.capacity })
    #expect(string(description.name) == "House capacity")
    #expect(description.deviceClass == [UInt8]("battery".utf8))
    #expect(description.unit == [UInt8]("%".utf8))
    #expect(!description.isDiagnostic)
  }

  @Test func millivoltsAreVoltsToo() throws {
    let battery = battery(current: nil)
    let voltage = try index(battery, "House voltage", unit: "mV")
    say(battery, voltage, .number(FixedPoint(12_500)))
    #expect(sink.values[Self.capacity] == .number(FixedPoint(80)))
    #expect(sink.values[Self.status] == .unknown, "nothing tells what it does")
    #expect(text(Self.confidence) == "voltage only")
  }

  @Test func aSensorIsFoundByItsUniqueID() throws {
    let battery = battery()
    let voltage = try index(battery, "Another name", unit: "V", id: "House voltage")
    say(battery, voltage, number(1250))
    #expect(sink.values[Self.capacity] != nil)
  }

  @Test func aMonitorThatCountsGoesBeforeTheVoltage() throws {
    let battery = battery(charge: "House state of charge")
    let voltage = try index(battery, "House voltage", unit: "V")
    let charge = try index(battery, "House state of charge", unit: "%")
    say(battery, voltage, number(1250))
    #expect(sink.values[Self.capacity] == .number(FixedPoint(80)))
    say(battery, charge, .number(FixedPoint(93)))
    #expect(sink.values[Self.capacity] == .number(FixedPoint(93)))
    #expect(text(Self.confidence) == "counted")
    say(battery, voltage, number(1224))
    #expect(sink.values[Self.capacity] == .number(FixedPoint(93)))
    // It does not know any more, before it is synchronised.
    say(battery, charge, .unknown)
    #expect(sink.values[Self.capacity] == .number(FixedPoint(80)), "nothing said that it is less")
    #expect(text(Self.confidence) == "voltage only")
  }

  @Test(arguments: [Value.unavailable, .unknown, .text(InlineText("12.5")), .boolean(true)])
  func withoutAVoltageThereIsNoPercentage(value: Value) throws {
    let battery = battery()
    let voltage = try index(battery, "House voltage", unit: "V")
    say(battery, voltage, number(1250))
    say(battery, voltage, value)
    for key in [Self.capacity, Self.status, Self.confidence] {
      #expect(sink.values[key] == .unavailable)
    }
  }

  @Test func aNumberBeyondEveryBatteryIsNoVoltage() throws {
    let battery = battery()
    let voltage = try index(battery, "House voltage", unit: "V")
    say(battery, voltage, .number(FixedPoint(Int64.max)))
    #expect(sink.values[Self.capacity] == nil)
  }

  /// Each 24 V battery was taken for one of 12 V (LibreSolar charge-controller-firmware issue 43);
  /// a sensor whose wire is off; a battery of 12 V with the cells of one of 24 V.
  @Test(
    arguments: [
      (
        .agm, 6, 2410, "24.1 V, or 4.0 V for each of 6 cells",
        "write its number of cells in series into battery, such as cells: 12"
      ),
      (
        .liIon, 3, 1480, "14.8 V, or 4.9 V for each of 3 cells",
        "write its number of cells in series into battery, such as cells: 4"
      ),
      (
        .leadAcid, 6, -3, "0.0 V, as without a battery",
        "check whether the battery is connected, and whether its sensor reports volts"
      ),
      (
        .leadAcid, 12, 1260, "12.6 V, or 1.1 V for each of 12 cells",
        "check whether it is flat or damaged; if not, write its number of cells in series into"
          + " battery, such as cells: 6"
      ),
    ] as [(BatteryChemistry, Int, Int64, String, String)])
  func aVoltageThatItsCellsCannotHaveIsUnknownAndSaid(
    chemistry: BatteryChemistry, cells: Int, hundredths: Int64, found: String, remedy: String
  ) throws {
    let settings = settings(chemistry, cells: cells)
    let battery = EstimatedBattery(settings, context)
    supervisor.add(battery)
    let voltage = try index(battery, "House voltage", unit: "V")
    say(battery, voltage, number(Int64(cells) * 205))
    say(battery, voltage, number(hundredths))
    for key in [Self.capacity, Self.status, Self.confidence] {
      #expect(sink.values[key] == .unknown)
    }
    supervisor.sample(at: at(seconds: 1))
    #expect(sink.reports == ["estimated battery: malformed House voltage '\(found)'"])
    let words = settings.words(ofImpossible: hundredths * 10_000)
    let advice = settings.remedies.remedy(
      for: .malformed(InlineText("House voltage"), found: words))
    #expect(string(advice.bytes) == remedy)
    say(battery, voltage, number(Int64(cells) * 205))
    supervisor.sample(at: at(seconds: 61))
    #expect(sink.reports.last == "estimated battery: recovered")
    #expect(sink.values[Self.capacity] != .unknown)
  }

  /// 15.5 V equalise a flooded battery, and 14.6 V charge one of lithium iron phosphate.
  @Test(arguments: [(BatteryChemistry.leadAcid, Int64(1620)), (.agm, 1500), (.lifepo4, 1480)])
  func whatAChargerDoesIsNoBatteryOfMoreCells(chemistry: BatteryChemistry, hundredths: Int64) throws
  {
    let battery = EstimatedBattery(
      settings(chemistry, cells: chemistry == .lifepo4 ? 4 : 6), context)
    say(battery, try index(battery, "House voltage", unit: "V"), number(hundredths))
    try battery.sample(at: at(seconds: 1))
    #expect(text(Self.status) == "charging")
  }

  @Test func aDeviceInThePlaceOfAnotherIsTakenInstead() throws {
    let battery = battery()
    let old = try index(battery, "House voltage", unit: "V", id: "old")
    say(battery, old, number(1250))
    let new = try index(battery, "House voltage", unit: "V", id: "new")
    say(battery, new, number(1151))
    say(battery, old, .unavailable)
    #expect(sink.values[Self.capacity] != .unavailable)
  }

  @Test func aSensorThatNeverComesIsMissing() throws {
    let battery = battery()
    supervisor.add(battery)
    supervisor.sample(at: at(seconds: 0))
    #expect(sink.reports.isEmpty, "what listens brings its sensors after the first cycle began")
    supervisor.sample(at: at(seconds: 60))
    #expect(sink.reports == ["estimated battery: missing House voltage"])
    _ = try index(battery, "House voltage", unit: "V")
    supervisor.sample(at: at(seconds: 120))
    #expect(sink.reports.last == "estimated battery: recovered")
  }

  @Test func aSensorThatDoesNotFitIsNotTaken() throws {
    sink.sensorsMax = 0
    #expect(battery().declare(sensor("House voltage", unit: "V")) == nil)
  }
}
