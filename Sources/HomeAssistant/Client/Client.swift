public import Bytes

/// A client of Home Assistant's WebSocket and REST APIs.
///
/// It belongs to one thread, its driver's. Completions and event handlers are called there, one
/// after the other, and may call the client themselves.
///
///     let client = Client(driver: driver, seed: seed)
///     client.connect()
///     client.send(CurrentUser()) { result in … }
///     let events = client.subscribe(Events(of: "tag_scanned")) { event in … }
public final class Client {
  /// What is called for a request or a subscription, with the JSON of what came back.
  struct Handler {
    let finished: (Result<Range<Int>?, RequestError>, Span<UInt8>) -> Void
    let event: ((Span<UInt8>) -> Void)?
  }

  let driver: any Driver
  var session: Session
  var handlers: [RequestID: Handler] = [:]
  var calls: [RequestID: (Result<JSON, RequestError>) -> Void] = [:]
  private var observers = ObserverList<(ConnectionState) -> Void>()
  private var alarms = Alarms()
  /// Where the jitter of its parts starts.
  let seed: UInt64
  private var isActing = false
  /// Who wants to hear of messages that were sent without a handler.
  unowned(unsafe) var directOwner: (any DirectMessageOwner)?
  var directMessage: RequestID?

  /// - Parameters:
  ///   - driver: what connects; it is kept.
  ///   - policy: how patient it is.
  ///   - seed: where the jitter of the waits starts; another one on every device.
  public init(driver: any Driver, policy: SessionPolicy = SessionPolicy(), seed: UInt64) {
    self.driver = driver
    self.seed = seed
    session = Session(policy: policy, seed: seed)
  }

  /// How the connection stands.
  public var state: ConnectionState { session.state }

  /// How long Home Assistant took to answer the last ping.
  public var latency: Duration? { session.latency }

  /// Messages of Home Assistant that were passed over, on all connections so far: texts that are no
  /// message of its API, and messages of bytes.
  public var unreadableMessageCount: Int { session.unreadableCount }

  /// The moment of now, on the driver's clock.
  public var now: Instant { driver.now }

  /// When `deadlineReached` is due, or nil.
  public var deadline: Instant? {
    guard let alarm = alarms.deadline else { return session.deadline }
    return min(alarm, session.deadline ?? alarm)
  }

  // MARK: The connection

  /// Connects, at once. A connection that stands or is on its way stays as it is.
  public func connect() {
    session.connect(now: driver.now)
    act()
  }

  /// Ends the connection, and stays away until `connect()` or, where the policy connects
  /// automatically, the next request over the WebSocket.
  public func disconnect() {
    session.disconnect(now: driver.now)
    act()
  }

  /// The network is another one: what waits to connect again does it now, and a connection has to
  /// show that it still stands.
  public func networkChanged() {
    session.networkChanged(now: driver.now)
    act()
  }

  /// Takes these waits between attempts instead of the policy's, of which there is at least one. A
  /// wait that is under way ends as it would have.
  public func setReconnectWaits(_ waits: [Duration]) { session.setReconnectWaits(waits) }

  /// Calls `handler` with every change of the state, until the observation ends.
  public func observe(_ handler: @escaping (ConnectionState) -> Void) -> Observation {
    Observation(of: self, number: observers.add(handler))
  }

  // MARK: What the driver tells

  /// The socket that was asked for is open.
  public func socketOpened() {
    session.socketOpened(now: driver.now)
    act()
  }

  /// The socket could not be opened, or is no more, and not because it was asked to close.
  public func socketClosed(_ cause: ConnectionFailure) {
    session.socketClosed(cause, now: driver.now)
    act()
  }

  /// What became of the wish for an access token.
  public func tokenFetched(_ result: TokenResult) {
    session.tokenFetched(result, now: driver.now)
    act()
  }

  /// A text message came.
  public func received(_ text: Span<UInt8>) {
    precondition(!isActing, "a driver tells from its loop")
    session.received(text, now: driver.now)
    act(on: text)
  }

