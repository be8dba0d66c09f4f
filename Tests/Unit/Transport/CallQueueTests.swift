import Bytes
import LinuxIO
import Testing

@testable import HomeAssistant
@testable import Transport

/// Calls to the REST API, and the tokens that go with them.
@Suite(.serialized) final class CallQueueTests {
  private let loop: EventLoop
  private let server: ScriptedServer
  private let owner = Owner()

  private final class Owner: CallQueueOwner {
    var tokens: [TokenResult] = []
    var answers: [(call: RequestID, status: Int, body: String)] = []
    var failures: [(call: RequestID, error: RequestError)] = []
    /// What is called with each answer, while it can be read.
    var answered: () -> Void = {}

    func tokenFetched(_ result: TokenResult) { tokens.append(result) }
    func callAnswered(
      _ id: RequestID, status: Int, mediaType: InlineText, body: borrowing ByteBuffer
    ) {
      answered()
      answers.append((id, status, String(decoding: [UInt8](body.bytes), as: UTF8.self)))
    }
    func callFailed(_ id: RequestID, _ error: RequestError) { failures.append((id, error)) }

    var endCount: Int { answers.count + failures.count }
  }

  init() throws {
    loop = try EventLoop()
    server = try ScriptedServer(loop: loop)
  }

  deinit { server.stop() }

