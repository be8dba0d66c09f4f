import Foundation
import PracticeHome
import Testing

// MARK: Passwords

extension SetUp.Pairing {
  @Test func aPasswordPairsABoardThatThenReportsWithoutATokenFile() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    let command = try board.pair()
    try await command.logIn(to: home)
    try await command.asked("Remove this board from the person \"Practice\"? [y/N]: ")
    command.type("")
    let ending = await command.ending()
    #expect(ending.status == 0)
    #expect(ending.output == "")
    #expect(ending.lines(with: "Home Assistant knows this board as \"Boat\".") == 1)
    #expect(ending.lines(with: "assigned this board to the person \"Practice\"") == 1)
    #expect(ending.lines(with: "It is better to create a user for the board only") == 1)
    #expect(ending.lines(with: "(Settings, People, Add person, \"Allow login\")") == 1)
    #expect(ending.lines(with: "To undo this later, open Settings, People, Practice") == 1)
    #expect(
      ending.lines(with: "Try it: sudo homeward run --once --config \(board.configuration)") == 1)
    #expect(
      ending.screen.contains(
        "under Settings, Devices & services, Mobile App, \"Boat\":"
          + " \(home.url)/config/devices/dashboard"), "\(ending.screen)")
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
    let (home, board) = try unpairedHomeAndBoard()
    let command = try board.pair("--yes")
    try await command.logIn(to: home, password: "wrong")
    try await command.asked(
      "password. It counts failures, and may ban this address; attempts left: 2")
    try await command.logIn(to: home, password: "wrong")
    try await command.asked("that was rejected a moment ago, and is not sent again")
    try await command.logIn(to: home)
    #expect(await command.ending().status == 0)
    #expect(board.isPaired)
    #expect(home.refusals(.login(.wrongPassword)) == 1)
  }

  /// Home Assistant would count it as a wrong one.
  @Test func anEmptyPasswordIsAskedForAgainAndNotSent() async throws {
    let (home, board) = try unpairedHomeAndBoard()
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

  @Test func whereNoPasswordLogsInATokenPairs() async throws {
    var household = Household.locked()
    household.hasPasswords = false
    let home = try PracticeServer(port: reservedPort(), household: household)
    let board = try Board(unpairedWith: home)
    let ending = await (try board.pair()).ending()
    #expect(ending.status == 77)
    #expect(ending.lines(with: "does not allow a login with a password") == 1, "\(ending.screen)")
    #expect(!ending.screen.contains("User name"))
    #expect(try await board.paired(with: home).status == 0)
  }

  @Test func afterThreeWrongPasswordsNoMoreAreSent() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    let command = try board.pair()
    for attempt in 1...3 { try await command.logIn(to: home, password: "wrong \(attempt)") }
    let ending = await command.ending()
    #expect(ending.status == 77)
    #expect(ending.lines(with: "that was wrong 3 times, and is not sent again") == 1)
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
    try await command.asked("rejected the code")
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
    let (home, board) = try unpairedHomeAndBoard()
    let command = try board.pair()
    try await command.asked("User name: ")
    command.endInput()
    let ending = await command.ending()
    #expect(ending.status == 66)
    #expect(ending.lines(with: "the question was not answered; nothing was changed") == 1)
    #expect(board.isUnpaired)
    #expect(home.counters.registrations == 0)
  }

  @Test func withoutATerminalNoPasswordIsAskedFor() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    let ending = try await board.run("pair")
    #expect(ending.status == 64)
    #expect(ending.lines(with: "give a long-lived access token with --token-file").count == 1)
    #expect(home.requestCount == 0)
  }
}

// MARK: Tokens

