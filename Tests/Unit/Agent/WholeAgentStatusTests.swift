import Bytes
import Foundation
import LinuxIO
import PracticeHome
import Testing

extension WholeAgent {
  /// `homeward status`: what the running agent tells of itself.
  @Suite struct Status {}
}

extension WholeAgent.Status {
  @Test func whatWorksIsToldAsProvenOverTheRouteThatIsTaken() async throws {
    let (home, board, agent) = try await provenAgent()

    let json = try await AskedStatus(on: board, "--json")
    #expect(json.ending.status == 0)
    let document = try json.document
    #expect(document.is_well)
    #expect(document.home_assistant.state == "proven")
    #expect(document.home_assistant.url == home.url)
    #expect(document.home_assistant.protection == "sealed")
    let proof = try #require(document.home_assistant.last_proof)
    let now = try #require(ISO8601DateFormatter().date(from: proof.at)).timeIntervalSinceNow
    #expect(abs(now + Double(proof.seconds)) < 3600, "it is the clock of people")
    #expect(document.routes.map(\.route) == ["instance", "cloudhook", "remote_ui"])
    #expect(document.routes.map(\.state) == ["taken", "no_address", "no_address"])
    #expect(document.routes[0].url == home.url)
    #expect(document.waiting.readings == 0 && document.waiting.locations == 0)
    #expect(document.counts.proven >= 1 && document.counts.unproven == 0)
    #expect(document.failing_sources.isEmpty)
    #expect(document.websocket == nil)

    let lines = try await AskedStatus(on: board)
    #expect(lines.ending.status == 0)
    #expect(lines.hasLine("ok     Home Assistant   accepts the data"))
    #expect(lines.hasLine("         last proof     ", " ago"))
    #expect(lines.hasLine("ok     route            home_assistant.url: \(home.url), for "))
    #expect(!lines.hasLine("cloud"), "there is none")
    #expect(lines.hasLine("       waiting          nothing"))
    #expect(await agent.stop().status == 0)
  }

  @Test func anOutageIsToldWithItsCauseAndTheNextAttempt() async throws {
    let (home, board, agent) = try await provenAgent()
    home.fault = .status(503)
    try await agent.hasRead(charges: [70, 71])
    if agent.count(of: "outage") == 0 { try await agent.event("outage", cause: "unavailable") }

    let json = try await AskedStatus(on: board, "--json")
    #expect(json.ending.status == 75)
    let document = try json.document
    #expect(!document.is_well)
    #expect(document.home_assistant.state == "outage")
    #expect(document.home_assistant.cause == "unavailable")
    #expect(document.home_assistant.text == "Home Assistant is not available (503)")
    #expect(document.home_assistant.since != nil)
    #expect(document.home_assistant.last_proof != nil, "there was one")
    #expect(document.home_assistant.next_attempt != nil)
    #expect(document.routes.first { $0.state == "failed" }?.cause == "unavailable")
    #expect(document.waiting.readings > 0)
    #expect(document.counts.unproven == 1)

    let lines = try await AskedStatus(on: board)
    #expect(lines.ending.status == 75)
    #expect(lines.hasLine("WRONG  Home Assistant   Home Assistant is not available (503), for "))
    #expect(lines.hasLine("         last proof     ", " ago"))
    #expect(lines.hasLine("         next attempt   "))

    home.fault = nil
    try await agent.event("recovered")
    try await agent.event("proven")
    #expect(try await AskedStatus(on: board).ending.status == 0)
    #expect(await agent.stop().status == 0)
  }

