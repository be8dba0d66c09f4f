import Foundation
import TestRun
import Testing

// A board that sleeps, and the relay that keeps what Home Assistant sends it meanwhile.

extension Contract.WholeAgent {
  /// What Home Assistant has logged so far; nil for a server that posts to no push server.
  static var serverLog: String? {
    guard let file = ProcessInfo.processInfo.environment["HOMEWARD_CONTRACT_LOG"] else {
      return nil
    }
    return try? String(contentsOfFile: file, encoding: .utf8)
  }

  static func relayBinary() throws -> URL {
    let variable = "HOMEWARD_CONTRACT_RELAY"
    return URL(filePath: try #require(ProcessInfo.processInfo.environment[variable]))
  }

  static func postsNotifications() async throws -> Bool { serverLog != nil }

  static func place() throws -> URL {
    let folder = TestRun.newPlace()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}

/// A board with a pump that gets its notifications from a relay, and the results of its commands.
struct RelayedBoard {
  let agent: Agent
  private let relay: RelayProgram
  private let environment: [String: String]
  private let socket: WebSocket
  private let results: JSON

  init(settings: String = "") async throws {
    let folder = try Contract.WholeAgent.place()
    relay = try RelayProgram(Contract.WholeAgent.relayBinary(), in: folder)
    let token = folder.appending(path: "relay-token")
    try Data(try relay.add("boat").utf8).write(to: token)
    agent = try Agent(
      settings: """
        commands: [command_gpio]
        outputs: [{ gpio: GPIO22, name: Pump }]
        push: { relay: "\(relay.url)", token_file: \(token.path) }
        \(settings)
        """)
    environment = try agent.environment(withLine: "GPIO22")
    (socket, _, results) = try await WebSocket.listening(to: "homeward_command")
  }

  /// Starts the agent, until it waits for its next cycle with an open channel.
  func start() async throws -> AgentAtWork {
    let work = try agent.start(environment: environment)
    try await work.event("notifications_open")
    try await work.event("proven")
    return work
  }

  func runOnce() throws -> Agent.Run { try agent.runOnce(environment: environment) }

  func command(_ word: String) async throws {
    try await agent.command("command_gpio", #"{"output":"Pump","command":"\#(word)"}"#)
  }

  /// The next result of a command.
  func result() async throws -> JSON {
    try await socket.event(results, within: .seconds(30))["data"]
  }

  func remove() {
    relay.end()
    agent.remove()
  }
}

extension Contract.WholeAgent {
  @Test(.enabled("the server posts to no push server", postsNotifications))
  func aBoardThatSleepsDoesOnceWhatItWasAskedFor() async throws {
    let board = try await RelayedBoard()
    defer { board.remove() }
    // Home Assistant learns the relay's address, and the relay the key.
    #expect(try board.runOnce().event("stopped") != nil)

    let pulse = #"{"output":"Pump","command":"pulse","duration":1,"id":"1"}"#
    try await board.agent.command("command_gpio", pulse)
    try await board.agent.command("command_gpio", pulse)
    let second = try board.runOnce()
    #expect(second.status == 0)
    let done = try await board.result()
    #expect(done["id"] == "1" && done["action"] == "pulse" && done["result"] == "done")
    #expect(try await board.result()["reason"] == "repeated")
    let third = try board.runOnce()
    #expect(third.event("command") == nil, "the relay gave it again")
    // Another run, which remembers.
    try await board.agent.command("command_gpio", pulse)
    _ = try board.runOnce()
    #expect(try await board.result()["reason"] == "repeated")
  }

  /// What the person wanted then may do harm now.
  @Test(.enabled("the server posts to no push server", postsNotifications))
  func aCommandThatWaitedTooLongIsNotCarriedOutAndHomeAssistantKnows() async throws {
    let board = try await RelayedBoard()
    defer { board.remove() }
    _ = try board.runOnce()
    try await board.agent.command("command_gpio", #"{"output":"Pump","command":"turn_on","ttl":0}"#)
    try await board.agent.command("Storm at nine", #"{"ttl":0}"#)
    // The relay counts seconds.
    try await Task.sleep(for: .seconds(2))
    let run = try board.runOnce()
    let refused = try await board.result()
    #expect(refused["result"] == "refused" && refused["reason"] == "expired")
    #expect(run.event("notification")?["message"] == "Storm at nine")
  }
}

// MARK: - Both ways, of which a command over both is carried out once

extension Contract.WholeAgent {
  /// Home Assistant sends over the channel first, and to the relay at once if the channel breaks
  /// before the confirmation.
  @Test(.enabled("the server posts to no push server", postsNotifications))
  func aCommandReachesTheRelayOnlyIfTheChannelBreaks() async throws {
    let board = try await RelayedBoard(settings: "notifications: websocket")
    defer { board.remove() }
    let work = try await board.start()
    try await board.command("turn_on")
    #expect(try await board.result()["action"] == "turn_on")
    work.send(signal: SIGSTOP)
    try await board.command("turn_off")
    work.send(signal: SIGKILL)
    _ = try await Server.settled(until: { $0.event("command") != nil }) { try board.runOnce() }
    let result = try await board.result()
    #expect(result["action"] == "turn_off" && result["result"] == "done")
    #expect(try board.runOnce().event("command") == nil)
  }

  /// A board that hangs: after ten seconds Home Assistant posts the command to the relay. The board
  /// reads it from the channel as well, and does not carry it out there, because the confirmation
  /// comes too late.
  @Test(.enabled("the server posts to no push server", postsNotifications))
  func aCommandThatIsConfirmedTooLateIsCarriedOutOnce() async throws {
    let board = try await RelayedBoard(settings: "notifications: websocket")
    defer { board.remove() }
    let work = try await board.start()
    work.send(signal: SIGSTOP)
    try await board.command("turn_off")
    try await Task.sleep(for: .seconds(11))
    work.send(signal: SIGCONT)
    let late = try await board.result()
    #expect(late["result"] == "refused" && late["reason"] == "not_confirmed")
    await work.stop()
    // Else it would ask the relay a minute after its last request.
    _ = try board.runOnce()
    #expect(try await board.result()["result"] == "done")
    #expect(try board.runOnce().event("command") == nil)
  }
}
