import Board
import Bytes
import Drivers
import Foundation
import LinuxIO
import Sensing
import TestRun
import Testing

/// From the keys of the configuration to the percentage: a monitor at a pseudo terminal, and the
/// battery that its sensors tell about.
@Suite final class EstimatedBatteryWiringTests: WiringSuite {
  private func block(_ lines: [String]) -> [UInt8] {
    let bytes = [UInt8]((lines.map { "\r\n\($0)" }.joined() + "\r\nChecksum\t").utf8)
    return bytes + [0 &- bytes.reduce(0, &+)]
  }

  private func moment(in duration: Duration) -> Moment {
    Moment(instant: Moment.now.instant + duration, wallTime: Moment.now.wallTime)
  }

  @Test(.timeLimit(.minutes(10))) func theConfigurationJoinsTheBatteryWithItsSensors() throws {
    let device = try PseudoTerminal()
    let configuration = try Outcome.configuration(
      minimum + "system: off\n"
        + "battery: { name: Bank, voltage: House voltage, chemistry: lead_acid }\n"
        + "sensors: [{ ve_direct: \(device.path), name: House }]\n")
    for source in configuration.sources(context(configuration)) { supervisor.add(source) }
    supervisor.sample(at: moment(in: .seconds(-1)))
    let said = block(["PID\t0xA042", "V\t12500"])
    for _ in 0..<2 {
      try #require(unsafe write(device.person, said, said.count) == said.count)
    }
    while supervisor.isGathering {
      try loop.turn(until: Moment.now.instant + .milliseconds(5))
      supervisor.deadlineReached(at: moment(in: .milliseconds(250)))
    }
    #expect(values["supply_estimated_battery_capacity"] == .number(FixedPoint(80)))
    #expect(sensors.contains { text($0.name) == "Bank capacity" })
    #expect(sensors.contains { text($0.name) == "House voltage" })

    let advice = SourceAdvice(configuration)
    let remedy = advice.remedy(
      for: .missing(InlineText("House voltage")), of: EstimatedBatterySettings.sourceName)
    #expect(text(remedy.bytes)?.contains("its device may be away") == true)
  }

  @Test func anUnknownSensorIsAProblemOfTheConfiguration() {
    #expect(
      Outcome.problem(
        minimum + "battery: { voltage: Hose voltage, chemistry: agm }\n"
          + "sensors: [{ ve_direct: /dev/serial0, name: House }]\n")
        == "f:2:21: battery.voltage: no sensor of this configuration is called \"Hose voltage\"; "
        + "write the name of one, such as \"House voltage\"")
  }
}
