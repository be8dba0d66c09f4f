import Bytes
import HomeAssistant
import LinuxIO
import Testing

@testable import Transport

/// What drives a client over the network, by the loop.
protocol LoopDriver: Driver, Timed {}

extension NetworkDriver: LoopDriver {}
extension WebSocketDriver: LoopDriver {}

typealias NetworkDriverRig = DriverRig<NetworkDriver>

/// A client with its driver, and a Home Assistant that a test speaks for: its WebSocket, its tokens
/// and its REST API at one port.
final class DriverRig<Tested: LoopDriver> {
  let loop: EventLoop
  let server: StreamServer
  let driver: Tested
  let client: Client
  private(set) var states: [ConnectionState] = []
  private var observation: Observation?

  /// `make` makes the driver of the server's address, and its client with the policy.
  init(
    isListening: Bool = true, _ make: ([UInt8], EventLoop, SessionPolicy) throws -> (Tested, Client)
  ) throws {
    loop = try EventLoop()
    server = try StreamServer(loop: loop, isListening: isListening)
    var policy = SessionPolicy()
    // What a test does not ask for does not happen.
    policy.reconnectWaits = [.seconds(3600)]
    policy.coalescesMessages = false
    policy.connectsAutomatically = false
    let address = [UInt8]("http://127.0.0.1:\(server.port)".utf8)
    (driver, client) = try make(address, loop, policy)
    observation = client.observe { [unowned self] in states.append($0) }
  }

  /// The loop keeps what it watches.
  func stop() {
    observation = nil
    client.disconnect()
    server.stop()
  }

  // MARK: Time

  func turn(until isDone: () throws -> Bool) throws { try loop.turn(driver, until: isDone) }

  // MARK: The server

  /// Takes a whole request that begins like this from the connection that it came over.
  func request(_ beginning: String) throws -> (peer: StreamServer.Peer, text: String) {
    var found: (StreamServer.Peer, String)?
    try turn {
      for peer in server.peers.values {
        guard let count = ScriptedServer.byteCountOfRequest(peer.input) else { continue }
        let text = String(decoding: peer.input[..<count], as: UTF8.self)
        guard text.hasPrefix(beginning) else { continue }
        peer.input.removeFirst(count)
        found = (peer, text)
      }
      return found != nil
    }
    return try #require(found)
  }

  func answer(_ body: String, status: Int = 200, to peer: StreamServer.Peer) {
    server.send(ScriptedServer.answer(status: status, [UInt8](body.utf8)), to: peer)
  }

  /// Gives the access token that is asked for with the refresh token.
  func grant(_ token: String) throws {
    let (peer, _) = try request("POST /auth/token")
    answer(#"{"access_token":"\#(token)","token_type":"Bearer","expires_in":1800}"#, to: peer)
  }

  /// Takes the WebSocket that is asked for, and returns it with the token that comes over it.
  func socketWithToken() throws -> (socket: StreamServer.Peer, token: String) {
    let (socket, head) = try request("GET /api/websocket")
    server.send(WebSocketRig.accepting(head), to: socket)
    say(#"{"type":"auth_required","ha_version":"2025.4.4"}"#, over: socket)
    let message = try message(from: socket)
    let token = message.split(separator: "\"").last { $0 != "}" }
    return (socket, token.map(String.init) ?? "")
  }

  /// A session that is ready, over its WebSocket.
  func connected() throws -> StreamServer.Peer {
    client.connect()
    let (socket, _) = try socketWithToken()
    try accept(socket)
    return socket
  }

  func accept(_ socket: StreamServer.Peer) throws {
    say(#"{"type":"auth_ok","ha_version":"2025.4.4"}"#, over: socket)
    try turn { isReady }
  }

  /// Refuses the token, and hangs up, as Home Assistant does.
  func refuse(_ socket: StreamServer.Peer) {
    say(#"{"type":"auth_invalid","message":"Invalid access token or password"}"#, over: socket)
    close(socket)
  }

  func close(_ socket: StreamServer.Peer, code: Int = 1000) {
    server.send(WebSocketRig.close(code), to: socket)
    server.close(socket)
  }

  /// Turns the loop until the driver has nothing more to do. Returns whether no peer is asked for
  /// anything.
  func settle() throws -> Bool {
    try turn { driver.deadline == nil }
    return server.peers.values.allSatisfy {
      ScriptedServer.byteCountOfRequest($0.input) == nil
    }
  }

  func say(_ text: String, over socket: StreamServer.Peer) {
    server.send(WebSocketRig.frame(0x81, text), to: socket)
  }

  func message(from socket: StreamServer.Peer) throws -> String {
    var frame: (first: UInt8, payload: [UInt8])?
    try turn {
      frame = socket.takeFrame()
      return frame != nil
    }
    return String(decoding: try #require(frame).payload, as: UTF8.self)
  }

  // MARK: The client

  var isReady: Bool { if case .ready = client.state { true } else { false } }
  var isRejected: Bool { if case .down(.rejected) = client.state { true } else { false } }

  /// Why the client has no connection and tries again, once that is so.
  func failure() throws -> ConnectionFailure {
    var failure: ConnectionFailure?
    try turn {
      if case .down(.retrying(_, _, let cause)) = client.state { failure = cause }
      return failure != nil
    }
    return try #require(failure)
  }

  /// Asks something over the WebSocket, and does `body` when it is answered, while the answer is
  /// still being read.
  func ask(over socket: StreamServer.Peer, whenAnswered body: @escaping () -> Void) throws {
    var isAnswered = false
    client.send(RawRequest("ping_of_the_test")) { _ in
      isAnswered = true
      body()
    }
    let number = try message(from: socket).split { !$0.isNumber }.first ?? ""
    say(#"{"id":\#(number),"type":"result","success":true,"result":null}"#, over: socket)
    try turn { isAnswered }
  }
}

extension DriverRig<NetworkDriver> {
  static var longLived: Credential {
    get throws { try #require(Credential(accessToken: [UInt8]("llat".utf8))) }
  }
  static var refresh: Credential {
    .refreshToken([UInt8]("refresh".utf8), clientID: [UInt8]("http://ha/".utf8))
  }

  convenience init(_ credential: Credential, isListening: Bool = true) throws {
    try self.init(isListening: isListening) { address, loop, policy in
      let driver = try #require(
        NetworkDriver(
          address: address,
          tokens: AccessTokens(credential: credential, rejected: RejectedTokens(), seed: 1),
          settings: .system, loop: loop, userAgent: [UInt8]("Homeward/test".utf8)))
      return (driver, driver.makeClient(policy: policy, seed: 1))
    }
  }
}

/// What acts on an event loop, and at deadlines.
protocol Timed {
  var deadline: Instant? { get }
  func deadlineReached(now: Instant)
}

extension CallQueue: Timed {}
extension HTTPClient: Timed {}
extension WebSocketConnection: Timed {}

extension EventLoop {
  struct Stuck: Error {}

  /// Turns until `isDone`; a minute without that is a failure.
  func turn(_ timed: some Timed, until isDone: () throws -> Bool) throws {
    let end = Moment.now.instant + .seconds(60)
    while try !isDone() {
      guard Moment.now.instant < end else { throw Stuck() }
      try turn(timed, until: end)
    }
  }

  func turn(_ timed: some Timed, until end: Instant) throws {
    try turn(until: earliest(timed.deadline, end))
    timed.deadlineReached(now: Moment.now.instant)
  }

  /// Turns for this long.
  func turn(_ timed: some Timed, for duration: Duration) throws {
    let end = Moment.now.instant + duration
    while Moment.now.instant < end { try turn(timed, until: end) }
  }
}
