import Bytes
import Foundation
import FoundationNetworking
import HomeAssistant
import PracticeHome
import Testing

extension WholeAgent {
  /// What an agent has to do with Home Assistant beside its readings.
  @Suite struct Servers {}
}

extension Board {
  /// Puts more keys into the section `home_assistant`.
  func configureServer(_ keys: String) throws {
    try configure("token_file:", "\(keys), token_file:")
  }
}

extension PracticeServer {
  func count(_ condition: (PracticeHome.Event) -> Bool) -> Int {
    journal.count { condition($0.event) }
  }

  /// How many WebSockets it closed, as those with a wrong token.
  var socketsTurnedAway: Int {
    count { if case .occurred(.socketClosed(_, byHome: true)) = $0 { true } else { false } }
  }

  /// Has a notification sent to the board, with this `data`; returns the status of the call.
  func notify(_ message: String, _ data: String = "{}") async throws -> Int? {
    let url = try #require(URL(string: "\(url)/api/services/notify/mobile_app_boat"))
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    request.httpBody = Data(
      #"{"title":"Harbour","message":"\#(message)","data":\#(data)}"#.utf8)
    let (_, response) = try await URLSession.shared.data(for: request)
    return (response as? HTTPURLResponse)?.statusCode
  }
}

extension WholeAgent.Servers {
  // MARK: The device

  @Test func aDeviceThatIsCalledSomethingElseIsRenamedAndKeepsItsEntities() async throws {
    let (home, board, first) = try await provenAgent()
    _ = await first.stop()
    #expect(home.count { if case .registrationUpdated = $0 { true } else { false } } == 0)

    try board.configure("name: Boat", "name: Barge")
    for _ in 0..<2 {
      let agent = try await RunningAgent.proven(on: board)
      #expect(await agent.stop().status == 0)
    }
    let names = home.journal.compactMap {
      if case .registrationUpdated(let device) = $0.event { device.deviceName } else { nil }
    }
    #expect(names == ["Barge"])
    #expect(home.count { if case .registered = $0 { true } else { false } } == 1)
    #expect(shownCharge(in: home) == "83")
  }

  // MARK: Notifications

  /// A home, and a board that has had a WebSocket for notifications open.
  private func homeAndNotifiedBoard() async throws -> (PracticeServer, Board) {
    let (home, board) = try homeAndBoard(settings: "notifications: websocket")
    let agent = try await RunningAgent.run(on: board, until: "notifications_open")
    _ = await agent.stop()
    return (home, board)
  }

  @Test func notificationsComeOverTheWebSocketAlsoAfterARestart() async throws {
    var home = try practiceHome()
    let board = try Board(reportingTo: home, settings: "notifications: websocket")
    let agent = try await RunningAgent.run(on: board, until: "notifications_open")
    #expect(try await home.notify("storm at nine") == 200)
    try await agent.event("notification") { $0.message == "storm at nine" && $0.title == "Harbour" }
    #expect(home.count { $0 == .occurred(.notificationConfirmed) } == 1)

    home.stop()
    try await agent.event("websocket_failed")
    home = try PracticeServer(continuing: home)
    try await agent.event("notifications_open")
    #expect(try await home.notify("fair again") == 200)
    try await agent.event("notification") { $0.message == "fair again" }
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: #"notification: "Harbour": "storm at nine""#).count == 1)
  }

  @Test func withoutNotificationsHomeAssistantMakesNoServiceForThem() async throws {
    let (home, _, agent) = try await provenAgent()
    #expect(try await home.notify("hello") == 400)
    _ = await agent.stop()
  }

  @Test func aTokenThatIsNoneIsSentOnceForTheWebSocketAndReadingsGoOn() async throws {
    let (home, board) = try await homeAndNotifiedBoard()
    try board.write(token: "revoked")
    #expect(home.socketsTurnedAway == 0)
    for _ in 0..<2 {
      let agent = try await RunningAgent.run(on: board, until: "websocket_rejected")
      try await agent.event("proven")
      let ending = await agent.stopWithSuccess()
      #expect(ending.lines(with: "never again").count == 1)
    }
    #expect(home.socketsTurnedAway == 1)
  }

