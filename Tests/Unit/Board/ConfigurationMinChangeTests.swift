import Board
import Bytes
import Testing

@testable import Drivers

/// `min_change` of sources that bring several sensors.
@Suite struct ConfigurationMinChangeTests {
  private static let change = "write a number such as 0.5, or 0 for all"

  @Test(arguments: [
    (
      "battery: { min_change: { voltage: lots } }",
      "f:2:35: battery.min_change.voltage: \"lots\" is not a change; \(change)"
    ),
    (
      "battery: { only: [BAT0], min_change: { status: 1 } }",
      "f:2:40: battery.min_change: unknown key \"status\"; "
        + "write capacity, voltage, current or energy"
    ),
    (
      "battery: { min_change: 5 }",
      "f:2:24: battery.min_change: keys and values are expected here; "
        + "write for example min_change: { voltage: 0.05, current: 0.1 }"
    ),
    (
      "battery: { only: [BAT0], voltage: x }",
      "f:2:10: battery: the key \"chemistry\" is missing; write for example chemistry: agm\n"
        + "f:2:12: battery: unknown key \"only\"; "
        + "write name, voltage, current, chemistry, cells or min_change\n"
        + "f:2:35: battery.voltage: no sensor of this configuration measures in V; "
        + "add one to sensors, such as a battery monitor (ve_direct)"
    ),
    (
      "system: { min_change: { uptime: 5 } }",
      "f:2:25: system.min_change: unknown key \"uptime\"; "
        + "write cpu_temperature, load, memory or disk"
    ),
    (
      "system: { only: [load], min_change: { memory: 5 } }",
      "f:2:39: system.min_change: unknown key \"memory\"; the only key here is load"
    ),
    (
      "system: { only: load }",
      "f:2:17: system.only: a list is expected here; write for example [cpu_temperature, load]"
    ),
  ])
  func whatIsWrongIsNamedWithItsPlace(_ written: String, _ expected: String) {
    #expect(Outcome.problem(minimum + written) == expected)
  }

  @Test func aCountIsExemptAndTheReasonIsTold() {
    let entry =
      "sensors: [{ ve_direct: /dev/serial0, name: Solar, min_change: { yield_today: 1 } }]"
    #expect(
      Outcome.problem(minimum + entry)
        == "f:2:65: sensors[0].min_change: unknown key \"yield_today\"; "
        + "yield_today is a count, and each step is reported")
    let pulses = "sensors: [{ pulses: GPIO27, name: Rain, min_change: 1 }]"
    #expect(
      Outcome.problem(minimum + pulses)
        == "f:2:41: sensors[0]: unknown key \"min_change\"; "
        + "the total is a count, and each step is reported; write it into rate")
  }

  @Test func aSensorThatOnlyLeavesOutHasNoLeastChange() {
    let entry =
      "sensors: [{ ve_direct: /dev/serial0, name: A, only: [voltage], min_change: { soc: 1 } }]"
    #expect(
      Outcome.problem(minimum + entry)
        == "f:2:78: sensors[0].min_change: unknown key \"soc\"; the only key here is voltage")
  }

  @Test func theRateOfPulsesAndTheSignalOfARadioTakeANumber() throws {
    let configuration = try Outcome.configuration(
      minimum + """
        sensors:
          - { pulses: GPIO27, name: Rain, rate: { per: hour, name: Rate, min_change: 0.5 } }
          - { network: wlan0, name: Wi-Fi, min_change: 5 }
        """)
    let pulses = try #require(configuration.sensors[0] as? SensorEntry<PulseSettings>)
    let network = try #require(configuration.sensors[1] as? SensorEntry<InterfaceSettings>)
    #expect(pulses.settings.rate?.entity.minChange == FixedPoint(5, decimals: 1))
    #expect(network.settings.entity.minChange == FixedPoint(5))
  }
}