  @Test func aBoardThatIsNotRegisteredSaysWhyNot() async throws {
    let home = try practiceHome()
    let board = try Board(reportingTo: home.url, token: "wrong-\(UUID().uuidString)\n")
    let agent = try RunningAgent(on: board)
    try await agent.event("not_registered", cause: "token_rejected")
    let json = try await AskedStatus(on: board, "--json")
    #expect(json.ending.status == 75)
    let document = try json.document
    #expect(document.home_assistant.state == "unregistered")
    #expect(document.home_assistant.cause == "token_rejected")
    #expect(
      try await AskedStatus(on: board).hasLine(
        "WRONG  Home Assistant   ", "does not accept the token"))
    #expect(await agent.stop().status == 0)
  }

  @Test func aSourceThatFailsIsNamedUntilItWorksAgain() async throws {
    let (_, board, agent) = try await provenAgent()
    try board.unplug("BAT7")
    try await agent.event("source_failed", of: "BAT7")
    let failing = try await AskedStatus(on: board, "--json").document.failing_sources
    #expect(failing.map(\.source) == ["BAT7"])
    #expect(failing.map(\.cause) == ["missing"])
    #expect(try await AskedStatus(on: board).hasLine("WRONG  source           ", "was not found"))
    try board.plugIn("BAT7")
    try await agent.event("source_recovered", of: "BAT7")
    #expect(try await AskedStatus(on: board, "--json").document.failing_sources.isEmpty)
    #expect(await agent.stop().status == 0)
  }

  @Test func theWebSocketIsToldWhereThereIsOne() async throws {
    let (_, board) = try homeAndBoard(settings: "notifications: websocket")
    let agent = try await RunningAgent.run(on: board, until: "notifications_open")
    let document = try await AskedStatus(on: board, "--json").document
    #expect(document.websocket?.state == "open")
    #expect(document.websocket?.version?.isEmpty == false)
    #expect(try await AskedStatus(on: board).hasLine("ok     WebSocket        open, for "))
    #expect(await agent.stop().status == 0)
  }

  // MARK: No agent

  @Test func withoutAnAgentThePersonIsToldHowToStartOne() async throws {
    let (_, board) = try homeAndBoard()
    for options in [[], ["--json"]] {
      let ending = try await board.run("status", options: options)
      #expect(ending.status == 69)
      #expect(ending.output == [])
      #expect(ending.lines(with: "\(board.state.path); start it: sudo homeward run").count == 1)
    }

    let agent = try await RunningAgent.proven(on: board)
    #expect(await agent.stop().status == 0)
    #expect(try await AskedStatus(on: board).ending.status == 69)
    let left = try FileManager.default.contentsOfDirectory(atPath: board.state.path)
    #expect(!left.contains("agent.socket"))
  }

  @Test func theSocketOfAKilledAgentIsReplaced() async throws {
    let (_, board, killed) = try await provenAgent()
    #expect(await killed.kill().status == SIGKILL)
    let left = try FileManager.default.contentsOfDirectory(atPath: board.state.path)
    #expect(left.contains("agent.socket"), "nobody tidied up")
    #expect(try await AskedStatus(on: board).ending.status == 69)

    let next = try await RunningAgent.proven(on: board)
    #expect(try await AskedStatus(on: board).ending.status == 0)
    // One that may not run leaves the other's socket alone.
    #expect(try await RunningAgent(on: board).ending().status == 75)
    #expect(try await AskedStatus(on: board).ending.status == 0)
    #expect(await next.stop().status == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can be somebody else"))
  func whoMayNotAskIsToldWhoMay() async throws {
    let (_, board, agent) = try await provenAgent()
    let ending = try await board.run("status", startedBy: RunningAgent.withoutPrivileges)
    #expect(ending.status == 77)
    #expect(ending.lines(with: "; run: sudo homeward status").count == 1)
    #expect(await agent.stop().status == 0)
  }

  @Test func aPathThatFitsNoSocketDoesNotStopTheAgent() async throws {
    let (_, board) = try homeAndBoard()
    let state = board.path(String(repeating: "s", count: 100))
    try board.configure(board.state.path, state)
    let agent = try await RunningAgent.proven(on: board)
    #expect(try await AskedStatus(on: board).ending.status == 66)
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "cannot answer homeward status: File name too long").count == 1)
  }

  // MARK: Again and again

  @Test func watchingGoesOnUntilItIsEnded() async throws {
    let (_, board, agent) = try await provenAgent()
    let watch = try RunningAgent(
      on: board, ["status", "--watch", "--config", board.configuration])
    for _ in 0..<2 { try await watch.line(endingWith: "nothing") }
    let ending = await watch.interrupt()
    #expect(ending.status == 0)
    #expect(!ending.output.contains { $0.contains("\u{1B}") }, "a pipe is no screen")
    #expect(await agent.stop().status == 0)
    // A script would wait for ever for an agent that was never there.
    #expect(try await AskedStatus(on: board, "--watch", "--json").ending.status == 69)
  }
}

extension WholeAgent.Status {
  @Test func watchingGoesOnWhileTheAgentRestarts() async throws {
    let (_, board, first) = try await provenAgent()
    let watch = try RunningAgent(
      on: board, ["status", "--watch", "--json", "--config", board.configuration])
    try await watch.line(endingWith: "}")
    #expect(await first.stop().status == 0)
    let second = try await RunningAgent.proven(on: board)
    for _ in 0..<2 { try await watch.line(endingWith: "}") }
    let ending = await watch.interrupt()
    #expect(ending.status == 0)
    #expect(ending.lines(with: "no agent runs with").count <= 1)
    #expect(await second.stop().status == 0)
  }
}
