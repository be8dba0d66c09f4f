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

  private func relayBinary() throws -> URL {
    let variable = "HOMEWARD_CONTRACT_RELAY"
    return URL(filePath: try #require(ProcessInfo.processInfo.environment[variable]))
  }

  static func postsNotifications() async throws -> Bool { serverLog != nil }

  private static func sleepingAgent(_ relay: RelayProgram, in folder: URL) throws -> Agent {
    let token = folder.appending(path: "relay-token")
    try Data(try relay.add("boat").utf8).write(to: token)
    return try Agent(
      settings: """
        commands: [command_gpio]
        outputs: [{ gpio: GPIO22, name: Pump }]
        push: { relay: "\(relay.url)", token_file: \(token.path) }
        """)
  }

  private static func place() throws -> URL {
    let folder = TestRun.newPlace()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test(.enabled("the server posts to no push server", postsNotifications))
  func aBoardThatSleepsDoesOnceWhatItWasAskedFor() async throws {
    let folder = try Self.place()
    let relay = try RelayProgram(relayBinary(), in: folder)
    defer { relay.end() }
    let agent = try Self.sleepingAgent(relay, in: folder)
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

  /// Home Assistant's log says what a person can do, in the relay's words.
  @Test(.enabled("the server posts to no push server", postsNotifications))
  func whatTheRelayRefusesIsReadInTheLogOfHomeAssistant() async throws {
    let folder = try Self.place()
    let relay = try RelayProgram(
      relayBinary(), in: folder, options: ["--notifications-a-day", "1"])
    defer { relay.end() }
    let agent = try Self.sleepingAgent(relay, in: folder)
    defer { agent.remove() }
    _ = try agent.runOnce()
    try await agent.command("first", "{}")
    try await agent.command("second", "{}")
    let words = "The relay takes no more notifications for this board today"
    let deadline = ContinuousClock.now + Server.settlingTimeMax
    while Self.serverLog?.contains(words) != true, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(Self.serverLog?.contains(words) == true)
    // What was accepted comes in spite of it.
    #expect(try agent.runOnce().event("notification")?["message"] == "first")
  }
}
