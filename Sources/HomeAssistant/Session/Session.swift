public import Bytes

/// A session with Home Assistant's WebSocket (`/api/websocket`): the login, requests and their
/// answers, subscriptions that outlive connections, pings, and when to connect again.
///
/// It does nothing itself. Tell it what happened, then take its actions until there are none:
///
///     session.received(text, now: now)
///     while let action = session.nextAction(now: now) { … }
///
/// Invariants:
/// 1. The numbers of the messages only rise, over all connections.
/// 2. Requests go out in the order in which they were wished for.
/// 3. Every request that is not cancelled ends exactly once.
/// 4. A token that Home Assistant refused starts no further attempt by itself.
/// 5. While it is not idle, rejected or ready there is a deadline.
public struct Session: ~Copyable {
  /// The longest message that Home Assistant takes: one byte more ends the connection.
  public static let messageByteCountMax = (4 << 20) - 1
  /// What a request may have beside its `id`.
  public static let membersByteCountMax = messageByteCountMax - 64

  enum Phase {
    case down(DownReason)
    case connecting(until: Instant)
    case authenticating(until: Instant)
    case ready(ServerVersion, since: Instant)
  }

  enum Token: Equatable {
    case none
    case awaited
    case fetched([UInt8])
    case sent
  }

  enum Watch: Equatable {
    case none
    case wanted
    /// It was asked for under this number and the next.
    case sent(first: Int64)

    func isToldBy(_ wireID: Int64) -> Bool {
      guard case .sent(let first) = self else { return false }
      return wireID == first || wireID == first + 1
    }
  }

  /// What goes out beside the requests.
  enum Step {
    case action(SessionAction)
    case authenticate([UInt8])
    case offerFeatures
    case ping
    case unsubscribe(wireID: Int64)
    case watchComponents
  }

  let policy: SessionPolicy
  var phase = Phase.down(.idle)
  var token = Token.none
  /// Why the next token is wanted.
  var tokenReason = TokenReason.connect
  var table = RequestTable()
  var keepAlive: KeepAlive
  var reconnection: Reconnection
  var retrySubscriptionsAt: Instant?
  /// Whether Home Assistant tells us on this connection when it loaded something: then what it
  /// refused is tried again.
  var watch = Watch.none
  /// What was unsubscribed last, of which events may still come.
  var unsubscribed: [Int64] = []
  static let unsubscribedMax = 32
  private var lastWireID: Int64 = 0
  private var steps: [Step] = []
  private var takenSteps = 0
  private var toldState = ConnectionState.down(.idle)

  private var output = ByteBuffer(capacity: Session.messageByteCountMax)
  /// Messages that could not be read, and were passed over.
  public internal(set) var unreadableCount = 0

  /// - Parameters:
  ///   - policy: how patient it is.
  ///   - seed: where the jitter of the waits starts; another one on every device.
  public init(policy: SessionPolicy = SessionPolicy(), seed: UInt64) {
    self.policy = policy
    keepAlive = KeepAlive(policy: policy)
    reconnection = Reconnection(policy: policy, seed: seed)
    steps.reserveCapacity(32)
  }

  /// How the session stands.
  public var state: ConnectionState {
    switch phase {
    case .down(let reason): .down(reason)
    case .connecting: .connecting
    case .authenticating: .authenticating
    case .ready(let version, _): .ready(version)
    }
  }

  /// How long Home Assistant took to answer the last ping.
  public var latency: Duration? { keepAlive.latency }

  /// Shows the message that `.send` sends.
  public func withOutput(_ body: (Span<UInt8>) -> Void) { body(output.bytes) }

  // MARK: Actions

  /// What is to be done next, or nil. A message for `.send` is written at this moment, so it is
  /// to be sent before the next action is asked for.
  public mutating func nextAction(now: Instant) -> SessionAction? {
    while takenSteps < steps.count {
      let step = steps[takenSteps]
      takenSteps += 1
      if let action = carryOut(step, now: now) { return action }
    }
    steps.removeAll(keepingCapacity: true)
    takenSteps = 0
    guard case .ready = phase, let index = table.firstUnsent else { return nil }
    table.markSent(at: index, wireID: beginMessage(), now: now)
    output.append(UInt8(ascii: ","))
    output.append(table.entries[index].members)
    output.closeJSONObject()
    return .send
  }

  mutating func enqueue(_ action: SessionAction) { steps.append(.action(action)) }
  mutating func enqueue(_ step: Step) { steps.append(step) }

  /// Forgets messages that were meant for a connection that is no more.
  private mutating func dropMessages() {
    keepSteps { step in if case .action = step { true } else { false } }
  }

  /// Forgets what was to be told of a request that is cancelled.
  mutating func dropActions(of id: RequestID) {
    keepSteps { step in if case .action(let action) = step { action.request != id } else { true } }
  }

