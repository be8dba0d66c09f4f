public import Bytes
public import HomeAssistant
public import Sensing

/// Decisions of the agent: registration, the route and time of messages, the stored data, the rule
/// for secrets, and the presence at home.
///
/// A driver passes events, and after each performs `nextAction` until it is nil; it wakes up at the
/// `deadline`. An event only changes the state of the machine, so it may come while an action is
/// being performed. The same machine runs in the agent and in the simulation.
///
/// Invariants:
/// 1. There is a usable registration, or an enrollment is in progress.
/// 2. Data that Home Assistant gives only once, such as a key or a registration, is requested only
///    if it can be written to the disk, and is written before the next message is sent.
/// 3. No secret is sent if `SecretRule` does not allow it. The rule is checked when the action is
///    returned; a request in progress ends when the board leaves.
/// 4. At most one request of each channel is in progress.
/// 5. Actions come in this order: those that end something, the disk, reports, messages.
// A class: a struct is copied when it is passed as an argument, 5 KB at a time, and the compiler
// needed up to a minute and a half to check a function with such a noncopyable argument.
public final class Uplink {
  let settings: Settings
  public let identity: RegistrationRequest
  /// Time of the last event.
  var now: Instant

  public let delivery: Delivery
  /// Present registration, or the former one during a new enrollment.
  public internal(set) var registration: Registration?
  var login: Login
  var statistics: StatisticsImport?
  /// Nil without a push relay.
  var push: PushFetcher?
  private(set) var home: HomeDetector
  public private(set) var power: PowerMonitor
  var plan: CyclePlan
  var commands: CommandDispatcher
  public internal(set) var notifications = ShownNotifications()
  /// Interval of the cycles, as the sources know it.
  var pace: SamplingPace
  var keeper = StateKeeper()
  /// Fix that was recorded last, sent or not.
  public private(set) var lastFix: Fix?
  /// First fix since the start; the offset of `lastFix` from it is reported.
  public private(set) var firstFix: Fix?
  /// Filter of the fixes that are recorded; nil if all are.
  public internal(set) var track: TrackFilter?
  /// Whether Home Assistant may not have the last point of the track.
  var isPositionOwed = false
  /// Result of the last attempt to deliver; nil before the first one ended.
  public internal(set) var outcome: Outcome?
  var tally = Counts()

  var isStopping = false
  /// Actions that come first. In a steady cycle only the readings of the sources and the clock.
  var actions: [Action] = []

  /// Begins with a cycle at `now`; `seed` starts the jitter of the delays.
  public init(
    _ settings: Settings, identity: RegistrationRequest, history: consuming History,
    memory: Memory, seed: UInt64, now: Instant
  ) {
    var random = SplitMix64(seed: seed)
    self.settings = settings
    let server = settings.server
    self.identity = identity
    self.now = now
    // A board that is switched off after one cycle cannot look a second time.
    power = PowerMonitor(
      levels: settings.powerLevels, looksTwice: settings.onceTimeout == nil)
    plan = CyclePlan(settings.intervals(for: PowerEffect()), now: now)
    pace = SamplingPace(cycle: plan.every)
    commands = CommandDispatcher(allowed: settings.commands, memory.commandIDs)
    track = settings.track.map { TrackFilter($0) }
    home = HomeDetector(server.home?.networks, now: now)
    let sensors = history.sensors
    statistics = memory.waitingHours.map {
      StatisticsImport($0, of: sensors, seed: random.next())
    }
    push = memory.pushKeys.map { PushFetcher($0, seed: random.next(), now: now) }
    let routes = Routes(
      instance: server.url, home: server.home?.url,
      cloudhook: memory.registration?.cloudhookURL?.bytes,
      remoteUI: memory.registration?.remoteUIURL?.bytes, presence: .unknown,
      isPlainAllowedAway: server.isPlainAllowedAway, seed: random.next(), now: now)
    login = Login(
      credential: memory.credential, readsFile: settings.readsTokenFile,
      acceptsPlain: server.isPlainAllowed, isServerKnown: server.isKnown,
      isAllowed: routes.secrets.allows(server.url), seed: random.next(), now: now)
    delivery = Delivery(
      routes: routes, history: history, trackerID: identity.deviceID,
      webSocketURL: settings.webSocket?.carriesMessages == true ? server.url : nil,
      wantsZones: settings.track != nil,
      protection: memory.protection,
      identity: identity,
      isIdentityTold: memory.registration?.toldFingerprint == identity.fingerprint,
      doubtAfter: server.registersAgainAfter ?? Delivery.doubtAfter, seed: random.next())
    actions.reserveCapacity(16)
    actions.append(.readClockState)
    if settings.webSocket != nil { actions.append(.setWebSocketAllowed(maySendToken)) }
    if let registration = memory.registration {
      deliver(with: registration)
    } else {
      login.registrationWanted(now: now)
    }
  }

