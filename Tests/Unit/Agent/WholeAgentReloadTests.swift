import Foundation
import LinuxIO
import PracticeHome
import Testing

extension WholeAgent {
  /// SIGHUP: the configuration is read again, or the terminal was closed.
  @Suite struct Reloads {}
}

extension WholeAgent.Reloads {
  private static let isDetached = !hasControllingTerminal

  @Test(.enabled(if: isDetached, "at a terminal SIGHUP says that the terminal was closed"))
  func aGoodConfigurationTakesEffectInTheSameProcess() async throws {
    let (home, board, agent) = try await provenAgent()
    let before = try agent.descriptors().count

    try board.plugIn("BAT8", ["type": "Battery", "capacity": "55"])
    try board.configure("[BAT7, MARK]", "[BAT7, BAT8, MARK]")
    for _ in 0..<3 {
      agent.send(signal: SIGHUP)
      try await agent.event("reloading")
      try await agent.event("started")
      try await agent.event("proven")
    }
    #expect(home.state(of: "sensor.boat_bat8_capacity")?.state == "55")
    #expect(home.counters.registrations == 1)
    #expect(try agent.descriptors().count < before + 3, "none is left from an earlier start")
    // The lock passed from one start to the next.
    #expect(try await RunningAgent(on: board).ending().status == 75)
    #expect(await agent.stop().status == 0)
  }

