import CLinux
import Foundation
import PracticeHome
import Testing

extension WholeAgent {
  /// What the agent does so that its secrets stay with it.
  @Suite struct Secrets {}
}

extension WholeAgent.Secrets {
  @Test func itsMemoryIsInNoCoreDump() async throws {
    let (_, _, agent) = try await provenAgent()
    let line = try agent.limits().split(separator: "\n").first {
      $0.hasPrefix("Max core file size")
    }
    let words = try #require(line).split(separator: " ")
    // A limit of 0 still lets the kernel pipe a dump to a program; one of 1 byte does not.
    #expect(words.dropFirst(4).prefix(2).allSatisfy { $0 == "0" || $0 == "1" }, "\(words)")
    _ = await agent.stop()
  }

  @Test(arguments: [(0o644, 1), (0o640, 0), (0o600, 0)])
  func aTokenThatEveryUserCanReadIsToldWithTheCommand(mode: Int, lineCount: Int) async throws {
    let (_, board) = try homeAndBoard()
    try board.setPermissions(mode, of: "token")
    let agent = try await RunningAgent.proven(on: board)
    let ending = await agent.stop()
    #expect(ending.lines(with: "run: chmod 600 \(board.path("token"))").count == lineCount)
  }

  /// To open a pipe that no program writes to would stop the agent for ever.
  @Test func aTokenFileThatIsAPipeDoesNotStopTheLoop() async throws {
    let (home, board) = try homeAndBoard()
    try board.remove("token")
    let isMade = unsafe mkfifo(board.path("token"), 0o600) == 0
    try #require(isMade)
    let agent = try RunningAgent(on: board)
    try await agent.event("not_registered", cause: "no_token")
    try await agent.hasReadEverything()
    #expect(await agent.stop().status == 0)
    #expect(home.requestCount == 0)
  }
}

extension WholeAgent {
  /// The token that systemd hands on, which a card image has from its card.
  @Suite struct TokenCredential {}
}

extension WholeAgent.TokenCredential {
  /// A board that knows no token file; its folder has the credential.
  private func board(_ home: PracticeServer, token: String?) throws -> Board {
    try Board(
      reportingTo: home.url, token: token, isTokenFileNamed: false,
      settings: "notifications: websocket")
  }

  private func agent(_ board: Board) throws -> RunningAgent {
    try RunningAgent(on: board, environment: ["CREDENTIALS_DIRECTORY": board.folder.path])
  }

  @Test func theAgentRegistersAndOpensTheWebSocketWithIt() async throws {
    let home = try practiceHome()
    let agent = try agent(try board(home, token: home.token + "\n"))
    try await agent.event("notifications_open")
    #expect(await agent.stop().status == 0)
    #expect(home.counters.registrations == 1)
    #expect(home.counters.refused == 0)
  }

  /// The unit has an empty one by default.
  @Test(arguments: ["", nil]) func withoutItABoardIsToBePaired(token: String?) async throws {
    let home = try practiceHome()
    let agent = try agent(try board(home, token: token))
    try await agent.event("not_registered", cause: "no_token")
    let ending = await agent.stop()
    #expect(ending.lines(with: "there is no token. Pair this board: ").count >= 1, "\(ending.log)")
    #expect(home.requestCount == 0)
  }

  @Test(arguments: ["another-token-than-that-of-this-home", ""])
  func aPairedBoardKeepsItsLogin(token: String) async throws {
    let home = try practiceHome()
    let board = try board(home, token: home.token)
    let paired = try await board.run("pair", "--token-file", board.path("token"), "--yes")
    #expect(paired.status == 0, "\(paired.log)")
    try board.write(token: token)
    let agent = try agent(board)
    try await agent.event("notifications_open")
    #expect(await agent.stop().status == 0)
    #expect(home.counters.registrations == 1)
    #expect(home.counters.refused == 0)
  }
}
