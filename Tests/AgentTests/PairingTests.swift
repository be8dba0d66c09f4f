import Agent
import Foundation
import PracticeHome
import Testing

/// What is typed into `homeward pair`, `unpair` and `check`, and what becomes of it.
@Suite(.besideTheOthers) enum SetUp {}

extension SetUp {
  /// A board that a person pairs with Home Assistant.
  @Suite struct Pairing {}
}

/// A home whose inhabitant has a password that nothing else in the world holds.
func lockedHome(code: String? = nil) throws -> PracticeServer {
  var household = Household()
  household.token = "token-\(UUID().uuidString)"
  household.resident.userName = "Ann"
  household.resident.password = "pass \(UUID().uuidString)"
  household.resident.code = code
  return try PracticeServer(port: reservedPort(), household: household)
}

extension PracticeServer {
  var password: String { withHome { $0.household.resident.password } }

  /// How often this was refused.
  func refusals(_ refusal: Refusal) -> Int {
    journal.count { entry in
      if case .refused(let refused) = entry.event { refused.refusal == refusal } else { false }
    }
  }

  /// How often this happened.
  func occurrences(_ occurrence: Occurrence) -> Int {
    journal.count { $0.event == .occurred(occurrence) }
  }

  /// The trackers of the one who lives there.
  var trackers: [String] {
    state(of: "person.practice")?.attributes["device_trackers"]?.array?.compactMap(\.string) ?? []
  }
}

extension Board {
  /// A board without a token file, that nobody has paired yet.
  convenience init(unpairedWith home: PracticeServer) throws {
    try self.init(reportingTo: home.url, token: nil, isTokenFileNamed: false)
    keepSecret(home.password)
    keepSecret(home.token)
  }

  /// `homeward pair`, with a person who types.
  func pair(_ arguments: String...) throws -> TypedCommand {
    try TypedCommand(on: self, ["pair", "--config", configuration] + arguments)
  }

  /// Pairs it with a token, without a person.
  func paired(with home: PracticeServer, _ arguments: String...) async throws
    -> RunningAgent.Ending
  {
    try await RunningAgent(
      on: self, ["pair", "--config", configuration, "--token-file", "-"] + arguments,
      input: home.token + "\n"
    ).ending()
  }

  /// Whether there are a registration and a credential that only their owner can read.
  var isPaired: Bool {
    [registration, credential].allSatisfy { file in
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
      return attributes?[.posixPermissions] as? Int == 0o600
    }
  }

  /// Whether nothing of a pairing is kept.
  var isUnpaired: Bool {
    [registration, credential].allSatisfy { !FileManager.default.fileExists(atPath: $0.path) }
  }
}

extension TypedCommand {
  func logIn(to home: PracticeServer, password: String? = nil) async throws {
    try await asked("User name: ")
    type("Ann")
    try await asked("Password: ")
    await typeHidden(password ?? home.password)
  }
}

// MARK: Passwords

