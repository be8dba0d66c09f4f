import Bytes
import HomeAssistant
import LinuxIO
import Testing

@testable import Transport

/// What carries the WebSocket of a client whose tokens another object has.
@Suite(.serialized) final class WebSocketDriverTests {
  /// Has the tokens, and answers a wish at once where it has an answer.
  private final class TokenOwner: WebSocketDriverOwner {
    var wishes: [RefusedToken?] = []
    var answer: TokenResult?
    weak var driver: WebSocketDriver?

    func tokenWanted(refused: RefusedToken?) {
      wishes.append(refused)
      if let answer { driver?.tokenFetched(answer) }
    }
  }

  private let owner = TokenOwner()
  private let rig: DriverRig<WebSocketDriver>

  init() throws {
    rig = try DriverRig { [owner] address, loop, policy in
      var policy = policy
      // The first deadline is that of a request.
      policy.pingInterval = .seconds(3600)
      let driver = try #require(
        WebSocketDriver(
          address: address, settings: .system, loop: loop,
          userAgent: [UInt8]("Homeward/test".utf8)))
      owner.driver = driver
      return (driver, driver.makeClient(policy: policy, seed: 1, telling: owner))
    }
  }

  deinit { rig.stop() }

  private static func token(_ text: String) -> TokenResult { .token([UInt8](text.utf8)) }

  // MARK: Tokens

  @Test(arguments: [true, false])
  func theTokenOfTheOwnerGoesOverTheSocket(isAnsweredAtOnce: Bool) throws {
    if isAnsweredAtOnce { owner.answer = Self.token("one") }
    rig.client.connect()
    #expect(owner.wishes == [nil])
    if !isAnsweredAtOnce { rig.driver.tokenFetched(Self.token("one")) }
    let (socket, token) = try rig.socketWithToken()
    #expect(token == "one")
    try rig.accept(socket)
    #expect(owner.wishes.count == 1)
  }

  @Test func aRefusedTokenIsReplacedByTheOwnerAloneAndToldWithTheWishForAnother() throws {
    owner.answer = Self.token("old")
    rig.client.connect()
    let (socket, _) = try rig.socketWithToken()
    owner.answer = Self.token("new")
    rig.refuse(socket)
    try rig.turn { rig.isRejected }
    let isQuiet = try rig.settle()
    #expect(isQuiet && owner.wishes.count == 1 && rig.server.connectionCount == 1)
    // Whether a refused token is replaced is the owner's to decide.
    rig.client.connect()
    let (second, token) = try rig.socketWithToken()
    #expect(token == "new")
    #expect(owner.wishes == [nil, RefusedToken([UInt8]("old".utf8), .invalid)])
    try rig.accept(second)
    rig.client.disconnect()
    rig.client.connect()
    _ = try rig.socketWithToken()
    #expect(owner.wishes.last == .some(nil), "the accepted one is not told as refused")
  }

  @Test func anOwnerThatRefusesATokenEndsTheAttempt() throws {
    owner.answer = .rejected("log in again")
    rig.client.connect()
    try rig.turn { rig.client.state == .down(.rejected("log in again")) }
    let isQuiet = try rig.settle()
    #expect(isQuiet)
    #expect(owner.wishes.count == 1, "there was no token to replace")
  }

  @Test func anOwnerWithoutATokenIsAskedAgainLater() throws {
    owner.answer = .unavailable("not from here")
    rig.client.connect()
    #expect(try rig.failure() == .noToken("not from here"))
    owner.answer = Self.token("one")
    rig.client.networkChanged()
    #expect(try rig.socketWithToken().token == "one")
    #expect(owner.wishes.count == 2)
  }

  // MARK: The client

  @Test func aMessageThatIsStillArrivingDelaysTheAnswersBehindIt() throws {
    owner.answer = Self.token("one")
    let socket = try rig.connected()
    rig.client.send(RawRequest("get_config")) { _ in }
    _ = try rig.message(from: socket)
    let deadline = try #require(rig.client.deadline)
    // A frame of 16 bytes, which come one by one.
    rig.server.send([0x81, 16], to: socket)
    for _ in 0..<15 where rig.client.deadline == deadline {
      rig.server.send([UInt8(ascii: " ")], to: socket)
      try rig.loop.turn(rig.driver, for: .milliseconds(200))
    }
    let delayed = try #require(rig.client.deadline)
    #expect(delayed - deadline >= .seconds(1))
  }

  @Test func aMessageThatIsTooLongEndsWhatItMayAnswer() throws {
    owner.answer = Self.token("one")
    let socket = try rig.connected()
    var answer: Result<JSON, RequestError>?
    rig.client.send(RawRequest("get_states", retry: .always)) { answer = $0 }
    _ = try rig.message(from: socket)
    // The header of 4 MiB and a byte.
    rig.server.send([0x81, 127, 0, 0, 0, 0, 0, 64, 0, 1], to: socket)
    _ = try rig.message(from: socket)
    rig.server.close(socket)
    #expect(try rig.failure() == .violation(.messageTooLong))
    #expect(answer == .failure(.tooLarge))
  }

  @Test func aCallOfTheRESTAPIIsRefusedAndTheWebSocketStays() throws {
    owner.answer = Self.token("one")
    let socket = try rig.connected()
    var results: [Result<JSON, RequestError>] = []
    let call = rig.client.send(RawRESTRequest(.get, "config")) { results.append($0) }
    #expect(results == [.failure(.unsupported)])
    rig.client.cancel(call)
    try rig.ask(over: socket) {}
    #expect(rig.isReady && rig.server.connectionCount == 1)
  }
}
