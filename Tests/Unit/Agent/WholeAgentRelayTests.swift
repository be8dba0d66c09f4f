import Bytes
import Foundation
import HomeAssistant
import TestRun
import Testing

@testable import Agent
@testable import PracticeHome

extension WholeAgent {
  /// A board that is paired with a push relay, which is the program that ships.
  @Suite struct Relayed {}
}

extension PracticeServer {
  /// What it has of the device as the way to its push server.
  fileprivate var pushTarget: [String]? {
    withHome { home in
      home.registrations.last.map { registration in
        ["push_url", "push_token"].compactMap {
          registration.content["app_data"]?.object?[$0]?.string
        }
      }
    }
  }
}

extension WholeAgent.Relayed {
  private func relay(for board: Board) throws -> RelayProgram {
    let binary = RunningAgent.executable.deletingLastPathComponent().appending(
      path: "homeward-relay")
    return try RelayProgram(binary, in: board.folder)
  }

  private func pushToken(_ token: String) throws -> String {
    let known = try #require(PushRelayToken([UInt8](token.utf8)))
    return String(decoding: known.pushToken.bytes, as: UTF8.self)
  }

  private func addToken(of relay: RelayProgram, to board: Board) throws -> String {
    let token = try relay.add("boat")
    board.keepSecret(token)
    try board.write(token, to: "relay-token")
    return token
  }

  private func pair(
    _ board: Board, with relay: RelayProgram, startedBy starter: [String] = []
  ) async throws -> RunningAgent.Ending {
    try await board.run(
      "pair", "--relay", relay.url, "--token-file", board.path("relay-token"), startedBy: starter)
  }

  /// A board that `homeward pair --relay` has given a relay.
  private func pairedBoard() async throws -> (PracticeServer, Board, RelayProgram, String) {
    let (home, board) = try await pairedHomeAndBoard()
    let relay = try relay(for: board)
    let token = try addToken(of: relay, to: board)
    let pairing = try await pair(board, with: relay)
    #expect(pairing.status == 0, "\(pairing.log)")
    return (home, board, relay, try pushToken(token))
  }

  @Test func pairingTellsTheRelayTheKeyAndTheAgentTellsHomeAssistantTheAddress() async throws {
    let (home, board, relay, pushToken) = try await pairedBoard()
    defer { relay.end() }
    #expect(try board.configurationText().hasSuffix("\npush: { relay: \"\(relay.url)\" }\n"))
    #expect(try board.permissions(of: "state/relay-token") == 0o600)
    #expect(try board.permissions(of: "state/push-key.json") == 0o600)
    // Before that it had no key.
    #expect(try await relay.push(#""message":"Storm at nine""#, with: pushToken) == 201)
    let run = try await board.run("run", "--once")
    #expect(run.status == 0)
    #expect(run.log.contains { $0.contains("notification: \"Storm at nine\"") }, "\(run.log)")
    #expect(home.pushTarget == ["\(relay.url)/push", pushToken])
    board.expectNothingSecret(in: run.log + run.output)
  }

  @Test func pairingAgainChangesNothing() async throws {
    let (_, board, relay, _) = try await pairedBoard()
    defer { relay.end() }
    let before = try board.configurationText()
    #expect(try await pair(board, with: relay).status == 0)
    #expect(try board.configurationText() == before)
  }

  @Test func aTokenThatTheRelayDoesNotKnowIsNotStored() async throws {
    let (_, board) = try await pairedHomeAndBoard()
    let relay = try relay(for: board)
    defer { relay.end() }
    let before = try board.configurationText()
    try board.write(String(repeating: "A", count: 43), to: "relay-token")
    #expect(try await pair(board, with: relay).status == 77)
    #expect(try board.configurationText() == before)
    #expect(throws: (any Error).self) { try board.permissions(of: "state/relay-token") }
  }