extension SetUp.Pairing {
  @Test func aPasswordPairsABoardThatThenReportsWithoutATokenFile() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let command = try board.pair()
    try await command.logIn(to: home)
    try await command.asked("Take this board off Practice? [y/N]: ")
    command.type("")
    let ending = await command.ending()
    #expect(ending.status == 0)
    #expect(ending.output == "")
    #expect(ending.lines(with: "Home Assistant knows this board as \"Boat\".") == 1)
    #expect(ending.lines(with: "made this board a tracker of Practice") == 1)
    #expect(ending.lines(with: "Better give the board a user of its own") == 1)
    #expect(ending.lines(with: "To undo this later, open Settings, People, Practice") == 1)
    #expect(
      ending.lines(with: "Try it: sudo homeward run --once --config \(board.configuration)") == 1)
    #expect(board.isPaired)
    #expect(home.trackers == ["device_tracker.boat"])
    #expect(home.counters.refused == 0)

    let agent = try RunningAgent(
      on: board, ["run", "--once", "--json", "--config", board.configuration])
    try await agent.event("proven")
    #expect(await agent.ending().status == 0)
    #expect(agent.count(of: "registered") == 0)
    #expect(shownCharge(in: home) == "83")
    #expect(home.counters.registrations == 1)
  }

  @Test func aWrongPasswordIsAskedForAgainAndNeverSentTwice() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let command = try board.pair("--yes")
    try await command.logIn(to: home, password: "wrong")
    try await command.asked("wrong. It counts that, and may ban this address; attempts left: 2")
    try await command.logIn(to: home, password: "wrong")
    try await command.asked("that was refused a moment ago, and is not sent again")
    try await command.logIn(to: home)
    #expect(await command.ending().status == 0)
    #expect(board.isPaired)
    #expect(home.refusals(.login(.wrongPassword)) == 1)
  }

  /// Home Assistant would count it as a wrong one.
  @Test func anEmptyPasswordIsAskedForAgainAndNotSent() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let command = try board.pair("--yes")
    try await command.logIn(to: home, password: "")
    try await command.asked("Password: ")
    await command.typeHidden(home.password)
    #expect(await command.ending().status == 0)
    #expect(home.refusals(.login(.wrongPassword)) == 0)
  }

  /// As it is pasted from a telephone.
  @Test func spacesAroundACodeAreNoPartOfIt() async throws {
    let home = try lockedHome(code: "246810")
    let board = try Board(unpairedWith: home)
    let command = try board.pair("--yes")
    try await command.logIn(to: home)
    try await command.asked("Code of Authenticator app: ")
    await command.typeHidden("  246810 ")
    #expect(await command.ending().status == 0)
    #expect(home.refusals(.login(.wrongCode)) == 0)
  }

  @Test func whereNobodyLogsInWithAPasswordATokenPairs() async throws {
    var household = Household()
    household.token = "token-\(UUID().uuidString)"
    household.hasPasswords = false
    let home = try PracticeServer(port: reservedPort(), household: household)
    let board = try Board(unpairedWith: home)
    let ending = await (try board.pair()).ending()
    #expect(ending.status == 77)
    #expect(ending.lines(with: "lets nobody log in with a password") == 1, "\(ending.screen)")
    #expect(!ending.screen.contains("User name"))
    #expect(try await board.paired(with: home).status == 0)
  }

  @Test func afterThreeWrongPasswordsNoMoreAreSent() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let command = try board.pair()
    for attempt in 1...3 { try await command.logIn(to: home, password: "wrong \(attempt)") }
    let ending = await command.ending()
    #expect(ending.status == 77)
    #expect(ending.lines(with: "that was wrong 3 times, and is not tried again") == 1)
    #expect(home.refusals(.login(.wrongPassword)) == 3)
    #expect(board.isUnpaired)
  }

  @Test func aCodeIsAskedForWhereTheUserHasASecondFactor() async throws {
    let home = try lockedHome(code: "246810")
    let board = try Board(unpairedWith: home)
    let command = try board.pair("--yes")
    try await command.logIn(to: home)
    try await command.asked("Code of Authenticator app: ")
    await command.typeHidden("111111")
    try await command.asked("says that the code is wrong")
    try await command.asked("Code of Authenticator app: ")
    await command.typeHidden("111111")
    try await command.asked("is not sent again")
    try await command.asked("Code of Authenticator app: ")
    await command.typeHidden("246810")
    let ending = await command.ending()
    #expect(ending.status == 0)
    #expect(!ending.screen.contains("246810"), "the code is not shown")
    #expect(home.refusals(.login(.wrongCode)) == 1)
    #expect(board.isPaired)
  }

  @Test func whoDoesNotAnswerPairsNothing() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let command = try board.pair()
    try await command.asked("User name: ")
    command.endInput()
    let ending = await command.ending()
    #expect(ending.status == 66)
    #expect(ending.lines(with: "the question was not answered; nothing is done") == 1)
    #expect(board.isUnpaired)
    #expect(home.counters.registrations == 0)
  }

  @Test func withoutATerminalNobodyIsAskedForAPassword() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let ending = try await RunningAgent(on: board, ["pair", "--config", board.configuration])
      .ending()
    #expect(ending.status == 64)
    #expect(ending.lines(with: "give a long-lived access token with --token-file").count == 1)
    #expect(home.requestCount == 0)
  }
}

// MARK: Tokens

