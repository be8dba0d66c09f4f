public import Bytes
public import HomeAssistant
public import Sensing

/// Brings a batch to Home Assistant and finds out whether it took it.
///
/// One cycle is: register the sensors that Home Assistant does not know, send the fix if it is
/// fresh, and send the states. The answer to the last of these is the proof for the whole cycle: it
/// counts where it is sealed with our key and repeats the `Challenge` of this very message. So it
/// proves that Home Assistant has the states, and that it opens what goes over this route now. Of
/// a fix and of history, whose own answers say nothing, it proves no more than that: who drops
/// single messages on the way is not noticed, but for a location that is looked up.
///
/// Without a key an answer that repeats the challenge proves that its author read the message, and
/// not who that is.
///
/// Some cycles do more. The first one, one a day, and each attempt of an outage begin by asking
/// Home Assistant for its configuration. What has changed about the device is told. The first
/// location after any of that is looked up, for its own answer says nothing.
///
/// What could not be delivered in its time, and what was replaced before it was sent, goes as history:
/// after a proof, a chunk of it is the first message of a cycle that is due at once, and is proven by
/// its end.
///
/// A cycle that is not proven over one route begins anew over the next one at once. When none is left
/// that is an outage, and all are tried again after a wait.
///
/// Events go in, each of which returns nothing; then `nextAction` is asked until it is nil, and what
/// it gives is performed. `deadlineReached` is due at `deadline`.
///
/// Invariants:
/// 1. At most one message is under way, from the moment when `nextAction` gave it. An answer counts
///    only while one is.
/// 2. A value or a fix is acknowledged by a proof and by nothing else.
/// 3. A fix that is too old is never sent as new.
/// 4. In an outage there is always a deadline or a message that is due or under way.
/// 5. What is told comes in its order, before the message that is due, and is never dropped.
/// 6. At most one message is due and not given yet. It is dropped where another route is taken, by
///    a new registration, by the refusal of one, and by the end of the agent; no other event makes
///    another one.
public struct Delivery: ~Copyable {
  /// A fix older than this is not sent; `update_location` has no time, so it would be "now".
  public static let fixAgeMax: Duration = .seconds(60)
  /// Waits between the attempts of an outage.
  public static let firstRetryDelay: Duration = .seconds(5)
  public static let longestRetryDelay: Duration = .seconds(120)
  /// A proof that is on its way when a cycle is due may take so long before the open batch is written
  /// to the disk: an urgent change is often under way at that moment.
  public static let proofPatience: Duration = .seconds(2)
  /// Messages may be dropped without a word for this long before we say that the registration
  /// is probably gone, unless somebody says otherwise; Home Assistant's start can look the same.
  public static let doubtAfter: Duration = .seconds(300)

  /// A restart of Home Assistant behind a proxy, whose connection outlives it, is not seen. What it
  /// remembers wrongly from before is put right after this long.
  public static let restatementInterval: Duration = .seconds(3600)

  /// Whether the registration has a key.
  public enum Protection: Equatable, Sendable {
    case sealed
    case plain
    /// It has none, and Home Assistant said that there is none to be had.
    case plainForGood
  }

  /// What the driver does next.
  public enum Action: Equatable, Sendable {
    /// Write this message with `write` and send it over `routeUnderWay`.
    case send(Message)
    /// Tell people, and keep what is to be kept. The batch can be asked about it meanwhile.
    case tell(DeliveryEvent)
  }

  enum State {
    case idle
    /// `nextAction` gives the message.
    case messageDue(Message, over: Route)
    case awaitingAnswer(Message, over: Route)
    case waiting(until: Instant)
  }

  /// What a cycle keeps until its proof.
  struct Cycle {
    /// The location that was sent, and when.
    struct SentLocation {
      /// The batch may have a newer one by the time of the proof.
      let fix: Fix
      let location: Location
      let at: Instant
    }

    /// Everything that was recorded before its begin.
    let mark: SpoolPosition
    /// What of that was replaced before the states were written.
    var superseded = Batch.Superseded()
    /// Whether the chunk of history that it began with was answered.
    var isHistoryAnswered = false
    /// Nil, too, where it is known that Home Assistant did not take it.
    var sent: SentLocation?
    /// Home Assistant has no place for the location that was sent.
    var isTrackerMissing = false
    /// A sensor that Home Assistant forgot is registered in the same cycle, once.
    var hasRegisteredAgain = false
    var acceptedReadings = 0
    /// What of the device Home Assistant says that it knows now.
    var toldFingerprint: Text?

    init(mark: SpoolPosition) { self.mark = mark }
  }

  public var batch: Batch
  public var history: History
  public internal(set) var routes: Routes
  /// Over which the last proof came; at first, over which it is expected.
  var lastRoute: Route?
  var state = State.idle
  var cycle: Cycle
  /// Of the message that was written last.
  var challenge: Challenge?
  var acquaintance = Acquaintance()
  var keyQuest: KeyQuest
  /// What Home Assistant does not know yet of the device.
  var untold: Webhook.UpdateRegistration?
  /// Home Assistant's tracker of this device, by its unique id.
  let trackerID: [UInt8]
  let doubtAfter: Duration
  var backOff: BackOff
  var outage: Outage?
  /// When the open batch is written, unless it is proven before.
  var batchClosesAt: Instant?
  /// Since when there is no registration to deliver with; kept until the first proof with one.
  public internal(set) var unregisteredSince: Instant?
  /// When everything is told again.
  private var restatementDueAt = Instant(nanoseconds: 0)
  /// When the last proof came.
  public internal(set) var lastProvenAt: Instant?
  private var tellings = Queue<DeliveryEvent>(capacity: 64)

