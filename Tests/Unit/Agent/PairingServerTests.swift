import Board
import Foundation
import PracticeHome
import Testing
import Tools

extension SetUp.Pairing {
  @Test(
    arguments: [
      (.captivePortal, 75, "is not Home Assistant (200)"),
      (.starting, 75, "is not Home Assistant (200)"),
      (.status(404), 75, "there is no login at"), (.status(503), 75, "is not available (503)"),
      (.status(403), 77, "refuses this address (403)"),
    ] as [(Fault, Int32, String)])
  func noPasswordIsAskedForWhereNoLoginIsPossible(
    fault: Fault, status: Int32, words: String
  ) async throws {
    let (home, board) = try unpairedHomeAndBoard()
    home.fault = fault
    let ending = await (try board.pair()).ending()
    #expect(ending.status == status)
    #expect(ending.lines(with: words) == 1, "\(ending.screen)")
    #expect(!ending.screen.contains("User name"))
    #expect(home.requestCount == 1)
  }

  /// Nothing is there that another try would find.
  @Test func aPastedPageIsAMistake() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    home.fault = .status(404)
    let command = try board.pair("\(home.url)/lovelace/0")
    try await command.asked("Pair with \(home.url)? [Y/n]: ")
    command.type("n")
    let ending = await command.ending()
    #expect(ending.status == 64, "\(ending.screen)")
  }

  @Test func aPageThatWasPastedIsOfferedWithoutItsPath() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    let command = try board.pair("\(home.url)/lovelace/0", "--yes")
    try await command.asked("Pair with \(home.url)? [Y/n]: ")
    command.type("")
    try await command.logIn(to: home)
    #expect(await command.ending().status == 0)
    #expect(board.isPaired)
  }

  @Test func anAuthorityOfOnesOwnIsNamedBeforeThereIsAConfiguration() async throws {
    let world = try await FaultyWorld()
    try await world.useTLS()
    let file = world.board.path("tls.pem")
    let configuration = world.board.path("etc/new.yaml")
    let url = world.filledIn("{tls}")
    let arguments = ["pair", url, "--config", configuration, "--token-file", "-", "--yes"]
    let refused = try await RunningAgent(on: world.board, arguments, input: "token").ending()
    #expect(refused.status == 75)
    #expect(refused.lines(with: "with --ca-file FILE").count == 1, "\(refused.log)")
    // This server speaks TLS, and nothing behind it.
    let trusted = try await RunningAgent(
      on: world.board, arguments + ["--ca-file", file], input: "token"
    ).ending()
    #expect(trusted.lines(with: "--ca-file").isEmpty, "\(trusted.log)")
    #expect(trusted.lines(with: "certificate").isEmpty, "\(trusted.log)")
    let relative = try await RunningAgent(
      on: world.board, arguments + ["--ca-file", "tls.pem"], input: "token"
    ).ending()
    #expect(relative.status == 64)
  }

  @Test func aServerThatIsOffIsNamed() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    home.stop()
    let ending = await (try board.pair()).ending()
    #expect(ending.status == 75)
    #expect(ending.lines(with: "\(home.url) cannot be reached: ") == 1)
  }

  @Test func theOtherSchemeIsNamedAndNoFileThatIsNotThereYet() async throws {
    let world = try await FaultyWorld()
    try await world.speakTLSToPlain()
    let arguments = [
      "pair", world.filledIn("{tls-encrypted}"), "--config", world.board.path("etc/new.yaml"),
      "--state-directory", world.board.path("new-state"), "--token-file", "-", "--yes",
    ]
    let refused = try await RunningAgent(on: world.board, arguments, input: "token").ending()
    #expect(refused.status == 75)
    #expect(refused.lines(with: world.filledIn("; try {tls}")).count == 1, "\(refused.log)")
    #expect(refused.lines(with: "home_assistant.").isEmpty)
  }

  @Test func anAddressThatIsNoneIsAMistake() async throws {
    let (_, board) = try unpairedHomeAndBoard()
    let ending = await (try board.pair("homeassistant.local")).ending()
    #expect(ending.status == 64)
    #expect(ending.lines(with: "does not begin with http:// or https://") == 1)
  }

  /// In a network with a Home Assistant in it, none of those is what the person wants.
  @Test func whereNothingAnswersTheAddressIsAskedForAndWrittenDown() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    let configuration = board.path("etc/new.yaml")
    let command = try TypedCommand(
      on: board,
      ["pair", "--config", configuration, "--state-directory", board.state.path, "--token"])
    let address = "Address of Home Assistant, such as http://192.168.1.5:8123: "
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
    try await command.asked("use the address without the page: \(home.url)")
    try await command.asked("Pair with \(home.url)? [Y/n]: ")
    command.type("n")
    try await command.asked(address)
    command.type(home.url.replacing("http://", with: ""))
    let name = "Name of this board ["
    try await command.asked(name)
    command.type(String(repeating: "x", count: 65))
    try await command.asked("cannot be the name of this board")
    try await command.asked(name)
    command.type(#"Ann's "Boat""#)
    try await command.asked("Long-lived access token: ")
    await command.typeHidden(home.token)
    try await command.asked("Remove this board from the person \"Practice\"? [y/N]: ")
    command.type("n")
    try await command.asked("Create it with this address? [Y/n]: ")
    command.type("")
    let question = "All, none, or numbers such as 1 3 [none]: "
    if try await command.asked(oneOf: [question, "was created"]) == question { command.type("") }
    #expect(await command.ending().status == 0)
    #expect(board.isPaired)
    let text = try String(contentsOfFile: configuration, encoding: .utf8)
    for line in [
      "  url: \"\(home.url)\"", "state_directory: \(board.state.path)",
      #"device: { name: "Ann's \"Boat\"" }"#,
    ] {
      #expect(text.contains(line + "\n"), "\(text)")
    }
    try expectExamplesToBeYAML(in: text)
    let mode = try FileManager.default.attributesOfItem(atPath: configuration)[.posixPermissions]
    #expect(mode as? Int == 0o644)
    let agent = try RunningAgent(on: board, ["run", "--once", "--config", configuration])
    #expect(await agent.ending().status == 0)
    #expect(home.state(of: "sensor.ann_s_boat_last_start") != nil)
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
    let (home, board) = try unpairedHomeAndBoard()
    let configuration = board.path("etc/new.yaml")
    let arguments = [
      "pair", home.url, "--config", configuration, "--state-directory", board.state.path,
      "--token-file=-", "--name=Skiff", "--yes",
    ]
    let ending = try await RunningAgent(on: board, arguments, input: home.token).ending()
    #expect(ending.status == 0, "\(ending.log)")
    #expect(ending.lines(with: "Home Assistant knows this board as \"Skiff\".").count == 1)
    #expect(try String(contentsOfFile: configuration, encoding: .utf8).contains("{ name: Skiff }"))
  }

  @Test func aConfigurationThatIsThereIsLeftAlone() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    let named = try await board.paired(with: home, "--name", "Skiff")
    #expect(named.status == 64)
    #expect(named.lines(with: "gives the board another name").count == 1)

    try board.configure("device: { name: Boat }\n", "")
    let text = try board.configurationText()
    let ending = try await board.paired(with: home, "--name", "Skiff")
    #expect(ending.status == 0)
    #expect(ending.lines(with: "add this line to it").count == 1)
    #expect(ending.log.contains("device: { name: Skiff }"), "\(ending.log)")
    #expect(try board.configurationText() == text)
  }

  @Test func aNameThatIsNoneIsAMistake() async throws {
    let (home, board) = try unpairedHomeAndBoard()
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
    let (home, board) = try unpairedHomeAndBoard()
    #expect(try await board.paired(with: home).status == 0)
    let kept = try Data(contentsOf: board.registration)
    let requestCount = home.requestCount

    let refused = try await board.paired(with: home)
    #expect(refused.status == 64)
    #expect(
      refused.log == [
        "homeward pair: this board is already paired, and nothing was changed; --yes pairs it again"
      ])
    let command = try board.pair()
    try await command.asked("This board is already paired.")
    command.type("n")
    #expect(await command.ending().status == 64)
    #expect(home.requestCount == requestCount)
    #expect(try Data(contentsOf: board.registration) == kept)

    #expect(try await board.paired(with: home, "--yes").status == 0)
    #expect(try Data(contentsOf: board.registration) != kept)
    #expect(home.counters.registrations == 2)
  }

  @Test func anOldLoginEndsWhenANewOneTakesItsPlace() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    #expect(home.occurrences(.tokenRevoked) == 0)
    #expect(try await board.paired(with: home, "--yes").status == 0)
    #expect(home.occurrences(.tokenRevoked) == 1)
    #expect(board.isPaired)
  }

  @Test func anOldLoginIsNotShownToAnotherHome() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    let other = try lockedHome()
    board.keepSecret(other.token)
    let ending = try await board.paired(with: other, "--yes", other.url)
    #expect(ending.status == 0)
    #expect(ending.lines(with: "contains another address, \(home.url)").count == 1)
    #expect(other.occurrences(.tokenRevoked) == 0)
    #expect(other.counters.refused == 0)
    // The providers, the registration, and a WebSocket.
    #expect(other.requestCount == 3)
  }

  @Test func aRegistrationThatFailsLeavesNoLoginBehind() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    home.restart(Startup(deaf: .seconds(3600)))
    let command = try board.pair()
    try await command.logIn(to: home)
    let ending = await command.ending()
    #expect(ending.status == 75)
    #expect(ending.lines(with: "Home Assistant is not ready to register (404)") == 1)
    #expect(home.occurrences(.tokenRevoked) == 1)
    #expect(board.isUnpaired)
  }

  @Test func aRunningAgentKeepsItsStateToItself() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    let agent = try RunningAgent(on: board)
    try await agent.event("not_registered", cause: "no_token")
    let ending = try await board.paired(with: home)
    #expect(ending.status == 75)
    #expect(ending.lines(with: "another homeward uses \(board.state.path)").count == 1)
    let last = await agent.stop()
    #expect(last.lines(with: "Pair this board: sudo homeward pair").count == 1)
  }
}
