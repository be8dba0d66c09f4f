import Bytes
import Foundation
import HomeAssistant
import Outbox
import TestRun
import Testing

extension Contract {
  /// An outage of hours in seconds: the server and the agent are started anew with a later clock,
  /// and a server compiles the statistics of the time in between when it starts.
  ///
  /// A run of its own: it would come in the middle of all others.
  @Suite(.enabled(if: Control.isNamed, "nothing controls the server, or others are at it"))
  struct OutageOfHours {}
}

extension Contract.OutageOfHours {
  /// Home Assistant sums what a `total` without `last_reset` changes by, in both directions, and
  /// goes on from its own last figures, not from what was imported. So the sums of an outage fit
  /// where they go on from Home Assistant's last one before it.
  @Test func theSumsOfAnOutageLieBetweenHomeAssistantsOwnWithoutAJump() async throws {
    let board = try CountingBoard()
    defer { board.remove() }
    try await board.report(balance: 100, meter: 100, at: board.time(hour: 1))
    // Home Assistant holds what it knows through the outage.
    try await Control.restart(with: LaterClock(showing: board.time(hour: 2)))
    try await board.report(balance: 130, meter: 140, at: board.time(hour: 6))
    try board.keepHours(balance: [120, 80, 90, 95], meter: [110, 110, 130, 135], from: 2)
    let imported = try await board.report(
      balance: 125, meter: 150, at: board.time(hour: 6, minute: 30), until: "statistics_imported",
      count: 2)
    #expect(imported.map { $0["hours"] } == [4, 4])
    try await Control.restart(with: LaterClock(showing: board.time(hour: 7)))
    let balance = try await board.hours(of: "Balance")
    let meter = try await board.hours(of: "Meter")
    try await Control.restart()

    #expect(balance.map { $0["state"] } == [100, 120, 80, 90, 95, 125])
    #expect(balance.map { $0["sum"] } == [0, 20, -20, -10, -5, 25])
    #expect(balance.map { $0["change"] } == [0, 20, -40, 10, 5, 30])
    #expect(meter.map { $0["state"] } == [100, 110, 110, 130, 135, 150])
    #expect(meter.map { $0["sum"] } == [0, 10, 10, 30, 35, 50])
    #expect(meter.map { $0["change"] } == [0, 10, 0, 20, 5, 15])
  }
}

/// A board with a sensor of the state class `total` and one of `total_increasing`, and the hours
/// that it goes through, counted from the one under way at first.
private struct CountingBoard {
  let agent: Agent
  private let files = TestRun.newPlace()
  private let firstHour = Int64(Date().timeIntervalSince1970) / 3600

  init() throws {
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    let kinds = [("Balance", "total"), ("Meter", "total_increasing")]
    let sensors = kinds.map { [files] (name, stateClass) in
      "{ file: \(files.path)/\(name), name: \(name), unique_id: \(name.lowercased()), unit: kWh, "
        + "device_class: energy, state_class: \(stateClass) }"
    }
    agent = try Agent(
      sensors: sensors.joined(separator: ", "), settings: "history: { statistics: true }")
  }

  func remove() {
    agent.remove()
    try? FileManager.default.removeItem(at: files)
  }

  /// Ten past an hour, or another minute of it.
  func time(hour: Int64, minute: Int64 = 10) -> Date {
    Date(timeIntervalSince1970: Double((firstHour + hour) * 3600 + minute * 60))
  }

  /// The server and the board at a time, until the board has said something so often.
  @discardableResult
  func report(
    balance: Int, meter: Int, at time: Date, until event: String = "proven", count: Int = 1
  ) async throws -> [JSON] {
    try Data("\(balance)\n".utf8).write(to: files.appending(path: "Balance"))
    try Data("\(meter)\n".utf8).write(to: files.appending(path: "Meter"))
    try await Control.restart(with: LaterClock(showing: time))
    let work = try agent.start(environment: LaterClock(showing: time).environment)
    var events: [JSON] = []
    for _ in 0..<count { events.append(try await work.event(event)) }
    await work.stop()
    return events
  }

  /// What the counters showed at the end of hours in which no server was there.
  func keepHours(balance: [Double], meter: [Double], from first: Int64) throws {
    let sums = [("Balance", StatisticsSensor.Kind.balance, balance), ("Meter", .sum, meter)]
    try agent.keep(
      sums.flatMap { (name, kind, counts) in
        let sensor = StatisticsSensor(
          uniqueID: [UInt8](name.lowercased().utf8), unit: [UInt8]("kWh".utf8), kind)
        return counts.enumerated().map { (index, count) in
          let number = firstHour + first + Int64(index)
          return (sensor, SensorHour(number: number, .counted(count)))
        }
      })
  }

  /// All that the server has of a sensor, once it has compiled the hour of the last report.
  func hours(of name: String) async throws -> [JSON] {
    let sensor = try await MeasuredEntity(of: agent.entityID("sensor", name))
    let times: JSON = [
      "start_time": .string(time(hour: 0, minute: 0).ISO8601Format()),
      "end_time": .string(time(hour: 7, minute: 0).ISO8601Format()),
    ]
    let lastHour = JSON.number(time(hour: 6, minute: 0).timeIntervalSince1970 * 1000)
    return try await Server.settled(until: { $0.last?["start"] == lastHour }) {
      try await sensor.hours(times)
    }
  }
}
