import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Sensing
import Transport

/// Carries what a `Delivery` wants to send to Home Assistant and back, and sees to it that there is
/// a registration to deliver with.
final class Courier {
  enum Phase {
    /// Where there was a registration before, it may not be lost after all.
    case registering(Registrar, former: Registration?)
    case delivering(Registration)
  }

  let settings: Configuration.HomeAssistantSettings
  private let identity: RegistrationRequest
  private let state: StateDirectory
  private let wire: Wire
  private let keeper: Keeper
  private let spoolFiles: SpoolFiles
  let reporter: Reporter
  /// The WebSocket, where the configuration wants one and there is a credential for it.
  let line: WebSocketLine?
  /// Hours for Home Assistant's statistics, where the configuration wants them there.
  let statistics: StatisticsCourier?
  /// Where the board is, if the configuration says which networks are home.
  let whereabouts: Whereabouts?
  private(set) var phase: Phase?
  /// What is under way to the webhook.
  private var message: Delivery.Message?
  /// A cycle was due before there was a registration, or before it was known whether this is home.
  private var isCycleOwed = false

  var delivery: Delivery
  /// The fix that was recorded last, whether it was sent or not.
  private(set) var lastFix: Fix?

  init?(
    settings: Configuration.HomeAssistantSettings, identity: RegistrationRequest,
    history: consuming History, state: StateDirectory, registration: Registration?,
    keeper: Keeper, line: WebSocketLine?, statistics: StatisticsCourier?,
    whereabouts: Whereabouts?, loop: EventLoop, reporter: Reporter, now: Instant
  ) {
    guard let wire = Wire(settings: settings, line: line, loop: loop) else { return nil }
    self.settings = settings
    self.identity = identity
    self.state = state
    self.wire = wire
    self.reporter = reporter
    self.line = line
    self.statistics = statistics
    self.keeper = keeper
    self.whereabouts = whereabouts
    spoolFiles = SpoolFiles(in: state.path)
    let update = HomeAssistant.Webhook.UpdateRegistration(identity)
    delivery = Delivery(
      routes: Routes(
        instance: settings.url, home: settings.homeNetwork.map { $0.url ?? settings.url },
        cloudhook: registration?.cloudhookURL?.bytes, remoteUI: registration?.remoteUIURL?.bytes,
        presence: .unknown, isPlainAllowedAway: settings.isPlainAllowedAway, seed: randomSeed(),
        now: now),
      history: history, trackerID: identity.deviceID,
      protection: Self.protection(of: registration, in: state),
      untold: registration?.toldFingerprint == update.fingerprint ? nil : update,
      doubtAfter: settings.registersAgainAfter ?? Delivery.doubtAfter,
      seed: randomSeed())
    delivery.history.isClockSynchronized = isClockSynchronized
    tidy(now: now)
    if let registration { deliver(with: registration) } else { register(now: now) }
    line?.setAllowed(maySendToken)
    whereabouts?.start(on: loop, telling: self, now: now)
  }

  private static func protection(
    of registration: Registration?, in state: StateDirectory
  ) -> Delivery.Protection {
    guard let registration, registration.isPlain else { return .sealed }
    return state.isKeyless(registration) ? .plainForGood : .plain
  }

  // MARK: Readings

  /// The place of a sensor; nil where no more fit.
  func declare(_ sensor: SensorDescription) -> SensorIndex? { delivery.batch.declare(sensor) }

  func record(_ reading: Reading) {
    delivery.record(reading)
    statistics?.record(delivery.history.corrected(reading))
    tidy()
  }

  func record(_ fix: Fix) {
    lastFix = fix
    delivery.record(fix)
    tidy()
  }

  /// The clock may have been set since the last time. Whether by another clock is asked only then and
  /// once a cycle, not at every turn.
  func clockRead(_ moment: Moment) {
    let wasSet = delivery.history.clockRead(moment.instant, moment.wallTime)
    if wasSet { delivery.history.isClockSynchronized = isClockSynchronized }
    statistics?.clockRead(
      delivery.history.corrected(moment.wallTime),
      isRight: !wasSet && delivery.history.isClockTrusted,
      isReached: delivery.isReached)
  }

  /// Does what is wanted of the disk.
  private func tidy(now: Instant? = nil) {
    while let action = delivery.history.nextAction() {
      spoolFiles.perform(
        action, for: &delivery.history.spool, now: now ?? Moment.now.instant)
    }
    reporter.spool(delivery.history.spool.failure, delivery.history.spool.losses)
  }

