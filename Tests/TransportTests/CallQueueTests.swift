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

    func tokenFetched(_ result: TokenResult) { tokens.append(result) }
    func callAnswered(
      _ id: RequestID, status: Int, mediaType: InlineText, body: borrowing ByteBuffer
    ) {
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
  private static func granted(_ token: String) -> ScriptedServer.Reply {
    .whole(
      [UInt8](#"{"access_token":"\#(token)","token_type":"Bearer","expires_in":1800}"#.utf8))
  }

  private func call(_ number: UInt64, _ target: String = "/api/") -> HTTPCall {
    HTTPCall(
      id: RequestID(number: number), method: .get, target: [UInt8](target.utf8), body: nil)
  }

  private func turn(_ queue: CallQueue, until isDone: () -> Bool) throws {
    while !isDone() {
      try loop.turn(until: queue.deadline)
      queue.deadlineReached(now: Moment.now.instant)
    }
  }

  private func requests(with text: String) -> Int {
    server.requests.count { String(decoding: $0, as: UTF8.self).contains(text) }
  }

  @Test func callsGoOneAfterTheOtherWithTheToken() throws {
    server.add(.whole([UInt8]("1")), .whole([UInt8]("2")))
    let queue = try queue(try #require(Self.longLived))
    queue.add(call(1))
    queue.add(call(2))
    try turn(queue) { owner.endCount == 2 }
    #expect(owner.answers.map(\.body) == ["1", "2"])
    #expect(requests(with: "Authorization: Bearer llat") == 2)
  }

  @Test func aRefusedTokenIsReplacedOnceAndTheCallIsMadeAgain() throws {
    server.add(
      Self.granted("old"), .whole(status: 401, []), Self.granted("new"), .whole([UInt8]("ok")))
    let queue = try queue(Self.refresh)
    queue.add(call(1))
    try turn(queue) { owner.endCount == 1 }
    #expect(owner.answers.first?.body == "ok")
    #expect(requests(with: "Bearer old") == 1 && requests(with: "Bearer new") == 1)
  }

  @Test func aTokenThatIsRefusedTwiceIsNotSentAThirdTime() throws {
    server.add(
      Self.granted("old"), .whole(status: 401, []), Self.granted("new"), .whole(status: 401, []))
    let queue = try queue(Self.refresh)
    queue.add(call(1))
    queue.add(call(2))
    try turn(queue) { owner.endCount == 2 }
    #expect(owner.failures.map(\.error) == [.rejected, .rejected])
    #expect(queue.isCredentialRejected && server.requests.count == 4)
    queue.add(call(3))
    #expect(owner.failures.count == 3 && server.requests.count == 4)
  }

  @Test func aRefusedLongLivedTokenIsRejectedAtOnce() throws {
    server.add(.whole(status: 401, []))
    let queue = try queue(try #require(Self.longLived))
    queue.add(call(1))
    try turn(queue) { owner.endCount == 1 }
    #expect(owner.failures.first?.error == .rejected && queue.isCredentialRejected)
  }

  @Test func oneTokenServesTheSessionAndTheCalls() throws {
    server.add(Self.granted("one"), .whole([UInt8]("1")))
    let queue = try queue(Self.refresh)
    queue.fetchToken(refused: nil)
    queue.add(call(1))
    try turn(queue) { owner.endCount == 1 }
    #expect(owner.tokens == [.token([UInt8]("one".utf8))])
    #expect(requests(with: "/auth/token") == 1)
  }

  @Test func aServerThatCannotBeReachedIsSaidForEachCall() throws {
    let nobody = try ScriptedServer(loop: loop, isListening: false)
    defer { nobody.stop() }
    let queue = try queue(try #require(Self.longLived), to: nobody)
    queue.add(call(1))
    queue.add(call(2))
    try turn(queue) { owner.endCount == 2 }
    for failure in owner.failures {
      guard case .transport = failure.error else {
        Issue.record("\(failure.error)")
        continue
      }
    }
    #expect(owner.failures.map(\.call) == [RequestID(number: 1), RequestID(number: 2)])
  }

  @Test func aCancelledCallIsToldNothingAndTheNextOneGoes() throws {
    server.add(.silence, .whole([UInt8]("2")))
    let queue = try queue(try #require(Self.longLived))
    queue.add(call(1))
    queue.add(call(2))
    try turn(queue) { server.requests.count == 1 }
    queue.cancel(RequestID(number: 1))
    try turn(queue) { owner.endCount == 1 }
    #expect(owner.answers.map(\.call) == [RequestID(number: 2)])
  }
}
