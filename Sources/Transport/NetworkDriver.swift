public import Bytes
public import HomeAssistant
public import LinuxIO

/// Connects a `Client` to the network: its WebSocket, its calls to the REST API, and the access
/// tokens for both. Another address needs another driver and another client.
@safe public final class NetworkDriver {
  /// Maximum size of a received message of the WebSocket, in bytes. Home Assistant sends the states
  /// of all entities in one; the buffer uses memory only as far as it is filled.
  static let receivedByteCountMax = 32 << 20

  private let webSocket: WebSocketDriver
  private let calls: CallQueue
  private unowned(unsafe) var client: Client?

  /// Creates a driver; nil if libcurl cannot start.
  ///
  /// - Parameters:
  ///   - address: address of Home Assistant, without a slash at its end: `http://192.168.1.5:8123`.
  ///   - tokens: source of access tokens.
  ///   - settings: settings of proxy and TLS.
  ///   - loop: event loop that drives the connections.
  ///   - userAgent: name of this program for the server's log.
  public init?(
    address: [UInt8], tokens: AccessTokens, settings: TransportSettings, loop: EventLoop,
    userAgent: [UInt8]
  ) {
    guard
      let webSocket = WebSocketDriver(
        address: address, settings: settings, receivedByteCountMax: Self.receivedByteCountMax,
        loop: loop, userAgent: userAgent),
      let calls = CallQueue(
        address: address, tokens: tokens, settings: settings, loop: loop, userAgent: userAgent)
    else { return nil }
    self.webSocket = webSocket
    self.calls = calls
  }

  deinit { calls.abandon() }

  /// Creates the only client of this driver.
  ///
  /// - Parameters:
  ///   - policy: timeouts and retries of the client.
  ///   - seed: start of the jitter of its delays.
  /// - Returns: the client, which keeps the driver alive.
  public func makeClient(policy: SessionPolicy = SessionPolicy(), seed: UInt64) -> Client {
    let client = Client(driver: self, policy: policy, seed: seed)
    unsafe self.client = client
    unsafe calls.owner = self
    webSocket.carry(client, telling: self)
    // The client keeps the driver alive as long as it calls it.
    client.observe { [unowned(unsafe) self] in unsafe stateChanged($0) }.detach()
    return client
  }

  /// Whether the server rejected the credential, so that nothing is sent until a person logs in
  /// again. The caller should then store the fingerprint of the credential.
  public var isCredentialRejected: Bool { calls.isCredentialRejected }

  /// Whether the rejection is a verdict on the credential, which is final if TLS authenticated the
  /// server.
  public var isRejectionFinal: Bool { calls.isRejectionFinal }

  /// Problem that Home Assistant denies the login in this network; nil if it does not. The caller
  /// should then store the fingerprint of the credential, not as a final rejection.
  public var denial: AccessTokens.Problem? { calls.denial }

  // MARK: Time

  /// Time at which `deadlineReached` is due, or nil; includes that of the client.
  public var deadline: Instant? { earliest(calls.deadline, webSocket.deadline) }

  /// Handles a deadline that has passed.
  public func deadlineReached(now: Instant) {
    calls.deadlineReached(now: now)
    webSocket.deadlineReached(now: now)
  }
}

extension NetworkDriver: Driver {
  public var now: Instant { webSocket.now }
  public func openSocket() { webSocket.openSocket() }
  public func closeSocket(code: UInt16) { webSocket.closeSocket(code: code) }
  public func send(_ kind: WebSocketMessageKind, _ message: Span<UInt8>) {
    webSocket.send(kind, message)
  }
  public func fetchToken(_ reason: TokenReason) { webSocket.fetchToken(reason) }
  public func networkChanged() { calls.networkChanged() }
  public func send(_ call: HTTPCall) { calls.add(call) }
  public func cancelHTTP(_ id: RequestID) { calls.cancel(id) }
}

extension NetworkDriver: WebSocketDriverOwner {
  public func tokenWanted(refused: RefusedToken?) { calls.fetchToken(refused: refused) }

  /// Replaces a rejected access token once, if the credential is a refresh token.
  private func stateChanged(_ state: ConnectionState) {
    switch state {
    case .ready: calls.tokenAccepted()
    case .down(.rejected) where webSocket.hasShownToken && !isCredentialRejected:
      unsafe client?.connect()
    default: return
    }
  }
}

extension NetworkDriver: CallQueueOwner {
  func tokenFetched(_ result: TokenResult) { webSocket.tokenFetched(result) }

  func callAnswered(
    _ id: RequestID, status: Int, mediaType: InlineText, body: borrowing ByteBuffer
  ) {
    guard let client = unsafe client else { return }
    client.httpAnswered(id, status: status, mediaType: mediaType.bytes, body: body.bytes)
  }

  func callFailed(_ id: RequestID, _ error: RequestError) { unsafe client?.httpFailed(id, error) }
}
