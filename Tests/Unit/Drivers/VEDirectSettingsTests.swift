import Bytes
import Sensing
import Testing
import YAML

@testable import Drivers

@Suite struct VEDirectSettingsTests {
  private static let path =
    "/dev/serial/by-id/usb-VictronEnergy_BV_VE_Direct_cable_VE4XYZ-if00-port0"

  /// What the entries of `sensors` say, and what is wrong with them.
  private func read(_ entries: String...) -> (sensors: [any ConfiguredSensor], problems: [String]) {
    let problems = ProblemCollector()
    let text = "[" + entries.map { "{\($0)}" }.joined(separator: ",\n") + "]"
    let sensors = problems.field(text).map { SensorKind.list($0) } ?? []
    return (sensors, problems.texts)
  }

  /// The settings of an entry without a problem.
  private func configured(_ entry: String) throws -> VEDirectSettings {
    let (sensors, problems) = read(entry)
    #expect(problems == [])
    return try #require(sensors.first as? SensorEntry<VEDirectSettings>).settings
  }

  @Test func anEntryNeedsAPathAndAName() throws {
    let settings = try configured("ve_direct: \(Self.path), name: House battery")
    #expect(string(settings.path) == Self.path)
    #expect(string(settings.entity.name) == "House battery")
    #expect(settings.sensors == .usual)
    #expect(read("ve_direct: \(Self.path)").problems == ["the key \"name\" is missing"])
  }

  @Test func onlyNamesSensorsByTheirWords() throws {
    let settings = try configured(
      "ve_direct: \(Self.path), name: A, only: [voltage, soc, charge_cycles]")
    let keys = VEDirectSensor.keys.indices.filter { settings.sensors.contains($0) }
      .map { "\(VEDirectSensor.keys[$0])" }
    #expect(keys == ["voltage", "soc", "charge_cycles"])
  }

  static let notEnough =
    "the number of a serial port is not enough: another start may give it to another cable"

  @Test(arguments: [
    ("ve_direct: ttyUSB0, name: A", "this is not an absolute path"),
    ("ve_direct: /etc/passwd, name: A", "this is not a serial port"),
    ("ve_direct: /dev/, name: A", "this is not a serial port"),
    ("ve_direct: /dev/ttyUSB0, name: A", notEnough),
    ("ve_direct: /dev/ttyACM1, name: A", notEnough),
    ("ve_direct: /dev/serial0, name: A, only: [volts]", "\"volts\" is unknown"),
    ("ve_direct: /dev/serial0, name: A, only: []", "this list has 0 items"),
    ("ve_direct: /dev/serial0, name: A, only: voltage", "a list is expected here"),
    ("ve_direct: /dev/serial0, name: A, only: [soc, soc]", "this is already used on line 1"),
    ("ve_direct: /dev/serial0, name: A, device_class: battery", "unknown key \"device_class\""),
  ])
  func whatCannotBeUsedIsSaid(entry: String, problem: String) {
    #expect(read(entry).problems == [problem])
  }

  @Test func aPortStandsThereOnce() {
    #expect(
      read("ve_direct: /dev/serial0, name: A", "ve_direct: /dev/serial0, name: B").problems
        == ["this is already used on line 1"])
  }

  @Test func messagesCallItByTheEndOfItsPath() throws {
    let settings = try configured("ve_direct: \(Self.path), name: A")
    #expect(string(settings.name) == "BV_VE_Direct_cable_VE4XYZ-if00-port0")
    let short = try configured("ve_direct: /dev/serial0, name: A")
    #expect(string(short.name) == "serial0")
    let long = try configured("ve_direct: /dev/\(String(repeating: "x", count: 60)), name: A")
    #expect(long.name.count > 0)
  }

  @Test func eachFailureHasARemedy() throws {
    let settings = try configured("ve_direct: /dev/serial0, name: A")
    let name = settings.name
    #expect(settings.remedies.source == name)
    func remedy(_ failure: SourceFailure) -> String {
      string(settings.remedies.remedy(for: failure).bytes)
    }
    #expect(remedy(.missing(name)).contains("ls /dev/serial/by-id"))
    #expect(remedy(.busy(name)).contains("fuser -v /dev/serial0"))
    #expect(remedy(.silent(name)).contains("cable"))
    #expect(remedy(.notPermitted(name)).contains("adduser homeward"))
    #expect(remedy(.malformed(name, found: name)).contains("VE.Direct"))
    // hoylabs/OpenDTU-OnBattery#436: a Blue Smart charger never speaks anything else.
    #expect(remedy(.malformed(name, found: name)).contains("speak only HEX"))
    #expect(remedy(.implausible(name, found: name, why: name)).contains("only"))
    #expect(settings.remedies.areAbout(partCalled: VEDirectSensor.name(0, of: name)))
    #expect(!settings.remedies.areAbout(partCalled: InlineText("V of another")))
    #expect(!settings.remedies.areAbout(partCalled: InlineText("V of ")))
  }
}
