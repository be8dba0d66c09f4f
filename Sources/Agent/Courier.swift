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
    case delivering(Registration, webhook: Endpoint)
  }

  private static let requestByteCountMax = Envelope.byteCount(sealing: Batch.dataByteCountMax)
  private static let tokenByteCountMax = 8 * 1024

  private let settings: Configuration.HomeAssistantSettings
  private let identity: RegistrationRequest
  private let state: StateDirectory
  private let http: HTTPClient
  private let log: Log
  private let events: EventStream
  private var phase: Phase
  /// A cycle was due before there was a registration.
  private var isCycleOwed = false
  /// A registration that could not be kept yet.
  private var isUnsaved = false

  var delivery: Delivery
  private(set) var totals = Totals()
  /// The fix that was recorded last, whether it was sent or not.
  private(set) var lastFix: Fix?
  /// How the first delivery ended, for `--once`.
  private(set) var outcome: ExitCode?

  init?(
    settings: Configuration.HomeAssistantSettings, identity: RegistrationRequest,
    state: StateDirectory, registration: Registration?, loop: EventLoop, log: Log,
    events: EventStream, now: Instant
  ) {
    guard
      let http = HTTPClient(
        loop: loop, requestByteCountMax: Self.requestByteCountMax,
        userAgent: [UInt8]("Homeward/") + [UInt8](homewardVersion))
    else { return nil }
    self.settings = settings
    self.identity = identity
    self.state = state
    self.http = http
    self.log = log
    self.events = events
    delivery = Delivery(seed: randomSeed())
    if let registration {
      phase = .delivering(registration, webhook: Self.webhook(of: registration, at: settings.url))
    } else {
      phase = .enrolling(
        Enrollment(
          rejectedFingerprint: state.readRejectedFingerprint(), seed: randomSeed(), now: now))
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
    guard case .delivering = phase else {
      isCycleOwed = true
      return
    }
    if isUnsaved { save() }
    if let message = delivery.cycleDue(now: now) { send(message) }
  }

  // MARK: Registration

  private func enroll(now: Instant) {
    guard case .enrolling(var enrollment) = phase else { return }
    defer { phase = .enrolling(enrollment) }
    // A registration that cannot be kept would be made anew at every start, and Home Assistant
    // would throw the entities of the one before away.
    do throws(Errno) { try state.checkIsWritable() } catch {
      enrollment.stateNotWritable(now: now)
      return reportOnce(error)
    }
    let action = enrollment.tokenRead(readToken(), now: now) { report($0) }
    guard case .register(let token) = action else { return }
    var url = ByteBuffer(capacity: 1024)
    url.append(settings.url)
    url.append(RegistrationRequest.path)
    identity.write(into: &http.request)
    http.post(to: Endpoint(url: url, bearerToken: token), telling: self)
  }

  private func readToken() -> [UInt8]? {
    guard let path = settings.tokenFile,
      let bytes = try? readFile(at: Path(path), byteCountMax: Self.tokenByteCountMax)
    else { return nil }
    let token = [UInt8](bytes.span.trimmed())
    // It becomes a header's value: nothing but visible ASCII may stand in it.
    return token.allSatisfy { (0x21...0x7E).contains($0) } ? token : nil
  }

  private func enrolled(_ registration: Registration, now: Instant) {
    phase = .delivering(
      registration, webhook: Self.webhook(of: registration, at: settings.url))
    delivery.registrationReplaced()
    isUnsaved = true
    log.notice("registered with Home Assistant as \(quoted: identity.deviceName)")
    events.write("registered")
    save()
    if isCycleOwed { cycleDue(now: now) }
  }

  private func save() {
    guard case .delivering(let registration, _) = phase else { return }
    do throws(Errno) {
      try state.write(registration)
      isUnsaved = false
    } catch {
      reportOnce(error)
    }
  }

  private var stateError: Errno?

  private func reportOnce(_ error: Errno) {
    guard error != stateError else { return }
    stateError = error
    outcome = outcome ?? .temporaryFailure
    log.error(
      "the registration cannot be kept in \(state.path): \(error); make room there, or name"
        + " another state_directory")
    events.write("state_failed")
  }

  private static func webhook(of registration: Registration, at url: [UInt8]) -> Endpoint {
    var buffer = ByteBuffer(capacity: 2048)
    buffer.append(url)
    registration.appendPath(to: &buffer)
    return Endpoint(url: buffer)
  }

  // MARK: Delivery

  private func send(_ message: Delivery.Message) {
    guard case .delivering(let registration, let webhook) = phase else { return }
    delivery.write(
      message, with: registration.key, nonce: Nonce(randomBytes: randomBytes()),
      into: &http.request)
    totals.sealed += 1
    http.post(to: webhook, telling: self)
  }

  private func answered(status: Int, now: Instant) {
    switch phase {
    case .enrolling(var enrollment):
      let answer = RegistrationAnswer.read(status: status, body: http.response)
      let registration = enrollment.answerReceived(answer, now: now) { report($0) }
      phase = .enrolling(enrollment)
      if let registration { enrolled(registration, now: now) }
    case .delivering(let registration, _):
      let answer = Answer.read(status: status, body: &http.response, with: registration.key)
      let next = delivery.answerReceived(answer, body: http.response, now: now)
      reportDelivery()
      if let next { send(next) }
    }
  }

  private func failed(_ reason: InlineText, now: Instant) {
    switch phase {
    case .enrolling(var enrollment):
      enrollment.connectionFailed(reason, now: now) { report($0) }
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

// MARK: What people and scripts are told

extension Courier {
  private func report(_ problem: Enrollment.Problem) {
    outcome = .temporaryFailure
    if case .tokenRejected(let fingerprint) = problem {
      outcome = .noPermission
      do throws(Errno) { try state.write(rejectedFingerprint: fingerprint) } catch {
        reportOnce(error)
      }
    }
    log.error(problem.words)
    events.write("not_registered") { $0.appendMember("cause", problem.code) }
  }

  private func reportDelivery() {
    while let event = delivery.takeEvent() { report(event) }
  }

  private func report(_ event: DeliveryEvent) {
    switch event {
    case .proven(let readings, let hasLocation): proven(readings, hasLocation: hasLocation)
    case .sensorRegistered: break
    case .sensorRefused(let sensor):
      totals.refused += 1
      log.warning(
        "Home Assistant does not want the sensor \(quoted: delivery.batch.name(of: sensor)); it"
          + " may be too old for its device_class")
      events.write("refused") {
        $0.appendMember("sensor", delivery.batch.uniqueID(of: sensor).span)
      }
    case .readingRefused(let sensor):
      totals.refused += 1
      log.warning(
        "Home Assistant refused a value of \(quoted: delivery.batch.name(of: sensor)); please"
          + " report it")
      events.write("refused") {
        $0.appendMember("sensor", delivery.batch.uniqueID(of: sensor).span)
      }
    case .sensorForgotten(let sensor):
      log.notice(
        "Home Assistant forgot the sensor \(quoted: delivery.batch.name(of: sensor)); it is"
          + " registered again")
    case .outage(let cause): unproven(cause)
    case .recovered(let duration, let superseded): recovered(after: duration, superseded)
    case .registrationDoubted(let duration):
      log.error(
        "for \(wholeSeconds: duration) Home Assistant has not shown that it knows this device. If it was deleted"
          + " there, remove \(state.path)/registration.json and start again; the data is kept in"
          + " memory meanwhile")
      events.write("registration_doubted")
    }
  }

  private func proven(_ readings: Int, hasLocation: Bool) {
    outcome = .success
    totals.proven += 1
    totals.readings += readings
    totals.locations += hasLocation ? 1 : 0
    events.write("proven") {
      $0.appendMember("readings", readings)
      $0.appendMember("locations", hasLocation ? 1 : 0)
    }
  }

  private func unproven(_ cause: OutageCause) {
    outcome = .temporaryFailure
    totals.unproven += 1
    log.warning("\(cause.words). The latest values are kept and sent when it takes them")
    events.write("outage") { $0.appendMember("cause", cause.code) }
  }

  private func recovered(after duration: Duration, _ superseded: Batch.Superseded) {
    log.notice(
      "Home Assistant takes the data again after \(wholeSeconds: duration); meanwhile"
        + " \(superseded.readings) readings and \(superseded.fixes) fixes were replaced by newer"
        + " ones and did not reach it")
    events.write("recovered") {
      $0.appendMember("superseded_readings", superseded.readings)
      $0.appendMember("superseded_fixes", superseded.fixes)
    }
  }
}

private func randomSeed() -> UInt64 {
  let bytes: InlineArray<8, UInt8> = randomBytes()
  var seed: UInt64 = 0
  for index in 0..<8 { seed = seed << 8 | UInt64(bytes[index]) }
  return seed
}
