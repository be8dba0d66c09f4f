public import Bytes
public import HomeAssistant
import Sensing

// Actions of the machine: their order, and the handling of its parts' actions.

extension Uplink {
  public func nextAction() -> Action? {
    if isStopping { return nextSpoolAction().map { .disk($0) } ?? keeper.nextAction() }
    while true {
      if !actions.isEmpty { return actions.removeFirst() }
      if let action = nextSpoolAction() { return .disk(action) }
      if let action = keeper.nextAction() {
        return action
      } else if let action = login.nextAction() {
        if let action = perform(action) { return action }
      } else if let action = statistics?.nextAction() {
        return action
      } else if let action = push?.nextAction(now: now) {
        if let action = perform(action) { return action }
      } else if let notification = nextFetchedNotification() {
        notified(notification, now: now)
      } else if let action = delivery.nextAction(maySend: !login.isEnrolling) {
        if let action = perform(action) { return action }
      } else {
        return nil
      }
    }
  }

  /// Receiver of the results of disk actions.
  public var spool: Spool { delivery.history.spool }

  /// Whether entries are due for writing: then the disk actions must be performed before the next
  /// reading is recorded.
  public var isWriteDue: Bool { spool.isBatchDue }

  public func nextSpoolAction() -> Spool.Action? { delivery.history.nextAction() }

  /// Returns the next notification from the push relay. A command waits until there is room for
  /// its result.
  func nextFetchedNotification() -> PushNotification? {
    push?.takeNotification { notification in
      guard let call = CommandCall(notification) else { return true }
      return hasRoomForResult || call.switchesOff
    }
  }

  // Most calls of `nextAction` find no action: inlined, these would each time set up everything
  // they may use.
  @inline(never)
  private func perform(_ action: Login.Action) -> Action? {
    switch action {
    case .readRejectedTokens: return .readRejectedTokens
    case .readTokenFile: return .readTokenFile
    // Nothing can be stored before what could not be written so far.
    case .register where !keeper.isEmpty, .renew(_, ifWritable: true) where !keeper.isEmpty:
      login.callNotMade(now: now)
    case .register(let token): return .send(.registration(token: token), ifWritable: true)
    case .renew(let call, let ifWritable): return .send(.token(call), ifWritable: ifWritable)
    case .cancelCall: return .cancel(.login)
    case .giveToWebSocket(let result): return .giveTokenToWebSocket(result)
    case .keep(let fingerprint, let isForGood):
      keeper.keep(.rejection(fingerprint: fingerprint, isForGood: isForGood))
    case .forget(let fingerprint): keeper.keep(.acceptance(fingerprint: fingerprint))
    case .registered(let registration): registered(registration)
    case .failed(let problem):
      if case .tokenRejected(let fingerprint) = problem {
        keeper.keep(.rejection(fingerprint: fingerprint, isForGood: false))
        // The WebSocket may be about to use the same token.
        if login.isCredentialRejected, settings.webSocket != nil {
          actions.append(.setWebSocketAllowed(false))
        }
      }
      outcome = .notRegistered(problem)
      delivery.registrationFailed(now: now)
      if problem.isLasting { tryFormerRegistration() }
      return .tell(.notRegistered(problem))
    case .postponed:
      outcome = outcome ?? .postponed
      delivery.registrationFailed(now: now)
      tryFormerRegistration()
    }
    return nil
  }

  @inline(never)
  private func perform(_ action: PushFetcher.Action) -> Action? {
    switch action {
    case .tell(let event): return .tell(.push(event))
    case .fetch:
      guard mayFetch else {
        push?.postponed(now: now)
        return nil
      }
      return .send(.fetch, ifWritable: false)
    }
  }

  @inline(never)
  private func perform(_ action: Delivery.Action) -> Action? {
    switch action {
    case .tell(let event):
      happened(event)
      return .tell(.delivery(event))
    // Home Assistant gives a key only once.
    case .send(.key) where !keeper.isEmpty: delivery.keyPostponed(now: now)
    case .send(let message):
      guard let underWay = delivery.underWay else { return nil }
      let ifWritable = message == .key
      return underWay.carrier == .http
        ? .send(.message(over: underWay.route), ifWritable: ifWritable)
        : .post(ifWritable: ifWritable)
    }
    return nil
  }

  private func happened(_ event: DeliveryEvent) {
    tally.happened(event)
    switch event {
    case .proven(_, let hasLocation):
      outcome = .proven
      if hasLocation, delivery.batch.waitingFixCount == 0 { isPositionOwed = false }
      rebootIfTold()
      bringStatistics()
      push?.uploadProven(now: now)
      retryLogin()
    case .recovered: checkWebSocket()
    case .outage(let cause): outcome = .outage(cause)
    case .configurationRead(let server):
      change { $0.setAddresses(cloudhook: server.cloudhookURL, remoteUI: server.remoteUIURL) }
    case .zonesRead(let zones): track?.zonesKnown(zones)
    case .registrationTold(let fingerprint):
      change {
        // A repeated report changes nothing.
        guard $0.toldFingerprint != fingerprint else { return false }
        $0.toldFingerprint = fingerprint
        return true
      }
    case .sealingImpossible: if let registration { keeper.keep(.keyless(registration)) }
    case .registrationDoubted: registerAgain()
    default: break
    }
  }

  /// Whether the configuration wants a new registration in place of a doubted one, and the token
  /// may be sent: away it waits until the board is at home.
  var mayRegisterAgain: Bool { settings.server.registersAgainAfter != nil && maySendToken }

  /// Requests a new registration in place of a doubted one, if it may. The upload that failed with
  /// the former one follows at once: a limited run has no other.
  func registerAgain() {
    guard mayRegisterAgain, !login.isEnrolling else { return }
    // Its answer would come to the new registration.
    endMessage(InlineText("a new registration is requested"))
    outcome = nil
    plan.postponed()
    login.registrationWanted(now: now)
  }

  /// Uses the former registration again, if it exists, because a new one was refused.
  func tryFormerRegistration() {
    guard let registration else { return }
    deliver(with: registration)
    delivery.registrationRefused(now: now)
  }

  /// Tries the login again after a proof: another server may have rejected it in this one's place.
  private func retryLogin() {
    if settings.webSocket != nil, login.isRetryDue(now: now) {
      actions.append(.connectWebSocket)
    }
  }

  private func bringStatistics() {
    guard delivery.carriers.isWebSocketOpen, let registration,
      let time = delivery.history.time(at: now)
    else { return }
    statistics?.connectionReady(
      delivery.server, deviceID: delivery.deviceID, webhookID: registration.webhookID, time: time,
      now: now)
  }

  // MARK: Messages

  public func writeMessage(nonce: Nonce, into buffer: inout ByteBuffer) {
    guard let message = delivery.underWay?.message, let registration else {
      preconditionFailure("a message is written when it is to be sent")
    }
    delivery.write(message, for: registration, nonce: nonce, into: &buffer)
    countMessage(1)
  }

  /// Counts a sent message, or subtracts one that could not be sent.
  func countMessage(_ count: Int) {
    if registration?.isPlain == true { tally.plain += count } else { tally.sealed += count }
  }
}
