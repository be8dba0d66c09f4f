public import Bytes
public import HomeAssistant
public import Sensing

/// Brings a batch to Home Assistant and finds out whether it took it.
///
/// One cycle is: register the sensors that Home Assistant does not know, send the fix if it is
/// fresh, and send the states. The last of these can only be answered rightly by somebody who
/// holds our key, so its answer is the proof for the whole cycle.
///
/// Invariants:
/// 1. At most one message is under way.
/// 2. A value or a fix is acknowledged by a proof and by nothing else.
/// 3. A fix that is too old is never sent as new.
/// 4. In an outage there is always a deadline or a message under way.
public struct Delivery: ~Copyable {
  /// A fix older than this is not sent; `update_location` has no time, so it would be "now".
  public static let fixAgeMax: Duration = .seconds(60)
  /// Waits between the attempts of an outage.
  public static let firstRetryDelay: Duration = .seconds(5)
  public static let longestRetryDelay: Duration = .seconds(120)
  /// Messages may be dropped without a word for this long before we say that the registration
  /// is probably gone; Home Assistant's start can look the same.
  public static let doubtAfter: Duration = .seconds(300)

  /// What is to be sent now.
  public enum Message: Equatable, Sendable {
    case sensor(SensorIndex)
    case location
    case states

    public var type: MessageType {
      switch self {
      case .sensor: .registerSensor
      case .location: .updateLocation
      case .states: .updateSensorStates
      }
    }
  }

  private enum State {
    case idle
    case awaitingAnswer(Message)
    case waiting(until: Instant)
  }

  /// What a cycle keeps until its proof.
  private struct Cycle {
    /// The fix that was sent; the batch may have a newer one by then.
    var sentFix: Fix?
    /// A sensor that Home Assistant forgot is registered in the same cycle, once.
    var hasRegisteredAgain = false
    var acceptedReadings = 0
  }

  public var batch = Batch()
  private var state = State.idle
  private var cycle = Cycle()
  private var backOff: BackOff
  private var outage: Outage?
  /// Since when there is no registration to deliver with.
  private var unregisteredSince: Instant?
  private var events: [DeliveryEvent] = []

  /// - Parameter seed: where the jitter of the waits starts.
  public init(seed: UInt64) {
    backOff = BackOff(
      first: Self.firstRetryDelay, longest: Self.longestRetryDelay, seed: seed)
    events.reserveCapacity(64)
  }

  public var isIdle: Bool { if case .idle = state { true } else { false } }
  public var isInOutage: Bool { outage != nil }

  /// When `deadlineReached` is due, or nil.
  public var deadline: Instant? {
    guard case .waiting(let until) = state else { return nil }
    return until
  }

  /// The next thing that happened and was not taken yet, in order; nil where there is none. The
  /// batch can be asked about it meanwhile.
  public mutating func takeEvent() -> DeliveryEvent? {
    events.isEmpty ? nil : events.removeFirst()
  }

  // MARK: Events

  /// A cycle is due. During an outage the retries go their own pace.
  public mutating func cycleDue(now: Instant) -> Message? {
    guard isIdle else { return nil }
    return begin(now: now)
  }

  public mutating func deadlineReached(now: Instant) -> Message? {
    guard case .waiting(let until) = state, now >= until else { return nil }
    return begin(now: now)
  }

  /// Writes the message that `cycleDue`, `deadlineReached` or `answerReceived` returned.
  public mutating func write(
    _ message: Message, with key: SecretKey, nonce: Nonce, into buffer: inout ByteBuffer
  ) {
    Envelope.seal(message.type, with: key, nonce: nonce, into: &buffer) { data in
      switch message {
      case .sensor(let sensor): batch.writeRegistration(of: sensor, into: &data)
      case .states: batch.writeStates(into: &data)
      case .location:
        guard let location = cycle.sentFix.flatMap(Location.init) else {
          preconditionFailure("a location is sent of a fix, which was judged")
        }
        location.write(into: &data)
      }
    }
    precondition(!buffer.isOverflowed, "the buffer was made for as many sensors as there can be")
  }

  /// Home Assistant, or somebody in its place, answered. `body` is the buffer that `answer` was
  /// read from.
  public mutating func answerReceived(
    _ answer: Answer, body: borrowing ByteBuffer, now: Instant
  ) -> Message? {
    guard case .awaitingAnswer(let message) = state else { return nil }
    switch (message, answer) {
    case (.sensor(let sensor), .opened(let range)):
      registered(sensor, isWanted: (try? isSuccess(body.bytes.extracting(range))) == true)
      return next(now: now)
    case (.sensor(let sensor), .unproven):
      // One sensor that Home Assistant drops says nothing about the others.
      batch.setStanding(.dropped, of: sensor)
      return next(now: now)
    case (.location, .unproven), (.location, .opened): return send(.states)
    case (.states, .opened(let range)):
      return statesAnswered(body.bytes.extracting(range), now: now)
    default:
      outageContinues(Outage.Cause(answer), now: now)
      return nil
    }
  }

