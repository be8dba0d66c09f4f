import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Agent
@testable import Board
@testable import Outbox
@testable import Tools

/// What the agent tells of its supply.
@Suite struct StatusReportPowerTests {
  private static let charge = SensorIndex(0)
  private static let mains = SensorIndex(1)

  private func status(_ power: PowerMonitor) throws -> AgentStatus {
    var report = StatusRig.report()
    report.power = power
    return try StatusRig.status(report)
  }

  private func monitor(_ percents: [Int64], isOnMains: Bool?) -> PowerMonitor {
    var monitor = PowerMonitor(levels: [
      PowerLevel(.chargeBelow(percent: 30), PowerEffect(every: .seconds(900)))
    ])
    let name = [UInt8]("BAT0".utf8)
    monitor.declared(SupplySensor.capacity.description(of: name), Self.charge)
    monitor.declared(SupplySensor.online.description(of: name), Self.mains)
    func read(_ sensor: SensorIndex, _ value: Value, hour: Int) {
      _ = monitor.readingRecorded(
        Reading(sensor: sensor, value: value, time: WallTime(nanoseconds: 0)),
        now: Instant(nanoseconds: 0) + .seconds(hour * 3600))
    }
    for (hour, percent) in percents.enumerated() {
      read(Self.charge, .number(FixedPoint(percent)), hour: hour)
    }
    if let isOnMains { read(Self.mains, .boolean(isOnMains), hour: 0) }
    return monitor
  }

  @Test func theSupplyTheLevelAndTheDaysAreTold() throws {
    let status = try status(monitor([28, 26, 24], isOnMains: false))
    let power: JSON = try StatusRig.member(status, "power")
    #expect(power["supply"] == "battery" && power["level"] == "below 30 %")
    #expect(try power.get("hours_left", as: Int.self) == 12)
    #expect(
      StatusRig.lines(status).contains {
        $0.hasSuffix(
          "on battery; power level: below 30 %; it lasts about 12 h at the recent rate")
      })
  }

  @Test func withMainsThereIsNoEndToTell() throws {
    let status = try status(monitor([90, 80], isOnMains: true))
    let power: JSON = try StatusRig.member(status, "power")
    #expect(power["supply"] == "mains" && power["level"] == "normal")
    #expect(power["hours_left"] == nil)
  }

  @Test func aPolicyWithoutASensorIsNoBattery() throws {
    let level = PowerLevel(.withoutMains, PowerEffect(every: .seconds(900)))
    let status = try status(PowerMonitor(levels: [level]))
    #expect(StatusRig.lines(status).contains { $0.contains("no sensor reports it") })
  }

  @Test func aBoardWithoutABatteryOrAPolicyTellsNothing() throws {
    let status = try status(PowerMonitor(levels: []))
    #expect(status.document.firstRange(of: #""power""#.utf8) == nil)
  }
}
