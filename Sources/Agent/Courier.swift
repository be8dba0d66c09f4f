import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Sensing
import Transport

/// Carries what the machines of `Outbox` want to send to Home Assistant and back: the token from
/// its file, messages to the HTTP client, answers to the machines, the registration to its file.
final class Courier {
  private enum Phase {
    case enrolling(Enrollment)
    case delivering(SecretKey, webhook: Endpoint)
  }

  private static let requestByteCountMax = Envelope.byteCount(sealing: Batch.dataByteCountMax)
  private static let tokenByteCountMax = 8 * 1024

  private let settings: Configuration.HomeAssistantSettings
  private let identity: RegistrationRequest
  private let state: StateDirectory
  private let http: HTTPClient
  private let reporter: Reporter
  private var phase: Phase
  /// A cycle was due before there was a registration.
  private var isCycleOwed = false
  /// A registration that could not be kept yet.
  private var unsaved: Registration?
  /// Why the state directory failed last, which has been said.
  private var stateError: Errno?

  var delivery: Delivery
  /// The fix that was recorded last, whether it was sent or not.
  private(set) var lastFix: Fix?

  init?(
    settings: Configuration.HomeAssistantSettings, identity: RegistrationRequest,
    state: StateDirectory, registration: Registration?, loop: EventLoop, reporter: Reporter,
    now: Instant
  ) {
    guard
      let http = HTTPClient(
        loop: loop, requestByteCountMax: Self.requestByteCountMax,
        userAgent: homewardUserAgent)
    else { return nil }
    self.settings = settings
    self.identity = identity
    self.state = state
    self.http = http
    self.reporter = reporter
    delivery = Delivery(seed: randomSeed())
    if let registration {
      phase = Self.delivering(registration, to: settings.url)
    } else {
      phase = .enrolling(
        Enrollment(
          rejected: state.readRejectedTokens(), seed: randomSeed(), now: now))
    }
  }

  // MARK: Readings

  func record(_ fix: Fix) {
    lastFix = fix
    delivery.batch.record(fix)
  }

  // MARK: Time

  var deadline: Instant? {
    let next =
      switch phase {
      case .enrolling(let enrollment): enrollment.deadline
      case .delivering: delivery.deadline
      }
    return earliest(next, http.deadline)
  }

  func deadlineReached(now: Instant) {
    http.deadlineReached(now: now)
    switch phase {
    case .enrolling(var enrollment):
      let action = enrollment.deadlineReached(now: now)
      phase = .enrolling(enrollment)
      if action == .readToken { enroll(now: now) }
    case .delivering:
      if let message = delivery.deadlineReached(now: now) { send(message) }
    }
  }

  func cycleDue(now: Instant) {
    if case .enrolling(var enrollment) = phase {
      isCycleOwed = true
      let action = enrollment.cycleDue(now: now)
      phase = .enrolling(enrollment)
      if action == .readToken { enroll(now: now) }
      return
    }
    save()
    if !http.isConnectionKept { delivery.connectionEnded() }
    if let message = delivery.cycleDue(now: now) { send(message) }
  }

  // MARK: Registration

  private func enroll(now: Instant) {
    guard case .enrolling(var enrollment) = phase else { return }
    defer { phase = .enrolling(enrollment) }
    let action = enrollment.tokenRead(readToken(), now: now) { problem($0, now: now) }
    guard case .register(let token) = action else { return }
    // A registration that cannot be kept would be made anew at every start, and Home Assistant
    // would throw the entities of the one before away.
    do throws(Errno) { try state.checkIsWritable() } catch {
      enrollment.stateNotWritable(now: now)
      delivery.registrationFailed(now: now)
      return reportOnce(error)
    }
    var url = ByteBuffer(capacity: 1024)
    url.append(settings.url)
    url.append(RegistrationRequest.path)
    identity.write(into: &http.request)
    http.send(to: Endpoint(url: url, bearerToken: token), telling: self)
  }

