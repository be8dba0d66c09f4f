public import Bytes
public import HomeAssistant
public import Sensing

/// What decides for the agent: registering, what is sent over which way and when, what is kept,
/// where secrets may go, whether the board is at home.
///
/// A driver feeds it events, and after each performs `nextAction` until there is none; it is woken
/// at the `deadline`. An event only changes what the machine knows, so it may come while an action
/// is being performed. The same machine runs in the agent and in the simulation.
///
/// Invariants:
/// 1. There is a registration to deliver with, or one is being made.
/// 2. What Home Assistant gives once only, such as a key or a registration, is asked for only where
///    it can be written to the disk, and is written before the next message goes.
/// 3. Nothing that carries a secret is sent where `SecretRule` does not allow it. That is asked
///    when the action is handed out; what is under way when the board leaves is ended.
/// 4. At most one request of each channel is under way.
/// 5. What ends something comes before what goes to the disk, that before what is told of it, and
///    that before what is sent.
// A class: a struct is copied where it is an argument, 5 KB at a time, and the compiler's check of
// noncopyable values took up to a minute and a half for a function that has such an argument.
public final class Uplink {
  let settings: Settings
  public let identity: RegistrationRequest
  /// The moment of the last event.
  var now: Instant

  public let delivery: Delivery
  /// What there is to deliver with, or was, while a new one is being made.
  public internal(set) var registration: Registration?
  var registrar: Registrar
  var statistics: StatisticsUplink?
  private(set) var home: HomeDetector
  public private(set) var power: PowerMonitor
  var plan: CyclePlan
  var commands: CommandDispatcher
  public internal(set) var notifications = ShownNotifications()
  /// How the sources know that they are asked.
  var pace: SamplingPace
  var keeper = StateKeeper()
  var webhook: WebhookChannel
  /// The fix that was recorded last, whether it was sent or not.
  public private(set) var lastFix: Fix?
  /// The first one since the start: what the way of the board is told from.
  public private(set) var firstFix: Fix?
  /// What decides which fixes are recorded; nil where all are.
  public internal(set) var track: TrackFilter?
  /// Whether Home Assistant may not have the last point of the track.
  var isPositionOwed = false
  /// How the last attempt to deliver ended; nil before the first one did.
  public internal(set) var outcome: Outcome?
  var tally = Counts()

  /// The key of the registration waits until it is known that it can be kept; else the registrar
  /// asked.
  var isKeyProbed = false
  var isClockStateWanted = true
  var isStopping = false
  /// What comes before all else. In a steady cycle it is the asking of the sources only.
  var actions: [Action] = []

  /// - Parameters:
  ///   - settings: what of the configuration it goes by.
  ///   - identity: what the device registers as.
  ///   - history: what was not delivered yet.
  ///   - memory: what earlier runs and pairing left.
  ///   - seed: where the jitter of the waits starts.
  ///   - now: when the first cycle is due.
  public init(
    _ settings: Settings, identity: RegistrationRequest, history: consuming History,
    memory: Memory, seed: UInt64, now: Instant
  ) {
    var random = SplitMix64(seed: seed)
    self.settings = settings
    let server = settings.server
    self.identity = identity
    self.now = now
    // A board that is switched off after one cycle has no second look.
    power = PowerMonitor(
      levels: settings.powerLevels, looksTwice: settings.onceTimeout == nil)
    plan = CyclePlan(settings.intervals(for: PowerEffect()), now: now)
    pace = SamplingPace(cycle: plan.every)
    commands = CommandDispatcher(allowed: settings.commands)
    track = settings.track.map { TrackFilter($0) }
    home = HomeDetector(server.home?.networks, now: now)
    let sensors = history.sensors
    statistics = memory.waitingHours.map {
      StatisticsUplink($0, of: sensors, seed: random.next())
    }
    webhook = WebhookChannel(
      carriesMessages: settings.webSocket?.carriesMessages == true, webSocketURL: server.url)
    let routes = Routes(settings, memory, seed: random.next(), now: now)
    registrar = Registrar(
      credential: memory.credential, readsFile: settings.readsTokenFile,
      acceptsPlain: server.isPlainAllowed, isServerKnown: server.isKnown,
      isAllowed: routes.secrets.allows(server.url), seed: random.next(), now: now)
    let update = Webhook.UpdateRegistration(identity)
    delivery = Delivery(
      routes: routes, history: history, trackerID: identity.deviceID,
      wantsZones: settings.track != nil,
      protection: memory.protection,
      untold: memory.registration?.toldFingerprint == update.fingerprint ? nil : update,
      doubtAfter: server.registersAgainAfter ?? Delivery.doubtAfter, seed: random.next())
    actions.reserveCapacity(16)
    if settings.webSocket != nil { actions.append(.setWebSocketAllowed(maySendToken)) }
    if let registration = memory.registration {
      deliver(with: registration)
    } else {
      registrar.registrationWanted(now: now)
    }
  }