extension SetUp.Pairing {
  @Test func aTokenFromStandardInputPairsWithoutATerminal() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    let ending = try await board.paired(with: home, "--json")
    #expect(ending.status == 0)
    #expect(
      ending.output == [
        "{\"paired\":true,\"url\":\"\(home.url)\",\"device\":\"Boat\",\"user\":\"Practice\","
          + "\"is_admin\":true,\"person\":\"Practice\",\"tracker\":\"device_tracker.boat\","
          + "\"is_detached\":false,\"is_configuration_written\":false}"
      ])
    #expect(board.isPaired)
    #expect(ending.lines(with: "contains another address").isEmpty)
    #expect(home.trackers == ["device_tracker.boat"], "nobody said that it may go")
  }

  @Test func aTokenIsTypedWithoutBeingShown() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    let command = try board.pair("--token", "--yes")
    try await command.asked("Long-lived access token: ")
    await command.typeHidden("  \(home.token)  ")
    #expect(await command.ending().status == 0)
    #expect(board.isPaired)
  }

  @Test func aTokenFileIsRead() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    try board.write(token: home.token + "\r\n")
    #expect(try await board.run("pair", "--token-file", board.path("token")).status == 0)
    #expect(board.isPaired)
  }

  @Test func whatIsNoTokenIsNotSent() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    for (text, status, words) in [
      ("\n", 65, "that is not an access token: it is empty"),
      ("two words\n", 65, "that is not an access token"),
      (String(repeating: "x", count: 10_000), 66, "cannot be read from standard input"),
    ] as [(String, Int32, String)] {
      let ending = try await board.run("pair", "--token-file", "-", input: text)
      #expect(ending.status == status)
      #expect(ending.lines(with: words).count == 1, "\(ending.log)")
    }
    #expect(home.refusals(.unauthorized) == 0)
    #expect(board.isUnpaired)
  }

  @Test(arguments: [["--relay", "http://127.0.0.1:1"], ["--same-device"]])
  func whatHasNoReportForAScriptSaysSo(words: [String]) async throws {
    let (_, board) = try unpairedHomeAndBoard()
    let ending = try await board.run("pair", "--json", options: words)
    #expect(ending.status == 64)
    #expect(ending.lines(with: "--json reports a new pairing or login").count == 1)
  }

  /// Which of them is meant is a guess, and a wrong one counts as an attack.
  @Test func aTokenThatIsNamedTwiceIsAMistake() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    for words in [["--token-file", "-", "--token"], ["--token-file", "a", "--token-file", "-"]] {
      let ending = try await board.run("pair", options: words, input: home.token)
      #expect(ending.status == 64)
      #expect(ending.lines(with: "the token is given twice").count == 1, "\(ending.log)")
    }
    #expect(home.requestCount == 0)
  }

  @Test func aRejectedTokenIsNotSentASecondTime() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    try board.write(token: "wrong-\(UUID().uuidString)")
    let first = try await board.run("pair", "--token-file", board.path("token"))
    #expect(first.status == 77)
    #expect(
      first.lines(with: "does not accept the token; because it may ban this address").count == 1)
    let second = try await board.run("pair", "--token-file", board.path("token"))
    #expect(second.status == 77)
    #expect(second.lines(with: "rejected this token before").count == 1)
    #expect(home.refusals(.unauthorized) == 1)
    #expect(board.isUnpaired)
  }
}

// MARK: A new login

