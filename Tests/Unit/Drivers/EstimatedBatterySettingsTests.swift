import Bytes
import Sensing
import Testing
import YAML

@testable import Drivers

@Suite struct EstimatedBatterySettingsTests {
  private static let cable = "ve_direct: /dev/serial0, name: House"

  /// What `battery` says beside a monitor, and what is wrong with it.
  private func read(
    _ battery: String, sensors: String = cable
  ) -> (settings: EstimatedBatterySettings?, problems: [String]) {
    let problems = ProblemCollector()
    let known = problems.field("[{ \(sensors) }]").map { SensorKind.list($0) } ?? []
    let settings = problems.field("{ \(battery) }").map {
      BatterySettings($0, among: known.flatMap { $0.measured })
    }
    guard case .estimated(let estimated)? = settings else { return (nil, problems.texts) }
    return (estimated, problems.texts)
  }

  @Test func aBatteryNamesTheSensorsThatMeasureIt() throws {
    let read = read("name: Boat, voltage: House voltage, current: House current, chemistry: agm")
    #expect(read.problems.isEmpty)
    let settings = try #require(read.settings)
    #expect(string(settings.name) == "Boat")
    #expect(string(settings.voltage) == "House voltage")
    #expect(settings.current.map(string) == "House current")
    #expect(settings.charge.map(string) == "House state of charge")
    #expect(settings.chemistry == .agm)
    #expect(settings.cells == 6)
  }

  @Test func whatIsLeftOutHasADefault() throws {
    let settings = try #require(read("voltage: House voltage, chemistry: lifepo4").settings)
    #expect(string(settings.name) == "Battery")
    #expect(settings.current == nil)
    #expect(settings.cells == 4)
    let lead = try #require(
      read("voltage: House voltage, chemistry: lead_acid, cells: 12").settings)
    #expect(lead.cells == 12)
    #expect(lead.chemistry == .leadAcid)
  }

  @Test func theStarterBatteryIsNotTheOneThatTheMonitorCounts() throws {
    let settings = try #require(read("voltage: House starter voltage, chemistry: agm").settings)
    #expect(settings.charge == nil)
  }

  @Test func aMonitorWhoseChargeIsNotWantedIsNotAskedForIt() throws {
    let settings = try #require(
      read("voltage: House voltage, chemistry: agm", sensors: Self.cable + ", only: [voltage]")
        .settings)
    #expect(settings.charge == nil)
  }

  @Test func aSensorIsNamedByAUniqueIDThatThePersonWrote() throws {
    let settings = try #require(
      read(
        "voltage: ve_direct_bank_voltage, chemistry: agm",
        sensors: Self.cable + ", unique_id: bank"
      ).settings)
    #expect(string(settings.voltage) == "House voltage")
  }

  @Test(arguments: [
    (
      "voltage: ve_direct_serial0_voltage, chemistry: agm",
      "no sensor of this configuration is called \"ve_direct_serial0_voltage\""
    ),
    ("voltage: House current, chemistry: agm", "\"House current\" does not measure in V"),
    (
      "voltage: House voltage, current: House voltage, chemistry: agm",
      "\"House voltage\" does not measure in A"
    ),
    ("voltage: House voltage, chemistry: nickel", "\"nickel\" is unknown"),
    ("voltage: House voltage, chemistry: li_ion", "the key \"cells\" is missing"),
    (
      "voltage: House voltage, chemistry: agm, cells: 0",
      "\"0\" is not a whole number in range"
    ),
    (
      "voltage: House voltage, chemistry: agm, cells: 101",
      "\"101\" is not a whole number in range"
    ),
    ("voltage: House voltage, chemistry: agm, capacity: 100", "unknown key \"capacity\""),
  ])
  func whatCannotBeUsedIsSaid(battery: String, problem: String) {
    #expect(read(battery).problems == [problem])
  }

  @Test func withoutASensorThatMeasuresThereIsNothingToName() {
    #expect(
      read("voltage: Soil, chemistry: agm", sensors: "one_wire: 28-0316a2796cff, name: Soil")
        .problems == ["no sensor of this configuration measures in V"])
  }

  @Test func theOtherWordsOfBatteryStillHold() {
    let problems = ProblemCollector()
    func settings(_ text: String) -> BatterySettings? {
      problems.field(text).map { BatterySettings($0) }
    }
    #expect(settings("off") == .off)
    #expect(settings("auto") == .automatic)
    #expect(
      settings("[BAT0]") == .supplies(SupplySettings(names: [[UInt8]("BAT0".utf8)])))
    #expect(problems.isEmpty)
  }
}