  /// - Parameters:
  ///   - routes: the ways to Home Assistant.
  ///   - history: what was not delivered yet.
  ///   - trackerID: the id that the device registered with.
  ///   - protection: whether the registration has a key.
  ///   - untold: what has changed about the device since Home Assistant was told.
  ///   - doubtAfter: how long Home Assistant may not know the device before that is told.
  ///   - seed: where the jitter of the waits starts.
  public init(
    routes: Routes, history: consuming History, trackerID: [UInt8],
    protection: Protection = .sealed, untold: Webhook.UpdateRegistration? = nil,
    doubtAfter: Duration = Delivery.doubtAfter, seed: UInt64
  ) {
    self.routes = routes
    cycle = Cycle(mark: history.spool.end)
    batch = Batch(of: history.sensors)
    self.history = history
    lastRoute = routes.current?.route
    self.trackerID = trackerID
    self.doubtAfter = doubtAfter
    self.untold = untold
    keyQuest = KeyQuest(protection)
    backOff = BackOff(
      first: Self.firstRetryDelay, longest: Self.longestRetryDelay, seed: seed)
  }

  public var isIdle: Bool { if case .idle = state { true } else { false } }
  public var isInOutage: Bool { outage != nil }

  /// The route of the message that is under way, which has an address when that is sent; nil where
  /// none is under way.
  public var routeUnderWay: Route? {
    guard case .awaitingAnswer(_, let route) = state else { return nil }
    return route
  }

  /// When `deadlineReached` is due, or nil.
  public var deadline: Instant? {
    switch state {
    case .idle: history.deadline
    case .messageDue, .awaitingAnswer: diskDeadline
    case .waiting(let until): earliest(until, history.spool.deadline)
    }
  }

  /// When `diskDeadlineReached` is due where there is no registration to deliver with, or nil.
  public var diskDeadline: Instant? { earliest(batchClosesAt, history.spool.deadline) }

  /// What is to be done next; nil where nothing is until the next event.
  public mutating func nextAction() -> Action? {
    if let event = tellings.takeFirst() { return .tell(event) }
    guard case .messageDue(let message, let route) = state else { return nil }
    state = .awaitingAnswer(message, over: route)
    return .send(message)
  }

  // MARK: Readings

  /// Keeps what a sensor says, if it is another value than before.
  public mutating func record(_ reading: Reading) {
    guard batch.record(reading) else { return }
    history.record(reading)
  }

  public mutating func record(_ fix: Fix) {
    batch.record(fix)
    history.record(fix)
  }

  // MARK: Events

  /// A cycle is due. During an outage the retries go their own pace.
  public mutating func cycleDue(now: Instant) {
    if isIdle {
      history.cycleDue()
    } else if isInOutage {
      history.batchClosed()
    } else {
      // The one before is not proven, and may be any moment.
      batchClosesAt = batchClosesAt ?? now + Self.proofPatience
    }
    urgentChange(now: now)
  }

  /// An urgent sensor says something new, which is sent at once if that is possible.
  public mutating func urgentChange(now: Instant) {
    guard isIdle else { return }
    chooseRoute(now: now)
    begin(now: now)
  }

  /// A cycle is due, and there is no registration to deliver with. The first one may come any moment.
  public mutating func cyclePostponed(now: Instant) {
    if unregisteredSince == nil && !isInOutage {
      batchClosesAt = batchClosesAt ?? now + Self.proofPatience
    } else {
      closeBatch()
    }
  }

  /// An urgent sensor says something new, and there is no registration to deliver with: it waits for
  /// the next cycle, and so does the disk.
  public mutating func urgentChangePostponed() { batch.urgentChangePostponed() }

  /// The agent is about to end.
  public mutating func stopping() {
    if case .messageDue = state { state = .idle }
    history.chunkFailed()
    history.batchClosed()
  }

  /// What was recorded so far is not proven in time.
  mutating func closeBatch() {
    batchClosesAt = nil
    history.batchClosed()
  }

  private mutating func chooseRoute(now: Instant) { choosingRoute { $0.deliveryDue(now: now) } }

  /// Whoever is at the end of another route may be somebody else.
  mutating func choosingRoute(_ change: (inout Routes) -> Void) {
    let former = routes.current?.route
    change(&routes)
    if routes.current?.route != former { acquaintance.doubt() }
  }

  /// Does what is due whether or not there is a registration.
  public mutating func diskDeadlineReached(now: Instant) {
    history.deadlineReached(now: now)
    if let moment = batchClosesAt, now >= moment { closeBatch() }
  }

