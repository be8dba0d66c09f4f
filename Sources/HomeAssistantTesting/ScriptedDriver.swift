public import Bytes
public import HomeAssistant

/// Driver without a network, in virtual time: a test plays the server, and sees the client's calls.
///
///     let driver = ScriptedDriver()
///     let client = driver.makeClient()
///     client.connect()
///     driver.acceptConnection(version: "2025.4.4")
///     client.send(.currentUser) { result in … }
///     driver.answer(with: ["id": "abc", "name": "Ada"])
public final class ScriptedDriver: Driver {
  /// Call of a client to its driver.
  public enum Deed: Equatable, Sendable {
    /// The client asked for a socket.
    case openedSocket
    /// The client closed the socket, or stopped opening it, with this code of RFC 6455.
    case closedSocket(code: UInt16)
    /// The client asked for an access token.
    case fetchedToken(TokenReason)
    /// The client sent a text message.
    case sentText(JSON)
    /// The client sent a binary message.
    case sentBinary([UInt8])
    /// The client made a call to the REST API.
    case sentHTTP(HTTPCall)
    /// The client cancelled a call to the REST API.
    case cancelledHTTP(RequestID)
  }

  /// Calls since the last `removeDeeds`, oldest first.
  public private(set) var deeds: [Deed] = []
  /// Highest number of a received message.
  public private(set) var lastMessageID: Int64 = 0
  public private(set) var now = Instant(nanoseconds: 0)
  /// State of the socket.
  public enum Socket: Equatable, Sendable {
    /// No socket.
    case closed
    /// Requested by the client: `openConnection` or `endConnection` follows.
    case opening
    /// Open in both directions.
    case open
  }

  /// State of the socket.
  public private(set) var socket = Socket.closed
  private weak var client: Client?

  /// Creates a driver at the start of its time, without a connection.
  public init() {}

  /// Creates the client of this driver, with a constant jitter.
  public func makeClient(policy: SessionPolicy = SessionPolicy(), seed: UInt64 = 1) -> Client {
    precondition(client == nil, "a driver has one client")
    let client = Client(driver: self, policy: policy, seed: seed)
    self.client = client
    return client
  }

  // MARK: Calls of the client

  /// Text messages, oldest first.
  public var messages: [JSON] {
    deeds.compactMap { if case .sentText(let message) = $0 { message } else { nil } }
  }

  /// Member `type` of each text message.
  public var messageTypes: [String] { messages.map { $0.get("type", orOnFailure: "") } }

  /// Returns the number of the last message of a type, or nil.
  public func messageID(ofType type: Text) -> Int64? {
    let message = messages.last { $0["type"] == .text(type) }
    return message.flatMap { try? $0.get("id") }
  }

  /// Removes the stored calls.
  public func removeDeeds() { deeds = [] }

  // MARK: Actions of the server

  /// Opens the socket that the client requested.
  public func openConnection() {
    precondition(socket == .opening, "a client asks for a connection first")
    socket = .open
    client?.socketOpened()
  }

  /// Ends the socket, or fails to open it, for this reason.
  public func endConnection(_ cause: ConnectionFailure = .closed(code: 1006)) {
    precondition(socket != .closed, "what ends was there")
    socket = .closed
    client?.socketClosed(cause)
  }

  /// Reports the requested token to the client.
  public func giveToken(_ token: String = "token") {
    client?.tokenFetched(.token([UInt8](token.utf8)))
  }

  /// Reports the result of the client's token request.
  public func giveToken(_ result: TokenResult) { client?.tokenFetched(result) }

  /// Opens the socket, reports a token and accepts it.
  public func acceptConnection(version: Text = "2025.4.4") {
    openConnection()
    giveToken()
    say(["type": "auth_required", "ha_version": .text(version)])
    say(["type": "auth_ok", "ha_version": .text(version)])
  }

  /// Sends a message to the client.
  public func say(_ message: JSON) { say(text: message.serialized()) }

  /// Sends a text to the client, which need not be JSON.
  public func say(text: [UInt8]) { client?.received(text.span) }

  /// Reports that a long message is still arriving; over a slow link this comes every second.
  public func sayPart() { client?.receiving() }

  /// Answers a message: the last one, if `id` is nil.
  public func answer(_ id: Int64? = nil, with result: JSON = .null) {
    say([
      "id": number(id), "type": "result", "success": true, "result": result,
    ])
  }

  /// Refuses a message: the last one, if `id` is nil.
  public func refuse(_ id: Int64? = nil, code: Text, message: Text = "") {
    say([
      "id": number(id), "type": "result", "success": false,
      "error": ["code": .text(code), "message": .text(message)],
    ])
  }

  /// Sends an event of a subscription; Home Assistant writes the number last.
  public func tell(_ event: JSON, of id: Int64? = nil) {
    say(["type": "event", "event": event, "id": number(id)])
  }

  /// Answers a ping: the last message, if `id` is nil.
  public func pong(_ id: Int64? = nil) { say(["id": number(id), "type": "pong"]) }

  /// Answers a call of `Deed.sentHTTP`. An empty `mediaType` leaves out `Content-Type`.
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

  /// Advances the time; the client acts at each of its deadlines.
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

  /// Advances the time to the client's next deadline, if there is one.
  public func advanceToDeadline() {
    guard let deadline = client?.deadline else { return }
    advance(by: deadline - now)
  }

  /// Advances the time in one step, as for a machine that slept.
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

  /// Checks that the number rises: Home Assistant answers `id_reuse` otherwise.
  private func checkNumber(of message: JSON) {
    if message["type"] == "auth" { return }
    let id: Int64 = message.get("id", orOnFailure: 0)
    precondition(id > lastMessageID, "the numbers of messages only rise")
    lastMessageID = id
  }
}
