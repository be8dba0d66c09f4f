import Bytes
import Foundation
import PracticeHome
import TestRun
import Testing

extension WholeAgent {
  /// A board that Home Assistant may ask for something.
  @Suite struct Commanded {}
}

extension PracticeServer {
  /// What became of commands, as events: the command, the result, and the reason, if any.
  fileprivate var commandResults: [String] {
    journal.compactMap {
      guard case .eventFired(type: "homeward_command", let data) = $0.event else { return nil }
      let words = ["command", "result", "reason"].compactMap { data[$0]?.string }
      return words.joined(separator: " ")
    }
  }
}

extension WholeAgent.Commanded {
  private static let chip = "/dev/gpiochip0 pinctrl-fake GPIO22 22"

  private func homeAndAgent(
    _ settings: String, every: String = "5s", environment: [String: String] = [:]
  ) async throws -> (PracticeServer, RunningAgent) {
    let (home, board) = try homeAndBoard(settings: settings)
    try board.configure("every: 5s", "every: \(every)")
    let environment = try board.environment(withChip: Self.chip).merging(environment) { $1 }
    let agent = try RunningAgent(on: board, environment: environment)
    try await agent.event("notifications_open")
    try await agent.event("proven")
    return (home, agent)
  }

  @Test func anOutputIsSwitchedAndHomeAssistantSeesItAtOnce() async throws {
    let (home, agent) = try await homeAndAgent(
      "commands: [command_gpio]\noutputs: [{ gpio: GPIO22, name: Pump, max_on: 1s }]")
    func pump() -> String? { home.state(of: "binary_sensor.boat_pump")?.state }
    while pump() != "off" { try await agent.event("proven") }
    let turnOn = #"{"output":"pump","command":"turn_on"}"#
    #expect(try await home.notify("command_gpio", turnOn) == 200)
    try await agent.event("command")
    while pump() != "on" { try await agent.event("proven") }
    // For a second at most.
    while pump() != "off" { try await agent.event("proven") }
    #expect(home.commandResults == ["command_gpio done"])

    #expect(try await home.notify("command_gpio", #"{"output":"Horn","command":"turn_on"}"#) == 200)
    #expect(try await home.notify("command_reboot") == 200)
    while home.commandResults.count < 3 { try await agent.event("proven") }
    #expect(
      home.commandResults == [
        "command_gpio done", "command_gpio refused unknown_output",
        "command_reboot refused not_allowed",
      ])
    let ending = await agent.stopWithSuccess()
    #expect(
      ending.lines(with: #"the command "command_gpio" ("pump", "turn_on") is done"#).count == 1)
    #expect(ending.lines(with: "the configuration does not allow it (commands)").count == 1)
  }

  /// The environment of a board with a line, and the level of that line.
  private func wired(_ board: Board) throws -> ([String: String], level: () -> String?) {
    try board.makeFolder("runtime")
    let wire = board.path("wire")
    let environment = try board.environment(withChip: Self.chip).merging(
      ["RUNTIME_DIRECTORY": board.path("runtime"), "FAKEGPIO_WIRE": wire]) { $1 }
    return (environment, { try? String(contentsOfFile: wire, encoding: .utf8) })
  }

  /// The chip keeps the level of a line whose program was killed. The next start makes it safe
  /// before it asks the network, also where it has to wait first.
  @Test(arguments: [0, 5])
  func aPumpThatRanWhenTheAgentWasKilledIsOffAtTheNextStart(earlierStarts: Int) async throws {
    let (home, board) = try homeAndBoard(
      settings: "commands: [command_gpio]\noutputs: [{ gpio: GPIO22, name: Pump }]")
    let (environment, level) = try wired(board)
    let agent = try RunningAgent(on: board, environment: environment)
    try await agent.event("notifications_open")
    try await agent.event("proven")
    let turnOn = #"{"output":"Pump","command":"turn_on"}"#
    #expect(try await home.notify("command_gpio", turnOn) == 200)
    try await agent.event("command")
    #expect(level() == "1")
    _ = await agent.kill()
    #expect(level() == "1", "nothing of the agent is left to switch it off")

    if earlierStarts > 0 {
      try board.write(String(repeating: "\0", count: earlierStarts), to: "runtime/starts")
    }
    home.fault = .hang
    let next = try RunningAgent(on: board, environment: environment)
    if earlierStarts > 0 {
      #expect(await next.says("the last runs ended too soon"))
    } else {
      try await next.event("started")
    }
    let limit = ContinuousClock.now + .seconds(20)
    while level() != "0", ContinuousClock.now < limit {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(level() == "0")
    #expect(await next.stop().status == 0)
    #expect(level() == "0")
  }

  /// A board whose pump still runs, as its chip keeps the level of a line that is let go.
  private func boardWithRunningPump(
    _ outputs: String = "outputs: [{ gpio: GPIO22, name: Pump }]"
  ) throws -> (Board, environment: [String: String], level: () -> String?) {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil, settings: outputs)
    try board.write("1", to: "wire")
    let (environment, level) = try wired(board)
    return (board, environment, level)
  }