  public mutating func deadlineReached(now: Instant) {
    diskDeadlineReached(now: now)
    switch state {
    case .waiting(let until) where now >= until:
      routes.retryDue(now: now)
      begin(now: now)
    case .idle where history.isChunkDue(now: now):
      chooseRoute(now: now)
      beginWithHistory(now: now)
    case .idle, .messageDue, .awaitingAnswer, .waiting: break
    }
  }

  /// The message that is under way had no answer: there is no connection, or none came in time.
  public mutating func connectionFailed(_ reason: InlineText, now: Instant) {
    guard case .awaitingAnswer = state else { return }
    failed(.noConnection(reason), now: now)
  }

  /// The board came home or left. What waits for the end of an outage is tried at once, but at the edge
  /// of a network, where both happen all the time, no sooner after another attempt than else.
  public mutating func presenceChanged(_ presence: HomeNetworks.Judgement, now: Instant) {
    choosingRoute { $0.presenceChanged(presence, now: now) }
    switch state {
    case .waiting(let until) where routes.current != nil: retry(by: until, now: now)
    // It is not sent over a way that may not be taken any more.
    case .messageDue(_, let route) where routes.current?.route != route:
      batch.forgetDeclined()
      history.chunkFailed()
      begin(now: now)
    case .idle, .messageDue, .awaitingAnswer, .waiting: break
    }
  }

  private mutating func retry(by until: Instant, now: Instant) {
    if let attemptedAt = outage?.attemptedAt, now < attemptedAt + Self.firstRetryDelay {
      state = .waiting(until: min(until, attemptedAt + Self.firstRetryDelay))
    } else {
      begin(now: now)
    }
  }

  /// The connection ended between two cycles: Home Assistant may have restarted, and shows sensors
  /// as it remembers them.
  public mutating func connectionEnded() {
    guard isIdle else { return }
    batch.doubtAcknowledgements()
    acquaintance.doubt()
  }

  /// A registration is needed and could not be had; what it costs is told with the first proof.
  public mutating func registrationFailed(now: Instant) {
    unregisteredSince = unregisteredSince ?? now
    if batchClosesAt != nil { closeBatch() }
  }

  /// No new registration is to be had for now. The one there is may come to life again, and is tried
  /// on; after another while without an answer it is doubted again.
  public mutating func registrationRefused(now: Instant) {
    outage?.isDoubted = false
    outage?.doubtfulSince = now
    switch state {
    // What began meanwhile was never sent.
    case .messageDue(let message, let route): state = .awaitingAnswer(message, over: route)
    case .idle, .awaitingAnswer, .waiting: break
    }
    connectionFailed(InlineText("there was no registration"), now: now)
  }

  /// There is a new registration: Home Assistant can be reached, knows no sensor of it, and knows
  /// all about the device.
  public mutating func registrationReplaced(_ protection: Protection) {
    batch.forgetRegistrations()
    acquaintance.doubt()
    keyQuest = KeyQuest(protection)
    untold = nil
    history.chunkFailed()
    batchClosesAt = nil
    state = .idle
    // What the loss of the old one cost is told with the first proof.
    unregisteredSince = outage?.since ?? unregisteredSince
    outage = nil
    routes.forgetFailures()
    backOff.succeeded()
  }

  // MARK: One cycle

  private mutating func beginWithHistory(now: Instant) {
    cycle = Cycle(mark: history.spool.end)
    history.chunkSent(now: now)
    send(.history, now: now)
  }

  mutating func begin(now: Instant) {
    cycle = Cycle(mark: history.spool.end)
    if outage != nil {
      batch.forgetAcknowledgements()
      acquaintance.doubt()
    } else if now >= restatementDueAt {
      batch.doubtAcknowledgements()
      restatementDueAt = now + Self.restatementInterval
    }
    next(now: now)
  }

  mutating func next(now: Instant) {
    if keyQuest.isDue(now: now) {
      keyQuest.asked(now: now)
      return send(.key, now: now)
    }
    if acquaintance.isConfigurationDue(now: now) { return send(.configuration, now: now) }
    if untold != nil, cycle.toldFingerprint == nil { return send(.registration, now: now) }
    if let sensor = batch.nextUnregistered { return send(.sensor(sensor), now: now) }
    if let location = freshLocation(now: now) {
      cycle.sent = location
      return send(.location, now: now)
    }
    send(.states, now: now)
  }

  /// What has to be sent of the fix of the batch, if it is fresh.
  mutating func freshLocation(now: Instant) -> Cycle.SentLocation? {
    guard cycle.sent == nil, let fix = batch.fix else { return nil }
    guard now - fix.notBefore <= Self.fixAgeMax, let location = Location(fix) else {
      batch.dropFix()
      return nil
    }
    return Cycle.SentLocation(fix: fix, location: location, at: now)
  }

  /// Makes the message due, unless the board has left meanwhile and there is no way any more.
  mutating func send(_ message: Message, now: Instant) {
    challenge = nil
    if let route = routes.current?.route {
      state = .messageDue(message, over: route)
    } else {
      outageContinues(.noRoute, now: now)
    }
  }

  mutating func tell(_ event: DeliveryEvent) { tellings.append(event) }
}