  private func queue(
    _ credential: Credential, to server: ScriptedServer? = nil
  ) throws -> CallQueue {
    let queue = try #require(
      CallQueue(
        address: [UInt8]("http://127.0.0.1:\((server ?? self.server).port)".utf8),
        tokens: AccessTokens(credential: credential, rejected: RejectedTokens(), seed: 1),
        settings: .system, loop: loop, userAgent: [UInt8]("test".utf8)))
    unsafe queue.owner = owner
    return queue
  }

  private static let longLived = Credential(accessToken: [UInt8]("llat".utf8))
  private static var refresh: Credential {
    .refreshToken([UInt8]("refresh".utf8), clientID: [UInt8]("http://ha/".utf8))
  }
  private static func granted(_ token: String, seconds: Int = 1800) -> ScriptedServer.Reply {
    let answer = #"{"access_token":"\#(token)","token_type":"Bearer","expires_in":\#(seconds)}"#
    return .whole([UInt8](answer.utf8))
  }

  private func call(
    _ number: UInt64, _ target: String = "/api/", method: HTTPMethod = .get
  ) -> HTTPCall {
    HTTPCall(
      id: RequestID(number: number), method: method, target: [UInt8](target.utf8),
      body: method == .post ? [UInt8]("{}") : nil)
  }

  /// Makes calls, and turns the loop until each has ended.
  private func make(_ calls: HTTPCall..., with queue: CallQueue) throws {
    let count = owner.endCount + calls.count
    for call in calls { queue.add(call) }
    try loop.turn(queue) { owner.endCount == count }
  }

  private func requests(with text: String) -> Int {
    server.requests.count { String(decoding: $0, as: UTF8.self).contains(text) }
  }

  @Test func callsGoOneAfterTheOtherWithTheToken() throws {
    server.add(.whole([UInt8]("1")), .whole([UInt8]("2")))
    let queue = try queue(try #require(Self.longLived))
    try make(call(1), call(2), with: queue)
    #expect(owner.answers.map(\.body) == ["1", "2"])
    #expect(requests(with: "Authorization: Bearer llat") == 2)
  }

  /// An hour later the next access token may be refused, too: a user was changed.
  @Test func aTokenThatWasAcceptedMayBeReplacedAgainLater() throws {
    server.add(
      Self.granted("first"), .rejection, Self.granted("second"), .whole([UInt8]("1")),
      .rejection, Self.granted("third"), .whole([UInt8]("2")))
    let queue = try queue(Self.refresh)
    try make(call(1), with: queue)
    try make(call(2), with: queue)
    #expect(owner.answers.map(\.body) == ["1", "2"])
    #expect(!queue.isCredentialRejected && requests(with: "Bearer third") == 1)
  }

  /// A proxy's error page comes whatever the token is.
  @Test func anErrorAcceptsNoToken() throws {
    server.add(
      Self.granted("first"), .rejection, Self.granted("second"),
      .whole(status: 502, []), .rejection)
    let queue = try queue(Self.refresh)
    try make(call(1), with: queue)
    #expect(owner.answers.map(\.status) == [502])
    try make(call(2), with: queue)
    #expect(owner.failures.map(\.error) == [.rejected] && queue.isCredentialRejected)
  }

  @Test func aCallThatIsMadeAgainComesBeforeThoseAfterIt() throws {
    server.add(
      Self.granted("old"), .rejection, Self.granted("new"), .whole([UInt8]("1")),
      .whole([UInt8]("2")))
    let queue = try queue(Self.refresh)
    try make(call(1), call(2), with: queue)
    #expect(owner.answers.map(\.call) == [RequestID(number: 1), RequestID(number: 2)])
  }

  @Test func aTokenThatIsRefusedTwiceIsNotSentAThirdTime() throws {
    server.add(
      Self.granted("old"), .rejection, Self.granted("new"), .rejection)
    let queue = try queue(Self.refresh)
    try make(call(1), call(2), with: queue)
    #expect(owner.failures.map(\.error) == [.rejected, .rejected])
    #expect(queue.isCredentialRejected && server.requests.count == 4)
    queue.add(call(3))
    #expect(owner.failures.count == 3 && server.requests.count == 4)
  }

  @Test func aRefusedLongLivedTokenIsRejectedAtOnce() throws {
    server.add(.rejection)
    let queue = try queue(try #require(Self.longLived))
    try make(call(1), with: queue)
    #expect(owner.failures.first?.error == .rejected && queue.isCredentialRejected)
  }

  // MARK: Rights

  private static let firedEvent = "/api/events/alarm"
  private static let unauthorized = RequestError.http(status: 401, body: "401: Unauthorized")

  /// Home Assistant says the same of a bad token, and of a user who is not an administrator.
  @Test func aCallThatTheUserMayNotMakeEndsNoLogin() throws {
    server.add(.rejection, .whole([UInt8]("1")), .whole([UInt8]("2")))
    let queue = try queue(try #require(Self.longLived))
    try make(call(1, Self.firedEvent, method: .post), call(2), with: queue)
    #expect(owner.failures.map(\.error) == [Self.unauthorized])
    #expect(owner.failures.map(\.call) == [RequestID(number: 1)])
    #expect(owner.answers.map(\.body) == ["2"] && !queue.isCredentialRejected)
    #expect(requests(with: "POST \(Self.firedEvent)") == 1 && requests(with: "GET /api/ ") == 2)
  }

  @Test func aCallThatTheUserMayNotMakeWithAnyAccessTokenEndsNoLogin() throws {
    let queue = try queue(Self.refresh)
    server.add(Self.granted("0"))
    for number in 1...3 {
      server.add(.rejection, Self.granted("\(number)"), .rejection, .whole([UInt8]("1")))
      try make(call(UInt64(number), Self.firedEvent, method: .post), with: queue)
      #expect(owner.failures.last?.error == Self.unauthorized && !queue.isCredentialRejected)
    }
  }

  @Test func aTokenThatIsBadForEveryCallIsSentNoMore() throws {
    server.add(.rejection, .rejection)
    let queue = try queue(try #require(Self.longLived))
    try make(call(1, Self.firedEvent, method: .post), call(2), with: queue)
    #expect(owner.failures.map(\.error) == [.rejected, .rejected])
    #expect(queue.isCredentialRejected && server.requests.count == 2)
  }

  @Test func aTestWithoutAVerdictEndsNoLoginAndAcceptsNone() throws {
    server.add(
      Self.granted("first"), .rejection, Self.granted("second"), .rejection,
      .whole(status: 502, []), .rejection)
    let queue = try queue(Self.refresh)
    try make(call(1, Self.firedEvent, method: .post), with: queue)
    #expect(owner.failures.map(\.error) == [Self.unauthorized] && !queue.isCredentialRejected)
    try make(call(2), with: queue)
    #expect(owner.failures.last?.error == .rejected && queue.isCredentialRejected)
  }

  @Test func aCallThatIsCancelledDuringTheTestIsToldNothing() throws {
    server.add(.rejection, .silence, .whole([UInt8]("2")))
    let queue = try queue(try #require(Self.longLived))
    queue.add(call(1, Self.firedEvent, method: .post))
    try loop.turn(queue) { server.requests.count == 2 }
    queue.cancel(RequestID(number: 1))
    queue.add(call(2))
    try loop.turn(queue) { owner.endCount == 1 }
    #expect(owner.answers.map(\.call) == [RequestID(number: 2)])
  }

  // MARK: The queue

  @Test func oneTokenServesTheSessionAndTheCalls() throws {
    server.add(Self.granted("one"), .whole([UInt8]("1")), .whole([UInt8]("2")))
    let queue = try queue(Self.refresh)
    queue.fetchToken(refused: nil)
    for number in 1...2 { try make(call(UInt64(number)), with: queue) }
    #expect(owner.tokens == [.token([UInt8]("one".utf8))], "it is told once to who asked once")
    #expect(requests(with: "/auth/token") == 1)
  }

  @Test func aServerThatCannotBeReachedIsSaidForEachCall() throws {
    let closed = try ScriptedServer(loop: loop, isListening: false)
    defer { closed.stop() }
    let queue = try queue(try #require(Self.longLived), to: closed)
    try make(call(1), call(2), with: queue)
    #expect(owner.failures.allSatisfy { if case .transport = $0.error { true } else { false } })
    #expect(owner.failures.map(\.call) == [RequestID(number: 1), RequestID(number: 2)])
  }

  @Test func aCancelledCallIsToldNothingAndTheNextOneGoes() throws {
    server.add(.silence, .whole([UInt8]("2")))
    let queue = try queue(try #require(Self.longLived))
    queue.add(call(1))
    queue.add(call(2))
    try loop.turn(queue) { server.requests.count == 1 }
    queue.cancel(RequestID(number: 1))
    try loop.turn(queue) { owner.endCount == 1 }
    #expect(owner.answers.map(\.call) == [RequestID(number: 2)])
  }

  /// The next call would be written where the answer is read.
  @Test func aCallThatIsMadeWhileAnAnswerIsReadWaitsForItsEnd() throws {
    server.add(.whole([UInt8]("1")), .whole([UInt8]("2")))
    let queue = try queue(try #require(Self.longLived))
    queue.add(call(1))
    owner.answered = { [owner, call = call(2)] in
      owner.answered = {}
      queue.add(call)
    }
    try loop.turn(queue) { owner.endCount == 2 }
    #expect(owner.answers.map(\.body) == ["1", "2"])
  }

  /// A call that waits for its answer while the session wants a token, and its own is used up.
  private func queueInTheMiddleOfACall() throws -> CallQueue {
    server.add(Self.granted("old", seconds: 1), .silence)
    let queue = try queue(Self.refresh)
    queue.add(call(1, "/api/services/lock/open", method: .post))
    try loop.turn(queue) { server.requests.count == 2 }
    queue.fetchToken(refused: nil)
    return queue
  }

  /// The lock would open twice.
  @Test func aCallUnderWayIsNeverRepeatedForTheSakeOfAToken() throws {
    let queue = try queueInTheMiddleOfACall()
    server.add(Self.granted("new"), .whole([UInt8]("twice")))
    for _ in 0..<3 { try loop.turn(until: Moment.now.instant + .milliseconds(20)) }
    server.breakSilence(with: ScriptedServer.answer([UInt8]("once")))
    try loop.turn(queue) { owner.endCount == 1 && !owner.tokens.isEmpty }
    #expect(owner.answers.map(\.body) == ["once"])
    #expect(owner.tokens == [.token([UInt8]("new".utf8))])
    #expect(requests(with: "POST /api/services/lock/open") == 1)
  }

  @Test func aWaitingCallGetsItsTokenWhereTheCallUnderWayIsCancelled() throws {
    let queue = try queueInTheMiddleOfACall()
    server.add(Self.granted("new"))
    queue.cancel(RequestID(number: 1))
    try loop.turn(queue) { !owner.tokens.isEmpty }
    #expect(owner.tokens == [.token([UInt8]("new".utf8))] && owner.endCount == 0)
  }

  @Test func aCallThatIsRefusedWhileATokenIsWantedGoesWithThatOne() throws {
    let queue = try queueInTheMiddleOfACall()
    server.breakSilence(with: ScriptedServer.rejection)
    server.add(Self.granted("new"), .whole([UInt8]("ok")))
    try loop.turn(queue) { owner.endCount == 1 }
    #expect(owner.tokens == [.token([UInt8]("new".utf8))])
    #expect(owner.answers.map(\.body) == ["ok"])
    #expect(requests(with: "Bearer new") == 1 && server.requests.count == 4)
  }

  /// The second refusal of a token is the end: what was to be sent for the next one is not.
  @Test func aTokenThatIsWantedIsNotFetchedWhereTheCredentialIsRejectedMeanwhile() throws {
    server.add(
      Self.granted("first"), .rejection, Self.granted("old", seconds: 1), .silence)
    let queue = try queue(Self.refresh)
    queue.add(call(1))
    try loop.turn(queue) { server.requests.count == 4 }
    queue.fetchToken(refused: nil)
    server.breakSilence(with: ScriptedServer.rejection)
    try loop.turn(queue) { owner.endCount == 1 }
    #expect(owner.failures.map(\.error) == [.rejected] && queue.isCredentialRejected)
    #expect(queue.deadline == nil, "nothing is under way")
    #expect(owner.tokens.count == 1 && server.requests.count == 4)
  }

  @Test func anAnswerThatIsTooLongIsNoAnswer() throws {
    let limit = CallQueue.responseByteCountMax
    server.add(
      .endless([UInt8]("HTTP/1.1 200 X\r\nContent-Length: \(limit + 1)\r\n\r\n[".utf8)),
      .whole([UInt8]("2")))
    let queue = try queue(try #require(Self.longLived))
    try make(call(1), call(2), with: queue)
    #expect(owner.failures.map(\.call) == [RequestID(number: 1)])
    #expect(owner.failures.map(\.error) == [.tooLarge])
    #expect(owner.answers.map(\.call) == [RequestID(number: 2)])
  }
}