  /// Whether a token may be sent to the address of the configuration now.
  var maySendToken: Bool { delivery.routes.secrets.allows(settings.server.url) }

  // MARK: Recording

  /// Returns the index of a sensor, new or known; nil if it does not fit.
  public func declare(_ sensor: SensorDescription) -> SensorIndex? {
    let index = delivery.batch.declare(sensor)
    if let index { power.declared(sensor, index) }
    return index
  }

  public func record(_ reading: Reading) {
    delivery.record(reading)
    statistics?.record(delivery.history.corrected(reading))
    let level = power.level
    if power.readingRecorded(reading, now: now) { powerChanged(from: level) }
  }

  /// Handles a change of the supply or of the power level.
  private func powerChanged(from level: Int?) {
    plan.usualChanged(to: settings.intervals(for: power.effect), now: now)
    tellPace()
    if delivery.outage.supplyChanged(isOnBattery: power.isOnBattery, now: now) { supplyChanged() }
    guard power.level != level else { return }
    let every = settings.onceTimeout == nil ? plan.every : reportInterval
    actions.append(.tell(.powerLevel(every: every)))
  }

  /// Informs the WebSocket of a change between battery and mains.
  private func supplyChanged() {
    guard settings.webSocket != nil else { return }
    actions.append(.setWebSocketOnBattery(power.isOnBattery))
    if !power.isOnBattery { checkWebSocket() }
  }

  /// Handles a fix, which is stored and sent if it is a point of the track.
  public func record(_ fix: Fix) {
    lastFix = fix
    if firstFix == nil { firstFix = fix }
    // In an outage the points are stored anyway.
    let isOwed =
      commands.isLocating
      || isPositionOwed && delivery.isReached && delivery.batch.waitingFixCount == 0
    guard track?.fixReported(fix, isOwed: isOwed).isKept ?? true else {
      return delivery.history.fixLeftOut(fix)
    }
    isPositionOwed = true
    if track?.isZoneChanged == true { plan.uploadWanted() }
    commands.fixKept()
    delivery.record(fix)
  }

  /// Handles a reading of both clocks, before anything is recorded with their time. Returns whether
  /// the wall clock was set since the last reading: then the next action is about it.
  @discardableResult
  public func clockRead(_ instant: Instant, _ wallTime: WallTime) -> Bool {
    now = instant
    let wasSet = delivery.history.clockRead(instant, wallTime)
    if wasSet { actions.append(.readClockState) }
    statistics?.clockRead(
      delivery.history.corrected(wallTime),
      isRight: !wasSet && delivery.history.isClockTrusted, isReached: delivery.isReached)
    return wasSet
  }

  /// Records whether another clock has set the kernel's, and keeps it right.
  public func clockStateRead(isSynchronized: Bool) {
    delivery.history.isClockSynchronized = isSynchronized
  }

  /// Handles a change of the network, or of the information about it.
  public func placeChanged(_ place: NetworkPlace, now: Instant) {
    self.now = now
    actions.append(.leaveConnection)
    let former = home.place
    let change = home.placeChanged(place)
    if change.isPresenceOther || change.isGatewaySilent {
      actions.append(.tell(.presence(home.presence, place)))
    }
    if change.isPresenceOther { presenceFound() }
    guard change.isNetworkOther || change.isBack else { return }
    // What went over a cable before its gateway was known is not in the former network.
    if change.isBack || !place.isSameNetwork(as: former) {
      endCalls(InlineText("the network changed"))
    }
    login.networkChanged(isOther: change.isNetworkOther, now: now)
    delivery.networkChanged(isOther: change.isNetworkOther, now: now)
    checkWebSocket()
  }

  /// Minimum sleep after which a router on the way may have forgotten a connection.
  static let connectionSleepMax: Duration = .seconds(60)

  /// Handles the end of a sleep of the board. The WebSocket detects it by its overdue ping.
  public func boardWoke(after sleep: Duration, now: Instant) {
    self.now = now
    guard sleep > Self.connectionSleepMax else { return }
    actions.append(.leaveConnection)
    endCalls(InlineText("this board was suspended"))
  }

  /// Ends all calls in transit: their answers cannot come, and would be awaited until the timeout.
  private func endCalls(_ reason: InlineText) {
    endMessage(reason)
    endFetch()
    login.connectionLost(reason, now: now)
  }

