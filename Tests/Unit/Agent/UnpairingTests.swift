import Foundation
import Synchronization
import Testing

@testable import PracticeHome

extension SetUp {
  /// A board that a person takes out of Home Assistant again.
  @Suite struct Unpairing {}
}

extension Board {
  /// A board that a person has paired, with a password.
  static func loggedIn(to home: PracticeServer) async throws -> Board {
    let board = try Board(unpairedWith: home)
    let command = try board.pair("--yes")
    try await command.logIn(to: home)
    let ending = await command.ending()
    try #require(ending.status == 0, "\(ending.screen)")
    return board
  }

  fileprivate func unpaired(_ arguments: String...) async throws -> RunningAgent.Ending {
    keepKeptSecrets()
    return try await run("unpair", options: arguments)
  }

  /// The refresh token that it keeps.
  var refreshToken: String {
    get throws {
      struct Kept: Decodable { let token: String }
      return try JSONDecoder().decode(Kept.self, from: try Data(contentsOf: credential)).token
    }
  }
}

extension PracticeServer {
  /// What a person does who ends a login in the profile page.
  func revoke(_ refreshToken: String) {
    withHome { home in
      _ = home.answer(
        Request(
          method: "POST", path: "/auth/revoke",
          headers: [(name: "Content-Type", value: "application/x-www-form-urlencoded")],
          body: Array("token=\(refreshToken)".utf8)), now: .now())
    }
  }
}

/// A home that changes as soon as its journal shows an event.
private final class ChangingHome: Sendable {
  private let home = Mutex<PracticeServer?>(nil)

  func started(
    at event: @escaping @Sendable (Event) -> Bool,
    _ change: @escaping @Sendable (PracticeServer) -> Void
  ) throws -> PracticeServer {
    let server = try PracticeServer(port: reservedPort(), household: .locked()) { entries in
      guard entries.contains(where: { event($0.event) }) else { return }
      self.home.withLock { if let home = $0 { change(home) } }
    }
    home.withLock { $0 = server }
    return server
  }

  func end() { home.withLock { $0 = nil } }
}

extension SetUp.Pairing {
  /// The person ends it in the profile page while `pair` still looks whose tracker the board is.
  @Test func aTokenThatIsRejectedAfterTheRegistrationIsNotSentAgain() async throws {
    let strict = ChangingHome()
    defer { strict.end() }
    let home = try strict.started(at: { if case .registered = $0 { true } else { false } }) {
      $0.withHome { $0.grants = Grants(token: "another", random: $0.random) }
    }
    let board = try Board(unpairedWith: home)
    let first = try await board.paired(with: home)
    #expect(first.status == 0)
    #expect(first.lines(with: "is not known").count == 1, "\(first.log)")
    #expect(board.isPaired)
    let second = try await board.paired(with: home, "--yes")
    #expect(second.status == 77)
    #expect(second.lines(with: "rejected this token before").count == 1, "\(second.log)")
  }
}

