import Foundation
import PracticeHome
import TestRun
import Testing

/// Stories of the agent as it is built, on a board, in a world that goes wrong: it says what is
/// wrong, lives on, and loses nothing silently. All run side by side; most of the time they wait.
@Suite(.besideTheOthers) enum WholeAgent {}

extension WholeAgent {
  /// A registered agent, and a Home Assistant that fails in one way after the other.
  @Suite struct Outages {}
}

extension WholeAgent.Outages {
  @Test(
    arguments: [
      (.status(401), "forbidden", "refuses this address (401)"),
      (.status(403), "forbidden", "refuses this address (403)"),
      (.status(404), "not_found", "is not ready (404)"),
      (.status(410), "gone", "has deleted this device (410)"),
      (.status(503), "unavailable", "is not available (503)"),
      (.captivePortal, "not_home_assistant", "is there a login page?"),
      (.huge, "not_home_assistant", "is not Home Assistant"),
      (.starting, "not_live", "sends empty answers: it is starting"),
      (.breakOff, "no_connection", "cannot be reached: transferred a par"),
      (.wrongKey, "other_key", "answers with another key"),
      (.replay, "other_answer", "repeats old answers"),
    ] as [(Fault, String, String)])
  func everyTroubleOfHomeAssistantIsNamedAndOutlived(
    fault: Fault, cause: String, words: String
  ) async throws {
    let (home, board, agent) = try await provenAgent()
    home.fault = fault
    try board.charge(70)
    try await agent.event("outage", cause: cause)
    try await agent.hasReadEverything()

    home.fault = nil
    let recovery = try await agent.event("recovered")
    #expect(recovery.supersededReadings == 0)
    try await agent.event("proven")
    #expect(shownCharge(in: home) == "70")

    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: words).count == 1)
    #expect(ending.lines(with: "accepts the data again").count == 1)
    #expect(agent.count(of: "outage") == 1)
  }

  @Test func whatAMorningWithoutHomeAssistantBroughtArrivesLaterWithItsTimes() async throws {
    let gpsd = FakeGPSD(reporting: TPV())
    let (home, board) = try homeAndBoard(settings: gpsd.settings)
    let agent = try RunningAgent(on: board)
    try await agent.event("proven") { $0.locations == 1 }

    home.fault = .status(503)
    try await agent.event("outage", cause: "unavailable")
    try await agent.hasRead(charges: [70, 71, 72])
    home.fault = nil
    let recovery = try await agent.event("recovered")
    #expect(recovery.supersededReadings == 2)
    let fixes = try #require(recovery.supersededFixes)
    #expect(fixes >= 1)
    try await agent.event("proven") { $0.locations == 1 }
    #expect(shownCharge(in: home) == "72")
    while history(of: "capacity", in: home).last?.value != "72" {
      try await agent.event("history_proven")
    }
    let charges = history(of: "capacity", in: home)
    #expect(charges.map(\.value).suffix(3) == ["70", "71", "72"])
    #expect(charges.map(\.time) == charges.map(\.time).sorted())

    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "(503)").count == 1)
    #expect(
      ending.lines(with: "2 readings and \(fixes) location").count == 1,
      "\(ending.log)")
  }

  @Test(.enabled(if: canMount, "only root can make a file system that is full"))
  func whatNoDiskTakesIsToldAsLostWhenTheAgentEnds() async throws {
    let (home, board, disk) = try homeAndBoardWithSmallDisk()
    let agent = try await RunningAgent.proven(on: board)
    home.fault = .status(503)
    try disk.fill()
    try await agent.isUnableToKeep(charges: [70, 71])
    let ending = await agent.stop()
    let last = try #require(ending.log.last)
    // The mark, which left and came back, beside the charge.
    #expect(last.hasPrefix("stopped: ") && last.contains(" 0 not delivered yet, "), "\(last)")
    #expect(!last.hasSuffix(" 0 lost"), "\(last)")
  }

  /// On a disk that is full at the start, the spool is a file without a byte in it.
  @Test(.enabled(if: canMount, "only root can make a file system that is full"))
  func whatAFullDiskAtTheStartDoesNotTakeIsLostAndNothingWaits() async throws {
    let (home, board, disk) = try homeAndBoardWithSmallDisk()
    let paired = try await RunningAgent.proven(on: board)
    #expect(await paired.stop().status == 0)
    home.fault = .status(503)
    try disk.fill()
    for charges in [[70, 71], [72, 73]] {
      let agent = try RunningAgent(on: board)
      try await agent.isUnableToKeep(charges: charges)
      let last = try #require(await agent.stop().log.last)
      #expect(last.hasPrefix("stopped: ") && last.contains(" 0 not delivered yet, "), "\(last)")
      #expect(!last.hasSuffix(" 0 lost"), "\(last)")
    }
  }

  /// An on-path attacker answers with what Home Assistant sealed before, and delivers nothing.
  @Test func oldAnswersAreNoProofAndReleaseNothing() async throws {
    let (home, board, agent) = try await provenAgent()
    home.fault = .status(503)
    try board.charge(70)
    try await agent.event("outage", cause: "unavailable")
    home.fault = .replay
    try board.charge(71)
    try await agent.event("outage", cause: "other_answer")
    try await agent.hasReadEverything()
    let provenCount = agent.count(of: "proven")
    let status = try await board.run("status")
    #expect(status.status == 75)
    #expect(status.output.contains { $0.contains("WRONG  Home Assistant") }, "\(status.output)")
    #expect(agent.count(of: "proven") == provenCount)
    #expect(agent.count(of: "history_proven") == 0)

    home.fault = nil
    try await agent.event("recovered")
    while history(of: "capacity", in: home).last?.value != "71" {
      try await agent.event("history_proven")
    }
    #expect(history(of: "capacity", in: home).map(\.value).suffix(2) == ["70", "71"])
    #expect(shownCharge(in: home) == "71")
    #expect(await agent.stop().status == 0)
  }

  @Test func aHangingHomeAssistantDoesNotHangTheAgent() async throws {
    let (home, board, agent) = try await provenAgent()
    home.fault = .hang
    try board.charge(70)
    // While the request hangs, cycles go on.
    for _ in 0..<2 { try await agent.hasReadEverything() }
    try await agent.event("outage", cause: "no_connection")
    home.fault = nil
    try await agent.event("recovered")
    try await agent.event("proven")
    #expect(shownCharge(in: home) == "70")

    home.fault = .hang
    try await agent.hasRead(charges: [60, 61])
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "cannot be reached: timeout was reached").count == 1)
    #expect(ending.lines(with: "0 not delivered yet").isEmpty, "\(ending.log)")
    #expect(ending.lines(with: "not delivered yet, 0 lost").count == 1, "\(ending.log)")

    home.fault = nil
    let restarted = try await RunningAgent.run(on: board, until: "history_proven")
    #expect(history(of: "capacity", in: home).map(\.value).suffix(2) == ["60", "61"])
    #expect(await restarted.stop().status == 0)
  }

  @Test func aHomeAssistantThatIsSwitchedOffIsFoundAgain() async throws {
    var home = try practiceHome()
    let board = try Board(reportingTo: home)
    let agent = try await RunningAgent.proven(on: board)
    home.stop()
    try board.charge(70)
    try await agent.event("outage", cause: "no_connection")
    try await agent.hasReadEverything()
    home = try PracticeServer(continuing: home)
    try await agent.event("recovered")
    try await agent.event("proven")
    #expect(shownCharge(in: home) == "70")

    let ending = await agent.stopWithSuccess()
    // One that is switched off in the middle of a request may be told in two ways.
    #expect((1...2).contains(ending.lines(with: "cannot be reached").count))
  }

  /// After a restart Home Assistant shows a binary sensor that was not to be had as off: a bilge
  /// whose wire is broken would be dry.
  @Test func aRestartBetweenTwoCyclesLeavesNoBrokenSensorShownAsOff() async throws {
    var home = try practiceHome()
    let board = try Board(reportingTo: home, battery: "[AC0, BAT7]")
    try board.plugIn("AC0", ["type": "Mains", "online": "1"])
    let agent = try await RunningAgent.proven(on: board)
    try board.unplug("AC0")
    try await agent.event("source_failed", of: "AC0")
    try await agent.event("proven")
    #expect(home.state(of: "binary_sensor.boat_ac0_online")?.state == "unavailable")

    home.stop()
    home = try PracticeServer(continuing: home)
    home.restart()
    #expect(home.state(of: "binary_sensor.boat_ac0_online")?.state == "off")
    while home.state(of: "binary_sensor.boat_ac0_online")?.state != "unavailable" {
      try await agent.event("proven")
    }
    #expect(await agent.stop().status == 0)
  }

  @Test func aSensorThatHomeAssistantForgotComesBack() async throws {
    let (home, _, agent) = try await provenAgent()
    home.withHome { $0.forget("sensor.boat_bat7_capacity") }
    #expect(shownCharge(in: home) == nil)
    try await agent.expectToDeliver(charge: 70, to: home)

    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "forgot the sensor \"BAT7 capacity\"").count == 1)
    #expect(agent.count(of: "outage") == 0)
  }

  /// `homeward run --json | less`, whose reader stands still.
  @Test func aReaderThatStoppedDoesNotStopTheAgent() async throws {
    let (home, board) = try homeAndBoard()
    let pipe = Pipe()
    let writer = pipe.fileHandleForWriting.fileDescriptor
    // All that it holds.
    let full = Data(repeating: 0x0A, count: 1 << 16)
    _ = unsafe full.withUnsafeBytes { unsafe write(writer, $0.baseAddress, $0.count) }

    let process = try ChildProcess(
      RunningAgent.executable.path, ["run", "--json", "--config", board.configuration],
      output: .pipe(pipe), errors: .nothing)
    defer { process.send(signal: SIGKILL) }
    try await patiently { shownCharge(in: home) != nil }
    process.terminate()
    #expect(await process.ending() == 0)
  }
}
