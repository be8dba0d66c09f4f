public import Bytes

/// Session with Home Assistant's WebSocket (`/api/websocket`): the login, requests and their
/// answers, subscriptions that outlive connections, pings, and reconnections.
///
/// It does no input or output. Report each event to it, then run its actions until there are none:
///
///     session.received(text, now: now)
///     while let action = session.nextAction(now: now) { … }
///
/// Invariants:
/// 1. The numbers of the messages only rise, over all connections.
/// 2. Requests are sent in the order in which they were made.
/// 3. Every request that is not cancelled ends exactly once.
/// 4. A token that Home Assistant refused causes no further attempt.
/// 5. Unless it is idle, rejected or ready, there is a deadline.
public struct Session: ~Copyable {
  /// Maximum size of a message that Home Assistant accepts: one byte more ends the connection.
  public static let messageByteCountMax = (4 << 20) - 1
  /// Maximum size of the members of a request beside its `id`, in bytes.
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
    /// Two subscriptions were sent, with this number and the next.
    case sent(first: Int64)

    func isToldBy(_ wireID: Int64) -> Bool {
      guard case .sent(let first) = self else { return false }
      return wireID == first || wireID == first + 1
    }
  }

  /// Output of the session beside the requests.
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
  var tokenReason = TokenReason.connect
  var table = RequestTable()
  var keepAlive: KeepAlive
  var reconnection: Reconnection
  var retrySubscriptionsAt: Instant?
  /// State of the subscription to loaded components on this connection, after which refused
  /// subscriptions are retried.
  var watch = Watch.none
  /// Last ended subscriptions, whose events may still arrive.
  var unsubscribed: [Unsubscription] = []
  static let unsubscribedMax = 32
  private var lastWireID: Int64 = 0
  private var steps: [Step] = []
  private var takenSteps = 0
  private var toldState = ConnectionState.down(.idle)

  private var output = ByteBuffer(capacity: Session.messageByteCountMax)
  /// Number of ignored unreadable messages.
  public internal(set) var unreadableCount = 0

  /// - Parameters:
  ///   - policy: timeouts and limits.
  ///   - seed: seed of the jitter of the waits; different on every device.
  public init(policy: SessionPolicy = SessionPolicy(), seed: UInt64) {
    self.policy = policy
    keepAlive = KeepAlive(policy: policy)
    reconnection = Reconnection(policy: policy, seed: seed)
    steps.reserveCapacity(32)
  }

  /// State of the session.
  public var state: ConnectionState {
    switch phase {
    case .down(let reason): .down(reason)
    case .connecting: .connecting
    case .authenticating: .authenticating
    case .ready(let version, _): .ready(version)
    }
  }

  /// Time that Home Assistant took to answer the last ping.
  public var latency: Duration? { keepAlive.latency }

  /// Calls `body` with the message of `.send`.
  public func withOutput(_ body: (Span<UInt8>) -> Void) { body(output.bytes) }

  // MARK: Actions

  /// Returns the next action, or nil. The message of `.send` is written now: send it before the
  /// next call.
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

  /// Drops messages for a connection that has ended.
  private mutating func dropMessages() {
    var kept = takenSteps
    for index in takenSteps..<steps.count {
      guard case .action = steps[index] else { continue }
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
      unsubscriptionSent(of: wireID, as: beginMessage())
      output.append(",\"type\":\"unsubscribe_events\"")
      output.appendJSON(key: "subscription", wireID)
      output.closeJSONObject()
    case .watchComponents: writeWatches()
    }
    return .send
  }

  private mutating func writeAuthentication(_ token: [UInt8]) {
    output.removeAll()
    output.append("{\"type\":\"auth\"")
    output.appendJSON(key: "access_token", token)
    output.closeJSONObject()
  }

  /// Subscribes to both events in one message: Home Assistant accepts an array of commands.
  private mutating func writeWatches() {
    output.removeAll()
    output.openJSONArray()
    watch = .sent(first: lastWireID + 1)
    for event in ["component_loaded", "core_config_updated"] as [StaticString] {
      lastWireID += 1
      output.openJSONObject()
      output.appendJSON(key: "id", lastWireID)
      output.append(",\"type\":\"subscribe_events\"")
      output.appendJSON(key: "event_type", event)
      output.closeJSONObject()
    }
    output.closeJSONArray()
  }

  /// Begins a message in `output` with the next number, and returns the number.
  private mutating func beginMessage() -> Int64 {
    lastWireID += 1
    output.removeAll()
    output.openJSONObject()
    output.appendJSON(key: "id", lastWireID)
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

  /// Ends the attempt or the connection; another attempt begins after a wait.
  mutating func retry(because cause: ConnectionFailure, now: Instant) {
    var readySince: Instant?
    if case .ready(_, let since) = phase { readySince = since }
    if case .authenticating = phase, token == .sent { reconnection.loginUnanswered() }
    leaveConnection(now: now)
    var at = reconnection.failed(readySince: readySince, now: now)
    // Only a person can lift a ban.
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

  /// Writes a message that is not stored: `writeMembers` appends the members beside its `id`. The
  /// caller sends the content of `withOutput` before any other call.
  ///
  /// It is never repeated, and ends with the action `finished`.
  ///
  /// - Returns: nil if the session is not ready, or the message is too long.
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
