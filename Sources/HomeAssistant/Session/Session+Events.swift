public import Bytes

// MARK: Connection

extension Session {
  /// Connects at once. An open or pending connection is not changed.
  public mutating func connect(now: Instant) {
    guard case .down = phase else { return }
    reconnection.startOver()
    beginAttempt(now: now)
  }

  /// Ends the connection until `connect` or, if the policy connects automatically, until the next
  /// request. Unsent requests wait until they expire. A refused token stays refused.
  public mutating func disconnect(now: Instant) {
    if isRejected { return }
    closeSocketIfOpen()
    leaveConnection(now: now)
    enter(.down(.idle))
  }

  /// Handles a change of network: a pending reconnection starts at once, and an open connection is
  /// checked.
  public mutating func networkChanged(now: Instant) {
    switch phase {
    case .down(.retrying): beginAttempt(now: now)
    case .ready: keepAlive.hurry(now: now)
    default: break
    }
  }

  /// Replaces the policy's waits between attempts. A running wait is not changed.
  public mutating func setReconnectWaits(_ waits: [Duration]) { reconnection.setWaits(waits) }

  var isRejected: Bool { if case .down(.rejected) = phase { true } else { false } }

  private mutating func closeSocketIfOpen() {
    if case .down = phase { return }
    enqueue(.closeSocket(code: WebSocketCloseCode.goingAway))
  }
}

// MARK: Reports

extension Session {
  /// Reports that the socket of `.openSocket` is open.
  public mutating func socketOpened(now: Instant) {
    guard case .connecting = phase else { return }
    enter(.authenticating(until: now + reconnection.loginTimeout))
    if case .fetched(let token) = token { authenticate(with: token) }
  }

  /// Reports that the socket failed to open, or closed without a request to close it.
  ///
  /// A message that is too large may be any awaited answer, and would come again on the next
  /// connection: the requests end.
  public mutating func socketClosed(_ cause: ConnectionFailure, now: Instant) {
    if case .down = phase { return }
    if case .violation(.messageTooLong) = cause {
      endRequests(.tooLarge, now: now) { $0.sent != nil }
    }
    retry(because: cause, now: now)
  }

  /// Reports that a message has been arriving for a second or more: the answers to a ping and to
  /// requests come behind it. There is no action.
  public mutating func receiving(now: Instant) {
    keepAlive.heard(now: now)
    table.answersDelayed(now: now)
  }

  /// Reports the answer to `.fetchToken`. A second answer is ignored.
  public mutating func tokenFetched(_ result: TokenResult, now: Instant) {
    guard token == .awaited else { return }
    switch result {
    case .token(let bytes):
      token = .fetched(bytes)
      if case .authenticating = phase { authenticate(with: bytes) }
    case .unavailable(let words):
      closeSocketIfOpen()
      retry(because: .noToken(words), now: now)
    case .rejected(let words): reject(words, .unexplained, now: now)
    }
  }

  private mutating func authenticate(with bytes: [UInt8]) {
    token = .sent
    enqueue(.authenticate(bytes))
  }

  mutating func reject(_ words: Text, _ verdict: TokenVerdict, now: Instant) {
    closeSocketIfOpen()
    leaveConnection(now: now)
    tokenReason = .afterRejection(verdict)
    enter(.down(.rejected(words)))
    endImpatientRequests(now: now)
  }

  // MARK: Time

  /// Instant at which to call `deadlineReached`, or nil.
  public var deadline: Instant? {
    var next = earliest(phaseDeadline, retrySubscriptionsAt)
    for entry in table.entries {
      next = earliest(next, entry.deadline(answerTimeout: policy.answerTimeout))
    }
    return next
  }

  private var phaseDeadline: Instant? {
    switch phase {
    case .connecting(let until), .authenticating(let until): until
    case .down(.retrying(_, let at, _)): at
    case .ready: keepAlive.deadline
    case .down(.idle), .down(.rejected): nil
    }
  }

  /// Reports that `deadline` has come.
  public mutating func deadlineReached(now: Instant) {
    endOverdueRequests(now: now)
    if let at = retrySubscriptionsAt, now >= at { retrySubscriptions() }
    switch phase {
    case .connecting(let until) where now >= until:
      closeSocketIfOpen()
      retry(because: .connectTimeout, now: now)
    case .authenticating(let until) where now >= until:
      closeSocketIfOpen()
      let hasToken = token != .awaited
      retry(because: hasToken ? .authenticationTimeout : .noToken("not in time"), now: now)
    case .down(.retrying(_, let at, _)) where now >= at: beginAttempt(now: now)
    case .ready: keepAliveDeadlineReached(now: now)
    default: break
    }
  }

  private mutating func keepAliveDeadlineReached(now: Instant) {
    switch keepAlive.deadlineReached(now: now) {
    case .ping: enqueue(.ping)
    case .dead(let cause):
      closeSocketIfOpen()
      retry(because: cause, now: now)
    case nil: break
    }
  }

  private mutating func endOverdueRequests(now: Instant) {
    let answerTimeout = policy.answerTimeout
    endRequests(.expired, now: now) { entry in
      guard let deadline = entry.deadline(answerTimeout: answerTimeout) else { return false }
      return now >= deadline
    }
  }

  /// Ends requests; subscriptions are retried later, unless they are for this connection only.
  mutating func endRequests(
    _ outcome: SessionOutcome, now: Instant, where isOver: (RequestTable.Entry) -> Bool
  ) {
    var index = 0
    while index < table.entries.count {
      let entry = table.entries[index]
      if !isOver(entry) {
        index += 1
      } else if entry.isSubscription, entry.isPatient {
        subscriptionFailed(at: index, outcome, now: now)
        index += 1
      } else {
        table.remove(at: index)
        enqueue(.finished(entry.id, outcome))
      }
    }
  }

  private mutating func retrySubscriptions() {
    retrySubscriptionsAt = nil
    for index in table.entries.indices where table.entries[index].isRefused {
      table.markUnsent(at: index)
    }
  }
}