  private mutating func keepSteps(_ isKept: (Step) -> Bool) {
    var kept = takenSteps
    for index in takenSteps..<steps.count where isKept(steps[index]) {
      steps[kept] = steps[index]
      kept += 1
    }
    steps.removeSubrange(kept...)
  }

  private mutating func carryOut(_ step: Step, now: Instant) -> SessionAction? {
    switch step {
    case .action(let action): return action
    case .authenticate(let token): writeAuthentication(token)
    case .offerFeatures:
      _ = beginMessage()
      output.append(",\"type\":\"supported_features\",\"features\":{\"coalesce_messages\":1}}")
    case .ping:
      let wireID = beginMessage()
      output.append(",\"type\":\"ping\"}")
      keepAlive.pingSent(id: wireID, now: now)
    case .unsubscribe(let wireID):
      _ = beginMessage()
      output.append(",\"type\":\"unsubscribe_events\"")
      output.appendJSON(key: "subscription")
      output.appendJSON(wireID)
      output.closeJSONObject()
    case .watchComponents: writeWatches()
    }
    return .send
  }

  private mutating func writeAuthentication(_ token: [UInt8]) {
    output.removeAll()
    output.append("{\"type\":\"auth\"")
    output.appendJSON(key: "access_token")
    output.appendJSON(token)
    output.closeJSONObject()
  }

  /// Home Assistant takes an array of commands as one message.
  private mutating func writeWatches() {
    output.removeAll()
    output.openJSONArray()
    watch = .sent(first: lastWireID + 1)
    for event in ["component_loaded", "core_config_updated"] as [StaticString] {
      lastWireID += 1
      output.openJSONObject()
      output.appendJSON(key: "id")
      output.appendJSON(lastWireID)
      output.append(",\"type\":\"subscribe_events\"")
      output.appendJSON(key: "event_type")
      output.appendJSON(event)
      output.closeJSONObject()
    }
    output.closeJSONArray()
  }

  /// Begins a message in `output` with the next number, and returns it.
  private mutating func beginMessage() -> Int64 {
    lastWireID += 1
    output.removeAll()
    output.openJSONObject()
    output.appendJSON(key: "id")
    output.appendJSON(lastWireID)
    return lastWireID
  }

  // MARK: Phases

  mutating func enter(_ phase: Phase) {
    self.phase = phase
    let state = state
    guard state != toldState else { return }
    toldState = state
    enqueue(.stateChanged(state))
  }

  mutating func beginAttempt(now: Instant) {
    token = .awaited
    enter(.connecting(until: now + policy.connectTimeout))
    enqueue(.fetchToken(tokenReason))
    enqueue(.openSocket)
  }

  /// Ends the attempt or the connection; another one begins after a while.
  mutating func retry(because cause: ConnectionFailure, now: Instant) {
    var readySince: Instant?
    if case .ready(_, let since) = phase { readySince = since }
    if case .authenticating = phase, token == .sent { reconnection.loginUnanswered() }
    leaveConnection(now: now)
    var at = reconnection.failed(readySince: readySince, now: now)
    // Which only a person can lift.
    if case .refused(.server(.banned)) = cause { at = at + AccessTokens.longestRefusalDelay }
    enter(.down(.retrying(attempt: reconnection.attempt, at: at, cause: cause)))
  }

  mutating func leaveConnection(now: Instant) {
    token = .none
    keepAlive.stop()
    retrySubscriptionsAt = nil
    watch = .none
    dropMessages()
    var index = 0
    while index < table.entries.count {
      let entry = table.entries[index]
      if entry.survivesLoss(now: now) {
        table.markUnsent(at: index)
        index += 1
      } else {
        table.remove(at: index)
        enqueue(.finished(entry.id, entry.isExpired(now: now) ? .expired : .disconnected))
      }
    }
  }
}

extension Session {
  // MARK: Direct messages

  /// Begins a message of which no copy is kept: `writeMembers` appends what stands beside its
  /// `id`, and what `withOutput` then shows is to be sent before anything else is done.
  ///
  /// It is never repeated, and ends with the action `finished`.
  ///
  /// - Returns: nil where the session is not ready, or the message is too long.
  public mutating func beginDirectMessage(
    now: Instant, _ writeMembers: (inout ByteBuffer) -> Void
  ) -> RequestID? {
    guard case .ready = phase else { return nil }
    let wireID = beginMessage()
    writeMembers(&output)
    output.closeJSONObject()
    guard !output.isOverflowed else { return nil }
    return table.addSent(wireID: wireID, now: now)
  }
}

extension RequestTable.Entry {
  fileprivate func isExpired(now: Instant) -> Bool {
    if case .single(.within(let duration)) = kind { now - created > duration } else { false }
  }
}
