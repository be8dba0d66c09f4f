public import Bytes
public import HomeAssistant
public import LinuxIO

/// Carries a `Client` over the network: its WebSocket, its calls to the REST API, and the access
/// tokens for both. Another address has another driver, and another client.
@safe public final class NetworkDriver {
  private let webSocket: WebSocketDriver
  private let calls: CallQueue
  private unowned(unsafe) var client: Client?

  /// Nil where libcurl cannot start.
  ///
  /// - Parameters:
  ///   - address: of Home Assistant, without a slash at its end: `http://192.168.1.5:8123`.
  ///   - tokens: where access tokens come from.
  ///   - settings: how the server is reached, and who it has to be.
  ///   - loop: tells when there is something to do.
  ///   - userAgent: what the server's log calls this program.
  public init?(
    address: [UInt8], tokens: AccessTokens, settings: TransportSettings, loop: EventLoop,
    userAgent: [UInt8]
  ) {
    guard
      let webSocket = WebSocketDriver(
        address: address, settings: settings, loop: loop, userAgent: userAgent),
      let calls = CallQueue(
        address: address, tokens: tokens, settings: settings, loop: loop, userAgent: userAgent)
    else { return nil }
    self.webSocket = webSocket
    self.calls = calls
  }

  deinit { calls.abandon() }

  /// Makes the one client of this driver.
  ///
  /// - Parameters:
  ///   - policy: how patient the client is.
  ///   - seed: where the jitter of its waits starts.
  /// - Returns: the client, which keeps the driver.
  public func makeClient(policy: SessionPolicy = SessionPolicy(), seed: UInt64) -> Client {
    let client = Client(driver: self, policy: policy, seed: seed)
    unsafe self.client = client
    unsafe calls.owner = self
    webSocket.carry(client, telling: self)
    // The client keeps the driver as long as it calls it.
    client.observe { [unowned(unsafe) self] in unsafe stateChanged($0) }.detach()
    return client
  }

  /// Whether nothing is sent any more until a person logs in again. Keep the fingerprint of the
  /// credential then.
  public var isCredentialRejected: Bool { calls.isCredentialRejected }

  /// Whether tokens may be sent from now on, which they may at first. A call that carries one ends
  /// at once where they may not; a connection that stands is the owner's to close.
  public func setTokensAllowed(_ areAllowed: Bool) { calls.setAllowed(areAllowed) }

  // MARK: Time

  /// When `deadlineReached` is due, or nil; that of the client included.
  public var deadline: Instant? { earliest(calls.deadline, webSocket.deadline) }

  /// `deadline` has come.
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
  public func send(_ call: HTTPCall) { calls.add(call) }
  public func cancelHTTP(_ id: RequestID) { calls.cancel(id) }
}

extension NetworkDriver: WebSocketDriverOwner {
  public func tokenWanted(refused: [UInt8]?) { calls.fetchToken(refused: refused) }

  /// A refused access token is replaced once, where the credential is a refresh token.
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
