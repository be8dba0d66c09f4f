public import Bytes
public import HomeAssistant
import Sensing

/// Brings a batch to Home Assistant and finds out whether it took it.
///
/// That is found out in cycles: see `Cycle`. A cycle that is not proven over one route begins anew
/// over the next one at once. When none is left that is an `Outage`, and all are tried again later.
///
/// What could not be delivered in its time, and what was replaced before it was sent, goes as
/// history: after a proof, a chunk of it is the first message of a cycle that is due at once, and
/// is proven by its end.
///
/// Events go in, each of which returns nothing; then `nextAction` is asked until it is nil, and
/// what it gives is performed. `deadlineReached` is due at `deadline`.
///
/// Invariants:
/// 1. At most one message is under way, from the moment when `nextAction` gave it. An answer counts
///    only while one is.
/// 2. A value or a fix is acknowledged by a proof and by nothing else.
/// 3. A fix that is too old is never sent as new.
/// 4. Until the agent ends, an outage has a deadline or a message that is due or under way.
/// 5. What is told comes in its order, before the message that is due, and is never dropped.
/// 6. At most one message is due and not given yet. It is dropped where another route is taken,
///    where the registration is replaced or refused, and where the agent ends.
public final class Delivery {
  /// From the moment when a cycle is due to its proof. Where that takes longer, what was recorded
  /// so far is written to the disk; the cycle goes on.
  public static let proofTimeout: Duration = .seconds(2)
  /// A restart of Home Assistant behind a proxy, whose connection outlives it, is not seen. What it
  /// remembers wrongly from before is put right after this long.
  public static let restatementInterval: Duration = .seconds(3600)

  enum State {
    /// The next cycle, the next attempt of an outage, or a chunk of history is awaited.
    case resting
    /// `nextAction` gives the message.
    case messageDue(Message, over: Route)
    case awaitingAnswer(Message, over: Route)
  }

  public internal(set) var batch: Batch
  public internal(set) var history: History
  public internal(set) var routes: Routes
  var state = State.resting
  /// The one under way, or else the one before.
  var cycle: Cycle
  var outage: Outage
  /// Over which the last proof came; at first, over which it is expected.
  private var lastRoute: Route?
  var openBatch = OpenBatch()
  /// Whether a command has a result that no attempt was made with.
  var hasNewResult = false
  /// When everything is told again.
  var restatementDueAt = Instant(nanoseconds: 0)
  /// When the last proof came.
  public private(set) var lastProvenAt: Instant?
  private var tellings = Queue<DeliveryEvent>(capacity: 64)

  /// - Parameters:
  ///   - routes: the ways to Home Assistant.
  ///   - history: what was not delivered yet.
  ///   - trackerID: the id that the device registered with.
  ///   - wantsZones: whether Home Assistant is asked for its zones.
  ///   - protection: whether the registration has a key.
  ///   - untold: what has changed about the device since Home Assistant was told.
  ///   - doubtAfter: how long Home Assistant may not know the device before that is told.
  ///   - seed: where the jitter of the waits starts.
  public init(
    routes: Routes, history: consuming History, trackerID: [UInt8], wantsZones: Bool = false,
    protection: Protection = .sealed, untold: Webhook.UpdateRegistration? = nil,
    doubtAfter: Duration = Delivery.doubtAfter, seed: UInt64
  ) {
    self.routes = routes
    cycle = Cycle(
      trackerID: trackerID, wantsZones: wantsZones, protection: protection, untold: untold)
    outage = Outage(doubtAfter: doubtAfter, seed: seed)
    batch = Batch(of: history.sensors)
    self.history = history
    lastRoute = routes.current?.route
  }

  /// Home Assistant's zones, where they were told since the last time that this was asked.
  func takeZones() -> [ZoneWatch.Circle]? { cycle.takeZones() }

  // MARK: Queries

  /// Whether a cycle can begin.
  public var isIdle: Bool {
    if case .resting = state { outage.deadline == nil } else { false }
  }

