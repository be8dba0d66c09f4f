import Bytes
import Foundation
import HomeAssistant
import Outbox
import Testing

extension Contract.WholeAgent {
  /// What an agent kept of an outage some days ago closes the gap in Home Assistant's graphs. This
  /// waits until a real one has compiled the first five minutes.
  @Test(.enabled("the server does not tell a device its id", Contract.Asking.canReadBack))
  func theHoursOfAnOutageAreInTheLongTermStatistics() async throws {
    let agent = try Agent(settings: "history: { statistics: true }")
    defer { agent.remove() }
    let first = Int64(Date().timeIntervalSince1970) / 86_400 * 24 - 48
    try agent.keep(
      (0..<24).map {
        SensorHour(
          number: first + $0, .measured(mean: 60.5 - Double($0), lowest: 20, highest: 90.125))
      },
      of: StatisticsSensor(uniqueID: [UInt8]("supply_bat7_capacity".utf8), unit: [UInt8]("%".utf8))
    )
    let running = try agent.start()
    let event = try await running.event("statistics_imported")
    await running.stop()
    #expect(event["hours"] == 24)

    let hours = try await MeasuredEntity(of: agent.entityID("sensor", "bat7_capacity"))
      .hours(["start_time": time(ofHour: first), "end_time": time(ofHour: first + 24)])
    #expect(hours.count == 24)
    #expect(hours.map { $0["mean"].number } == (0..<24).map { 60.5 - Double($0) })
    #expect(hours.allSatisfy { $0["min"] == 20 && $0["max"] == 90.125 })
    #expect(hours.first?["start"].number == Double(first) * 3_600_000)
  }

  /// Home Assistant had counted 40 MB when the modem showed 100. What it counted in the outage is
  /// told hour by hour.
  @Test(.enabled("the server does not tell a device its id", Contract.Asking.canReadBack))
  func whatACounterCountedInAnOutageIsInTheLongTermStatistics() async throws {
    let agent = try Agent(
      sensors: "{ network: wwan0, name: LTE }", settings: "history: { statistics: true }")
    defer { agent.remove() }
    let id = agent.entityID("sensor", "lte_received")
    let meter = try await MeasuredEntity(of: id)
    try await meter.bring(
      meter.metadata(unit: "MB", kind: "information", isMeter: true),
      MeasuredEntity.hour(3, ["state": 100, "sum": 40]),
      MeasuredEntity.hour(4, ["state": 100, "sum": 40]))
    let first = Int64(MeasuredEntity.second(ofHour: 4)) / 3600
    let counts: [Double] = [101.5, 101.5, 115.25]
    try agent.keep(
      counts.enumerated().map { SensorHour(number: first + Int64($0), .counted($1)) },
      of: StatisticsSensor(
        uniqueID: [UInt8]("network_wwan0_received".utf8), unit: [UInt8]("MB".utf8), .sum))
    let running = try agent.start()
    let event = try await running.event("statistics_imported")
    await running.stop()
    #expect(event["hours"] == 3)
    // Over another connection: the first one was silent for long, and was dropped.
    let hours = try await MeasuredEntity(of: id).hours(until: "sum", is: 55.25)
    #expect(hours.map { $0["sum"].number } == [40, 41.5, 41.5, 55.25])
    #expect(hours.map { $0["state"].number } == [100, 101.5, 101.5, 115.25])
  }

  private func time(ofHour number: Int64) -> JSON {
    .string(Date(timeIntervalSince1970: Double(number) * 3600).ISO8601Format())
  }
}

extension Agent {
  /// Hours that an earlier run could not deliver. The board has no serial number: its machine id,
  /// or else its name, tells it apart.
  func keep(_ hours: [SensorHour], of sensor: StatisticsSensor) throws {
    try keep(hours.map { (sensor, $0) })
  }

  func keep(_ hours: [(sensor: StatisticsSensor, hour: SensorHour)]) throws {
    var transfer = StatisticsImport(WaitingHours(), seed: 1)
    for (sensor, hour) in hours { transfer.add(hour, of: sensor) }
    let machineID = firstLine(of: "/etc/machine-id")
    let name = machineID.isEmpty ? firstLine(of: "/proc/sys/kernel/hostname") : []
    let id = fingerprint(of: [[], machineID, name], purpose: "device id")
    let file = transfer.waiting.file(of: DeviceFingerprint(ofDeviceID: id))
    try write(Data([UInt8](file.bytes)), to: "state/statistics.hours")
  }

  private func firstLine(of path: String) -> [UInt8] {
    let contents = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
    return [UInt8](contents.prefix { $0 != UInt8(ascii: "\n") })
  }
}