  /// Whether a token may be sent to the address of the configuration now.
  var maySendToken: Bool { delivery.routes.secrets.allows(settings.server.url) }

  // MARK: What is sensed

  /// The place of a sensor; nil where no more fit.
  public func declare(_ sensor: SensorDescription) -> SensorIndex? {
    let index = delivery.declare(sensor)
    if let index { power.declared(sensor, index) }
    return index
  }

  public func record(_ reading: Reading) {
    delivery.record(reading)
    statistics?.record(delivery.history.corrected(reading))
    let level = power.level
    if power.readingRecorded(reading, now: now) { powerChanged(from: level) }
  }

  /// The supply of the board is another one, or another level of the policy holds.
  private func powerChanged(from level: Int?) {
    plan.usualChanged(to: settings.intervals(for: power.effect), now: now)
    tellPace()
    if delivery.supplyChanged(isOnBattery: power.isOnBattery, now: now) { supplyChanged() }
    guard power.level != level else { return }
    let every = settings.onceTimeout == nil ? plan.every : reportInterval
    actions.append(.tell(.powerLevel(every: every)))
  }

  /// The board lives on its battery from now on, or does not.
  private func supplyChanged() {
    guard settings.webSocket != nil else { return }
    actions.append(.setWebSocketOnBattery(power.isOnBattery))
    if !power.isOnBattery { checkWebSocket() }
  }

  /// Takes a fix in. It is kept and sent where it is a point of the track.
  public func record(_ fix: Fix) {
    lastFix = fix
    if firstFix == nil { firstFix = fix }
    // In an outage the points are kept anyway.
    let isOwed =
      commands.isLocating
      || isPositionOwed && delivery.isReached && delivery.batch.waitingFixCount == 0
    guard track?.fixReported(fix, isOwed: isOwed).isKept ?? true else {
      return delivery.fixLeftOut(fix)
    }
    isPositionOwed = true
    if track?.isZoneChanged == true { plan.uploadWanted() }
    commands.fixKept()
    delivery.record(fix)
  }

  /// Both clocks were read, before anything is recorded with their time.
  public func clockRead(_ instant: Instant, _ wallTime: WallTime) {
    now = instant
    let wasSet = delivery.history.clockRead(instant, wallTime)
    // Whether by another clock is asked only then and once a cycle, not at every turn.
    if wasSet { isClockStateWanted = true }
    statistics?.clockRead(
      delivery.history.corrected(wallTime),
      isRight: !wasSet && delivery.history.isClockTrusted, isReached: delivery.isReached)
  }

  /// - Parameter isSynchronized: whether another clock set the kernel's, and keeps it right.
  public func clockStateRead(isSynchronized: Bool) {
    delivery.history.isClockSynchronized = isSynchronized
  }

