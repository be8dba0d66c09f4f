import Bytes
import HomeAssistant
import LinuxIO
import Testing

@testable import Transport

/// What carries a client over the network: which token goes where, and what becomes of the socket
/// while a message of it is read.
@Suite(.serialized) final class NetworkDriverTests {
  private var kept: NetworkDriverRig?

  deinit { kept?.stop() }

  private func rig(
    _ credential: Credential, isListening: Bool = true
  ) throws -> NetworkDriverRig {
    let rig = try NetworkDriverRig(credential, isListening: isListening)
    kept = rig
    return rig
  }

  private func rig() throws -> NetworkDriverRig { try rig(NetworkDriverRig.longLived) }

  @Test func anAnswerMayBeLongerThanHomeAssistantAcceptsOne() throws {
    let rig = try rig()
    let socket = try rig.connected()
    var answer: Result<JSON, RequestError>?
    rig.client.send(RawRequest("get_states")) { answer = $0 }
    _ = try rig.message(from: socket)
    let text = String(repeating: "a", count: 5 << 20)
    rig.say(#"{"id":1,"type":"result","success":true,"result":"\#(text)"}"#, over: socket)
    try rig.turn { answer != nil || !rig.isReady }
    let isWhole = answer == .success(.text(Text(text)))
    #expect(isWhole)
  }

  // MARK: Tokens

  @Test func theLongLivedTokenGoesOverTheSocketAndWithACall() throws {
    let rig = try rig()
    rig.client.connect()
    let (socket, token) = try rig.socketWithToken()
    #expect(token == "llat")
    try rig.accept(socket)
    rig.client.send(RawRESTRequest(.get, "config")) { _ in }
    let (_, text) = try rig.request("GET /api/config")
    #expect(text.contains("Authorization: Bearer llat\r\n"))
  }

  @Test func anAccessTokenThatIsRefusedTwiceIsNotAskedForAThirdTime() throws {
    let rig = try rig(NetworkDriverRig.refresh)
    rig.client.connect()
    try rig.grant("old")
    rig.refuse(try rig.socketWithToken().socket)
    try rig.grant("new")
    rig.refuse(try rig.socketWithToken().socket)
    try rig.turn { rig.driver.isCredentialRejected }
    #expect(rig.isRejected)
    var results: [Result<JSON, RequestError>] = []
    rig.client.send(RawRESTRequest(.get, "config")) { results.append($0) }
    let isQuiet = try rig.settle()
    #expect(isQuiet && results == [.failure(.rejected)])
  }

  /// A user was changed, and changed again hours later.
  @Test func anAccessTokenThatTheSocketAcceptedMayBeReplacedAgainLater() throws {
    let rig = try rig(NetworkDriverRig.refresh)
    rig.client.connect()
    try rig.grant("first")
    rig.refuse(try rig.socketWithToken().socket)
    try rig.grant("second")
    let socket = try rig.socketWithToken().socket
    try rig.accept(socket)
    rig.client.disconnect()
    rig.client.connect()
    rig.refuse(try rig.socketWithToken().socket)
    try rig.grant("third")
    #expect(try rig.socketWithToken().token == "third")
    #expect(!rig.driver.isCredentialRejected)
  }

  @Test func aLongLivedTokenThatIsRefusedIsNotSentAgain() throws {
    let rig = try rig()
    rig.client.connect()
    rig.refuse(try rig.socketWithToken().socket)
    try rig.turn { rig.isRejected }
    rig.client.connect()
    #expect(rig.driver.isCredentialRejected)
    try rig.turn { rig.isRejected }
    let isQuiet = try rig.settle()
    #expect(isQuiet)
  }

  /// A user who may log in only in the local network comes home.
  @Test func aDeniedLoginIsTriedAgainInAnotherNetwork() throws {
    let rig = try rig(NetworkDriverRig.refresh)
    rig.client.connect()
    let (peer, _) = try rig.request("POST /auth/token")
    rig.answer(#"{"error":"access_denied"}"#, status: 403, to: peer)
    guard case .noToken(let words) = try rig.failure() else {
      Issue.record("\(rig.client.state)")
      return
    }
    #expect(words.string.contains("from here: access_denied"))
    rig.client.connect()
    #expect(try rig.failure() == .noToken(words))
    rig.client.networkChanged()
    try rig.grant("one")
    #expect(try rig.socketWithToken().token == "one")
  }

  // MARK: The socket while a message of it is read

  @Test func aHandlerThatEndsTheConnectionEndsThatOneOnly() throws {
    let rig = try rig()
    let client = rig.client
    try rig.ask(over: try rig.connected()) { client.disconnect() }
    #expect(client.state == .down(.idle))
    let socket = try rig.connected()
    for _ in 0..<2 { try rig.ask(over: socket) {} }
    #expect(rig.isReady)
    #expect(rig.server.connectionCount == 2)
  }

  @Test func aHandlerMayEndTheConnectionAndBeginTheNext() throws {
    let rig = try rig()
    let client = rig.client
    try rig.ask(over: try rig.connected()) {
      client.disconnect()
      client.connect()
    }
    try rig.accept(try rig.socketWithToken().socket)
    #expect(
      !rig.states.contains { if case .down(.retrying) = $0 { true } else { false } },
      "it is the first attempt")
  }

  @Test func aConnectionThatAHandlerWishesForAndTakesBackIsNotMade() throws {
    let rig = try rig()
    let client = rig.client
    let socket = try rig.connected()
    try rig.ask(over: socket) {
      client.disconnect()
      client.connect()
      client.disconnect()
    }
    rig.close(socket)
    let isQuiet = try rig.settle()
    #expect(isQuiet)
    #expect(client.state == .down(.idle) && rig.server.connectionCount == 1)
  }

  @Test func aHandlerMaySendWhileItsMessageIsRead() throws {
    let rig = try rig()
    let client = rig.client
    let socket = try rig.connected()
    try rig.ask(over: socket) { client.send(RawRequest("another")) { _ in } }
    let message = try rig.message(from: socket)
    #expect(message.contains(#""type":"another""#))
  }

  @Test func aBinaryMessageIsPassedOver() throws {
    let rig = try rig()
    let socket = try rig.connected()
    rig.server.send(WebSocketRig.frame(0x82, [0, 1, 0xFF]), to: socket)
    try rig.ask(over: socket) {}
    #expect(rig.isReady)
  }

  // MARK: Ends

  @Test func whatTheSocketEndedWithIsTold() throws {
    let rig = try rig()
    rig.close(try rig.connected(), code: 1001)
    #expect(try rig.failure() == .closed(code: 1001))
  }

  @Test func aServerThatBreaksTheProtocolIsTold() throws {
    let rig = try rig()
    // A reserved bit is set.
    rig.server.send([0xC1, 0], to: try rig.connected())
    #expect(try rig.failure() == .violation(.reservedBitSet))
  }

  @Test func aServerThatOpensNoWebSocketIsTold() throws {
    let rig = try rig()
    rig.client.connect()
    rig.answer("", status: 403, to: try rig.request("GET /api/websocket").peer)
    #expect(try rig.failure() == .refused(.server(.forbidden(status: 403))))
  }

  @Test func aServerThatCannotBeReachedIsTold() throws {
    let rig = try rig(NetworkDriverRig.longLived, isListening: false)
    rig.client.connect()
    guard case .unreachable = try rig.failure() else {
      Issue.record("\(rig.client.state)")
      return
    }
  }

  @Test func aConnectionThatTheClientEndsIsNoFailure() throws {
    let rig = try rig()
    let socket = try rig.connected()
    rig.client.disconnect()
    let frame = try rig.message(from: socket)
    #expect([UInt8](frame.utf8).first == 0x03, "the code is 1000")
    rig.close(socket)
    let isQuiet = try rig.settle()
    #expect(isQuiet)
    #expect(rig.client.state == .down(.idle))
  }

  @Test func theConnectionEndsWithTheDriver() throws {
    let loop = try EventLoop()
    let server = try StreamServer(loop: loop)
    defer { server.stop() }
    do {
      let driver = try #require(
        NetworkDriver(
          address: [UInt8]("http://127.0.0.1:\(server.port)".utf8),
          tokens: AccessTokens(
            credential: try NetworkDriverRig.longLived, rejected: RejectedTokens(), seed: 1),
          settings: .system, loop: loop, userAgent: []))
      let client = driver.makeClient(seed: 1)
      client.connect()
      try loop.turn(driver) { !server.peers.isEmpty }
    }
    while server.hangUpCount == 0 { try loop.turn(until: nil) }
    #expect(server.connectionCount == 1)
  }
}
