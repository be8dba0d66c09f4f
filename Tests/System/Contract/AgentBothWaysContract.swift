import Foundation
import TestRun
import Testing

// A board with both ways for its notifications, the channel of the WebSocket and a push relay: a
// command over both is carried out once.

/// A board with a channel and a relay, and the results of its commands.
private struct Board {
  let relay: RelayProgram
  let agent: Agent
  let environment: [String: String]
  let socket: WebSocket
  let results: JSON

  init() async throws {
    let folder = try Contract.WholeAgent.place()
    relay = try RelayProgram(Contract.WholeAgent.relayBinary(), in: folder)
    agent = try Contract.WholeAgent.relayedAgent(
      relay, in: folder, settings: "notifications: websocket")
    environment = try agent.environment(withLine: "GPIO22")
    socket = try await WebSocket.opened()
    results = try await socket.subscribe("subscribe_events", ["event_type": "homeward_command"])
  }

  /// Starts the agent, until it waits for its next cycle with an open channel.
  func start() async throws -> AgentAtWork {
    let work = try agent.start(environment: environment)
    try await work.event("notifications_open")
    try await work.event("proven")
    return work
  }

  /// The next result of a command.
  func result() async throws -> JSON {
    try await socket.event(results, within: .seconds(30))["data"]
  }

  func command(_ word: String) async throws {
    try await agent.command("command_gpio", #"{"output":"Pump","command":"\#(word)"}"#)
  }

  func runOnce() throws -> Agent.Run { try agent.runOnce(environment: environment) }

  func remove() {
    relay.end()
    agent.remove()
  }
}

extension Contract.WholeAgent {
  /// Home Assistant sends over the channel first, and to the relay at once if the channel breaks
  /// before the confirmation.
  @Test(.enabled("the server posts to no push server", postsNotifications))
  func aCommandReachesTheRelayOnlyIfTheChannelBreaks() async throws {
    let board = try await Board()
    defer { board.remove() }
    let work = try await board.start()
    try await board.command("turn_on")
    #expect(try await board.result()["action"] == "turn_on")
    work.send(signal: SIGSTOP)
    try await board.command("turn_off")
    work.send(signal: SIGKILL)
    let deadline = ContinuousClock.now + Server.settlingTimeMax
    var run = try board.runOnce()
    while run.event("command") == nil, ContinuousClock.now < deadline { run = try board.runOnce() }
    let result = try await board.result()
    #expect(result["action"] == "turn_off" && result["result"] == "done")
    #expect(try board.runOnce().event("command") == nil)
  }

  /// A board that hangs: after ten seconds Home Assistant posts the command to the relay. The board
  /// reads it from the channel as well, and does not carry it out there, because the confirmation
  /// comes too late.
  @Test(.enabled("the server posts to no push server", postsNotifications))
  func aCommandThatIsConfirmedTooLateIsCarriedOutOnce() async throws {
    let board = try await Board()
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