  private func readToken() -> Result<[UInt8], Enrollment.TokenFlaw> {
    guard let path = settings.tokenFile else { return .failure(.noFileNamed) }
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try readFile(at: Path(path), byteCountMax: Self.tokenByteCountMax)
    } catch .fileTooLarge {
      return .failure(.tooLarge)
    } catch {
      return .failure(.unreadable(errno: error.code))
    }
    let token = [UInt8](bytes.span.trimmed())
    guard !token.isEmpty else { return .failure(.empty) }
    // It becomes a header's value: nothing but visible ASCII may stand in it.
    return token.allSatisfy { (0x21...0x7E).contains($0) } ? .success(token) : .failure(.notAToken)
  }

  private func enrolled(_ registration: Registration, now: Instant) {
    phase = Self.delivering(registration, to: settings.url)
    delivery.registrationReplaced()
    unsaved = registration
    reporter.registered(as: identity.deviceName)
    save()
    if isCycleOwed { cycleDue(now: now) }
  }

  private func save() {
    guard let registration = unsaved else { return }
    do throws(Errno) {
      try state.write(registration)
      unsaved = nil
    } catch {
      reportOnce(error)
    }
  }

  private func reportOnce(_ error: Errno) {
    guard error != stateError else { return }
    stateError = error
    reporter.stateFailed(
      "the registration cannot be kept in \(state.path): \(error); make room there, or name"
        + " another state_directory")
  }

  private static func delivering(_ registration: Registration, to url: [UInt8]) -> Phase {
    guard case .sealed(let key) = registration.protection else {
      preconditionFailure("plain registrations are refused before they get here")
    }
    return .delivering(key, webhook: webhook(of: registration, at: url))
  }

  private static func webhook(of registration: Registration, at url: [UInt8]) -> Endpoint {
    var buffer = ByteBuffer(capacity: 2048)
    buffer.append(url)
    registration.appendPath(to: &buffer)
    return Endpoint(url: buffer)
  }

  // MARK: Delivery

  private func send(_ message: Delivery.Message) {
    guard case .delivering(let key, let webhook) = phase else { return }
    delivery.write(
      message, with: key, nonce: Nonce(randomBytes: randomBytes()),
      into: &http.request)
    reporter.messageSent()
    http.send(to: webhook, telling: self)
  }

  private func answered(status: Int, now: Instant) {
    switch phase {
    case .enrolling(var enrollment):
      let answer = RegistrationAnswer.read(status: status, body: http.response)
      let registration = enrollment.answerReceived(answer, now: now) { problem($0, now: now) }
      phase = .enrolling(enrollment)
      if let registration { enrolled(registration, now: now) }
    case .delivering(let key, _):
      let answer = Answer.read(status: status, body: &http.response, with: key)
      let next = delivery.answerReceived(answer, body: http.response, now: now)
      reportDelivery()
      if let next { send(next) }
    }
  }

  private func problem(_ problem: Enrollment.Problem, now: Instant) {
    delivery.registrationFailed(now: now)
    reporter.notRegistered(problem)
    guard case .tokenRejected(let fingerprint) = problem else { return }
    do throws(Errno) { try state.write(rejectedFingerprint: fingerprint) } catch {
      reportOnce(error)
    }
  }

  private func reportDelivery() {
    while let event = delivery.takeEvent() { reporter.delivery(event, of: delivery.batch) }
  }

  private func failed(_ reason: InlineText, now: Instant) {
    switch phase {
    case .enrolling(var enrollment):
      enrollment.connectionFailed(reason, now: now) { problem($0, now: now) }
      phase = .enrolling(enrollment)
    case .delivering:
      delivery.connectionFailed(reason, now: now)
      reportDelivery()
    }
  }
}

extension Courier: TransferOwner {
  func transferEnded(_ result: TransferResult) {
    let now = Moment.now.instant
    switch result {
    case .answered(let status): answered(status: status, now: now)
    case .failed(let reason): failed(reason, now: now)
    }
  }
}
