import Bytes
import Foundation
import HomeAssistant
import LinuxIO
import Outbox
import Testing
import Transport

@testable import Agent
@testable import Board

/// Where the board is when a request with a token would go, and which request that is.
@Suite(.serialized) final class RegistrarSecretTests: RegistrarOwner {
  enum Kind: CaseIterable {
    /// A long-lived token, from a file, goes with the registration.
    case tokenFile
    /// A refresh token, and then the access token that it brings.
    case refreshToken
  }

  private let folder = URL.temporaryDirectory.appending(path: "homeward-\(UUID().uuidString)")
  private let loop: EventLoop
  private let server: TokenServer
  private let http: HTTPClient
  private var now = Moment.now.instant
  private var registration: Registration?
  private var problems: [Enrollment.Problem] = []
  var maySendToken = true

  init() throws {
    loop = try EventLoop()
    server = try TokenServer(loop: loop)
    http = try #require(
      HTTPClient(loop: loop, requestByteCountMax: 64 * 1024, userAgent: [UInt8]("test".utf8)))
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data("long-lived".utf8).write(to: folder.appending(path: "token"))
  }

  deinit {
    http.cancel()
    server.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  // MARK: The walk

  @Test(arguments: Kind.allCases)
  func atHomeEachKindOfTokenRegisters(kind: Kind) throws {
    let registrar = try registrar(kind)
    registrar.deadlineReached(now: now)
    try turn { registration != nil }
    #expect(server.requests.count == (kind == .tokenFile ? 1 : 2))
  }

  @Test(arguments: Kind.allCases)
  func awayNoneIsSentHoweverOftenItIsTried(kind: Kind) throws {
    maySendToken = false
    let registrar = try registrar(kind)
    try expectSilence(of: registrar)
    #expect(problems == [.noToken(.withheld)])
  }

  @Test(arguments: Kind.allCases)
  func backHomeItRegistersAtOnce(kind: Kind) throws {
    maySendToken = false
    let registrar = try registrar(kind)
    try expectSilence(of: registrar)
    maySendToken = true
    // It was looked at a moment ago; a line that flaps does not have it read each time.
    now = now + Enrollment.shortestTokenCheckDelay
    registrar.presenceChanged(now: now)
    try turn { registration != nil }
  }

  @Test(arguments: Kind.allCases)
  func whoeverLeavesInTheMiddleOfTheFirstRequestTakesItBack(kind: Kind) throws {
    server.isSilent = true
    let registrar = try registrar(kind)
    registrar.deadlineReached(now: now)
    try turn { server.requests.count == 1 }
    maySendToken = false
    registrar.presenceChanged(now: now)
    #expect(!http.isBusy)
    try expectSilence(of: registrar)
    #expect(server.requests.count == 1)
  }

  /// The access token came while the board was at home, and may not be used any more.
  @Test func whoeverLeavesBetweenTheTwoRequestsSendsTheFirstOnly() throws {
    let registrar = try registrar(.refreshToken)
    server.answered = { [unowned(unsafe) self] in unsafe self.maySendToken = false }
    registrar.deadlineReached(now: now)
    try turn { !problems.isEmpty }
    #expect(problems == [.noToken(.withheld)])
    #expect(server.requests.count == 1)
    try expectSilence(of: registrar)
  }

  @Test func whoeverLeavesInTheMiddleOfTheRegistrationTakesItBack() throws {
    let registrar = try registrar(.refreshToken)
    server.answered = { [server] in server.isSilent = true }
    registrar.deadlineReached(now: now)
    try turn { server.requests.count == 2 }
    maySendToken = false
    registrar.presenceChanged(now: now)
    #expect(!http.isBusy)
    try expectSilence(of: registrar)
    #expect(server.requests.count == 2 && registration == nil)
  }

  /// A retry is a request like the first one.
  @Test(arguments: Kind.allCases)
  func aRetryAsksAgain(kind: Kind) throws {
    server.status = 503
    let registrar = try registrar(kind)
    registrar.deadlineReached(now: now)
    try turn { !problems.isEmpty }
    let count = server.requests.count
    maySendToken = false
    try expectSilence(of: registrar)
    #expect(server.requests.count == count)
  }

  /// Home Assistant would refuse each further access token of that login, and count it.
  @Test func aLoginWhoseAccessTokenWasRefusedIsNotSentAgainAfterARestart() throws {
    server.answered = { [server] in server.status = 401 }
    let registrar = try registrar(.refreshToken)
    registrar.deadlineReached(now: now)
    try turn { !problems.isEmpty }
    #expect(server.requests.count == 2)
    server.answered = {}
    server.status = nil
    let restarted = try self.registrar(.refreshToken)
    restarted.deadlineReached(now: now)
    try expectSilence(of: restarted)
    #expect(server.requests.count == 2 && registration == nil)
  }

  // MARK: Tools

  private func registrar(_ kind: Kind) throws -> Registrar {
    let tokenFile =
      kind == .tokenFile ? ", token_file: \(folder.appending(path: "token").path)" : ""
    let configuration = try Configuration.parse(
      [UInt8]("home_assistant: { url: \"http://127.0.0.1:\(server.port)\"\(tokenFile) }".utf8))
    let reporter = Reporter(
      log: Log(), events: EventStream(isOn: false, waits: false),
      advice: SourceAdvice(configuration))
    return Registrar(
      settings: configuration.homeAssistant,
      identity: configuration.registrationRequest { _ in },
      credential: .refreshToken([UInt8]("refresh".utf8), clientID: [UInt8]("http://ha/".utf8)),
      http: http, keeper: Keeper(StateDirectory(Path([UInt8](folder.path.utf8))), reporter),
      owner: self, now: now)
  }

  /// Ten cycles, and each deadline between them, bring no request on its way.
  private func expectSilence(of registrar: Registrar) throws {
    for _ in 0..<10 {
      now = now + .seconds(30)
      registrar.deadlineReached(now: now)
      #expect(!http.isBusy)
      registrar.cycleDue(now: now)
      #expect(!http.isBusy)
    }
  }

  private func turn(until isDone: () -> Bool) throws {
    let end = Moment.now.instant + .seconds(60)
    while !isDone() {
      try #require(Moment.now.instant < end)
      try loop.turn(until: http.deadline ?? end)
      http.deadlineReached(now: Moment.now.instant)
    }
  }

  // MARK: The owner

  func registered(_ registration: Registration, now: Instant) { self.registration = registration }
  func registrationFailed(_ problem: Enrollment.Problem, now: Instant) { problems.append(problem) }
  func registrationPostponed(now: Instant) { Issue.record("the state directory is there") }
}