extension SetUp.Pairing {
  @Test func aTokenFromStandardInputPairsWithoutATerminal() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let ending = try await board.paired(with: home, "--json")
    #expect(ending.status == 0)
    #expect(
      ending.output == [
        "{\"paired\":true,\"url\":\"\(home.url)\",\"device\":\"Boat\",\"user\":\"Practice\","
          + "\"is_admin\":true,\"person\":\"Practice\",\"tracker\":\"device_tracker.boat\","
          + "\"is_detached\":false,\"is_configuration_written\":false}"
      ])
    #expect(board.isPaired)
    #expect(ending.lines(with: "names another address").isEmpty)
    #expect(home.trackers == ["device_tracker.boat"], "nobody said that it may go")
  }

  @Test func aTokenIsTypedWithoutBeingShown() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let command = try board.pair("--token", "--yes")
    try await command.asked("Long-lived access token: ")
    await command.typeHidden("  \(home.token)  ")
    #expect(await command.ending().status == 0)
    #expect(board.isPaired)
  }

  @Test func aTokenFileIsRead() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    try board.write(token: home.token + "\r\n")
    let arguments = ["pair", "--config", board.configuration, "--token-file", board.path("token")]
    #expect(try await RunningAgent(on: board, arguments).ending().status == 0)
    #expect(board.isPaired)
  }

  @Test func whatIsNoTokenIsNotSent() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    for (text, status, words) in [
      ("\n", 65, "that is no access token: it is empty"),
      ("two words\n", 65, "that is no access token"),
      (String(repeating: "x", count: 10_000), 66, "cannot be read from standard input"),
    ] as [(String, Int32, String)] {
      let ending = try await RunningAgent(
        on: board, ["pair", "--config", board.configuration, "--token-file", "-"], input: text
      ).ending()
      #expect(ending.status == status)
      #expect(ending.lines(with: words).count == 1, "\(ending.log)")
    }
    #expect(home.refusals(.unauthorized) == 0)
    #expect(board.isUnpaired)
  }

  @Test func aRejectedTokenIsNotSentASecondTime() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    try board.write(token: "wrong-\(UUID().uuidString)")
    let arguments = ["pair", "--config", board.configuration, "--token-file", board.path("token")]
    let first = try await RunningAgent(on: board, arguments).ending()
    #expect(first.status == 77)
    #expect(first.lines(with: "does not accept the token; it is never sent again").count == 1)
    let second = try await RunningAgent(on: board, arguments).ending()
    #expect(second.status == 77)
    #expect(second.lines(with: "rejected this token before").count == 1)
    #expect(home.refusals(.unauthorized) == 1)
    #expect(board.isUnpaired)
  }
}

// MARK: The server

extension SetUp.Pairing {
  struct Trouble: Sendable, CustomTestStringConvertible {
    let fault: Fault
    let status: Int32
    let words: String
    var testDescription: String { fault.name }
  }

  static let troubles = [
    Trouble(fault: .captivePortal, status: 75, words: "is not Home Assistant (200)"),
    Trouble(fault: .starting, status: 75, words: "is not Home Assistant (200)"),
    Trouble(fault: .status(404), status: 75, words: "there is no login at"),
    Trouble(fault: .status(503), status: 75, words: "is not available (503)"),
    Trouble(fault: .status(403), status: 77, words: "refuses this address (403)"),
  ]

  @Test(arguments: troubles)
  func noPasswordIsAskedForWhereNobodyCanLogIn(_ trouble: Trouble) async throws {
    let home = try lockedHome()
    home.fault = trouble.fault
    let board = try Board(unpairedWith: home)
    let ending = await (try board.pair()).ending()
    #expect(ending.status == trouble.status)
    #expect(ending.lines(with: trouble.words) == 1, "\(ending.screen)")
    #expect(!ending.screen.contains("User name"))
    #expect(home.requestCount == 1)
  }

  @Test func aServerThatIsOffIsNamed() async throws {
    let home = try lockedHome()
    home.stop()
    let board = try Board(unpairedWith: home)
    let ending = await (try board.pair()).ending()
    #expect(ending.status == 75)
    #expect(ending.lines(with: "\(home.url) cannot be reached: ") == 1)
  }