  /// What was rejected is written down later, and is known after a restart.
  @Test func aRejectionThatCannotBeKeptAtOnceIsKeptByALaterCycle() async throws {
    let (home, board) = try await homeAndNotifiedBoard()
    try board.write(token: "revoked-\(UUID().uuidString)")
    home.fault = .noWebSocket
    let agent = try await RunningAgent.run(on: board, until: "websocket_failed")
    // What was rejected is known by now. Not even root replaces a folder by a file.
    let obstacle = "state/rejected-token"
    try board.makeFolder(obstacle)
    home.fault = nil
    try await agent.event("state_failed")
    try await agent.event("websocket_rejected")
    try await agent.event("proven")
    try await agent.hasReadEverything()
    try board.remove(obstacle)
    for charge in [70, 71] {
      try board.charge(charge)
      try await agent.hasReadEverything()
      try await agent.event("proven")
    }
    let ending = await agent.stop()
    #expect(
      ending.lines(with: "that Home Assistant rejected the login cannot be stored in").count == 1,
      "\(ending.log)")
    let restarted = try await RunningAgent.run(on: board, until: "websocket_rejected")
    try await restarted.event("proven")
    #expect(await restarted.stop().status == 0)
    #expect(home.socketsTurnedAway == 1)
  }

  @Test func withoutRoomToKeepARejectionTheWebSocketGetsNoToken() async throws {
    let (home, board) = try await homeAndNotifiedBoard()
    let isAdmitted: (PracticeHome.Event) -> Bool = {
      if case .occurred(.socketAdmitted) = $0 { true } else { false }
    }
    let admittedCount = home.count(isAdmitted)
    try board.blockWriting()
    let agent = try await RunningAgent.run(on: board, until: "websocket_failed")
    try await agent.event("proven")
    let ending = await agent.stop()
    #expect(ending.lines(with: "no token is sent: a rejection cannot be stored in").count == 1)
    #expect(home.count(isAdmitted) == admittedCount)
  }