  /// A message of bytes came. Home Assistant sends none unasked, and no request here asks for one,
  /// so it is counted and passed over. RFC 6455 (section 7.4.1) would allow to close the connection
  /// with 1003; what else comes over it is worth more.
  public func receivedBinary() { session.unreadableCount += 1 }

  /// `deadline` has come.
  public func deadlineReached() {
    let now = driver.now
    session.deadlineReached(now: now)
    act()
    while let ring = alarms.takeDue(now: now) { ring() }
  }

  /// Calls `handler` once at `instant`.
  func wake(at instant: Instant, _ handler: @escaping () -> Void) -> UInt64 {
    alarms.add(at: instant, handler)
  }

  func cancelWake(_ number: UInt64) { alarms.remove(number) }

  // MARK: Acting

  /// Does what the session wants. A handler that calls the client again only adds to it.
  func act() { act(on: [UInt8]().span) }

  private func act(on message: Span<UInt8>) {
    guard !isActing else { return }
    isActing = true
    defer { isActing = false }
    while let action = session.nextAction(now: driver.now) { carryOut(action, message) }
  }

  private func carryOut(_ action: SessionAction, _ message: Span<UInt8>) {
    switch action {
    case .openSocket: driver.openSocket()
    case .closeSocket(let code): driver.closeSocket(code: code)
    case .fetchToken(let reason): driver.fetchToken(reason)
    case .send: session.withOutput { driver.send(.text, $0) }
    case .stateChanged(let state): tell(state)
    case .event(let id, let place): handlers[id]?.event?(message.extracting(place))
    case .started(let id, let outcome):
      handlers[id]?.finished(outcome.result(in: message), message)
    case .finished(let id, let outcome):
      if id == directMessage { return finishDirectMessage(outcome, message) }
      handlers.removeValue(forKey: id)?.finished(outcome.result(in: message), message)
    }
  }

  private func tell(_ state: ConnectionState) {
    for number in observers.numbers { observers.take(number)?(state) }
  }

  private func finishDirectMessage(_ outcome: SessionOutcome, _ message: Span<UInt8>) {
    directMessage = nil
    let owner = unsafe directOwner
    unsafe directOwner = nil
    switch outcome.result(in: message) {
    case .success(let place?): owner?.directMessageAnswered(message.extracting(place))
    case .success(nil): owner?.directMessageAnswered(message.extracting(0..<0))
    case .failure(let error): owner?.directMessageFailed(error)
    }
  }
}

extension Client: Observed {
  func stopObserving(_ number: UInt64) { observers.remove(number) }
}

extension SessionOutcome {
  fileprivate func result(in message: Span<UInt8>) -> Result<Range<Int>?, RequestError> {
    switch self {
    case .success(let place): .success(place)
    case .refused(let place?): .failure(RequestError(message.extracting(place)))
    case .refused(nil): .failure(.server(code: "unknown_error", message: ""))
    case .expired: .failure(.expired)
    case .disconnected: .failure(.disconnected)
    case .rejected: .failure(.rejected)
    }
  }
}

/// Moments that parts of a client wait for, beside those of its session.
private struct Alarms {
  private var entries: [(number: UInt64, at: Instant, handler: () -> Void)] = []
  private var lastNumber: UInt64 = 0

  var deadline: Instant? { entries.map { $0.at }.min() }

  /// Its number is never used again.
  mutating func add(at instant: Instant, _ handler: @escaping () -> Void) -> UInt64 {
    lastNumber += 1
    entries.append((lastNumber, instant, handler))
    return lastNumber
  }

  mutating func remove(_ number: UInt64) { entries.removeAll { $0.number == number } }

  /// The first of those that are due, which is then over.
  mutating func takeDue(now: Instant) -> (() -> Void)? {
    guard let first = entries.indices.min(by: { entries[$0].at < entries[$1].at }),
      entries[first].at <= now
    else { return nil }
    return entries.remove(at: first).handler
  }
}