extension SetUp.Pairing {
  @Test func aNewLoginInPlaceOfARevokedOneKeepsTheDevice() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    let registration = try Data(contentsOf: board.registration)
    let former = try board.refreshToken
    home.revoke(former)
    let command = try board.pair("--login")
    try await command.logIn(to: home)
    let ending = await command.ending()
    #expect(ending.status == 0, "\(ending.screen)")
    #expect(ending.lines(with: "This board has a new login. Its device and entities stay.") == 1)
    #expect(!ending.screen.contains("[y/N]"))
    #expect(try Data(contentsOf: board.registration) == registration)
    #expect(try board.refreshToken != former)
    #expect(home.counters.registrations == 1)
    let check = try await board.run("check")
    #expect(check.output.contains("ok     login          Practice, an administrator"))
  }

  @Test func aNewLoginOfACopiedCardLeavesTheOtherBoardItsOwn() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    try board.write("10000000aaaa", to: "sys/firmware/devicetree/base/serial-number")
    let command = try board.pair("--yes")
    try await command.logIn(to: home)
    #expect(await command.ending().status == 0)
    try board.write("10000000bbbb", to: "sys/firmware/devicetree/base/serial-number")
    let login = try board.pair("--login")
    try await login.logIn(to: home)
    let ending = await login.ending()
    #expect(ending.status == 0, "\(ending.screen)")
    #expect(home.occurrences(.tokenRevoked) == 0)
  }

  @Test func aNewLoginIsForABoardThatThisHomeKnows() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    let unpaired = try await board.paired(with: home, "--login")
    #expect(unpaired.status == 69)
    #expect(
      unpaired.lines(with: "this board is not paired; pair it: sudo homeward pair").count == 1)

    #expect(try await board.paired(with: home).status == 0)
    let other = try lockedHome()
    board.keepSecret(other.token)
    let elsewhere = try await board.paired(with: other, other.url, "--login")
    #expect(elsewhere.status == 69, "\(elsewhere.log)")
    #expect(elsewhere.lines(with: "\(other.url) does not know this board").count == 1)
    #expect(other.counters.registrations == 0)
    #expect(board.isPaired)

    let named = try await board.paired(with: home, "--login", "--name", "Skiff")
    #expect(named.status == 64)
  }

  /// A proxy that lets no WebSocket through: nothing shows that the new login is one.
  @Test func aNewLoginThatCannotBeTriedReplacesNothing() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    let former = try board.refreshToken
    home.fault = .noWebSocket
    let ending = try await board.paired(with: home, "--login")
    #expect(ending.status == 75, "\(ending.log)")
    #expect(ending.lines(with: "the new login cannot be tested").count == 1)
    #expect(try board.refreshToken == former)
  }

  @Test func whereATokenFileIsNamedTheLoginIsThere() async throws {
    let (home, board) = try homeAndBoard()
    #expect(try await board.run("run", "--once").status == 0)
    let ending = try await board.paired(with: home, "--login")
    #expect(ending.status == 64)
    #expect(ending.lines(with: "write a new one to that file, and restart the agent").count == 1)
  }
}

// MARK: The person

extension SetUp.Pairing {
  @Test func aBoardThatIsTakenOffThePersonDoesNotMoveThePerson() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    let command = try board.pair("--json")
    try await command.logIn(to: home)
    try await command.asked(
      "the person \"Practice\": that person's location now follows the board.")
    try await command.asked("Remove this board from the person \"Practice\"? [y/N]: ")
    command.type("maybe")
    try await command.asked("Remove this board from the person \"Practice\"? [y/N]: ")
    command.type("yes")
    let ending = await command.ending()
    #expect(ending.status == 0)
    #expect(ending.lines(with: "This board is no longer assigned to \"Practice\".") == 1)
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
    let (home, board) = try unpairedHomeAndBoard()
    let command = try board.pair()
    try await command.logIn(to: home)
    try await command.asked("Remove this board from the person \"Practice\"? [y/N]: ")
    command.endInput()
    let ending = await command.ending()
    #expect(ending.status == 0)
    #expect(ending.lines(with: "This board is paired.") == 1)
    #expect(!ending.screen.contains("nothing was changed"))
    #expect(board.isPaired)
  }

  @Test func withoutAWebSocketTheBoardIsPairedAndThePersonUnknown() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    home.fault = .noWebSocket
    let ending = try await board.paired(with: home)
    #expect(ending.status == 0)
    #expect(
      ending.lines(
        with: "It is not known whether this board is now assigned to a person"
      ).count == 1)
    #expect(board.isPaired)
  }
}
