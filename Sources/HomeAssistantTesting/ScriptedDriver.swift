public import Bytes
public import HomeAssistant

/// A driver without a network, in virtual time: a test says what the server does, and sees what
/// the client did.
///
///     let driver = ScriptedDriver()
///     let client = driver.makeClient()
///     client.connect()
///     driver.acceptConnection(version: "2025.4.4")
///     client.send(CurrentUser()) { result in … }
///     driver.answer(with: ["id": "abc", "name": "Ada"])
public final class ScriptedDriver: Driver {
  /// What a client did to its driver.
  public enum Deed: Equatable, Sendable {
    /// It asked for a socket.
    case openedSocket
    /// It closed the socket, or gave up opening it, with this code of RFC 6455.
    case closedSocket(code: UInt16)
    /// It asked for an access token.
    case fetchedToken(TokenReason)
    /// It sent a text message.
    case sentText(JSON)
    /// It sent a binary message.
    case sentBinary([UInt8])
    /// It made a call to the REST API.
    case sentHTTP(HTTPCall)
    /// It gave up a call to the REST API.
    case cancelledHTTP(RequestID)
  }

  /// Everything since the last `removeDeeds`, oldest first.
  public private(set) var deeds: [Deed] = []
  /// The highest number that came in a message.
  public private(set) var lastMessageID: Int64 = 0
  public private(set) var now = Instant(nanoseconds: 0)
  /// How the socket stands.
  public enum Socket: Equatable, Sendable {
    /// There is none.
    case closed
    /// The client waits for it: `openConnection` or `endConnection` comes next.
    case opening
    /// Messages go both ways.
    case open
  }

  /// How the socket stands.
  public private(set) var socket = Socket.closed
  private weak var client: Client?

  /// A driver at the beginning of its time, without a connection.
  public init() {}

  /// A client of this driver. Its jitter is the same each time.
  public func makeClient(policy: SessionPolicy = SessionPolicy(), seed: UInt64 = 1) -> Client {
    precondition(client == nil, "a driver has one client")
    let client = Client(driver: self, policy: policy, seed: seed)
    self.client = client
    return client
  }

  // MARK: Looking

  /// The text messages, oldest first.
  public var messages: [JSON] {
    deeds.compactMap { if case .sentText(let message) = $0 { message } else { nil } }
  }

  /// The `type` of each text message.
  public var messageTypes: [String] { messages.map { $0.get("type", orOnFailure: "") } }

  /// The number of the last message of a type, or nil.
  public func messageID(ofType type: Text) -> Int64? {
    let message = messages.last { $0["type"] == .text(type) }
    return message.flatMap { try? $0.get("id") }
  }

  /// Forgets what was done so far.
  public func removeDeeds() { deeds = [] }

  // MARK: What the server does

  /// The socket opens that the client asked for.
  public func openConnection() {
    precondition(socket == .opening, "a client asks for a connection first")
    socket = .open
    client?.socketOpened()
  }

  /// The socket ends, or does not open, and this is why.
  public func endConnection(_ cause: ConnectionFailure = .closed(code: 1006)) {
    precondition(socket != .closed, "what ends was there")
    socket = .closed
    client?.socketClosed(cause)
  }

  /// Gives the token that the client asked for.
  public func giveToken(_ token: String = "token") {
    client?.tokenFetched(.token([UInt8](token.utf8)))
  }

  /// Answers the client's wish for a token.
  public func giveToken(_ result: TokenResult) { client?.tokenFetched(result) }

  /// Opens, gives a token and accepts it.
  public func acceptConnection(version: Text = "2025.4.4") {
    openConnection()
    giveToken()
    say(["type": "auth_required", "ha_version": .text(version)])
    say(["type": "auth_ok", "ha_version": .text(version)])
  }

  /// Says a message.
  public func say(_ message: JSON) { say(text: message.serialized()) }

  /// Says something that need not be JSON.
  public func say(text: [UInt8]) { client?.received(text.span) }

