public import Bytes
public import HomeAssistant
public import LinuxIO

/// Who has the access tokens for a `WebSocketDriver`.
public protocol WebSocketDriverOwner: AnyObject {
  /// The session wants an access token: tell `WebSocketDriver.tokenFetched`, from inside this call
  /// or later. A wish before it that was not answered yet is void.
  ///
  /// - Parameter refused: the token that the server did not accept, or nil.
  func tokenWanted(refused: [UInt8]?)
}

/// Carries the WebSocket of a `Client`, and nothing else: its owner has the access tokens, and
/// calls of the REST API fail with `RequestError.unsupported`.
///
/// Invariants:
/// 1. The socket is left alone while the client reads a message, which stands in its buffer.
/// 2. A refused token is told to the owner once, with the wish for the next one.
@safe public final class WebSocketDriver {
  /// What the client asked for while it read a message.
  private struct Deferred {
    var closeCode: UInt16?
    var isOpening = false
  }

  private let url: [UInt8]
  private let socket: WebSocketConnection
  private unowned(unsafe) var client: Client?
  private unowned(unsafe) var owner: (any WebSocketDriverOwner)?
  /// The token that the session got last.
  private var sessionToken: [UInt8]?
  /// Nil where the client reads no message.
  private var deferred: Deferred?

  /// Nil where libcurl cannot start.
  ///
  /// - Parameters:
  ///   - address: of Home Assistant, without a slash at its end: `http://192.168.1.5:8123`.
  ///   - settings: how the server is reached, and who it has to be.
  ///   - loop: tells when there is something to do.
  ///   - userAgent: what the server's log calls this program.
  public init?(
    address: [UInt8], settings: TransportSettings, loop: EventLoop, userAgent: [UInt8]
  ) {
    guard let socket = WebSocketConnection(loop: loop, settings: settings, userAgent: userAgent)
    else { return nil }
    self.socket = socket
    url = address + [UInt8]("/api/websocket")
  }

  deinit { socket.abandon() }

  /// Makes the one client of this driver.
  ///
  /// - Parameters:
  ///   - policy: how patient the client is.
  ///   - seed: where the jitter of its waits starts.
  ///   - owner: has the tokens; it outlives the client.
  /// - Returns: the client, which keeps the driver.
  public func makeClient(
    policy: SessionPolicy = SessionPolicy(), seed: UInt64, telling owner: any WebSocketDriverOwner
  ) -> Client {
    let client = Client(driver: self, policy: policy, seed: seed)
    carry(client, telling: owner)
    return client
  }

  /// Carries a client that has this driver, or one that has this driver as a part.
  func carry(_ client: Client, telling owner: any WebSocketDriverOwner) {
    precondition(unsafe self.client == nil, "a driver has one client")
    unsafe self.client = client
    unsafe self.owner = owner
  }

  /// Whether the session has a token that was not refused, as far as that was told.
  var hasShownToken: Bool { sessionToken != nil }

  /// The answer to `WebSocketDriverOwner.tokenWanted`.
  public func tokenFetched(_ result: TokenResult) {
    if case .token(let token) = result { sessionToken = token }
    unsafe client?.tokenFetched(result)
  }

  // MARK: Time

  /// When `deadlineReached` is due, or nil; that of the client included.
  public var deadline: Instant? { unsafe earliest(socket.deadline, client?.deadline) }

  /// `deadline` has come.
  public func deadlineReached(now: Instant) {
    socket.deadlineReached(now: now)
    if let client = unsafe client, let deadline = client.deadline, now >= deadline {
      client.deadlineReached()
    }
  }
}

extension WebSocketDriver: Driver {
  public var now: Instant { Moment.now.instant }

  public func openSocket() {
    guard deferred == nil else {
      deferred?.isOpening = true
      return
    }
    // The last one may still be closing, for which the new one does not wait.
    socket.abandon()
    socket.open(url, telling: self)
  }

  public func closeSocket(code: UInt16) {
    guard deferred == nil else { return deferred = Deferred(closeCode: code) }
    socket.close(code: code)
  }

  public func send(_ kind: WebSocketMessageKind, _ message: Span<UInt8>) {
    // What does not fit is not answered, and its request then says so.
    _ = socket.send(kind, message)
  }

  public func fetchToken(_ reason: TokenReason) {
    let refused = reason == .afterRejection ? sessionToken : nil
    sessionToken = nil
    unsafe owner?.tokenWanted(refused: refused)
  }

  public func send(_ call: HTTPCall) { unsafe client?.httpFailed(call.id, .unsupported) }

  /// No call is ever under way.
  public func cancelHTTP(_ id: RequestID) {}
}

extension WebSocketDriver: WebSocketOwner {
  public func webSocketOpened() { unsafe client?.socketOpened() }

  public func webSocketReceived(_ kind: WebSocketMessageKind) {
    guard kind == .text else {
      unsafe client?.receivedBinary()
      return
    }
    deferred = Deferred()
    tell(socket.message)
    let wish = deferred
    deferred = nil
    if let code = wish?.closeCode { socket.close(code: code) }
    if wish?.isOpening == true { openSocket() }
  }

  private func tell(_ message: borrowing ByteBuffer) {
    unsafe client?.received(message.bytes)
  }

  public func webSocketClosed(_ end: WebSocketEnd) {
    if let cause = end.failure { unsafe client?.socketClosed(cause) }
  }
}

extension WebSocketEnd {
  /// Why the session lost its connection; nil where the session closed it, and expects no report.
  fileprivate var failure: ConnectionFailure? {
    switch self {
    case .notConnected(let words): return .unreachable(Text([UInt8](words.bytes)))
    case .disconnected(let words): return .unreachable(Text([UInt8](words.bytes)))
    case .refused(let refusal): return .refused(refusal)
    case .closedByServer(let code, _): return .closed(code: code)
    case .violated(let violation): return .violation(violation)
    case .timedOut: return .connectTimeout
    case .closedByUs: return nil
    }
  }
}