  /// With half a line the agent would not start any more.
  @Test func aFullDiskLeavesTheConfigurationAsItWas() async throws {
    let (_, board) = try await pairedHomeAndBoard()
    let relay = try relay(for: board)
    defer { relay.end() }
    _ = try addToken(of: relay, to: board)
    // The shell counts in blocks of 1024 bytes.
    let start = try board.configurationText()
    let before = start + String(repeating: "#", count: 1014 - start.utf8.count) + "\n"
    try before.write(toFile: board.configuration, atomically: true, encoding: .utf8)
    let ending = try await pair(board, with: relay, startedBy: RunningAgent.after("ulimit -f 1"))
    #expect(ending.lines(with: "cannot be written: File too large").count == 1, "\(ending.log)")
    #expect(try board.configurationText() == before)
  }

  @Test func aBoardThatHomeAssistantDoesNotKnowIsPairedWithItFirst() async throws {
    let (_, board) = try unpairedHomeAndBoard()
    let pairing = try await board.run("pair", "--relay", "https://relay.invalid")
    #expect(pairing.status == 69)
    #expect(pairing.log.contains { $0.contains("pair it first") })
  }

  @Test func theCheckNamesWhatIsWrongWithTheRelay() async throws {
    let (home, board, relay, pushToken) = try await pairedBoard()
    defer { relay.end() }
    #expect(try await relay.push(#""message":"a""#, with: pushToken) == 201)
    let well = try await board.run("check")
    #expect(
      well.output.contains { $0.contains("relay") && $0.contains("1 notification to fetch") },
      "\(well.output)")
    _ = try relay.token("revoke", "boat")
    let wrong = try await board.run("check")
    #expect(wrong.status == 77)
    #expect(
      wrong.output.contains { $0.hasPrefix("WRONG") && $0.contains("does not know the token") },
      "\(wrong.output)")
    try board.remove("state/push-key.json")
    let keyless = try await board.run("check")
    #expect(keyless.output.contains { $0.contains("holds no key for the push relay") })
    try board.remove("state/relay-token")
    let tokenless = try await board.run("check")
    #expect(tokenless.output.contains { $0.contains("cannot be used (not readable)") })
    #expect(home.pushTarget == [], "a check tells Home Assistant nothing")
  }

  @Test func theStatusShowsARelayThatFails() async throws {
    let (home, board, relay, _) = try await pairedBoard()
    defer { relay.end() }
    _ = try relay.token("revoke", "boat")
    let agent = try RunningAgent(on: board)
    try await agent.event("push_failed")
    let status = try await board.run("status")
    #expect(
      status.output.contains { $0.hasPrefix("WRONG") && $0.contains("push relay") },
      "\(status.output)")
    _ = await agent.stop()
    #expect(home.pushTarget?.count == 2)
  }

  /// Its last state arrives, too: else Home Assistant would show a pump that runs until the next
  /// wake.
  @Test(arguments: [#""pulse","duration":1"#, #""turn_on""#])
  func aShortRunEndsWithItsOutputOffAndHomeAssistantKnows(command: String) async throws {
    let (home, board, relay, pushToken) = try await pairedBoard()
    defer { relay.end() }
    try board.configure(
      "system: off",
      "system: off\ncommands: [command_gpio]\noutputs: [{ gpio: GPIO22, name: Pump }]")
    let order = #""message":"command_gpio","data":{"output":"Pump","command":\#(command)}"#
    #expect(try await relay.push(order, with: pushToken) == 201)
    let agent = try RunningAgent(
      on: board,
      ["run", "--once", "--timeout", "12s", "--json", "--config", board.configuration],
      environment: try board.environment(withChip: "/dev/gpiochip0 pinctrl-fake GPIO22 22"))
    let stopped = try await agent.event("stopped")
    #expect(stopped.undelivered == 0)
    #expect(await agent.ending().status == 0)
    let results = home.journal.compactMap { entry -> String? in
      guard case .eventFired(type: "homeward_command", let data) = entry.event else { return nil }
      return data["result"]?.string
    }
    #expect(results == ["done"])
    #expect(home.state(of: "binary_sensor.boat_pump")?.state == "off")
  }

  /// Readings arrive all the same.
  @Test func withoutItsTokenTheAgentReportsAndSaysWhatIsMissing() async throws {
    let (home, board, _, _) = try await pairedBoard()
    try board.remove("state/relay-token")
    let run = try await board.run("run", "--once")
    #expect(run.status == 0)
    #expect(run.log.contains { $0.contains("the token of the push relay") }, "\(run.log)")
    #expect(home.pushTarget == [])
  }
}
