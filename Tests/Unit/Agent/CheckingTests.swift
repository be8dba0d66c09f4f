import Foundation
import PracticeHome
import Testing

extension SetUp {
  /// A board that a person asks what is wrong with it.
  @Suite struct Checking {}
}

extension Board {
  fileprivate func checked() async throws -> Check {
    let ending = try await run("check", "--json")
    let line = try #require(ending.output.first, "\(ending.log)")
    #expect(ending.output.count == 1)
    #expect(ending.log == [])
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return Check(
      status: ending.status, report: try decoder.decode(Check.Report.self, from: Data(line.utf8)))
  }
}

/// What a check found.
private struct Check {
  struct Report: Decodable {
    struct Finding: Decodable {
      let subject: String
      let isWell: Bool
      let cause: String?
      let atFault: String?
      let text: String
      let remedy: String?
    }
    let isWell: Bool
    let version: String?
    let findings: [Finding]
  }

  let status: Int32
  let report: Report

  subscript(subject: String) -> Report.Finding? {
    report.findings.first { $0.subject == subject }
  }

  /// What is wrong, and who has to do something: `encryption dropped home_assistant`.
  var problems: [String] {
    report.findings.filter { !$0.isWell }.map {
      "\($0.subject) \($0.cause ?? "") \($0.atFault ?? "")"
    }
  }
}

