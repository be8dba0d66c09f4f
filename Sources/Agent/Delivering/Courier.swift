import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Sensing
import Transport

/// Carries what a `Delivery` wants to send to Home Assistant and back, and sees to it that there is
/// a registration to deliver with.
final class Courier {
  private enum Phase {
    case registering(Registrar)
    case delivering(Registration, webhook: Endpoint)
  }

  private static let requestByteCountMax = Envelope.byteCount(sealing: Batch.dataByteCountMax)
  /// Home Assistant's configuration, with all it knows of 256 sensors and a thousand components.
  private static let responseByteCountMax = 256 * 1024

  private let settings: Configuration.HomeAssistantSettings
  private let identity: RegistrationRequest
  private let state: StateDirectory
  private let http: HTTPClient
  private let keeper: Keeper
  private let reporter: Reporter
  /// The WebSocket, where the configuration wants one and there is a credential for it.
  private let line: WebSocketLine?
  private var phase: Phase?
  /// What is under way to the webhook.
  private var message: Delivery.Message?
  /// A cycle was due before there was a registration.
  private var isCycleOwed = false

  var delivery: Delivery
  /// The fix that was recorded last, whether it was sent or not.
  private(set) var lastFix: Fix?

  init?(
    settings: Configuration.HomeAssistantSettings, identity: RegistrationRequest,
    state: StateDirectory, registration: Registration?, keeper: Keeper, line: WebSocketLine?,
    loop: EventLoop, reporter: Reporter, now: Instant
  ) {
    guard
      let http = HTTPClient(
        loop: loop, settings: settings.tls, requestByteCountMax: Self.requestByteCountMax,
        responseByteCountMax: Self.responseByteCountMax, userAgent: homewardUserAgent)
    else { return nil }
    self.settings = settings
    self.identity = identity
    self.state = state
    self.http = http
    self.reporter = reporter
    self.line = line
    self.keeper = keeper
    let update = Webhook.UpdateRegistration(identity)
    delivery = Delivery(
      trackerID: identity.deviceID, isPlain: registration?.isPlain ?? false,
      untold: registration?.toldFingerprint == update.fingerprint ? nil : update,
      doubtAfter: settings.registersAgainAfter ?? Delivery.doubtAfter,
      seed: randomSeed())
    if let registration { deliver(with: registration) } else { register(now: now) }
  }

  // MARK: Readings

  func record(_ fix: Fix) {
    lastFix = fix
    delivery.batch.record(fix)
  }

  // MARK: Time

  var deadline: Instant? {
    var next = http.deadline
    if case .registering(let registrar)? = phase {
      next = earliest(next, registrar.deadline)
    } else {
      next = earliest(next, delivery.deadline)
    }
    return earliest(next, line?.deadline)
  }

  func deadlineReached(now: Instant) {
    http.deadlineReached(now: now)
    line?.deadlineReached(now: now)
    if case .registering(let registrar)? = phase {
      registrar.deadlineReached(now: now)
    } else if let next = delivery.deadlineReached(now: now) {
      send(next)
    }
  }

  func cycleDue(now: Instant) {
    if case .registering(let registrar)? = phase {
      isCycleOwed = true
      return registrar.cycleDue(now: now)
    }
    keeper.tryAgain()
    if !isConnectionKept { delivery.connectionEnded() }
    if let next = delivery.cycleDue(now: now) { send(next) }
  }

  // MARK: Registration

  private func register(now: Instant) {
    let registrar = Registrar(
      settings: settings, identity: identity, credential: state.credential(),
      rejected: state.readRejectedTokens(), http: http, keeper: keeper, owner: self, now: now)
    phase = .registering(registrar)
  }

  private func deliver(with registration: Registration) {
    var url = ByteBuffer(capacity: 2048)
    url.append(settings.url)
    registration.appendPath(to: &url)
    phase = .delivering(registration, webhook: Endpoint(url: url))
    line?.openChannel(of: registration)
  }

  /// Something about the registration has changed, which is kept.
  private func change(_ body: (inout Registration) -> Bool) {
    guard case .delivering(var registration, let webhook)? = phase, body(&registration) else {
      return
    }
    phase = .delivering(registration, webhook: webhook)
    keeper.keep(registration)
  }

  // MARK: Delivery

  private func send(_ message: Delivery.Message) {
    guard case .delivering(let registration, let webhook)? = phase else { return }
    self.message = message
    delivery.write(
      message, for: registration, nonce: Nonce(randomBytes: randomBytes()), into: &http.request)
    reporter.messageSent()
    if settings.transport == .webSocket, let line,
      line.post(http.request, to: registration, telling: self)
    {
      return
    }
    http.send(to: webhook, telling: self)
  }

  /// Whether Home Assistant cannot have restarted since the last message.
  private var isConnectionKept: Bool {
    if let line, line.carriedLastMessage { return line.isConnectionKept }
    return http.isConnectionKept
  }

  /// Returns what is to be sent next.
  private func judge(
    status: Int, _ body: inout ByteBuffer, now: Instant
  ) -> Delivery.Message? {
    guard case .delivering(let registration, _)? = phase else { return nil }
    if message == .key {
      let result = Webhook.EnableEncryption.read(status: status, body: body)
      // It is kept before anything else is done: nobody gives it a second time.
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

  private func goOn(_ next: Delivery.Message?, now: Instant) {
    reportDelivery(now: now)
    if let next { send(next) }
  }

  private func failed(_ reason: InlineText, now: Instant) {
    delivery.connectionFailed(reason, now: now)
    reportDelivery(now: now)
  }

  private func reportDelivery(now: Instant) {
    while let event = delivery.takeEvent() {
      reporter.delivery(event, of: delivery.batch)
      switch event {
      case .acquainted(let server):
        change { $0.setAddresses(cloudhook: server.cloudhookURL, remoteUI: server.remoteUIURL) }
      case .registrationTold(let fingerprint):
        change {
          $0.toldFingerprint = fingerprint
          return true
        }
      case .registrationDoubted where settings.registersAgainAfter != nil: register(now: now)
      default: break
      }
    }
  }
}

extension Courier: RegistrarOwner {
  func registered(_ registration: Registration, now: Instant) {
    var registration = registration
    registration.toldFingerprint = Webhook.UpdateRegistration(identity).fingerprint
    keeper.keep(registration)
    delivery.registrationReplaced(isPlain: registration.isPlain)
    deliver(with: registration)
    reporter.registered(as: identity.deviceName, isPlain: registration.isPlain)
    if isCycleOwed { cycleDue(now: now) }
  }

  func registrationFailed(_ problem: Enrollment.Problem, now: Instant) {
    delivery.registrationFailed(now: now)
    reporter.notRegistered(problem)
  }

  func registrationPostponed(now: Instant) { delivery.registrationFailed(now: now) }
}

extension Courier: TransferOwner {
  func transferEnded(_ result: TransferResult) {
    let now = Moment.now.instant
    switch result {
    case .answered(let status): goOn(judge(status: status, &http.response, now: now), now: now)
    case .failed(let reason): failed(reason, now: now)
    }
  }
}

extension Courier: WebSocketPostOwner {
  func postAnswered(status: Int, _ body: inout ByteBuffer) {
    let now = Moment.now.instant
    goOn(judge(status: status, &body, now: now), now: now)
  }

  func postFailed(_ reason: InlineText) { failed(reason, now: Moment.now.instant) }
}