  @Test func aTokenFileThatCannotBeReadIsToldWithItsReason() async throws {
    let (_, board) = try await homeAndNotifiedBoard()
    try board.remove("token")
    let agent = try await RunningAgent.run(on: board, until: "websocket_rejected")
    try await agent.event("proven")
    let ending = await agent.stop()
    #expect(
      ending.lines(with: "token_file cannot be read: No such file or directory").count == 1,
      "\(ending.log)")
  }

  @Test func aNotificationIsShownWithItsLengthButWithoutWhatATerminalObeys() async throws {
    let (home, board) = try homeAndBoard(settings: "notifications: websocket")
    let agent = try await RunningAgent.run(on: board, until: "notifications_open")
    let long = "Storm warning for tonight: " + String(repeating: "gusts of nine. ", count: 15)
    #expect(try await home.notify("\\u001b[31m\(long)\\u0007\\u202e") == 200)
    try await agent.event("notification") { $0.message?.contains(long) == true }
    let tooLong = String(repeating: "é", count: 3000)
    #expect(try await home.notify(tooLong) == 200)
    try await agent.event("notification") { $0.message == tooLong }
    let ending = await agent.stop()
    #expect(ending.lines(with: long).count == 1, "\(ending.log)")
    let controls = ending.log.joined().unicodeScalars.filter {
      $0.properties.generalCategory == .control || $0 == "\u{202E}"
    }
    #expect(controls.isEmpty)
    let cut = try #require(ending.lines(with: "éé").first)
    #expect((100...1000).contains(cut.count { $0 == "é" }), "\(cut)")
    #expect(!cut.contains("\u{FFFD}"), "no character is cut in two")
  }

  // MARK: The other transport

  @Test func messagesGoOverTheOpenWebSocketAndByHTTPWhileThereIsNone() async throws {
    let (home, board) = try homeAndBoard()
    try board.configureServer("transport: websocket")
    let agent = try await RunningAgent.run(on: board, until: "websocket_connected")
    try await agent.hasRead(charges: [80])
    try await agent.event("proven") { $0.readings ?? 0 >= 1 }
    let requestCount = home.requestCount
    try await agent.expectToDeliver(charge: 70, to: home)
    #expect(home.requestCount == requestCount, "nothing was posted")

    home.fault = .noWebSocket
    home.suffer(.closeSockets)
    try await agent.event("websocket_failed")
    try await agent.expectToDeliver(charge: 60, to: home)
    #expect(await agent.stop().status == 0)
  }

  /// Home Assistant may have restarted, and shows sensors as it remembers them.
  @Test func whatStandsIsSentAgainWhereTheWebSocketWasAnotherOneMeanwhile() async throws {
    let (home, board) = try homeAndBoard()
    try board.configureServer("transport: websocket")
    let agent = try await RunningAgent.run(on: board, until: "websocket_connected")
    try board.charge(80)
    try await agent.event("proven") { $0.readings ?? 0 >= 1 }
    try await agent.event("proven") { $0.readings == 0 }
    home.suffer(.closeSockets)
    try await agent.event("websocket_connected")
    let proofs = [try await agent.event("proven"), try await agent.event("proven")]
    #expect(proofs.contains { $0.readings ?? 0 >= 1 })
    #expect(await agent.stop().status == 0)
  }

  // MARK: Away from home

  /// No network of this machine has such a gateway.
  private static let foreign = #"home_network: { gateways: ["02:00:00:00:00:01"] }"#

  @Test func awayFromHomeNothingIsSentInPlain() async throws {
    let (home, board) = try await homeAndNotifiedBoard()
    let requestCount = home.requestCount

    try board.configureServer(Self.foreign)
    let agent = try await RunningAgent.run(on: board, until: "away")
    try await agent.event("outage", cause: "no_route")
    try await agent.hasReadEverything()
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "plain_http_away").count == 1)
    #expect(home.requestCount == requestCount, "not before the kernel had answered either")
  }

  @Test func awayFromHomeABoardThatIsNotRegisteredSendsNoToken() async throws {
    let (home, board) = try homeAndBoard()
    try board.configureServer(Self.foreign)
    let agent = try await RunningAgent.run(on: board, until: "away")
    try await agent.event("not_registered", cause: "no_token")
    // Cycles pass, and the token is looked at again.
    for _ in 0..<2 { try await agent.hasReadEverything() }
    let ending = await agent.stop()
    #expect(ending.lines(with: "no token is sent: this may not be home").count == 1)
    #expect(home.requestCount == 0)
  }

  /// Between the start and the kernel's answer, too.
  @Test func awayFromHomeARefreshTokenStaysOnTheBoard() async throws {
    let (home, board) = try await loggedInHomeAndBoard()
    try board.remove("state/registration.json")
    try board.configure("home_assistant: { ", "home_assistant: { \(Self.foreign), ")
    try board.configure("system: off", "system: off\nnotifications: websocket")
    let requestCount = home.requestCount
    let agent = try RunningAgent(on: board)
    try await agent.event("not_registered", cause: "no_token")
    for _ in 0..<2 { try await agent.hasReadEverything() }
    _ = await agent.stop()
    #expect(home.requestCount == requestCount)
  }

  @Test func awayFromHomePlainIsSentWhereThatIsAllowed() async throws {
    let (home, board) = try homeAndBoard()
    try board.configureServer("plain_http_away: true, \(Self.foreign)")
    let agent = try await RunningAgent.run(on: board, until: "away")
    try await agent.event("proven")
    try await agent.expectToDeliver(charge: 70, to: home)
    _ = await agent.stop()
  }

  // MARK: A registration that is not ours any more

  @Test func aDeviceThatWasDeletedRegistersAgainWhereItMay() async throws {
    let (home, board) = try homeAndBoard()
    try board.configureServer("register_again: 30s")
    let agent = try await RunningAgent.proven(on: board)
    home.forgetAll()
    try board.charge(70)
    try await agent.event("registration_doubted")
    try await agent.event("registered")
    try await agent.event("proven")
    #expect(shownCharge(in: home) == "70")
    #expect(home.count { if case .registered = $0 { true } else { false } } == 2)
    let ending = await agent.stopWithSuccess()
    #expect(
      ending.lines(with: "assigns a board that registers to the person").count == 2,
      "the second registration undoes what a person removed after the first")
  }
}
