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

  /// A board with a pump that gets its notifications from the relay.
  static func relayedAgent(
    _ relay: RelayProgram, in folder: URL, settings: String = ""
  ) throws -> Agent {
    let token = folder.appending(path: "relay-token")
    try Data(try relay.add("boat").utf8).write(to: token)
    return try Agent(
      settings: """
        commands: [command_gpio]
        outputs: [{ gpio: GPIO22, name: Pump }]
        push: { relay: "\(relay.url)", token_file: \(token.path) }
        \(settings)
        """)
  }

  static func place() throws -> URL {
    let folder = TestRun.newPlace()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test(.enabled("the server posts to no push server", postsNotifications))
  func aBoardThatSleepsDoesOnceWhatItWasAskedFor() async throws {
    let folder = try Self.place()
    let relay = try RelayProgram(Self.relayBinary(), in: folder)
    defer { relay.end() }
    let agent = try Self.relayedAgent(relay, in: folder)
    defer { agent.remove() }
    let environment = try agent.environment(withLine: "GPIO22")
    // Home Assistant learns the relay's address, and the relay the key.
    #expect(try agent.runOnce(environment: environment).event("stopped") != nil)

    let socket = try await WebSocket.opened()
    let events = try await socket.subscribe("subscribe_events", ["event_type": "homeward_command"])
    let pulse = #"{"output":"Pump","command":"pulse","duration":1,"id":"1"}"#
    try await agent.command("command_gpio", pulse)
    try await agent.command("command_gpio", pulse)
    let second = try agent.runOnce(environment: environment)
    #expect(second.status == 0)
    let done = try await socket.event(events)["data"]
    #expect(done["id"] == "1" && done["action"] == "pulse" && done["result"] == "done")
    #expect(try await socket.event(events)["data"]["reason"] == "repeated")
    let third = try agent.runOnce(environment: environment)
    #expect(third.event("command") == nil, "the relay gave it again")
    // Another run, which remembers.
    try await agent.command("command_gpio", pulse)
    _ = try agent.runOnce(environment: environment)
    #expect(try await socket.event(events)["data"]["reason"] == "repeated")
  }

  /// What the person wanted then may do harm now.
  @Test(.enabled("the server posts to no push server", postsNotifications))
  func aCommandThatWaitedTooLongIsNotCarriedOutAndHomeAssistantKnows() async throws {
    let folder = try Self.place()
    let relay = try RelayProgram(Self.relayBinary(), in: folder)
    defer { relay.end() }
    let agent = try Self.relayedAgent(relay, in: folder)
    defer { agent.remove() }
    let environment = try agent.environment(withLine: "GPIO22")
    _ = try agent.runOnce(environment: environment)
    let socket = try await WebSocket.opened()
    let events = try await socket.subscribe("subscribe_events", ["event_type": "homeward_command"])
    try await agent.command("command_gpio", #"{"output":"Pump","command":"turn_on","ttl":0}"#)
    try await agent.command("Storm at nine", #"{"ttl":0}"#)
    // The relay counts seconds.
    try await Task.sleep(for: .seconds(2))
    let run = try agent.runOnce(environment: environment)
    let refused = try await socket.event(events)["data"]
    #expect(refused["result"] == "refused" && refused["reason"] == "expired")
    #expect(run.event("notification")?["message"] == "Storm at nine")
  }
}
