public import Bytes
public import HomeAssistant
public import LinuxIO

/// Carries a `Client` over the network: its WebSocket, its calls to the REST API, and the access
/// tokens for both. Another address has another driver, and another client.
@safe public final class NetworkDriver: Driver {
  private let loop: EventLoop
  private let socketURL: [UInt8]
  private let socket: WebSocketConnection
  private let calls: CallQueue
  /// The token that the session got last.
  private var sessionToken: [UInt8]?
  private unowned(unsafe) var client: Client?
  /// While the client reads a message the socket, whose buffer it stands in, is left alone; what is
  /// to become of it is done after.
  private var isReceiving = false
  private var deferredClose: UInt16?
  private var isOpeningDeferred = false

  /// Nil where libcurl cannot start.
  ///
  /// - Parameters:
  ///   - address: of Home Assistant, without a slash at its end: `http://192.168.1.5:8123`.
  ///   - tokens: where access tokens come from.
  ///   - settings: how the server is reached, and who it has to be.
  ///   - loop: tells when there is something to do.
  ///   - userAgent: what the server's log calls us.
  public init?(
    address: [UInt8], tokens: AccessTokens, settings: TransportSettings, loop: EventLoop,
    userAgent: [UInt8]
  ) {
    guard
      let socket = WebSocketConnection(loop: loop, settings: settings, userAgent: userAgent),
      let calls = CallQueue(
        address: address, tokens: tokens, settings: settings, loop: loop, userAgent: userAgent)
    else { return nil }
    self.loop = loop
    self.socket = socket
    self.calls = calls
    socketURL = address + [UInt8]("/api/websocket")
  }

  deinit {
    socket.abandon()
    calls.abandon()
  }

  /// Makes the client of this driver, which keeps the driver. A driver has one.
  public func makeClient(policy: SessionPolicy = SessionPolicy(), seed: UInt64) -> Client {
    precondition(unsafe client == nil, "a driver has one client")
    let client = Client(driver: self, policy: policy, seed: seed)
    unsafe self.client = client
    unsafe calls.owner = self
    // The client keeps the driver as long as it calls it.
    client.observe { [unowned(unsafe) self] in unsafe stateChanged($0) }.detach()
    return client
  }

  /// Whether nothing is sent any more until somebody logs in again. Keep the fingerprint of the
  /// credential then.
  public var isCredentialRejected: Bool { calls.isCredentialRejected }

  /// Whether tokens may be sent from now on, which they may at first. A call that carries one ends
  /// at once where they may not; a connection that stands is the owner's to close.
  public func setTokensAllowed(_ areAllowed: Bool) { calls.setAllowed(areAllowed) }

  /// A refused access token is replaced once, where the credential is a refresh token.
  private func stateChanged(_ state: ConnectionState) {
    switch state {
    case .ready: calls.tokenAccepted()
    case .down(.rejected) where sessionToken != nil && !isCredentialRejected:
      unsafe client?.connect()
    default: return
    }
  }

  // MARK: Time

  public var now: Instant { Moment.now.instant }

  /// When `deadlineReached` is due, or nil; that of the client included.
  public var deadline: Instant? {
    unsafe earliest(earliest(calls.deadline, socket.deadline), client?.deadline)
  }

  /// `deadline` has come.
  public func deadlineReached(now: Instant) {
    calls.deadlineReached(now: now)
    socket.deadlineReached(now: now)
    if let client = unsafe client, let deadline = client.deadline, now >= deadline {
      client.deadlineReached()
    }
  }

  // MARK: Driver

  public func openSocket() {
    isOpeningDeferred = isReceiving
    guard !isReceiving else { return }
    // The last one may still be closing; nobody waits for that.
    socket.abandon()
    socket.open(socketURL, telling: self)
  }

  public func closeSocket(code: UInt16) {
    isOpeningDeferred = false
    guard !isReceiving else { return deferredClose = code }
    socket.close(code: code)
  }

  public func send(_ kind: WebSocketMessageKind, _ message: Span<UInt8>) {
    // What does not fit is not answered, and its request then says so.
    _ = socket.send(kind, message)
  }

  public func fetchToken(_ reason: TokenReason) {
    let refused = reason == .afterRejection ? sessionToken : nil
    sessionToken = nil
    calls.fetchToken(refused: refused)
  }

  public func send(_ call: HTTPCall) { calls.add(call) }

  public func cancelHTTP(_ id: RequestID) { calls.cancel(id) }
}

extension NetworkDriver: WebSocketOwner {
  public func webSocketOpened() { unsafe client?.socketOpened() }

  public func webSocketReceived(_ kind: WebSocketMessageKind) {
    guard kind == .text else {
      unsafe client?.receivedBinary()
      return
    }
    isReceiving = true
    tell(socket.message)
    isReceiving = false
    let (closing, isOpening) = (deferredClose, isOpeningDeferred)
    deferredClose = nil
    isOpeningDeferred = false
    if let closing { socket.close(code: closing) }
    if isOpening { openSocket() }
  }

  private func tell(_ message: borrowing ByteBuffer) {
    unsafe client?.received(message.bytes)
  }

  public func webSocketClosed(_ end: WebSocketEnd) {
    if let cause = end.failure { unsafe client?.socketClosed(cause) }
  }
}

extension NetworkDriver: CallQueueOwner {
  func tokenFetched(_ result: TokenResult) {
    if case .token(let token) = result { sessionToken = token }
    unsafe client?.tokenFetched(result)
  }

  func callAnswered(
    _ id: RequestID, status: Int, mediaType: InlineText, body: borrowing ByteBuffer
  ) {
    guard let client = unsafe client else { return }
    client.httpAnswered(id, status: status, mediaType: mediaType.bytes, body: body.bytes)
  }

  func callFailed(_ id: RequestID, _ error: RequestError) { unsafe client?.httpFailed(id, error) }
}

extension WebSocketEnd {
  /// Why the session lost its connection; nil where it closed it itself, and wants no word of it.
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