  @Test(.enabled(if: isDetached, "at a terminal SIGHUP says that the terminal was closed"))
  func aWrongConfigurationIsRefusedWithItsLinesAndTheOldOneGoesOn() async throws {
    let (home, board, agent) = try await provenAgent()
    try board.configure("every: 5s", "every: 5\nevry: 5s")
    agent.send(signal: SIGHUP)
    try await agent.event("reload_refused")
    try await agent.expectToDeliver(charge: 70, to: home)
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "the agent keeps running with the old one").count == 1)
    #expect(ending.lines(with: "homeward.yaml:1:8: every: \"5\" has no unit").count == 1)
    #expect(ending.lines(with: "unknown key \"evry\"").count == 1)
    #expect(agent.count(of: "started") == 1)
  }

  /// Home Assistant takes the data again, and gets what it has missed.
  private func expectHistory(
    of missed: [Int], by agent: RunningAgent, in home: PracticeServer
  ) async throws {
    home.fault = nil
    while history(of: "capacity", in: home).last?.value != missed.last.map({ "\($0)" }) {
      try await agent.event("history_proven")
    }
    let charges = history(of: "capacity", in: home).map(\.value)
    #expect(Set(charges).isSuperset(of: missed.map { "\($0)" }), "\(charges)")
  }

  @Test(.enabled(if: isDetached, "at a terminal SIGHUP says that the terminal was closed"))
  func whatHomeAssistantDidNotTakeSurvivesANewConfiguration() async throws {
    let (home, board, agent) = try await provenAgent()
    home.fault = .status(503)
    try await agent.hasRead(charges: [70, 71, 72])
    try board.configure("[BAT7, MARK]", "[MARK, BAT7]")
    agent.send(signal: SIGHUP)
    try await agent.event("started")
    try await expectHistory(of: [70, 71, 72], by: agent, in: home)
    #expect(await agent.stop().status == 0)
  }

  @Test(
    .enabled(if: isDetached, "at a terminal SIGHUP says that the terminal was closed"),
    .enabled(if: canMount, "only root can make a file system that is full"))
  func whatIsInMemoryOnlyIsWrittenBeforeANewConfigurationIsTaken() async throws {
    let (home, board, disk) = try homeAndBoardWithSmallDisk()
    let agent = try await RunningAgent.proven(on: board)
    home.fault = .status(503)
    try disk.fill()
    try await agent.isUnableToKeep(charges: [70, 71, 72])
    agent.send(signal: SIGHUP)
    try await agent.event("reload_refused")
    // The disk is not left alone for as long as after a failure.
    try disk.makeRoom()
    agent.send(signal: SIGHUP)
    try await agent.event("reloading")
    try await agent.event("started")
    try await expectHistory(of: [70, 71, 72], by: agent, in: home)
    let ending = await agent.stop()
    #expect(ending.lines(with: "would be lost").count == 1)
  }

  @Test(
    .enabled(if: isDetached, "at a terminal SIGHUP says that the terminal was closed"),
    .enabled(if: canMount, "only root can make a file system that is read-only"))
  func anAgentThatWasReloadedOnAReadOnlyDiskAnswersStatusOnceItCanBeWritten() async throws {
    let (_, board, disk) = try homeAndBoardWithSmallDisk()
    let agent = try await RunningAgent.proven(on: board)
    try disk.remount("ro")
    agent.send(signal: SIGHUP)
    try await agent.event("started")
    for _ in 0..<2 { try await agent.hasReadEverything() }
    try disk.remount("rw")
    for _ in 0..<2 { try await agent.hasReadEverything() }
    #expect(try await AskedStatus(on: board).ending.status == 0)
    let ending = await agent.stop()
    #expect(ending.lines(with: "cannot answer homeward status: Read-only file system").count == 1)
  }

  /// A descriptor that was handed over has survived an `exec` once.
  @Test(.enabled(if: isDetached, "at a terminal SIGHUP says that the terminal was closed"))
  func whatALibraryOpenedWhenItWasLoadedIsNotHandedOn() async throws {
    let (_, board) = try homeAndBoard()
    let chip = try board.environment(withChip: "/dev/gpiochip0 pinctrl-fake GPIO17 17")
    let agent = try RunningAgent(on: board, environment: chip)
    try await agent.event("proven")
    for _ in 0..<3 {
      agent.send(signal: SIGHUP)
      try await agent.event("started")
      try await agent.event("proven")
      #expect(try agent.descriptors().count { $0.contains("gpiochip") } == 1)
    }
    #expect(await agent.stop().status == 0)
  }

  /// Another descriptor may have its number then.
  @Test(.enabled(if: isDetached, "at a terminal SIGHUP says that the terminal was closed"))
  func theLockThatWasGivenUpIsNotHandedOnAnyMore() async throws {
    let (_, board, agent) = try await provenAgent()
    var before: [String] = []
    for state in ["state", "other", "other", "other"] {
      try board.configure("/state\n", "/\(state)\n")
      agent.send(signal: SIGHUP)
      try await agent.event("started")
      try await agent.event("proven")
      try board.configure("/\(state)\n", "/state\n")
      // Each socket has a number of its own.
      let sockets = try agent.descriptors().filter { $0.hasPrefix("socket") }
      #expect(!sockets.contains { before.contains($0) })
      before = sockets
    }
    #expect(await agent.stop().status == 0)
  }

  /// An agent that is started as by one that read its configuration again, and found it right.
  private func startedByReload(on board: Board) throws -> RunningAgent {
    try board.write(board.configurationText(), to: "judged")
    let line = "exec 7<'\(board.path("judged"))'; export HOMEWARD_CONFIGURATION=7"
    return try RunningAgent(on: board, startedBy: RunningAgent.after(line))
  }

  @Test func theNextStartWorksByTheTextThatWasJudged() async throws {
    let (_, board) = try homeAndBoard()
    let agent = try startedByReload(on: board)
    // Perhaps before it is read, perhaps after.
    try board.write("every: 5", to: "homeward.yaml")
    try await agent.event("proven")
    #expect(try agent.descriptors().allSatisfy { !$0.hasSuffix("/judged") })
    #expect(await agent.stop().status == 0)
  }

  @Test(.enabled(if: isDetached, "at a terminal SIGHUP says that the terminal was closed"))
  func anEditorThatSavesInTwoStepsEndsNoAgent() async throws {
    let (_, board) = try homeAndBoard()
    let text = try board.configurationText()
    let agent = try await RunningAgent.proven(on: board)
    for _ in 0..<5 {
      agent.send(signal: SIGHUP)
      try await agent.event("reloading")
      try board.write("", to: "homeward.yaml")
      try await agent.event("started")
      try board.write(text, to: "homeward.yaml")
    }
    try await agent.event("proven")
    #expect(await agent.stop().status == 0)
  }

  @Test(.enabled(if: isDetached, "at a terminal SIGHUP says that the terminal was closed"))
  func anAgentThatWasWellWaitsForAFileThatIsWrongAtThisMoment() async throws {
    let (_, board) = try homeAndBoard()
    try board.write("{", to: "state/registration.json")
    let agent = try startedByReload(on: board)
    #expect(await agent.says("The agent waits until this is fixed"))
    try board.remove("state/registration.json")
    agent.send(signal: SIGHUP)
    try await agent.event("proven")
    #expect(await agent.stop().status == 0)
  }

  @Test func anAgentThatWaitsForAFileCanBeStopped() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    try board.write("{", to: "state/registration.json")
    let agent = try startedByReload(on: board)
    #expect(await agent.says("The agent waits until this is fixed"))
    #expect(await agent.stop().status == 0)
  }

  @Test(
    .enabled(if: isDetached, "at a terminal SIGHUP says that the terminal was closed"),
    .enabled(if: FaultyWorld.mayMount, "only root can take away a file system"))
  func anAgentThatCannotBeStartedAgainGoesOn() async throws {
    let (home, board) = try homeAndBoard()
    let starter = ["unshare", "-m"] + RunningAgent.after("umount -l /proc || exit")
    let agent = try RunningAgent(on: board, startedBy: starter)
    try await agent.event("proven")
    agent.send(signal: SIGHUP)
    try await agent.event("reload_refused")
    try await agent.expectToDeliver(charge: 70, to: home)
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "the program cannot be started again").count == 1)
  }

  @Test(arguments: [["run"], ["run", "--once"]])
  func anAgentThatHasStoppedDoesNotStartAgain(words: [String]) async throws {
    let (_, board) = try homeAndBoard()
    let agent = try RunningAgent(on: board, words + ["--json", "--config", board.configuration])
    try await agent.event("proven")
    agent.send(signal: SIGTERM)
    try await agent.event("stopped")
    await #expect(throws: RunningAgent.Ended.self) { try await agent.event("started") }
  }

  /// What an SSH session that breaks off does.
  @Test func aTerminalThatIsClosedStopsTheAgentInGoodOrder() async throws {
    let (home, board) = try homeAndBoard()
    let line =
      "exec script --quiet --command \"exec $0 $* >\(board.path("output"))\" /dev/null"
    let terminal = try RunningAgent(on: board, startedBy: ["sh", "-c", line])
    try await patiently { shownCharge(in: home) != nil }
    _ = await terminal.kill()
    try await patiently {
      let output = try String(contentsOfFile: board.path("output"), encoding: .utf8)
      return output.contains("\"event\":\"stopped\"")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: board.state.path)
    #expect(!left.contains("agent.socket"))
  }
}

/// Waits until `condition` holds; a story that hangs fails.
func patiently(_ condition: () throws -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(120)
  while try !condition() {
    try #require(ContinuousClock.now < end, "it takes too long")
    try await Task.sleep(for: .milliseconds(20))
  }
}