  /// Nobody answered: no connection, or none in time.
  public mutating func connectionFailed(_ reason: InlineText, now: Instant) {
    guard case .awaitingAnswer = state else { return }
    outageContinues(.noConnection(reason), now: now)
  }

  /// The connection ended between two cycles: Home Assistant may have restarted, and shows sensors
  /// as it remembers them.
  public mutating func connectionEnded() {
    guard isIdle else { return }
    batch.doubtAcknowledgements()
  }

  /// A registration is needed and could not be had; what it costs is told with the first proof.
  public mutating func registrationFailed(now: Instant) {
    unregisteredSince = unregisteredSince ?? now
  }

  /// There is a new registration: Home Assistant can be reached, and knows no sensor of it.
  public mutating func registrationReplaced() {
    batch.forgetRegistrations()
    state = .idle
    outage = nil
    backOff.succeeded()
  }

  // MARK: One cycle

  private mutating func begin(now: Instant) -> Message? {
    cycle = Cycle()
    if outage != nil { batch.forgetAcknowledgements() }
    return next(now: now)
  }

  private mutating func next(now: Instant) -> Message? {
    if let sensor = batch.nextUnregistered { return send(.sensor(sensor)) }
    if let fix = batch.fix, cycle.sentFix == nil {
      if now - fix.notBefore <= Self.fixAgeMax {
        cycle.sentFix = fix
        return send(.location)
      }
      batch.dropFix()
    }
    return send(.states)
  }

  private mutating func send(_ message: Message) -> Message? {
    state = .awaitingAnswer(message)
    return message
  }

  private mutating func registered(_ sensor: SensorIndex, isWanted: Bool) {
    batch.setStanding(isWanted ? .registered : .refused, of: sensor)
    events.append(isWanted ? .sensorRegistered(sensor) : .sensorRefused(sensor))
  }

  private mutating func statesAnswered(_ answer: Span<UInt8>, now: Instant) -> Message? {
    var hasForgotten = false
    do throws(JSONError) {
      try forEachVerdict(in: answer) { uniqueID, verdict in
        guard let sensor = batch.index(of: uniqueID) else { return }
        hasForgotten = judge(sensor, verdict) || hasForgotten
      }
    } catch {
      outageContinues(.unreadableAnswer, now: now)
      return nil
    }
    if hasForgotten, !cycle.hasRegisteredAgain {
      cycle.hasRegisteredAgain = true
      return next(now: now)
    }
    proven(now: now)
    return nil
  }

  /// Returns whether Home Assistant does not know the sensor.
  private mutating func judge(_ sensor: SensorIndex, _ verdict: SensorVerdict) -> Bool {
    switch verdict {
    case .accepted, .disabled:
      batch.acknowledge(sensor)
      cycle.acceptedReadings += 1
    case .refused:
      // The same value would be refused again; the next one may not be.
      batch.acknowledge(sensor)
      events.append(.readingRefused(sensor))
    case .notRegistered:
      batch.setStanding(.unregistered, of: sensor)
      events.append(.sensorForgotten(sensor))
    }
    return verdict == .notRegistered
  }

  private mutating func proven(now: Instant) {
    state = .idle
    backOff.succeeded()
    while let sensor = batch.nextDropped { registered(sensor, isWanted: false) }
    if let fix = cycle.sentFix { batch.acknowledgeFix(fix) }
    let superseded = batch.takeSuperseded()
    if let since = outage?.since ?? unregisteredSince {
      events.append(.recovered(after: now - since, superseded))
    } else if superseded != Batch.Superseded() {
      events.append(.superseded(superseded))
    }
    outage = nil
    unregisteredSince = nil
    events.append(
      .proven(readings: cycle.acceptedReadings, hasLocation: cycle.sentFix != nil))
  }

  private mutating func outageContinues(_ cause: Outage.Cause, now: Instant) {
    var current = outage ?? Outage(since: now)
    let delay = backOff.failed()
    state = .waiting(until: now + delay)
    if current.cause != cause {
      current.cause = cause
      events.append(.outage(cause))
    }
    current.doubtfulSince = cause.isDoubtful ? current.doubtfulSince ?? now : nil
    if let since = current.doubtfulSince, !current.isDoubted, now - since >= Self.doubtAfter {
      current.isDoubted = true
      events.append(.registrationDoubted(after: now - since))
    }
    outage = current
  }
}

extension Location {
  /// A receiver that does not tell how wrong it may be is taken to be this wrong.
  public static let unknownAccuracyMeters = 100.0

  fileprivate init?(_ fix: Fix) {
    self.init(
      latitude: fix.latitude, longitude: fix.longitude,
      accuracyMeters: fix.horizontalErrorMeters ?? Self.unknownAccuracyMeters,
      altitudeMeters: fix.altitudeMeters, speedMetersPerSecond: fix.speedMetersPerSecond,
      courseDegrees: fix.trackDegrees, verticalAccuracyMeters: fix.verticalErrorMeters)
  }
}