extension SetUp.Unpairing {
  @Test func nothingOfTheBoardIsLeftThereNorHere() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    let command = try TypedCommand(on: board, ["unpair", "--config", board.configuration])
    try await command.asked("with its entities and their names? [y/N]: ")
    command.type("y")
    let ending = await command.ending()
    #expect(ending.status == 0)
    #expect(ending.lines(with: "Home Assistant has deleted this board, with its entities.") == 1)
    #expect(ending.lines(with: "This board is no longer paired.") == 1)
    #expect(!ending.screen.contains("To finish in"))
    #expect(board.isUnpaired)
    #expect(home.occurrences(.registrationDeleted) == 1)
    #expect(home.occurrences(.tokenRevoked) == 1)
    #expect(home.trackers == [])
    #expect(home.counters.refused == 0)
  }

  @Test func aScriptIsToldWhatWasDone() async throws {
    let (_, board) = try await loggedInHomeAndBoard()
    let ending = try await board.unpaired("--yes", "--json")
    #expect(ending.status == 0)
    #expect(
      ending.output == ["{\"paired\":false,\"is_device_deleted\":true,\"is_login_ended\":true}"])
  }

  @Test func whatStaysIsSaidWithTheReason() async throws {
    let (_, board) = try await loggedInHomeAndBoard()
    try board.makeFolder("state/spool")
    try board.write("0", to: "state/rejected-token")
    let secrets = ["relay-token", "push-key.json", "without-key"].map { "state/\($0)" }
    for secret in secrets { try board.write("0", to: secret) }
    let ending = try await board.unpaired("--local", "--yes")
    #expect(ending.status == 0)
    #expect(
      ending.lines(with: "Waiting readings stay in \(board.path("state/spool"))").count == 1)
    #expect(ending.lines(with: "bans an address that sends one again").count == 1)
    #expect(FileManager.default.fileExists(atPath: board.path("state/spool")))
    for secret in secrets {
      #expect(!FileManager.default.fileExists(atPath: board.path(secret)), "\(secret)")
    }
  }

  @Test func withoutAYesItStaysPaired() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    let requestCount = home.requestCount
    let ending = try await board.unpaired()
    #expect(ending.status == 64)
    #expect(ending.lines(with: "this board stays paired; --yes unpairs it").count == 1)
    #expect(board.isPaired)
    #expect(home.requestCount == requestCount)
  }

  @Test func whileHomeAssistantIsOffNothingIsForgottenUnlessItIsMeant() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    home.stop()
    let ending = try await board.unpaired("--yes")
    #expect(ending.status == 75)
    #expect(
      ending.lines(
        with: "; check that this board has a network, that Home Assistant is running, and"
      ).count == 1, "\(ending.log)")
    let local = "sudo homeward unpair --local --config \(board.configuration)"
    #expect(ending.lines(with: "no longer exists: \(local)").count == 1, "\(ending.log)")
    #expect(board.isPaired)

    let unpaired = try await board.unpaired("--local", "--yes")
    #expect(unpaired.status == 0)
    #expect(unpaired.lines(with: "delete this board there").count == 1)
    #expect(board.isUnpaired)
  }

  /// Of a proxy without WebSockets, and of a user who may log in only in the local network: at home
  /// the same command works.
  @Test(
    arguments: [
      (.noWebSocket, 75, "there is no WebSocket (404)"),
      (.denied, 77, "User cannot authenticate remotely"),
    ] as [(Fault, Int32, String)])
  func whereTheLoginIsOfNoUseNothingIsForgotten(
    fault: Fault, status: Int32, words: String
  ) async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    home.fault = fault
    let ending = try await board.unpaired("--yes")
    #expect(ending.status == status)
    #expect(ending.lines(with: words).count == 1, "\(ending.log)")
    #expect(board.isPaired)
    #expect(home.occurrences(.tokenRevoked) == 0)
  }

  @Test func aBoardThatIsNotPairedIsNoFailure() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    let ending = try await board.unpaired("--yes")
    #expect(ending.status == 0)
    #expect(ending.log == ["This board is not paired."])
    #expect(home.requestCount == 0)
  }

  @Test func aLoginThatWasEndedThereIsSentOnceAndTheRestIsDone() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    home.revoke(try board.refreshToken)
    let kept = try [board.registration, board.credential].map { ($0, try Data(contentsOf: $0)) }
    let requestCount = home.requestCount
    let ending = try await board.unpaired("--yes")
    #expect(ending.status == 0)
    #expect(ending.lines(with: "Home Assistant no longer accepts the login").count == 1)
    #expect(ending.lines(with: "delete this board there").count == 1)
    #expect(board.isUnpaired)
    #expect(home.refusals(.login(.invalidGrant)) == 1)
    // A look whether it answers, the refresh token, and a WebSocket that was opened meanwhile;
    // nothing is revoked.
    #expect(home.requestCount <= requestCount + 3)
    // Nor is it sent where a person brings the files back.
    for (file, bytes) in kept { try bytes.write(to: file) }
    #expect(try await board.run("check").status == 77)
    #expect(home.refusals(.login(.invalidGrant)) == 1)
  }

  /// Home Assistant fails between the deletion and the end of the login.
  @Test func aLoginThatCouldNotBeEndedIsNotCalledEnded() async throws {
    let failing = ChangingHome()
    defer { failing.end() }
    let home = try failing.started(at: { $0 == .occurred(.registrationDeleted) }) {
      $0.fault = .status(503)
    }
    let board = try await Board.loggedIn(to: home)
    let ending = try await board.unpaired("--yes", "--json")
    #expect(
      ending.output == ["{\"paired\":false,\"is_device_deleted\":true,\"is_login_ended\":false}"])
    #expect(ending.lines(with: "in the profile of its user, under Security").count == 1)
    #expect(home.occurrences(.tokenRevoked) == 0)
  }

  /// A registration that a person removed by hand leaves a login behind.
  @Test func aLoginWithoutARegistrationIsEndedAndForgottenToo() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    board.keepKeptSecrets()
    try board.remove("state/registration.json")
    #expect(try await board.unpaired("--yes").status == 0)
    #expect(home.occurrences(.tokenRevoked) == 1)
    #expect(board.isUnpaired)
  }

  @Test func aBoardThatWasDeletedThereIsForgottenHere() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    home.forgetAll()
    let ending = try await board.unpaired("--yes")
    #expect(ending.status == 0)
    #expect(ending.lines(with: "Home Assistant no longer knows this board.").count == 1)
    #expect(ending.lines(with: "To finish in").isEmpty)
    #expect(home.occurrences(.tokenRevoked) == 1)
  }

  @Test func aTokenThatAPersonMadeStaysGood() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    #expect(try await board.paired(with: home).status == 0)
    let ending = try await board.unpaired("--yes")
    #expect(ending.status == 0)
    #expect(ending.lines(with: "in the profile of its user, under Security").count == 1)
    #expect(home.occurrences(.registrationDeleted) == 1)
    #expect(try await board.paired(with: home).status == 0)
  }

  @Test func aTokenFileThatWouldRegisterItAgainIsNamed() async throws {
    let (_, board) = try homeAndBoard()
    #expect(try await board.run("run", "--once").status == 0)
    let ending = try await board.unpaired("--yes")
    #expect(ending.status == 0)
    #expect(ending.lines(with: "it can read a token from \(board.path("token"))").count == 1)
    #expect(ending.lines(with: "delete this board there").count == 1)
    #expect(board.isUnpaired)
  }
}