  @Test(
    arguments: [
      ("state/registration.json", "{", 65),
      ("state/registration.json", #"{"version":99}"#, 65),
      ("state", "no directory", 66), ("homeward.yaml", "evry: 5s", 78),
    ] as [(file: String, text: String, status: Int32)], [[], ["--once"]] as [[String]])
  func aPumpThatRanIsOffAlsoWhereTheAgentCannotBegin(
    broken: (file: String, text: String, status: Int32), options: [String]
  ) async throws {
    let (board, environment, level) = try boardWithRunningPump()
    let isAddition = broken.file == "homeward.yaml"
    let rest = isAddition ? try board.configurationText() : ""
    try board.write(rest + broken.text, to: broken.file)
    let ending = try await board.run("run", options: options, environment: environment)
    #expect(ending.status == broken.status, "\(ending.log)")
    #expect(level() == "0")
  }

  /// Half of what a person meant could be the wrong level.
  @Test(arguments: [
    "outputs: [{ gpio: GPIO22, name: Pump, actve_low: true }]",
    "outputs: [{ gpio: GPIO22, name: Pump }]\nsensors: [",
    "outputs: [{ gpio: GPIO22, name: Pump }]\nsensors: [{ gpio: GPIO22, name: Bilge }]",
  ])
  func anOutputThatIsWrittenWrongIsNotSwitched(outputs: String) async throws {
    let (board, environment, level) = try boardWithRunningPump(outputs)
    let ending = try await board.run("run", environment: environment)
    #expect(ending.status == 78)
    #expect(level() == "1")
  }

  @Test func aLineThatCannotBeHadAtFirstIsMadeSafeWhileTheAgentWaits() async throws {
    let (board, environment, level) = try boardWithRunningPump()
    try board.write(String(repeating: "\0", count: 5), to: "runtime/starts")
    try board.write("", to: "busy")
    let agent = try RunningAgent(
      on: board, environment: environment.merging(["FAKEGPIO_BUSY": board.path("busy")]) { $1 })
    #expect(await agent.says("GPIO22 is in use by another program"))
    #expect(level() == "1")
    try board.remove("busy")
    try await patiently { level() == "0" }
    #expect(await agent.stop().status == 0)
  }

  @Test func allThatIsReadIsReadAndToldWhenItIsAskedFor() async throws {
    let (home, agent) = try await homeAndAgent("commands: [command_update_sensors]", every: "1h")
    #expect(try await home.notify("command_update_sensors") == 200)
    try await agent.event("command")
    try await agent.event("proven")
    #expect(home.commandResults == ["command_update_sensors done"])
    #expect(await agent.stop().status == 0)
  }

  @Test func theBoardIsRebootedByAFileThatAUnitWaitsFor() async throws {
    let folder = TestRun.newPlace()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let (home, agent) = try await homeAndAgent(
      "commands: [command_reboot]", environment: ["RUNTIME_DIRECTORY": folder.path])
    #expect(try await home.notify("command_reboot") == 200)
    try await agent.event("command")
    while home.commandResults.isEmpty { try await agent.event("proven") }
    // No person has enabled the unit here.
    #expect(home.commandResults == ["command_reboot refused no_reboot"])
    #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "reboot").path))
    #expect(await agent.stop().status == 0)
  }
}
