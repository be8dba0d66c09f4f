import Bytes
import Foundation
import Outbox
import PracticeHome
import Testing

@testable import Agent
@testable import Board

extension WholeAgent {
  /// The hours of an outage, on their way into Home Assistant's long-term statistics.
  @Suite struct Statistics {}
}

extension Board {
  fileprivate var hours: URL { state.appending(path: "statistics.hours") }

  /// Hours of yesterday, as an earlier run of the agent kept them.
  fileprivate func keepHours(_ count: Int64) throws {
    let host = Configuration.HostPaths(
      proc: [UInt8]("/proc".utf8), sys: [UInt8](path("sys").utf8))
    let sensor = StatisticsSensor(
      uniqueID: [UInt8]("supply_bat7_capacity".utf8), unit: [UInt8]("%".utf8))
    let yesterday = Int64(Date().timeIntervalSince1970) / 86_400 * 24 - 24
    var transfer = StatisticsImport(WaitingHours(), seed: 1)
    for index in 0..<count {
      transfer.add(
        SensorHour(
          number: yesterday + index, .measured(mean: 50.25 + Double(index), lowest: 10, highest: 90)
        ),
        of: sensor)
    }
    let device = DeviceFingerprint(ofDeviceID: DeviceIdentity(host: host).deviceID)
    try write(Data([UInt8](transfer.waiting.file(of: device).bytes)), to: "state/statistics.hours")
  }
}

extension WholeAgent.Statistics {
  private static let settings = "history: { statistics: true }"

  private func areHoursKept(on board: Board) -> Bool {
    FileManager.default.fileExists(atPath: board.hours.path)
  }

  @Test func hoursThatAnEarlierRunKeptAreImportedAndForgotten() async throws {
    let (_, board) = try homeAndBoard(settings: Self.settings)
    try board.keepHours(3)
    let agent = try RunningAgent(on: board)
    let event = try await agent.event("statistics_imported")
    #expect(event.sensor == "supply_bat7_capacity" && event.hours == 3)
    #expect(!areHoursKept(on: board))
    let ending = await agent.stopWithSuccess()
    #expect(
      ending.lines(with: "imported 3 hours of an outage into Home Assistant's statistics of").count
        == 1)
    board.expectNothingSecret(in: ending.output + ending.log)
  }

  @Test func runOnceEndsWhenHomeAssistantHasTheHours() async throws {
    let (_, board) = try homeAndBoard(settings: Self.settings)
    try board.keepHours(3)
    #expect(try await board.run("run", "--once").status == 0)
    #expect(!areHoursKept(on: board))
  }

  @Test func aUserWhoMayNotImportIsNamedOnceAndTheHoursAreKept() async throws {
    var household = Household.locked()
    household.resident.isAdministrator = false
    let home = try PracticeServer(port: reservedPort(), household: household)
    let board = try Board(reportingTo: home, settings: Self.settings)
    try board.keepHours(3)
    let agent = try RunningAgent(on: board)
    try await agent.event("statistics_failed", cause: "not_allowed")
    try await agent.event("proven")
    try await agent.event("proven")
    let status = try await board.run("status")
    #expect(status.status == 0)
    #expect(status.output.contains { $0.hasPrefix("WRONG  statistics       3 hours wait") })
    let ending = await agent.stop()
    #expect(ending.lines(with: "only an administrator may import them").count == 1)
    #expect(areHoursKept(on: board))
    let once = try await board.run("run", "--once")
    #expect(once.status == 75)
    #expect(once.lines(with: " and 3 hours of statistics; ").count == 1, "\(once.log)")
  }

  @Test func hoursThatCannotBeKeptAreToldOnce() async throws {
    let home = try practiceHome()
    home.fault = .noWebSocket
    let board = try Board(reportingTo: home, settings: Self.settings)
    try board.keepHours(3)
    let agent = try await RunningAgent.proven(on: board)
    // Not even root removes it now.
    try board.remove("state/statistics.hours")
    try board.makeFolder("state/statistics.hours")
    home.fault = nil
    try await agent.event("statistics_imported")
    for _ in 0..<3 { try await agent.hasReadEverything() }
    let ending = await agent.stop()
    #expect(ending.lines(with: "statistics are in memory only").count == 1, "\(ending.log)")
  }

  @Test func aDamagedFileOfHoursIsSetAsideAndTold() async throws {
    let (_, board) = try homeAndBoard(settings: Self.settings)
    try board.write("no hours", to: "state/statistics.hours")
    let agent = try await RunningAgent.proven(on: board)
    let ending = await agent.stop()
    #expect(ending.lines(with: "renamed to statistics.hours.aside").count == 1)
    #expect(!areHoursKept(on: board))
    #expect(
      try String(contentsOf: board.state.appending(path: "statistics.hours.aside"), encoding: .utf8)
        == "no hours")
  }

  @Test func withoutATokenTheRestOfTheAgentGoesOn() async throws {
    let home = try practiceHome()
    let first = try Board(reportingTo: home)
    let agent = try await RunningAgent.proven(on: first)
    _ = await agent.stop()
    let board = try Board(
      reportingTo: home.url, token: nil, isTokenFileNamed: false, settings: Self.settings)
    try board.write(
      try Data(contentsOf: first.registration), to: "state/registration.json")
    try board.keepHours(1)
    let other = try await RunningAgent.proven(on: board)
    let ending = await other.stop()
    #expect(ending.lines(with: "there is no WebSocket: there is no token. Pair").count == 1)
    #expect(areHoursKept(on: board))
  }
}
