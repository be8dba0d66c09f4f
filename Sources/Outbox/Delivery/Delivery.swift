public import Bytes
public import HomeAssistant
import Sensing

/// Delivers a batch to Home Assistant and determines whether Home Assistant has it.
///
/// Delivery works in cycles: see `Cycle`. A cycle that is not proven over one route starts again
/// over the next one at once. When no route is left, an `Outage` begins, and all routes are tried
/// again later.
///
/// Entries that could not be delivered in time, and entries that were replaced before they were
/// sent, are sent as history: after a proof, a chunk of it is the first message of a cycle that is
/// due at once, and the end of that cycle proves it.
///
/// The caller passes events, which return nothing; then it calls `nextAction` until that is nil and
/// performs each action. `deadlineReached` is due at `deadline`.
///
/// Invariants:
/// 1. At most one message is in transit, from the moment when `nextAction` returned it. An answer
///    counts only during that time.
/// 2. Only a proof acknowledges a value or a fix.
/// 3. A fix that is too old is never sent as the present one.
/// 4. Until the agent ends, an outage has a deadline or a message that is due or in transit.
/// 5. Events come in their order, before the due message, and are never dropped.
/// 6. At most one due message has not been returned yet. A change of the route, a replaced or
///    refused registration, and the end of the agent drop it.
public final class Delivery {
  /// Maximum time from the moment when a cycle is due to its proof. After that the recorded entries
  /// are written to the disk, and the cycle continues.
  public static let proofTimeout: Duration = .seconds(2)
  /// Interval of a repetition of all states. A restart of Home Assistant behind a proxy, whose
  /// connection stays open, is not detected; this corrects its outdated values.
  public static let restatementInterval: Duration = .seconds(3600)

  enum State {
    /// Waiting for the next cycle, the next attempt of an outage, or a chunk of history.
    case resting
    /// `nextAction` returns the message.
    case due(Message, over: Route)
    case underWay(Message, over: Route, by: Carrier)
  }

  public let batch: Batch
  public internal(set) var history: History
  public internal(set) var routes: Routes
  var state = State.resting
  var carriers: Carriers
  /// Present cycle, or else the last one.
  var cycle: Cycle
  var outage: Outage
  /// Route of the last proof; initially the expected one.
  private var lastRoute: Route?
  var openBatch = OpenBatch()
  /// Whether a command has a result that no attempt has included yet.
  var hasNewResult = false
  /// Time at which all states are due again.
  var restatementDueAt = Instant(nanoseconds: 0)
  public private(set) var lastProvenAt: Instant?
  private let events: DeliveryEvents

  /// The device registered with `trackerID`; no message uses a WebSocket without `webSocketURL`;
  /// `identity` is this device, and `isIdentityTold` says whether its last report is unchanged.
  public init(
    routes: Routes, history: consuming History, trackerID: [UInt8], webSocketURL: [UInt8]? = nil,
    wantsZones: Bool = false, protection: Protection = .sealed,
    identity: RegistrationRequest? = nil, isIdentityTold: Bool = false,
    doubtAfter: Duration = Delivery.doubtAfter, seed: UInt64
  ) {
    self.routes = routes
    carriers = Carriers(webSocketURL: webSocketURL)
    batch = Batch(of: history.sensors)
    events = DeliveryEvents()
    cycle = Cycle(
      of: batch, events, trackerID: trackerID, wantsZones: wantsZones, protection: protection,
      identity: identity, isIdentityTold: isIdentityTold)
    outage = Outage(doubtAfter: doubtAfter, seed: seed, events)
    self.history = history
    lastRoute = routes.current?.route
  }

  // MARK: Queries

  public var status: DeliveryStatus {
    outage.status ?? (lastProvenAt == nil ? .untried : .proven)
  }

  /// Whether Home Assistant accepts data, as far as known.
  public var isReached: Bool { outage.since == nil && lastProvenAt != nil }

  /// Time of the next attempt of an outage; nil without one or during an attempt.
  public var nextAttemptAt: Instant? { outage.deadline }

  /// Time since which there is no registration; kept until the first proof with a new one.
  public var unregisteredSince: Instant? { outage.unregisteredSince }

  /// Id of this device in Home Assistant's registry; nil until it is received.
  public var deviceID: Text? { cycle.server.deviceID }

  /// Version of the Home Assistant server.
  public var server: ServerVersion { cycle.server.version }

  /// Whether a cycle can begin.
  public var isIdle: Bool {
    if case .resting = state { outage.deadline == nil } else { false }
  }

  /// Message in transit, with its route, which has an address when the message is sent.
  public var underWay: (message: Message, route: Route, carrier: Carrier)? {
    guard case .underWay(let message, let route, let carrier) = state else { return nil }
    return (message, route, carrier)
  }