  // MARK: Time

  var deadline: Instant? {
    var next = wire.http.deadline
    if case .registering(let registrar, _)? = phase {
      let attempt = whereabouts?.isLooking == true ? nil : registrar.deadline
      next = earliest(earliest(next, attempt), delivery.diskDeadline)
    } else {
      next = earliest(next, delivery.deadline)
    }
    next = earliest(earliest(next, line?.deadline), whereabouts?.deadline)
    return earliest(next, statistics?.deadline)
  }

  func deadlineReached(now: Instant) {
    wire.http.deadlineReached(now: now)
    line?.deadlineReached(now: now)
    whereabouts?.deadlineReached(now: now)
    statistics?.deadlineReached(now: now)
    if case .registering(let registrar, _)? = phase {
      if whereabouts?.isLooking != true { registrar.deadlineReached(now: now) }
      delivery.diskDeadlineReached(now: now)
      tidy(now: now)
    } else {
      delivery.deadlineReached(now: now)
      goOn(now: now)
    }
  }

  func cycleDue(now: Instant) {
    statistics?.cycleDue()
    delivery.history.isClockSynchronized = isClockSynchronized
    if whereabouts?.isLooking == true {
      isCycleOwed = true
      return
    }
    if case .registering(let registrar, _)? = phase {
      isCycleOwed = true
      delivery.cyclePostponed(now: now)
      tidy(now: now)
      return registrar.cycleDue(now: now)
    }
    keeper.tryAgain()
    if !wire.isConnectionKept { delivery.connectionEnded() }
    delivery.cycleDue(now: now)
    goOn(now: now)
  }

  private func makeUpForCycle(now: Instant) {
    guard isCycleOwed else { return }
    isCycleOwed = false
    cycleDue(now: now)
  }

  /// An urgent sensor says something new.
  func urgentChange(now: Instant) {
    guard case .delivering? = phase, whereabouts?.isLooking != true else {
      isCycleOwed = true
      return delivery.urgentChangePostponed()
    }
    if !wire.isConnectionKept { delivery.connectionEnded() }
    delivery.urgentChange(now: now)
    goOn(now: now)
  }

  /// The agent is about to end. What is not proven to be in Home Assistant is kept.
  func stopping() {
    delivery.stopping()
    tidy()
  }

  /// Whether nothing is left that only this process knows of the registration.
  func hasKeptEverything() -> Bool { keeper.tryAgain() }

  // MARK: Registration

  private func register(now: Instant) {
    let registrar = Registrar(
      settings: settings, identity: identity, credential: state.credential(), http: wire.http,
      keeper: keeper, owner: self, now: now)
    var former: Registration?
    if case .delivering(let registration)? = phase { former = registration }
    phase = .registering(registrar, former: former)
  }

  private func deliver(with registration: Registration) {
    phase = .delivering(registration)
    wire.registrationReplaced()
    line?.openChannel(of: registration)
  }

  /// Something about the registration has changed, which is kept.
  private func change(_ body: (inout Registration) -> Bool) {
    guard case .delivering(var registration)? = phase, body(&registration) else { return }
    phase = .delivering(registration)
    keeper.keep(registration)
  }

  // MARK: Delivery

  private func carryStatistics() {
    guard case .delivering(let registration)? = phase else { return }
    statistics?.proven(
      by: delivery.server, deviceID: delivery.deviceID, webhookID: registration.webhookID,
      at: .now)
  }

  private func send(_ message: Delivery.Message, now: Instant) {
    // Where a new registration is being made, the message ends with the former one.
    guard case .delivering(let registration)? = phase else { return }
    guard let route = delivery.routeUnderWay, let url = delivery.routes.url(of: route) else {
      preconditionFailure("a message is sent over a route with an address")
    }
    // Home Assistant gives a key once only.
    if message == .key, !keeper.isReady() {
      delivery.keyPostponed(now: now)
      return goOn(now: now)
    }
    self.message = message
    delivery.write(
      message, for: registration, nonce: Nonce(randomBytes: randomBytes()), into: &wire.http.request
    )
    reporter.messageSent()
    wire.send(to: registration, over: route, at: url, telling: self)
  }