  /// Answers a message: the last one, where none is named.
  public func answer(_ id: Int64? = nil, with result: JSON = .null) {
    say([
      "id": number(id), "type": "result", "success": true, "result": result,
    ])
  }

  /// Refuses a message: the last one, where none is named.
  public func refuse(_ id: Int64? = nil, code: Text, message: Text = "") {
    say([
      "id": number(id), "type": "result", "success": false,
      "error": ["code": .text(code), "message": .text(message)],
    ])
  }

  /// Tells an event of a subscription; Home Assistant writes the number last.
  public func tell(_ event: JSON, of id: Int64? = nil) {
    say(["type": "event", "event": event, "id": number(id)])
  }

  /// Answers a ping: the last message, where none is named.
  public func pong(_ id: Int64? = nil) { say(["id": number(id), "type": "pong"]) }

  /// Answers a call to the REST API.
  ///
  /// - Parameters:
  ///   - id: of the call, in `Deed.sentHTTP`.
  ///   - status: of HTTP.
  ///   - mediaType: the value of `Content-Type`, empty for none.
  ///   - body: UTF-8.
  public func answerHTTP(
    _ id: RequestID, status: Int = 200, mediaType: String = "application/json", body: String
  ) {
    let (mediaType, body) = ([UInt8](mediaType.utf8), [UInt8](body.utf8))
    client?.httpAnswered(id, status: status, mediaType: mediaType.span, body: body.span)
  }

  /// Fails a call to the REST API.
  public func failHTTP(_ id: RequestID, _ error: RequestError) { client?.httpFailed(id, error) }

  private func number(_ id: Int64?) -> JSON { .number(JSONNumber(id ?? lastMessageID)) }

  // MARK: Time

  /// Lets time pass, and the client act at each of its deadlines.
  public func advance(by duration: Duration) {
    let end = now + duration
    var standing = 0
    while let client, let deadline = client.deadline, deadline <= end {
      standing = deadline > now ? 0 : standing + 1
      precondition(standing < 100, "a deadline that was reached is over")
      now = max(now, deadline)
      client.deadlineReached()
    }
    now = end
  }

  /// Lets time pass until the client's next deadline, where it has one.
  public func advanceToDeadline() {
    guard let deadline = client?.deadline else { return }
    advance(by: deadline - now)
  }

  /// Lets time pass at once, as for a machine that slept.
  public func sleep(for duration: Duration) {
    now = now + duration
    client?.deadlineReached()
  }

  // MARK: Driver

  public func openSocket() {
    precondition(socket == .closed, "there is one socket")
    socket = .opening
    deeds.append(.openedSocket)
  }

  public func closeSocket(code: UInt16) {
    socket = .closed
    deeds.append(.closedSocket(code: code))
  }
  public func fetchToken(_ reason: TokenReason) { deeds.append(.fetchedToken(reason)) }
  public func send(_ call: HTTPCall) { deeds.append(.sentHTTP(call)) }
  public func cancelHTTP(_ id: RequestID) { deeds.append(.cancelledHTTP(id)) }

  public func send(_ kind: WebSocketMessageKind, _ message: Span<UInt8>) {
    precondition(socket == .open, "a client sends over a connection")
    guard kind == .text else { return deeds.append(.sentBinary([UInt8](message))) }
    guard let message = try? JSON(parsing: message) else {
      preconditionFailure("a client sends JSON")
    }
    for command in commands(of: message) { checkNumber(of: command) }
    deeds.append(.sentText(message))
  }

  private func commands(of message: JSON) -> [JSON] {
    if case .array(let commands) = message { commands } else { [message] }
  }

  /// Home Assistant answers `id_reuse` to a number that does not rise.
  private func checkNumber(of message: JSON) {
    if message["type"] == "auth" { return }
    let id: Int64 = message.get("id", orOnFailure: 0)
    precondition(id > lastMessageID, "the numbers of messages only rise")
    lastMessageID = id
  }
}