  /// Time at which `deadlineReached` is due, or nil.
  public var deadline: Instant? {
    guard case .resting = state else { return diskDeadline }
    return outage.isUnderWay ? earliest(outage.deadline, diskDeadline) : history.deadline
  }

  /// Time at which `diskDeadlineReached` is due while there is no registration, or nil.
  public var diskDeadline: Instant? { earliest(openBatch.closesAt, history.spool.deadline) }

  /// Returns the next action; nil until the next event. Without `maySend` a due message waits.
  public func nextAction(maySend: Bool = true) -> Action? {
    if let event = events.takeFirst() { return .tell(event) }
    guard maySend, case .due(let message, let route) = state else { return nil }
    state = .underWay(message, over: route, by: carriers.next(to: routes.url(of: route)))
    return .send(message)
  }

  /// Writes the message that `nextAction` returned.
  public func write(
    _ message: Message, for registration: borrowing Registration, nonce: Nonce,
    into buffer: inout ByteBuffer
  ) {
    cycle.write(message, of: history.device, for: registration, nonce: nonce, into: &buffer) {
      history.writeChunk(into: &$0)
    }
  }

  // MARK: Cycles and deadlines

  /// Handles a due cycle. During an outage, retries have their own schedule. If the cycle before is
  /// not proven yet, this one follows it at once.
  public func cycleDue(now: Instant) {
    if outage.isUnderWay {
      history.batchClosed()
      outage.cycleDue(now: now)
    } else {
      openBatch.cycleDue(now: now)
    }
    if isIdle { history.cycleDue() } else { openBatch.cyclePutOff() }
    urgentChange(now: now)
  }

  /// Sends an urgent change at once, if possible. During an outage it causes one attempt, also on a
  /// battery, when the next attempt may be an hour away.
  public func urgentChange(now: Instant) {
    guard isIdle else { return hurry(now: now) }
    hasNewResult = false
    chooseRoute { $0.deliveryDue(now: now) }
    begin(now: now)
  }

  private func hurry(now: Instant) {
    guard outage.deadline != nil, batch.hasUrgentChange || hasNewResult else { return }
    batch.urgentChangePostponed()
    hasNewResult = false
    outage.changed(now: now)
  }

  /// Handles a due cycle while there is no registration.
  public func cyclePostponed(now: Instant) {
    if outage.since == nil { openBatch.cycleDue(now: now) } else { closeBatch() }
  }

  /// Prepares for the end of the agent.
  public func stopping() {
    if case .due = state { state = .resting }
    history.chunkFailed()
    history.batchClosed()
    history.keepEverything()
  }

  public func deadlineReached(now: Instant) {
    diskDeadlineReached(now: now)
    guard case .resting = state else { return }
    if let retryAt = outage.deadline {
      guard now >= retryAt else { return }
      routes.retryDue(now: now)
      begin(now: now)
    } else if history.isChunkDue(now: now) {
      chooseRoute { $0.deliveryDue(now: now) }
      beginWithChunk(now: now)
    }
  }

  /// Performs the due work of the disk, with or without a registration.
  public func diskDeadlineReached(now: Instant) {
    history.spool.deadlineReached(now: now)
    if openBatch.isClosing(now: now) { history.writeBatch() }
  }

  /// Ends the wait for a proof of the recorded entries.
  private func closeBatch() {
    openBatch.close()
    history.batchClosed()
  }

  // MARK: The registration

  /// Handles a failed attempt to get a necessary registration; the first proof reports its cost.
  public func registrationFailed(now: Instant) {
    outage.registrationFailed(now: now)
    if openBatch.closesAt != nil { closeBatch() }
  }

  /// Handles a refused new registration. The existing one may become valid again, and stays in use;
  /// after another period without an answer it is doubted again.
  public func registrationRefused(now: Instant) {
    outage.registrationRefused(now: now)
    switch state {
    // A message that began meanwhile was never sent.
    case .due(_, let route), .underWay(_, let route, _):
      failed(.noConnection(InlineText("there was no registration")), over: route, now: now)
    case .resting: break
    }
  }

  /// Handles a new registration: Home Assistant can be reached, has no sensor of it, and has all
  /// data of the device.
  public func registrationReplaced(_ protection: Protection, now: Instant) {
    batch.forgetRegistrations()
    cycle.registrationReplaced(protection, now: now)
    history.chunkFailed()
    openBatch.close()
    state = .resting
    outage.registrationReplaced()
    routes.forgetFailures()
  }

  // MARK: Course of a cycle

  /// Begins a cycle, which includes everything recorded before.
  private func cycleBegins() {
    openBatch.cycleBegan()
    history.spool.cycleBegan()
    cycle.began()
  }

  private func beginWithChunk(now: Instant) {
    cycleBegins()
    history.chunkSent(now: now)
    send(.history, now: now)
  }