  @Test func anAddressThatIsNoneIsAMistake() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let ending = await (try board.pair("homeassistant.local")).ending()
    #expect(ending.status == 64)
    #expect(ending.lines(with: "does not begin with http:// or https://") == 1)
  }

  /// In a network with a Home Assistant in it, none of those is what the person wants.
  @Test func whereNothingAnswersTheAddressIsAskedForAndWrittenDown() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let configuration = board.path("etc/new.yaml")
    let command = try TypedCommand(
      on: board,
      ["pair", "--config", configuration, "--state-directory", board.state.path, "--token"])
    let address = "Address of Home Assistant (http://192.168.1.5:8123): "
    while true {
      let questions = [address, "[Y/n]: ", "[y/N]: ", "none of them", "Which one? "]
      switch try await command.asked(oneOf: questions) {
      case address: break
      case "[Y/n]: ", "[y/N]: ":
        command.type("n")
        continue
      case "none of them": continue
      default: throw CancellationError()
      }
      break
    }
    command.type("homeassistant.local")
    try await command.asked("does not begin with http:// or https://")
    try await command.asked(address)
    command.type("\(home.url)/lovelace/0")
    try await command.asked("an address ends before the page: \(home.url)")
    try await command.asked(address)
    command.type(home.url.replacing("http", with: "HTTP"))
    let name = "Name of this board ["
    try await command.asked(name)
    command.type(String(repeating: "x", count: 65))
    try await command.asked("cannot be the name of this board")
    try await command.asked(name)
    command.type(#"Ann's "Boat""#)
    try await command.asked("Long-lived access token: ")
    await command.typeHidden(home.token)
    try await command.asked("Take this board off Practice? [y/N]: ")
    command.type("n")
    try await command.asked("Write one with this address? [Y/n]: ")
    command.type("")
    #expect(await command.ending().status == 0)
    #expect(board.isPaired)
    let text = try String(contentsOfFile: configuration, encoding: .utf8)
    for line in [
      "  url: \"\(home.url)\"", "state_directory: \"\(board.state.path)\"",
      #"device: { name: "Ann's \"Boat\"" }"#,
    ] {
      #expect(text.contains(line + "\n"), "\(text)")
    }
    try expectExamplesToBeYAML(in: text)
    let mode = try FileManager.default.attributesOfItem(atPath: configuration)[.posixPermissions]
    #expect(mode as? Int == 0o644)
    let agent = try RunningAgent(on: board, ["run", "--once", "--config", configuration])
    #expect(await agent.ending().status == 0)
    #expect(home.state(of: "sensor.ann_s_boat_uptime") != nil)
  }

  /// What stands behind a `#` alone is YAML without it; prose stands behind `# `.
  private func expectExamplesToBeYAML(in text: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.contains("#sensors:"), "\(text)")
    let uncommented = lines.map { line in
      line.hasPrefix("#") && (!line.hasPrefix("# ") || line.hasPrefix("#  "))
        ? line.dropFirst() : line
    }
    _ = try Configuration.parse([UInt8](uncommented.joined(separator: "\n").utf8))
  }

  @Test func aScriptNamesTheBoardAndGetsAConfiguration() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let configuration = board.path("etc/new.yaml")
    let arguments = [
      "pair", home.url, "--config", configuration, "--state-directory", board.state.path,
      "--token-file=-", "--name=Skiff", "--yes",
    ]
    let ending = try await RunningAgent(on: board, arguments, input: home.token).ending()
    #expect(ending.status == 0, "\(ending.log)")
    #expect(ending.lines(with: "Home Assistant knows this board as \"Skiff\".").count == 1)
    #expect(try String(contentsOfFile: configuration, encoding: .utf8).contains("\"Skiff\""))
  }

  @Test func aConfigurationThatIsThereIsLeftAlone() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let named = try await board.paired(with: home, "--name", "Skiff")
    #expect(named.status == 64)
    #expect(named.lines(with: "gives the board another name").count == 1)

    let text = try String(contentsOfFile: board.configuration, encoding: .utf8)
      .replacing("device: { name: Boat }\n", with: "")
    try board.write(text, to: "homeward.yaml")
    let ending = try await board.paired(with: home, "--name", "Skiff")
    #expect(ending.status == 0)
    #expect(ending.lines(with: "write this line into it").count == 1)
    #expect(ending.log.contains("device: { name: \"Skiff\" }"), "\(ending.log)")
    #expect(try String(contentsOfFile: board.configuration, encoding: .utf8) == text)
  }

  @Test func aNameThatIsNoneIsAMistake() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    for name in [" ", "a\u{1B}b", String(repeating: "x", count: 65)] {
      let ending = try await RunningAgent(
        on: board,
        ["pair", home.url, "--config", board.path("none"), "--token-file=-", "--name", name]
          + ["--state-directory", board.state.path], input: home.token
      ).ending()
      #expect(ending.status == 64, "\(ending.log)")
    }
    #expect(home.counters.registrations == 0)
  }
}

// MARK: What is there already

extension SetUp.Pairing {
  @Test func aPairedBoardStaysPairedUnlessItIsMeant() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    #expect(try await board.paired(with: home).status == 0)
    let kept = try Data(contentsOf: board.registration)
    let requestCount = home.requestCount

