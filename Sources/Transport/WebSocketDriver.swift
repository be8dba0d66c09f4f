public import Bytes
public import HomeAssistant
public import LinuxIO

/// Provider of the access tokens for a `WebSocketDriver`.
public protocol WebSocketDriverOwner: AnyObject {
  /// Requests an access token for the session: call `WebSocketDriver.tokenFetched`, from inside
  /// this call or later. A new request replaces an unanswered one.
  ///
  /// - Parameter refused: the token that the server rejected, or nil.
  func tokenWanted(refused: RefusedToken?)
}

/// Carries only the WebSocket of a `Client`: its owner has the access tokens, and calls of the REST
/// API fail with `RequestError.unsupported`.
///
/// Invariants:
/// 1. The socket does nothing while the client reads a message, which is in the socket's buffer.
/// 2. A rejected token is reported to the owner once, with the request for the next one.
@safe public final class WebSocketDriver {
  /// Requests of the client during the reading of a message.
  private struct Deferred {
    var closeCode: UInt16?
    var isOpening = false
  }

  private let url: [UInt8]
  private let socket: WebSocketConnection
  private unowned(unsafe) var client: Client?
  private unowned(unsafe) var owner: (any WebSocketDriverOwner)?
  /// Last token of the session.
  private var sessionToken: [UInt8]?
  /// Deferred requests; nil unless the client reads a message.
  private var deferred: Deferred?

  /// Creates a driver; nil if libcurl cannot start.
  ///
  /// - Parameters:
  ///   - address: address of Home Assistant, without a slash at its end: `http://192.168.1.5:8123`.
  ///   - settings: settings of proxy and TLS.
  ///   - receivedByteCountMax: maximum size of a received message.
  ///   - loop: event loop that drives the connection.
  ///   - userAgent: name of this program for the server's log.
  public init?(
    address: [UInt8], settings: TransportSettings,
    receivedByteCountMax: Int = WebSocketConversation.messageByteCountMax, loop: EventLoop,
    userAgent: [UInt8]
  ) {
    guard
      let socket = WebSocketConnection(
        loop: loop, settings: settings, receivedByteCountMax: receivedByteCountMax,
        userAgent: userAgent)
    else { return nil }
    self.socket = socket
    url = address + [UInt8]("/api/websocket")
  }

  deinit { socket.abandon() }

  /// Creates the only client of this driver.
  ///
  /// - Parameters:
  ///   - policy: timeouts and retries of the client.
  ///   - seed: start of the jitter of its delays.
  ///   - owner: provider of the tokens; it outlives the client.
  /// - Returns: the client, which keeps the driver alive.
  public func makeClient(
    policy: SessionPolicy = SessionPolicy(), seed: UInt64, telling owner: any WebSocketDriverOwner
  ) -> Client {
    let client = Client(driver: self, policy: policy, seed: seed)
    carry(client, telling: owner)
    return client
  }

  /// Attaches a client that has this driver, or a driver that contains this one.
  func carry(_ client: Client, telling owner: any WebSocketDriverOwner) {
    precondition(unsafe self.client == nil, "a driver has one client")
    unsafe self.client = client
    unsafe self.owner = owner
  }

  /// Whether the session has a token that was not reported as rejected.
  var hasShownToken: Bool { sessionToken != nil }

  /// Answers `WebSocketDriverOwner.tokenWanted`.
  public func tokenFetched(_ result: TokenResult) {
    if case .token(let token) = result { sessionToken = token }
    unsafe client?.tokenFetched(result)
  }

  // MARK: Time

  /// Time at which `deadlineReached` is due, or nil; includes that of the client.
  public var deadline: Instant? { unsafe earliest(socket.deadline, client?.deadline) }

  /// Handles a deadline that has passed.
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
    // The last one may still be closing; the new one does not wait for that.
    socket.abandon()
    socket.open(url, telling: self)
  }

  public func closeSocket(code: UInt16) {
    guard deferred == nil else { return deferred = Deferred(closeCode: code) }
    socket.close(code: code)
  }

  public func send(_ kind: WebSocketMessageKind, _ message: Span<UInt8>) {
    // A message that does not fit gets no answer, and its request then reports that.
    _ = socket.send(kind, message)
  }

  public func fetchToken(_ reason: TokenReason) {
    var refused: RefusedToken?
    if case .afterRejection(let verdict) = reason {
      refused = sessionToken.map { RefusedToken($0, verdict) }
    }
    sessionToken = nil
    unsafe owner?.tokenWanted(refused: refused)
  }

  public func send(_ call: HTTPCall) { unsafe client?.httpFailed(call.id, .unsupported) }

  /// Does nothing: this driver sends no calls.
  public func cancelHTTP(_ id: RequestID) {}
}

extension WebSocketDriver: WebSocketOwner {
  public func webSocketOpened() { unsafe client?.socketOpened() }

  public func webSocketReceiving() { unsafe client?.receiving() }

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
  /// Reason of a lost connection; nil if the session closed it, and expects no report.
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
