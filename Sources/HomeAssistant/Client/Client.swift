public import Bytes

/// Client of Home Assistant's WebSocket and REST APIs.
///
/// It belongs to one thread, its driver's. Completions and event handlers are called there, one
/// after the other, and may call the client.
///
///     let client = Client(driver: driver, seed: seed)
///     client.connect()
///     client.send(.currentUser) { result in … }
///     let events = client.subscribe(.events("tag_scanned")) { event in … }
public final class Client {
  /// Handlers of a request or a subscription, which receive the JSON of the answers and events.
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
  /// Seed of the jitter.
  package let seed: UInt64
  private var isActing = false
  /// Receiver of answers to messages that were sent without a handler.
  unowned(unsafe) var directOwner: (any DirectMessageOwner)?
  var directMessage: RequestID?

  /// - Parameters:
  ///   - driver: driver of the connection; the client holds it.
  ///   - policy: timeouts and limits.
  ///   - seed: seed of the jitter of the waits; different on every device.
  public init(driver: any Driver, policy: SessionPolicy = SessionPolicy(), seed: UInt64) {
    self.driver = driver
    self.seed = seed
    session = Session(policy: policy, seed: seed)
  }

  /// State of the connection.
  public var state: ConnectionState { session.state }

  /// Time that Home Assistant took to answer the last ping.
  public var latency: Duration? { session.latency }

  /// Number of ignored messages of Home Assistant, on all connections so far: texts that are not
  /// messages of its API, and binary messages.
  public var unreadableMessageCount: Int { session.unreadableCount }

  /// Current instant of the driver's clock.
  public var now: Instant { driver.now }

  /// Instant at which to call `deadlineReached`, or nil.
  public var deadline: Instant? {
    guard let alarm = alarms.deadline else { return session.deadline }
    return min(alarm, session.deadline ?? alarm)
  }

  // MARK: The connection

  /// Connects at once. An open or pending connection is not changed.
  public func connect() {
    session.connect(now: driver.now)
    act()
  }

  /// Ends the connection until `connect()` or, if the policy connects automatically, until the next
  /// request over the WebSocket.
  public func disconnect() {
    session.disconnect(now: driver.now)
    act()
  }

  /// Handles a change of network: a pending reconnection starts at once, and an open connection is
  /// checked.
  public func networkChanged() {
    driver.networkChanged()
    session.networkChanged(now: driver.now)
    act()
  }

  /// Replaces the policy's waits between attempts; there must be at least one. A running wait is
  /// not changed.
  public func setReconnectWaits(_ waits: [Duration]) { session.setReconnectWaits(waits) }

  /// Calls `handler` with every change of the state, until the observation ends.
  public func observe(_ handler: @escaping (ConnectionState) -> Void) -> Observation {
    Observation(of: self, number: observers.add(handler))
  }

  // MARK: Reports of the driver

  /// Reports that the requested socket is open.
  public func socketOpened() {
    session.socketOpened(now: driver.now)
    act()
  }

  /// Reports that the socket failed to open, or closed without a request to close it.
  public func socketClosed(_ cause: ConnectionFailure) {
    session.socketClosed(cause, now: driver.now)
    act()
  }

  /// Reports the result of the request for an access token.
  public func tokenFetched(_ result: TokenResult) {
    session.tokenFetched(result, now: driver.now)
    act()
  }

  /// Reports that a message has been arriving for a second or more, at most once a second: over a
  /// slow link it delays all answers.
  public func receiving() { session.receiving(now: driver.now) }

  /// Reports a text message.
  public func received(_ text: Span<UInt8>) {
    precondition(!isActing, "a driver tells from its loop")
    session.received(text, now: driver.now)
    act(on: text)
  }

  /// Counts and ignores a binary message. Home Assistant sends none without a request, and no
  /// request here asks for one. RFC 6455 (section 7.4.1) would allow to close the connection with
  /// 1003, but its other messages are worth more.
  public func receivedBinary() { session.unreadableCount += 1 }

  /// Reports that `deadline` has come.
  public func deadlineReached() {
    let now = driver.now
    session.deadlineReached(now: now)
    act()
    while let ring = alarms.takeDue(now: now) { ring() }
  }

  package func wake(at instant: Instant, _ handler: @escaping () -> Void) -> UInt64 {
    alarms.add(at: instant, handler)
  }

  package func cancelWake(_ number: UInt64) { alarms.remove(number) }

  // MARK: Acting

  /// Runs the actions of the session. A handler that calls the client meanwhile only adds to them.
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
  package func stopObserving(_ number: UInt64) { observers.remove(number) }
}

extension SessionOutcome {
  fileprivate func result(in message: Span<UInt8>) -> Result<Range<Int>?, RequestError> {
    switch self {
    case .success(let place): .success(place)
    case .refused(let place?): .failure(RequestError(message.extracting(place)))
    case .refused(nil): .failure(.server(code: "unknown_error", message: ""))
    case .expired: .failure(.expired)
    case .disconnected: .failure(.disconnected)
    case .tooLarge: .failure(.tooLarge)
    case .rejected: .failure(.rejected)
    }
  }
}

/// Alarms of the parts of a client, beside the deadline of its session.
private struct Alarms {
  private var entries: [(number: UInt64, at: Instant, handler: () -> Void)] = []
  private var lastNumber: UInt64 = 0

  var deadline: Instant? { entries.map { $0.at }.min() }

  /// Adds an alarm and returns its number, which is never reused.
  mutating func add(at instant: Instant, _ handler: @escaping () -> Void) -> UInt64 {
    lastNumber += 1
    entries.append((lastNumber, instant, handler))
    return lastNumber
  }

  mutating func remove(_ number: UInt64) { entries.removeAll { $0.number == number } }

  /// Removes the earliest due alarm and returns its handler.
  mutating func takeDue(now: Instant) -> (() -> Void)? {
    guard let first = entries.indices.min(by: { entries[$0].at < entries[$1].at }),
      entries[first].at <= now
    else { return nil }
    return entries.remove(at: first).handler
  }
}