  func begin(now: Instant) {
    cycleBegins()
    if outage.isUnderWay {
      outage.attemptBegan(now: now)
      batch.forgetAcknowledgements()
      cycle.serverDoubted()
    } else if now >= restatementDueAt {
      batch.doubtAcknowledgements()
      restatementDueAt = now + Self.restatementInterval
    }
    sendNext(now: now)
  }

  private func sendNext(now: Instant) {
    send(cycle.nextMessage(now: now), now: now)
  }

  /// Makes the message due, unless the board has left and no route is available.
  private func send(_ message: Message, now: Instant) {
    cycle.messageDue()
    if let route = routes.current?.route {
      state = .due(message, over: route)
    } else {
      outageContinues(.noRoute, now: now)
    }
  }

  // MARK: Answers

  /// Handles an answer of Home Assistant, or of a server in its place. `body` is the buffer from
  /// which `answer` was read.
  public func answerReceived(_ answer: Answer, body: borrowing ByteBuffer, now: Instant) {
    guard case .underWay(let message, let route, let carrier) = state else { return }
    carriers.ended(carrier, isAnswered: true)
    let outcome: Cycle.Outcome
    switch answer {
    case .opened(let range), .content(let range):
      let content = body.bytes.extracting(range)
      outcome = cycle.answered(message, content, now: now)
    case .unproven: outcome = cycle.dropped(message)
    default: outcome = .failed(OutageCause(answer))
    }
    if message == .history, case .goesOn = outcome { history.chunkAnswered(now: now) }
    messageEnded(outcome, over: route, now: now)
  }

  /// Handles the answer to a request for a key. The caller has already stored a new key, which
  /// belongs to the registration from now on.
  public func keyAnswered(_ result: Webhook.EnableEncryption.Result, now: Instant) {
    guard case .underWay(.key, let route, let carrier) = state else { return }
    carriers.ended(carrier, isAnswered: true)
    messageEnded(cycle.keyAnswered(result), over: route, now: now)
  }

  /// Handles a key that could not be stored. A later cycle requests it again.
  public func keyPostponed(now: Instant) {
    guard underWay?.message == .key else { return }
    sendNext(now: now)
  }

  private func messageEnded(_ outcome: Cycle.Outcome, over route: Route, now: Instant) {
    switch outcome {
    case .goesOn: sendNext(now: now)
    case .addressesTold(let cloudhook, let remoteUI):
      chooseRoute {
        $0.addressesTold(cloudhook: cloudhook?.bytes, remoteUI: remoteUI?.bytes, now: now)
      }
      sendNext(now: now)
    case .sends(let message): send(message, now: now)
    case .proven: proven(over: route, now: now)
    case .failed(let cause): failed(cause, over: route, now: now)
    }
  }

  // MARK: End of a cycle

  private func proven(over route: Route, now: Instant) {
    state = .resting
    let isFollowed = openBatch.proven(hasNews: history.spool.hasNews)
    lastProvenAt = now
    routes.proven(over: route)
    if route != lastRoute {
      lastRoute = route
      events.append(.routeTaken(route))
    }
    cycle.proven()
    if cycle.isHistoryAnswered {
      events.append(.historyProven(entries: history.chunkProven()))
    }
    let superseded = cycle.sent.superseded
    batch.forget(superseded)
    let isIncomplete = superseded != Batch.Superseded() || batch.hasUnanswered
    history.proven(isIncomplete: isIncomplete)
    if let since = outage.since {
      events.append(.recovered(after: now - since, superseded))
    } else if superseded != Batch.Superseded() {
      events.append(.superseded(superseded))
    }
    outage.proven()
    events.append(cycle.sent.result)
    if isFollowed { makeUpForCycle(now: now) }
  }

  /// Begins the cycle that became due during the last one.
  private func makeUpForCycle(now: Instant) {
    chooseRoute { $0.deliveryDue(now: now) }
    // Fresh readings wait for at most one chunk, and a chunk for one cycle.
    if history.isChunkDue(now: now) { return beginWithChunk(now: now) }
    history.cycleDue()
    begin(now: now)
  }

  /// Handles an unproven cycle: it starts again over the next route, if another one exists.
  func failed(_ cause: OutageCause, over route: Route, now: Instant) {
    batch.forgetDeclined()
    if routes.failed(cause, over: route, now: now) {
      events.append(.routeFailed(route, cause))
      // The next route may lead to another Home Assistant.
      cycle.serverDoubted()
      history.chunkFailed()
      begin(now: now)
    } else {
      outageContinues(cause, now: now)
    }
  }

  private func outageContinues(_ cause: OutageCause, now: Instant) {
    state = .resting
    history.chunkFailed()
    closeBatch()
    outage.attemptFailed(cause, isDoubtful: routes.isDoubtful, now: now)
  }
}