    let refused = try await board.paired(with: home)
    #expect(refused.status == 64)
    #expect(
      refused.log == [
        "homeward pair: this board is paired already, and stays so; --yes pairs it again"
      ])
    let command = try board.pair()
    try await command.asked("This board is paired already.")
    command.type("n")
    #expect(await command.ending().status == 64)
    #expect(home.requestCount == requestCount)
    #expect(try Data(contentsOf: board.registration) == kept)

    #expect(try await board.paired(with: home, "--yes").status == 0)
    #expect(try Data(contentsOf: board.registration) != kept)
    #expect(home.counters.registrations == 2)
  }

  @Test func anOldLoginEndsWhenANewOneTakesItsPlace() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let command = try board.pair("--yes")
    try await command.logIn(to: home)
    #expect(await command.ending().status == 0)
    #expect(home.occurrences(.tokenRevoked) == 0)
    #expect(try await board.paired(with: home, "--yes").status == 0)
    #expect(home.occurrences(.tokenRevoked) == 1)
    #expect(board.isPaired)
  }

  @Test func anOldLoginIsNotShownToAnotherHome() async throws {
    let (home, other) = (try lockedHome(), try lockedHome())
    let board = try Board(unpairedWith: home)
    let command = try board.pair("--yes")
    try await command.logIn(to: home)
    #expect(await command.ending().status == 0)
    board.keepSecret(other.token)
    let ending = try await board.paired(with: other, "--yes", other.url)
    #expect(ending.status == 0)
    #expect(ending.lines(with: "names another address, \(home.url)").count == 1)
    #expect(other.occurrences(.tokenRevoked) == 0)
    #expect(other.counters.refused == 0)
    // The providers, the registration, and a WebSocket.
    #expect(other.requestCount == 3)
  }

  @Test func aRegistrationThatFailsLeavesNoLoginBehind() async throws {
    let home = try lockedHome()
    home.restart(Startup(deaf: .seconds(3600)))
    let board = try Board(unpairedWith: home)
    let command = try board.pair()
    try await command.logIn(to: home)
    let ending = await command.ending()
    #expect(ending.status == 75)
    #expect(ending.lines(with: "Home Assistant is not ready to register (404)") == 1)
    #expect(home.occurrences(.tokenRevoked) == 1)
    #expect(board.isUnpaired)
  }

  @Test func aRunningAgentKeepsItsStateToItself() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let agent = try RunningAgent(on: board)
    try await agent.event("not_registered", cause: "no_token")
    let ending = try await board.paired(with: home)
    #expect(ending.status == 75)
    #expect(ending.lines(with: "another homeward uses \(board.state.path)").count == 1)
    let last = await agent.stop()
    #expect(last.lines(with: "Pair this board: homeward pair").count == 1)
  }
}

// MARK: The person

extension SetUp.Pairing {
  @Test func aBoardThatIsTakenOffThePersonMovesNobody() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let command = try board.pair("--json")
    try await command.logIn(to: home)
    try await command.asked("where it is, Practice is, from now on.")
    try await command.asked("Take this board off Practice? [y/N]: ")
    command.type("maybe")
    try await command.asked("Take this board off Practice? [y/N]: ")
    command.type("yes")
    let ending = await command.ending()
    #expect(ending.status == 0)
    #expect(ending.lines(with: "This board is not a tracker of Practice any more.") == 1)
    #expect(ending.output.contains("\"is_detached\":true"))
    #expect(home.trackers == [])
  }

  @Test func otherTrackersOfThePersonStay() async throws {
    let home = try lockedHome()
    let other = try Board(unpairedWith: home)
    // Another serial number, and so another device.
    try other.write("other", to: "sys/firmware/devicetree/base/serial-number")
    #expect(try await other.paired(with: home).status == 0)
    let board = try Board(unpairedWith: home)
    #expect(try await board.paired(with: home, "--yes").status == 0)
    #expect(home.counters.registrations == 2)
    #expect(home.trackers == ["device_tracker.boat"])
  }

  @Test func whoLeavesAtTheLastQuestionHasPairedAllTheSame() async throws {
    let home = try lockedHome()
    let board = try Board(unpairedWith: home)
    let command = try board.pair()
    try await command.logIn(to: home)
    try await command.asked("Take this board off Practice? [y/N]: ")
    command.endInput()
    let ending = await command.ending()
    #expect(ending.status == 0)
    #expect(ending.lines(with: "This board is paired.") == 1)
    #expect(!ending.screen.contains("nothing is done"))
    #expect(board.isPaired)
  }

  @Test func withoutAWebSocketTheBoardIsPairedAndThePersonUnknown() async throws {
    let home = try lockedHome()
    home.fault = .noWebSocket
    let board = try Board(unpairedWith: home)
    let ending = try await board.paired(with: home)
    #expect(ending.status == 0)
    #expect(
      ending.lines(with: "Whether this board is a person's tracker now is not known").count == 1)
    #expect(board.isPaired)
  }
}