  private func presenceFound() {
    delivery.presenceChanged(home.presence, now: now)
    if settings.webSocket != nil { actions.append(.setWebSocketAllowed(maySendToken)) }
    login.presenceChanged(isAllowed: maySendToken, now: now)
    if case .outage(_, _, isDoubted: true) = delivery.status { registerAgain() }
    endForbiddenMessage()
    if !mayFetch { endFetch() }
    makeUpForUpload()
  }

  /// Ends a message in transit over a route that is no longer allowed.
  private func endForbiddenMessage() {
    guard let route = delivery.underWay?.route, let url = delivery.routes.url(of: route),
      !delivery.routes.secrets.allows(url)
    else { return }
    endMessage(InlineText("the board left the network"))
  }

  /// Ends the message in transit, which counts as not arrived.
  func endMessage(_ reason: InlineText) {
    guard delivery.underWay != nil else { return }
    actions.append(.cancel(.webhook))
    delivery.connectionFailed(reason, now: now)
  }

  /// Whether the token of the push relay may be sent to it now.
  var mayFetch: Bool { settings.pushURL.map { delivery.routes.secrets.allows($0) } ?? false }

  /// Ends a request to the push relay.
  private func endFetch() {
    guard push?.isUnderWay == true else { return }
    actions.append(.cancel(.push))
    push?.postponed(now: now)
  }

  // MARK: Time

  /// Time at which `deadlineReached` is due.
  public var deadline: Instant {
    var next = earliest(statistics?.deadline, earliest(home.deadline, commands.rebootAt))
    next = earliest(next, power.deadline)
    if login.isEnrolling {
      next = earliest(next, delivery.diskDeadline)
      if !home.isLooking { next = earliest(next, login.deadline) }
    } else {
      next = earliest(next, delivery.deadline)
    }
    // After that time any event is sufficient.
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
    if login.isEnrolling {
      if !home.isLooking { login.deadlineReached(now: now) }
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

  /// Sends the readings if no source is still measuring; an urgent change waits only briefly.
  /// `isConnectionKept` says whether the HTTP connection of the last message is still open; it is
  /// evaluated only if a message may be sent.
  public func sourcesReady(
    isGathering: Bool = false, isConnectionKept: @autoclosure () -> Bool, now: Instant
  ) {
    self.now = now
    plan.sourcesLookedAt(isGathering: isGathering, now: now)
    if isGathering, let end = plan.urgentWaitEnd, now < end { return }
    let isCycle = !isGathering && plan.sourcesReady()
    if isCycle {
      actions.append(.readClockState)
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
    guard !login.isEnrolling else {
      plan.postponed()
      delivery.cyclePostponed(now: now)
      return login.cycleDue(now: now)
    }
    plan.uploadBegins()
    delivery.connectionLooked(isHTTPKept: isConnectionKept)
    delivery.cycleDue(now: now)
  }

  private func makeUpForUpload() {
    if plan.isOwed { uploadDue(isConnectionKept: false) }
  }

  private func urgentChange(isConnectionKept: Bool) {
    guard !login.isEnrolling, !home.isLooking else {
      plan.postponed()
      return delivery.batch.urgentChangePostponed()
    }
    plan.uploadBegins()
    delivery.connectionLooked(isHTTPKept: isConnectionKept)
    delivery.urgentChange(now: now)
  }

  /// Prepares for the end of the agent: unproven entries and the state are written to the disk, and
  /// no other action follows.
  public func stopping() {
    isStopping = true
    keeper.retryDue()
    delivery.stopping()
  }

  /// Cancels `stopping`.
  public func goingOn() { isStopping = false }

  // MARK: Registration

  func deliver(with registration: Registration) {
    self.registration = registration
    login.registrationFound()
    if settings.webSocket?.takesNotifications == true {
      actions.append(.openPushChannel(registration))
    }
  }

  func registered(_ made: Registration) {
    var made = made
    made.answers(identity)
    keeper.keep(.registration(made))
    delivery.registrationReplaced(made.isPlain ? .plain : .sealed, now: now)
    isPositionOwed = true
    deliver(with: made)
    actions.append(.tell(.registered(isPlain: made.isPlain)))
    makeUpForUpload()
  }

  /// Changes and stores the registration.
  func change(_ body: (inout Registration) -> Bool) {
    guard !login.isEnrolling, var changed = registration, body(&changed) else { return }
    registration = changed
    keeper.keep(.registration(changed))
  }
}
