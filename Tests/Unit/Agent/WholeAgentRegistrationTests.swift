import Foundation
import PracticeHome
import Testing

extension WholeAgent {
  /// An agent that has no registration yet, and all that can keep it from getting one.
  @Suite struct Registering {}
}

extension WholeAgent.Registering {
  @Test func aRejectedTokenIsNeverSentAgain() async throws {
    let home = try practiceHome()
    let board = try Board(reportingTo: home.url, token: "wrong-\(UUID().uuidString)")
    let agent = try RunningAgent(on: board)
    try await agent.event("not_registered", cause: "token_rejected")
    for _ in 0..<2 { try await agent.hasReadEverything() }
    let ending = await agent.stopWithSuccess()
    #expect(
      ending.lines(with: "does not accept the token; because it may ban this address").count == 1)
    #expect(home.requestCount == 1)

    let restarted = try RunningAgent(on: board)
    try await restarted.event("not_registered", cause: "token_rejected")
    try await restarted.hasReadEverything()
    #expect(home.requestCount == 1)

    // The way editors of other systems end a line.
    try board.write(token: "\(home.token)\r\n")
    try await restarted.event("registered")
    try await restarted.event("proven")
    #expect(shownCharge(in: home) == "83")
    let lastEnding = await restarted.stopWithSuccess()
    #expect(lastEnding.lines(with: "does not accept the token").count == 1)
    #expect(home.refusals(.unauthorized) == 1)
  }

  /// A login that pairing kept brings a token; it could be rejected, which must be kept in mind.
  @Test func withoutRoomToKeepARejectionTheKeptLoginIsNotSent() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    board.keepKeptSecrets()
    try board.remove("state/registration.json")
    home.fault = .status(503)
    let agent = try RunningAgent(on: board)
    try await agent.event("not_registered", cause: "no_token")
    try board.blockWriting()
    try await agent.event("state_failed")
    let requestCount = home.requestCount
    home.fault = nil
    for _ in 0..<3 { try await agent.hasReadEverything() }
    #expect(home.requestCount == requestCount)
    try board.unblockWriting()
    try await agent.event("registered")
    try await agent.event("proven")
    let ending = await agent.stop()
    #expect(ending.lines(with: "no token is sent: a rejection cannot be stored in").count == 1)
  }

  /// The same trouble a second time is news.
  @Test func aStateDirectoryThatFailsAgainIsToldAgain() async throws {
    let (home, board) = try homeAndBoard()
    home.fault = .status(503)
    try board.blockWriting()
    let agent = try await RunningAgent.run(on: board, until: "state_failed")
    try board.unblockWriting()
    // It is asked for a registration only where one could be kept.
    try await agent.event("not_registered", cause: "unavailable")
    try board.blockWriting()
    try await agent.event("state_failed")
    let ending = await agent.stop()
    #expect(ending.lines(with: "cannot be stored in").count == 2, "\(ending.log)")
  }

  @Test func aTokenFileIsLookedAtUntilItHoldsAToken() async throws {
    let home = try practiceHome()
    let board = try Board(reportingTo: home.url, token: nil)
    let agent = try RunningAgent(on: board)
    try await agent.event("not_registered", cause: "no_token")
    try await agent.hasReadEverything()
    for text in ["\n", "two words \(UUID().uuidString)", String(repeating: "x", count: 10_000)] {
      try board.write(token: text)
      try await agent.event("not_registered", cause: "no_token")
    }
    #expect(home.requestCount == 0)
    try board.write(token: "\(home.token)\n")
    try await agent.event("registered")
    try await agent.event("proven")

    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "there is no token: ").count == 4)
    for words in [
      "cannot be read: No such file or directory", "token_file is empty", "contains a space",
      "is larger than 8 KiB",
    ] {
      #expect(ending.lines(with: words).count == 1, "\(words)")
    }
  }

  @Test(
    arguments: [
      (.status(404), "not_found", "is not ready to register (404)"),
      (.status(503), "unavailable", "not available to register (503)"),
      (.captivePortal, "not_home_assistant", "is not Home Assistant"),
      (.starting, "not_home_assistant", "is not Home Assistant"),
    ] as [(Fault, String, String)])
  func aHomeAssistantThatIsNotReadyIsWaitedForAndTheLossCounted(
    fault: Fault, cause: String, words: String
  ) async throws {
    let (home, board) = try homeAndBoard()
    home.fault = fault
    let agent = try RunningAgent(on: board)
    try await agent.event("not_registered", cause: cause)
    // A gauge that is not known is read beside the loop: the refusal may be there before.
    for _ in 0..<2 { try await agent.hasReadEverything() }
    try await agent.hasRead(charges: [70, 71])
    home.fault = nil
    try await agent.event("registered")
    #expect(try await agent.event("recovered").supersededReadings == 2)
    try await agent.event("proven")
    #expect(shownCharge(in: home) == "71")

    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: words).count == 1)
    #expect(agent.count(of: "not_registered") == 1)
  }

  @Test func aHomeAssistantThatRefusesThisAddressIsLeftInPeaceUntilARestart() async throws {
    let (home, board) = try homeAndBoard()
    home.fault = .status(403)
    let agent = try RunningAgent(on: board)
    try await agent.event("not_registered", cause: "forbidden")
    for _ in 0..<2 { try await agent.hasReadEverything() }
    #expect(home.requestCount == 1)
    let ending = await agent.stopWithSuccess()
    #expect(
      ending.lines(
        with: "refuses to register this address (403); is it in its ip_bans.yaml? The agent retries"
          + " less and less often, and after a restart"
      ).count == 1)

    home.fault = nil
    let restarted = try await RunningAgent.run(on: board, until: "registered")
    try await restarted.event("proven")
    #expect(shownCharge(in: home) == "83")
    #expect(await restarted.stop().status == 0)
  }

  /// A hotel's portal, or a proxy with a login of its own: Home Assistant has not seen the token.
  @Test func aLoginThatAProxyWantsBurnsNoToken() async throws {
    let (home, board) = try homeAndBoard()
    home.fault = .foreign(
      status: 401, "<html><h1>401 Authorization Required</h1></html>",
      ForeignField("WWW-Authenticate", "Basic realm=\"proxy\""))
    let agent = try RunningAgent(on: board)
    try await agent.event("not_registered", cause: "forbidden")
    let ending = await agent.stop()
    #expect(
      ending.lines(
        with: "a proxy in front of Home Assistant refuses to register this address (401)"
      ).count == 1, "\(ending.log)")
    let once = try await board.run("run", "--once")
    #expect(once.lines(with: "Home Assistant does not have everything.").count == 1)

    home.fault = nil
    let restarted = try await RunningAgent.run(on: board, until: "registered")
    try await restarted.event("proven")
    #expect(await restarted.stop().status == 0)
  }

  /// Home Assistant says so to each request of a proxy that its `http.trusted_proxies` lacks.
  @Test func aProxyThatIsNotTrustedIsNamedAndWaitedFor() async throws {
    let (home, board) = try homeAndBoard()
    home.fault = .status(400)
    let once = try await board.run("run", "--once")
    #expect(once.status == 75)
    #expect(once.lines(with: "http.trusted_proxies").count == 1, "\(once.log)")
    #expect(once.lines(with: "Home Assistant does not have everything.").count == 1)
    #expect(once.lines(with: "has everything").isEmpty)

    let agent = try RunningAgent(on: board)
    try await agent.event("not_registered", cause: "untrusted_proxy")
    home.fault = nil
    try await agent.event("registered")
    try await agent.event("proven")
    #expect(await agent.stop().status == 0)
  }

  @Test func aHomeAssistantThatIsOffAtFirstIsWaitedFor() async throws {
    var home = try practiceHome()
    home.stop()
    let board = try Board(reportingTo: home)
    let agent = try RunningAgent(on: board)
    try await agent.event("not_registered", cause: "no_connection")
    home = try PracticeServer(continuing: home)
    try await agent.event("registered")
    try await agent.event("proven")
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "cannot be reached to register: ").count == 1)
  }

  /// Home Assistant seems to have lost the device, and was only not ready for long.
  @Test func whereANewRegistrationIsRefusedTheFormerOneIsGoneBackTo() async throws {
    let (home, board) = try homeAndBoard()
    try board.configureServer("register_again: 30s")
    let agent = try await RunningAgent.proven(on: board)
    // The token that it registered with was deleted since.
    try board.write(token: "wrong-\(UUID().uuidString)")
    home.fault = .starting
    try board.charge(70)
    try await agent.event("registration_doubted")
    try await agent.event("not_registered", cause: "not_home_assistant")
    home.fault = nil
    try await agent.event("not_registered", cause: "token_rejected")
    try await agent.event("recovered")
    try await agent.event("proven")
    #expect(shownCharge(in: home) == "70")

    for _ in 0..<2 { try await agent.hasReadEverything() }
    let ending = await agent.stopWithSuccess()
    #expect(
      ending.lines(with: "does not accept the token; because it may ban this address").count == 1)
    #expect(ending.lines(with: "Home Assistant accepts the data again after").count == 1)
    // Nor does another command send that token.
    let pair = try await board.run("pair", "--token-file", board.path("token"), "--yes")
    #expect(pair.lines(with: "rejected this token before").count == 1, "\(pair.log)")
    #expect(home.refusals(.unauthorized) == 1)
    #expect(home.counters.registrations == 1)
  }

  @Test func aRestartKeepsTheRegistration() async throws {
    let (home, board) = try homeAndBoard()
    let agent = try await RunningAgent.run(on: board, until: "registered")
    try await agent.event("proven")
    #expect(await agent.stop().status == 0)

    // The token was read once and may go.
    try board.remove("token")
    try board.charge(70)
    let restarted = try await RunningAgent.proven(on: board)
    #expect(await restarted.stop().status == 0)
    #expect(restarted.count(of: "registered") == 0)
    #expect(shownCharge(in: home) == "70")
    #expect(home.counters.registrations == 1)
  }
}