  /// The board is in another network, or what is known of it has changed.
  public func placeChanged(_ place: NetworkPlace, now: Instant) {
    self.now = now
    actions.append(.leaveConnection)
    let change = home.placeChanged(place)
    if change.isPresenceOther {
      actions.append(.tell(.presence(home.presence, place)))
      presenceFound()
    } else if change.isGatewaySilent {
      actions.append(.tell(.presence(home.presence, place)))
    }
    guard change.isNetworkOther else { return }
    // Its answer would be waited for until the timeout: the way back leads nowhere.
    endMessage(InlineText("the network is another one"))
    delivery.networkChanged(now: now)
    checkWebSocket()
  }

  private func presenceFound() {
    delivery.presenceChanged(home.presence, now: now)
    if settings.webSocket != nil { actions.append(.setWebSocketAllowed(maySendToken)) }
    registrar.presenceChanged(isAllowed: maySendToken, now: now)
    endForbiddenMessage()
    makeUpForUpload()
  }

  /// A message that is under way over a route that may not be used any more is not sent to its end.
  private func endForbiddenMessage() {
    guard webhook.message != nil, let route = delivery.routeUnderWay,
      let url = delivery.routes.url(of: route), !delivery.routes.secrets.allows(url)
    else { return }
    endMessage(InlineText("the board left"))
  }

  /// What is under way counts as not arrived.
  private func endMessage(_ reason: InlineText) {
    guard webhook.message != nil else { return }
    if webhook.cancelled() { actions.append(.cancel(.webhook)) }
    delivery.connectionFailed(reason, now: now)
  }

  // MARK: Time

  /// When `deadlineReached` is due.
  public var deadline: Instant {
    var next = earliest(statistics?.deadline, earliest(home.deadline, commands.rebootAt))
    next = earliest(next, power.deadline)
    if registrar.isEnrolling {
      next = earliest(next, delivery.diskDeadline)
      if !home.isLooking { next = earliest(next, registrar.deadline) }
    } else {
      next = earliest(next, delivery.deadline)
    }
    // Once it is past, any event will do.
    if let end = plan.urgentWaitEnd, end > now, delivery.hasUrgentNews {
      next = earliest(next, end)
    }
    return next.map { min($0, plan.nextCycleAt) } ?? plan.nextCycleAt
  }

  public func deadlineReached(now: Instant) {
    self.now = now
    if home.deadlineReached(now: now) { presenceFound() }
    statistics?.deadlineReached(now: now)
    let level = power.level
    if power.deadlineReached(now: now) { powerChanged(from: level) }
    if power.takeLookWanted(), plan.sampleWanted(now: now) { actions.append(.sample) }
    if registrar.isEnrolling {
      if !home.isLooking { registrar.deadlineReached(now: now) }
      delivery.diskDeadlineReached(now: now)
    } else {
      delivery.deadlineReached(now: now)
    }
    rebootIfTold()
    if plan.deadlineReached(now: now) {
      tellPace()
      actions.append(.sample)
    }
  }

  /// What was sampled can go where no source waits for anything, and what is urgent does not wait
  /// long for the sources.
  ///
  /// - Parameters:
  ///   - isGathering: whether a source still waits for what it asked for.
  ///   - isConnectionKept: whether the HTTP connection of the last message still stands; it is
  ///     asked only where a message may go.
  ///   - now: the moment of now.
  public func sourcesReady(
    isGathering: Bool = false, isConnectionKept: @autoclosure () -> Bool, now: Instant
  ) {
    self.now = now
    plan.sourcesLookedAt(isGathering: isGathering, now: now)
    if isGathering, let end = plan.urgentWaitEnd, now < end { return }
    let isCycle = !isGathering && plan.sourcesReady()
    if isCycle {
      isClockStateWanted = true
      commandsSampled()
    }
    let isUrgent = delivery.hasUrgentNews
    switch (isCycle, plan.isUploadDue || isUrgent) {
    case (true, true): uploadDue(isConnectionKept: isConnectionKept())
    case (true, false): delivery.uploadPutOff(now: now)
    case (false, _): if isUrgent { urgentChange(isConnectionKept: isConnectionKept()) }
    }
  }