  /// The route of the message that is under way, which has an address when that is sent; nil where
  /// none is under way.
  public var routeUnderWay: Route? {
    guard case .awaitingAnswer(_, let route) = state else { return nil }
    return route
  }

  /// When `deadlineReached` is due, or nil.
  public var deadline: Instant? {
    guard case .resting = state else { return diskDeadline }
    return outage.isUnderWay ? earliest(outage.deadline, diskDeadline) : history.deadline
  }

  /// When `diskDeadlineReached` is due where there is no registration to deliver with, or nil.
  public var diskDeadline: Instant? { earliest(openBatch.closesAt, history.spool.deadline) }

  /// What is to be done next; nil where nothing is until the next event.
  public func nextAction() -> Action? {
    if let event = tellings.takeFirst() { return .tell(event) }
    guard case .messageDue(let message, let route) = state else { return nil }
    state = .awaitingAnswer(message, over: route)
    return .send(message)
  }

  /// Writes the message that `nextAction` gave.
  public func write(
    _ message: Message, for registration: borrowing Registration, nonce: Nonce,
    into buffer: inout ByteBuffer
  ) {
    cycle.write(message, of: &batch, history, for: registration, nonce: nonce, into: &buffer)
  }

  // MARK: Cycles and deadlines

  /// A cycle is due. During an outage the retries go their own pace. Where the one before is not
  /// proven yet, this one follows it at once.
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