  private func judge(status: Int, _ body: inout ByteBuffer, now: Instant) {
    guard case .delivering(let registration)? = phase else { return }
    if message == .key {
      let result = HomeAssistant.Webhook.EnableEncryption.read(status: status, body: body)
      body.wipe()
      // It is kept before anything else is done: Home Assistant gives it once only.
      if case .enabled(let key) = result {
        change {
          $0.protection = .sealed(key)
          return true
        }
      }
      return delivery.keyAnswered(result, now: now)
    }
    let answer = registration.readAnswer(status: status, body: &body)
    return delivery.answerReceived(answer, body: body, now: now)
  }

  private func goOn(now: Instant) {
    tidy(now: now)
    while let action = delivery.nextAction() {
      switch action {
      case .tell(let event): tell(event, now: now)
      case .send(let message): send(message, now: now)
      }
    }
  }

  private func failed(_ reason: InlineText, now: Instant) {
    delivery.connectionFailed(reason, now: now)
    goOn(now: now)
  }

  private func tell(_ event: DeliveryEvent, now: Instant) {
    reporter.delivery(event, of: delivery.batch)
    switch event {
    case .proven: carryStatistics()
    case .acquainted(let server):
      change { $0.setAddresses(cloudhook: server.cloudhookURL, remoteUI: server.remoteUIURL) }
    case .registrationTold(let fingerprint):
      change {
        $0.toldFingerprint = fingerprint
        return true
      }
    case .sealingImpossible:
      if case .delivering(let registration)? = phase { keeper.keepKeyless(registration) }
    case .registrationDoubted where settings.registersAgainAfter != nil && maySendToken:
      register(now: now)
    default: break
    }
  }
}

extension Courier: WhereaboutsOwner {
  func presenceChanged(_ presence: HomeNetworks.Judgement, now: Instant) {
    delivery.presenceChanged(presence, now: now)
    line?.setAllowed(maySendToken)
    switch phase {
    case .registering(let registrar, _): registrar.presenceChanged(now: now)
    case .delivering:
      goOn(now: now)
      endForbiddenMessage(now: now)
    case nil: break
    }
    makeUpForCycle(now: now)
  }

  /// A message that is under way over a route that may not be used any more is not sent to its end.
  private func endForbiddenMessage(now: Instant) {
    guard wire.http.isBusy, let route = delivery.routeUnderWay,
      let url = delivery.routes.url(of: route), !delivery.routes.secrets.allows(url)
    else { return }
    wire.http.cancel()
    failed(InlineText("the board left"), now: now)
  }
}

extension Courier: RegistrarOwner {
  var maySendToken: Bool { delivery.routes.secrets.allows(settings.url) }

  func registered(_ registration: Registration, now: Instant) {
    var registration = registration
    registration.toldFingerprint = HomeAssistant.Webhook.UpdateRegistration(identity).fingerprint
    keeper.keep(registration)
    delivery.registrationReplaced(registration.isPlain ? .plain : .sealed)
    deliver(with: registration)
    reporter.registered(as: identity.deviceName, isPlain: registration.isPlain)
    makeUpForCycle(now: now)
  }

  func registrationFailed(_ problem: Enrollment.Problem, now: Instant) {
    delivery.registrationFailed(now: now)
    reporter.notRegistered(problem)
    if problem.isLasting { tryFormerRegistration(now: now) }
  }

  func registrationPostponed(now: Instant) {
    delivery.registrationFailed(now: now)
    reporter.registrationPostponed()
    tryFormerRegistration(now: now)
  }

  private func tryFormerRegistration(now: Instant) {
    guard case .registering(_, let former?)? = phase else { return }
    deliver(with: former)
    delivery.registrationRefused(now: now)
    goOn(now: now)
  }
}

extension Courier: TransferOwner {
  func transferEnded(_ result: TransferResult) {
    let now = Moment.now.instant
    switch result {
    case .answered(let status):
      judge(status: status, &wire.http.response, now: now)
      goOn(now: now)
    case .failed(let reason): failed(reason, now: now)
    }
  }
}

extension Courier: WebSocketPostOwner {
  func postAnswered(status: Int, _ body: inout ByteBuffer) {
    let now = Moment.now.instant
    judge(status: status, &body, now: now)
    goOn(now: now)
  }

  func postFailed(_ reason: InlineText) { failed(reason, now: Moment.now.instant) }
}