  private func uploadDue(isConnectionKept: Bool) {
    statistics?.cycleDue()
    guard !home.isLooking else { return plan.postponed() }
    keeper.retryDue()
    guard !registrar.isEnrolling else {
      plan.postponed()
      delivery.cyclePostponed(now: now)
      return registrar.cycleDue(now: now)
    }
    plan.uploadBegins()
    if !webhook.isConnectionKept(isHTTPKept: isConnectionKept) { delivery.connectionEnded() }
    delivery.cycleDue(now: now)
  }

  private func makeUpForUpload() {
    if plan.isOwed { uploadDue(isConnectionKept: false) }
  }

  private func urgentChange(isConnectionKept: Bool) {
    guard !registrar.isEnrolling, !home.isLooking else {
      plan.postponed()
      return delivery.urgentChangePostponed()
    }
    plan.uploadBegins()
    if !webhook.isConnectionKept(isHTTPKept: isConnectionKept) { delivery.connectionEnded() }
    delivery.urgentChange(now: now)
  }

  /// The agent is about to end. What is not proven to be in Home Assistant goes to the disk, and
  /// nothing else happens any more.
  public func stopping() {
    isStopping = true
    delivery.stopping()
  }

  /// The agent does not stop, after all.
  public func goingOn() { isStopping = false }

  // MARK: The registration

  func deliver(with registration: Registration) {
    self.registration = registration
    registrar.registrationFound()
    if settings.webSocket?.takesNotifications == true {
      actions.append(.openPushChannel(registration))
    }
  }

  func registered(_ made: Registration) {
    var made = made
    made.answers(identity)
    keeper.keep(made)
    delivery.registrationReplaced(made.isPlain ? .plain : .sealed)
    isPositionOwed = true
    deliver(with: made)
    actions.append(.tell(.registered(isPlain: made.isPlain)))
    makeUpForUpload()
  }

  /// Something about the registration has changed, which is kept.
  func change(_ body: (inout Registration) -> Bool) {
    guard !registrar.isEnrolling, var changed = registration, body(&changed) else { return }
    registration = changed
    keeper.keep(changed)
  }

  /// No new registration is to be had for now. The former one, if any, may come to life again.
  func tryFormerRegistration() {
    guard let registration else { return }
    deliver(with: registration)
    delivery.registrationRefused(now: now)
  }

  // MARK: The disk

  /// What the driver tells of a disk action.
  public var spool: Spool { delivery.history.spool }

  /// What a reading wants of the disk, which is done before the next one is recorded.
  public func nextSpoolAction() -> Spool.Action? { delivery.history.nextAction() }

  public func stateWritten() { keeper.written() }

  /// - Parameter words: why it could not be written, for people.
  public func stateFailed(words: [UInt8]) { keeper.failed(words) }

  /// - Parameters:
  ///   - rejected: nil where they cannot be read.
  ///   - words: why that is so, for people.
  public func rejectedTokensRead(_ rejected: RejectedTokens?, words: [UInt8] = []) {
    if rejected == nil { keeper.readFailed(words) }
    registrar.rejectedTokensRead(
      rejected.map { keeper.completed($0, isForGood: settings.server.isKnown, now: now) }, now: now)
  }

  public func tokenFileRead(_ token: Result<[UInt8], Enrollment.TokenFlaw>) {
    registrar.tokenFileRead(token)
  }

  /// - Parameter failure: why `waitingHours` could not be written; nil where they are on the disk.
  public func hoursKept(_ failure: DiskFailure?) {
    if let failure { statistics?.notKept(failure) } else { statistics?.kept() }
  }

  /// What only this process has is to be written now, also where that failed a moment ago.
  public func keepEverything() {
    keeper.retryDue()
    delivery.keepEverything()
  }
}