extension SetUp.Checking {
  @Test func aBoardThatCanReportIsWellAndTheAgentGoesOn() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    let agent = try await RunningAgent.proven(on: board)
    let check = try await board.checked()
    #expect(check.status == 0)
    #expect(check.report.isWell)
    #expect(check.report.version == "2025.4.4")
    #expect(
      check.report.findings.map(\.subject) == [
        "configuration", "clock", "disk", "registration", "server", "encryption", "login",
        "source", "source",
      ])
    #expect(check["login"]?.text == "Practice, an administrator")
    #expect(home.counters.refused == 0)
    #expect(await agent.stop().status == 0)
  }

  @Test func peopleReadLines() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    let well = try await board.run("check")
    // What this machine's clock and disk are is nothing that a test knows.
    #expect(well.output.contains { $0.hasPrefix("ok     disk           ") })
    let machine = [
      "ok     disk", "ok     clock", "       clock", "         what to do   sudo timed",
    ]
    #expect(
      well.output.filter { line in !machine.contains { line.hasPrefix($0) } } == [
        "ok     configuration  \(board.configuration)",
        "ok     registration   \(board.registration.path)",
        "ok     server         \(home.url) answers",
        "ok     encryption     Home Assistant 2025.4.4 opened the message",
        "ok     login          Practice, an administrator",
        "ok     source         BAT7: capacity 83 %",
        "ok     source         MARK: no value now",
        "Nothing is wrong.",
      ])
    home.revoke(try board.refreshToken)
    let wrong = try await board.run("check")
    #expect(wrong.status == 77)
    #expect(
      wrong.output.suffix(6) == [
        "ok     source         BAT7: capacity 83 %",
        "ok     source         MARK: no value now",
        "WRONG  login          Home Assistant rejects the login of this board; because it may ban"
          + " this address, the same one is sent less and less often, or never again",
        "         at fault     Home Assistant",
        "         what to do   sudo homeward pair --login --config \(board.configuration)",
        "1 of 9 is wrong.",
      ])
  }

  @Test func aClockThatIsDaysOffIsWrongAndWhatIsWrongComesLast() async throws {
    let world = try await FaultyWorld()
    try await world.useServer(daysBehind: 2)
    let rows = try await world.homeward(["check"]).output
    let first = try #require(rows.firstIndex { $0.hasPrefix("WRONG") })
    #expect(rows[first...].allSatisfy { !$0.hasPrefix("ok") }, "\(rows)")
    #expect(
      rows[first].hasPrefix(
        "WRONG  clock          This board's clock is 2 d ahead of Home"), "\(rows)")
    #expect(rows.last?.hasSuffix(" are wrong.") == true, "\(rows)")
  }

  /// A wrong name in `ssids` is seen, and what the board is connected to. As the agent, a check
  /// sends nothing in plain HTTP there.
  @Test func aBoardThatIsNotAtHomeIsToldWhatItIsConnectedTo() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    let nowhere = "home_assistant: { home_network: { ssids: [Nowhere] }, "
    try board.configure("home_assistant: { ", nowhere)
    let requestCount = home.requestCount
    let check = try await board.checked()
    let network = try #require(check["network"])
    #expect(network.isWell)
    #expect(network.text.hasPrefix("Not at home"))
    #expect(network.remedy?.isEmpty == false)
    let server = try #require(check["server"])
    #expect(check.problems == ["server no_route network"])
    #expect(server.text.hasSuffix(" is plain HTTP, which is used only at home"))
    #expect(home.requestCount == requestCount)
  }

  /// A van whose address in the configuration leads nowhere from here.
  @Test func aBoardThatReportsThroughTheCloudIsWell() async throws {
    let home = try lockedHome()
    let url = home.url
    home.withHome { $0.household.cloud = Cloud(remoteUI: url) }
    let board = try await Board.loggedIn(to: home)
    let nowhere = "http://127.0.0.1:1"
    try board.configure(url, nowhere)
    let check = try await board.checked()
    #expect(check.problems == [])
    #expect(check["server"]?.text.hasSuffix("; the agent uses another route") == true)
    #expect(
      check["encryption"]?.text
        == "Home Assistant 2025.4.4 opened the message over the remote address in the cloud")
    #expect(check["login"]?.text.hasPrefix("Not tested: \(nowhere) does not answer") == true)
    home.stop()
    let alone = try await board.checked()
    #expect(alone.problems == ["encryption no_connection network"])
    #expect(alone.report.findings.allSatisfy { !$0.text.contains(url) }, "it is a secret")
  }

  @Test func aConfigurationThatIsWrongIsAllThatIsLookedAt() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    try board.write("every: 10\n", to: "homeward.yaml")
    let check = try await board.checked()
    #expect(check.status == 78)
    #expect(check.problems == ["configuration configuration configuration"])
    #expect(home.requestCount == 0)
  }

  /// An earlier version knew the key.
  @Test func aKeyWithoutEffectIsANoteAndNoProblem() async throws {
    let (_, board) = try homeAndBoard(settings: "history: { order: newest_first }")
    let check = try await board.checked()
    let notes = check.report.findings.filter { $0.subject == "configuration" }
    #expect(notes.contains { $0.text.contains(": history: \"order\" has no effect: ") })
    #expect(notes.allSatisfy { $0.isWell })
  }

  @Test func aBoardThatIsNotPairedIsToldHow() async throws {
    let home = try lockedHome()
    let unpaired = try Board(unpairedWith: home)
    let check = try await unpaired.checked()
    #expect(check.status == 69)
    #expect(check.problems == ["registration not_paired board"])
    let pair = "sudo homeward pair --config"
    let finding = try #require(check["registration"])
    #expect(
      finding.text == "This board is not paired: \(unpaired.state.path) holds no registration")
    #expect(finding.remedy == "\(pair) \(unpaired.configuration)")
    #expect(check["server"]?.isWell == true)

    let board = try Board(reportingTo: home)
    #expect(
      try await board.checked()["registration"]?.remedy
        == "\(pair) \(board.configuration), or put a token into \(board.path("token")) and start the agent"
    )
  }

  @Test func aDamagedRegistrationOrLoginIsNamed() async throws {
    let (_, board) = try await loggedInHomeAndBoard()
    board.keepKeptSecrets()
    try board.write("{}", to: "state/registration.json")
    try board.write("{}", to: "state/credential.json")
    let check = try await board.checked()
    #expect(check.status == 65)
    #expect(check.problems == ["registration unusable board", "login unusable board"])
  }

  @Test(
    arguments: [
      (.captivePortal, 75, "server not_home_assistant network"),
      (.status(404), 75, "server not_found configuration"),
      (.status(503), 75, "server unavailable home_assistant"),
      (.status(403), 77, "server forbidden home_assistant"),
      (.wrongKey, 76, "encryption other_key home_assistant"),
      (.noWebSocket, 75, "login no_answer home_assistant"),
    ] as [(Fault, Int32, String)])
  func aServerThatIsNotWellIsTold(fault: Fault, status: Int32, problem: String) async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    home.fault = fault
    let check = try await board.checked()
    #expect(check.status == status)
    #expect(check.problems == [problem])
  }

  /// An on-path attacker gives what was answered to the check before.
  @Test func anOldAnswerIsNoProof() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    #expect(try await board.checked().status == 0)
    home.fault = .replay
    let check = try await board.checked()
    #expect(check.status == 76)
    #expect(check.problems == ["encryption other_answer network"])
  }

  @Test func aServerThatIsOffIsAProblemOfTheNetwork() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    home.stop()
    let check = try await board.checked()
    #expect(check.status == 75)
    #expect(check.problems == ["server no_connection network"])
  }

  /// Another key than Home Assistant's: it drops what it cannot open, and answers 200.
  @Test func encryptionThatIsBrokenForGoodIsAnAlarm() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    home.suffer(.changeKeys)
    let check = try await board.checked()
    #expect(check.status == 76)
    #expect(check.problems == ["encryption dropped home_assistant"])
    #expect(check["encryption"]?.remedy?.hasPrefix("sudo homeward pair") == true)
    #expect(check["login"]?.isWell == true)
  }

  @Test func aBoardThatWasDeletedThereIsGone() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    home.forgetAll()
    let check = try await board.checked()
    #expect(check.status == 69)
    #expect(check.problems == ["encryption gone home_assistant"])
    #expect(check["encryption"]?.text.contains("was deleted there") == true)

    home.restart()
    let later = try await board.checked()
    #expect(later.status == 69)
    #expect(later.problems == ["encryption gone home_assistant"])
    #expect(later["encryption"]?.text.contains("(410)") == true)
  }

  @Test func aBoardThatWasRegisteredAgainElsewhereIsTold() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    let twin = try Board(unpairedWith: home)
    #expect(try await twin.paired(with: home).status == 0)
    let check = try await board.checked()
    #expect(check.status == 69)
    #expect(check.problems == ["encryption replaced home_assistant"])
  }

  @Test func withoutALoginStartingAndGoneLookTheSame() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    home.forgetAll()
    try board.remove("state/credential.json")
    let check = try await board.checked()
    #expect(check.status == 75)
    #expect(check.problems == ["encryption not_live home_assistant"])
    #expect(check["login"] == nil)
  }

  @Test func withoutRoomToKeepARejectionTheLoginIsLeftOut() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    home.revoke(try board.refreshToken)
    try board.blockWriting()
    let check = try await board.checked()
    #expect(check.status == 66)
    #expect(check.problems == ["disk not_writable board", "login unusable board"])
    #expect(
      check["login"]?.text.contains("no token is sent: a rejection cannot be stored in") == true)
    #expect(check["encryption"]?.isWell == true)
    #expect(home.counters.refused == 0)
  }

  @Test func theTokenFileIsTheLoginWhereTheConfigurationNamesOne() async throws {
    let (_, board) = try await pairedHomeAndBoard()
    #expect(try await board.checked()["login"]?.isWell == true)

    try board.write(token: "wrong-\(UUID().uuidString)")
    let rejected = try await board.checked()
    #expect(rejected.problems == ["login rejected home_assistant"])
    #expect(
      rejected["login"]?.remedy
        == "write a new token to \(board.path("token")), and restart the agent")

    try board.remove("token")
    let missing = try await board.checked()
    #expect(missing.status == 66)
    #expect(missing.problems == ["login unusable board"])
    #expect(
      missing["login"]?.text.contains("token_file cannot be read: No such file or directory")
        == true)
  }

  @Test func aRejectedLoginIsNeverSentAgain() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    home.revoke(try board.refreshToken)
    for _ in 0..<2 {
      let check = try await board.checked()
      #expect(check.status == 77)
      #expect(check.problems == ["login rejected home_assistant"])
      #expect(check["encryption"]?.isWell == true, "reporting goes on without it")
    }
    #expect(home.refusals(.login(.invalidGrant)) == 1)
    #expect(home.counters.refused == 1)
  }
}