  /// Something urgent is new, which is sent at once if that is possible. In an outage it makes one
  /// attempt, also on a battery, where the next one may be an hour away.
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
    outage.tryEarlier(now: now)
  }

  /// A cycle is due, and there is no registration to deliver with, or not yet.
  public func cyclePostponed(now: Instant) {
    if outage.since == nil { openBatch.cycleDue(now: now) } else { closeBatch() }
  }

  /// An urgent sensor says something new, and there is no registration to deliver with: it waits
  /// for the next cycle, and so does the disk.
  public func urgentChangePostponed() { batch.urgentChangePostponed() }

  /// The agent is about to end.
  public func stopping() {
    if case .messageDue = state { state = .resting }
    history.chunkFailed()
    history.batchClosed()
    history.keepEverything()
  }

  /// What only this process has goes to the disk.
  func keepEverything() { history.keepEverything() }

  /// How much of that there is, where it is meant to be on the disk.
  var unkeptEntryCount: Int { history.spool.unkeptEntryCount }

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

  /// Does what is due whether or not there is a registration.
  public func diskDeadlineReached(now: Instant) {
    history.deadlineReached(now: now)
    if openBatch.isClosing(now: now) { history.writeBatch() }
  }

  /// What was recorded so far is not proven.
  private func closeBatch() {
    openBatch.close()
    history.batchClosed()
  }

  // MARK: The registration

  /// A registration is needed and could not be had; what it costs is told with the first proof.
  public func registrationFailed(now: Instant) {
    outage.registrationFailed(now: now)
    if openBatch.closesAt != nil { closeBatch() }
  }

  /// No new registration is to be had for now. The one there is may come to life again, and is
  /// tried on; after another while without an answer it is doubted again.
  public func registrationRefused(now: Instant) {
    outage.registrationRefused(now: now)
    switch state {
    // What began meanwhile was never sent.
    case .messageDue(_, let route), .awaitingAnswer(_, let route):
      failed(.noConnection(InlineText("there was no registration")), over: route, now: now)
    case .resting: break
    }
  }

  /// There is a new registration: Home Assistant can be reached, knows no sensor of it, and knows
  /// all about the device.
  public func registrationReplaced(_ protection: Protection) {
    batch.forgetRegistrations()
    cycle.registrationReplaced(protection)
    history.chunkFailed()
    openBatch.close()
    state = .resting
    outage.registrationReplaced()
    routes.forgetFailures()
  }

  // MARK: One cycle

  /// Everything that was recorded before goes with it.
  private func cycleBegins() {
    openBatch.cycleBegan()
    history.cycleBegan()
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
      outage.attemptBegan()
      batch.forgetAcknowledgements()
      cycle.serverDoubted()
    } else if now >= restatementDueAt {
      batch.doubtAcknowledgements()
      restatementDueAt = now + Self.restatementInterval
    }
    sendNext(now: now)
  }

  private func sendNext(now: Instant) {
    send(cycle.nextMessage(of: &batch, now: now), now: now)
  }

  /// Makes the message due, unless the board has left meanwhile and there is no way any more.
  private func send(_ message: Message, now: Instant) {
    cycle.messageDue()
    if let route = routes.current?.route {
      state = .messageDue(message, over: route)
    } else {
      outageContinues(.noRoute, now: now)
    }
  }

  // MARK: Answers

  /// Home Assistant, or a server in its place, answered. `body` is the buffer that `answer` was
  /// read from.
  public func answerReceived(_ answer: Answer, body: borrowing ByteBuffer, now: Instant) {
    guard case .awaitingAnswer(let message, let route) = state else { return }
    let outcome: Cycle.Outcome
    switch answer {
    case .opened(let range), .content(let range):
      let content = body.bytes.extracting(range)
      outcome = cycle.answered(message, content, of: &batch, now: now, telling: &tellings)
    case .unproven: outcome = cycle.dropped(message, of: &batch, telling: &tellings)
    default: outcome = .failed(OutageCause(answer))
    }
    if message == .history, case .goesOn = outcome { history.chunkAnswered(now: now) }
    messageEnded(outcome, over: route, now: now)
  }

  /// Home Assistant, or a server in its place, answered the question for a key. One that came is
  /// the registration's from now on, and was kept by the caller before this is called.
  public func keyAnswered(_ result: Webhook.EnableEncryption.Result, now: Instant) {
    guard case .awaitingAnswer(.key, let route) = state else { return }
    messageEnded(cycle.keyAnswered(result, telling: &tellings), over: route, now: now)
  }

  /// A key that came now could not be kept. It is asked for the next time.
  public func keyPostponed(now: Instant) {
    guard case .awaitingAnswer(.key, _) = state else { return }
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

  // MARK: The end of a cycle

  private func proven(over route: Route, now: Instant) {
    state = .resting
    let isFollowed = openBatch.proven(hasNews: history.hasNews)
    lastProvenAt = now
    routes.proven(over: route)
    if route != lastRoute {
      lastRoute = route
      tellings.append(.routeTaken(route))
    }
    cycle.proven(in: &batch, telling: &tellings)
    if cycle.isHistoryAnswered {
      tellings.append(.historyProven(entries: history.chunkProven()))
    }
    let superseded = cycle.sent.superseded
    batch.forget(superseded)
    let isIncomplete = superseded != Batch.Superseded() || batch.hasUnanswered
    history.proven(isIncomplete: isIncomplete)
    if let since = outage.since {
      tellings.append(.recovered(after: now - since, superseded))
    } else if superseded != Batch.Superseded() {
      tellings.append(.superseded(superseded))
    }
    outage.proven()
    tellings.append(cycle.sent.result)
    if isFollowed { makeUpForCycle(now: now) }
  }

  /// Begins the cycle that was due while this one was under way.
  private func makeUpForCycle(now: Instant) {
    chooseRoute { $0.deliveryDue(now: now) }
    // Fresh readings wait for one chunk at most, and a chunk for one cycle.
    if history.isChunkDue(now: now) { return beginWithChunk(now: now) }
    history.cycleDue()
    begin(now: now)
  }

  /// What was sent was not proven. Over the next route, if there is one, it begins anew.
  func failed(_ cause: OutageCause, over route: Route, now: Instant) {
    batch.forgetDeclined()
    if routes.failed(cause, over: route, now: now) {
      tellings.append(.routeFailed(route, cause))
      // Another Home Assistant may be there.
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
    outage.attemptFailed(cause, isDoubtful: routes.isDoubtful, now: now, telling: &tellings)
  }
}
