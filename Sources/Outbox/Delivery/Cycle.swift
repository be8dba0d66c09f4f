import Bytes
import HomeAssistant
import Sensing

/// Messages of a cycle: their order, their content, and the meaning of their answers.
///
/// A cycle registers the sensors that Home Assistant does not know, sends the fix if it is fresh,
/// and sends the states. The answer to the states is the proof for the whole cycle: it counts if it
/// is sealed with the board's key and repeats the `Challenge` of this very message. For a fix and
/// for history, whose own answers are empty, it proves only that Home Assistant opens messages over
/// this route now; some locations are verified by reading them back. Without a key it proves that
/// its author read the message, but not the author's identity.
///
/// The first cycle, one a day, and each attempt of an outage begin with requests for Home
/// Assistant's configuration and zones. No request and no report beside readings delays a reading:
/// a failure of one is reported, and the cycle continues.
///
/// A device with routes of notifications then also reports itself, once after the start of the
/// agent, and later at most once an hour. A Home Assistant that was restored from an older backup
/// lacks the routes, and no answer shows it.
///
/// Invariants:
/// 1. An answer that has to repeat a challenge counts only for the message written last.
/// 2. The states of a cycle come after the key, the configuration, the zones, the device, results,
///    the sensors and the location, each if it is due.
/// 3. Answers about Home Assistant's version, addresses and tracker count at once, those about the
///    device with the proof.
struct Cycle: ~Copyable {
  /// Minimum interval of repeated reports of the device: on a bad link each cycle may look like a
  /// restart of Home Assistant.
  static let reportInterval: Duration = .seconds(3600)

  /// Next step of the cycle after an answer.
  enum Outcome {
    /// The cycle continues with the next due message.
    case goesOn
    /// The cycle continues as in `goesOn`, after the routes have got the cloud addresses.
    case addressesTold(cloudhook: Text?, remoteUI: Text?)
    case sends(Delivery.Message)
    case proven
    case failed(OutageCause)
  }

  /// Report of this device to Home Assistant.
  private enum Report {
    /// Home Assistant has the last report, as far as is known.
    case made
    case due
    /// Home Assistant has confirmed it in this cycle.
    case confirmed
  }

  private let batch: Batch
  private let events: DeliveryEvents
  let sent: SentBatch
  /// Whether the chunk of history at the beginning of the cycle was answered.
  private(set) var isHistoryAnswered = false
  private(set) var server: KnownServer
  /// Time of the next request for a key; nil if the registration has one, or Home Assistant offers
  /// none.
  private var keyDueAt: Instant?
  /// This device; nil if it is not reported.
  private let identity: RegistrationRequest?
  /// If Home Assistant ignores the report, nothing is delayed: the next start of the agent makes it
  /// again.
  private var report: Report
  /// Time from which an answer about Home Assistant's configuration makes the report due again; nil
  /// if only changes are reported.
  private var reportDueAt: Instant?
  var results = CommandResults()
  /// Challenge of the message written last; nil until the next one is written.
  private var challenge: Challenge?

  init(
    of batch: Batch, _ events: DeliveryEvents, trackerID: [UInt8], wantsZones: Bool,
    protection: Delivery.Protection, identity: RegistrationRequest?, isIdentityTold: Bool
  ) {
    self.batch = batch
    self.events = events
    sent = SentBatch(of: batch, events)
    server = KnownServer(trackerID: trackerID, wantsZones: wantsZones, events)
    keyDueAt = protection == .plain ? Instant(nanoseconds: 0) : nil
    self.identity = identity
    report = identity == nil || isIdentityTold ? .made : .due
    if let push = identity?.push, push != PushRoutes.none {
      reportDueAt = Instant(nanoseconds: 0)
    }
  }

  // MARK: Events

  mutating func began() {
    sent.began()
    isHistoryAnswered = false
    if report == .confirmed { report = .due }
    results.cycleBegan()
  }

  /// Handles a possible change of the Home Assistant server.
  mutating func serverDoubted() { server.doubted() }

  /// Resets the requests of the device: a new registration includes all its data.
  mutating func registrationReplaced(_ protection: Delivery.Protection, now: Instant) {
    server.doubted()
    keyDueAt = protection == .plain ? Instant(nanoseconds: 0) : nil
    report = .made
    if reportDueAt != nil { reportDueAt = now + Self.reportInterval }
  }

  // MARK: Messages

  mutating func nextMessage(now: Instant) -> Delivery.Message {
    if let keyDueAt, now >= keyDueAt {
      self.keyDueAt = now + KnownServer.requestInterval
      return .key
    }
    if server.isConfigurationDue(now: now) { return .configuration }
    if server.areZonesDue(now: now) {
      server.zonesAsked(now: now)
      return .zones
    }
    if report == .due { return .registration }
    if results.isDue { return .commandResult }
    return sent.nextMessage(now: now)
  }

  /// Invalidates late answers to the message before.
  mutating func messageDue() { challenge = nil }

  /// Writes a message; `writeChunk` writes the data of one with history.
  mutating func write(
    _ message: Delivery.Message, of device: History.Device,
    for registration: borrowing Registration, nonce: Nonce, into buffer: inout ByteBuffer,
    writeChunk: (inout ByteBuffer) -> Void
  ) {
    let challenge = Challenge(of: nonce)
    self.challenge = challenge
    registration.write(message.type, nonce: nonce, into: &buffer) { data in
      switch message {
      case .key, .configuration, .zones: data.append("{}")
      case .registration: identity?.writeUpdate(into: &data)
      case .sensor(let sensor): batch.writeRegistration(of: sensor, into: &data)
      case .location: sent.writeLocation(for: server.version, into: &data)
      case .readBack: server.writeReadBack(challenge, into: &data)
      case .states: sent.writeStates(challenge, into: &data)
      case .history: writeChunk(&data)
      case .commandResult: results.writeNext(into: &data, of: device)
      }
    }
    precondition(!buffer.isOverflowed, "the buffer was made for as many sensors as there can be")
  }

  // MARK: Answers

  mutating func keyAnswered(_ result: Webhook.EnableEncryption.Result) -> Outcome {
    switch result {
    case .enabled: events.append(.sealed)
    case .notAvailable: events.append(.sealingImpossible)
    case .alreadyEnabled: return .failed(.encryptionRequired)
    case .unanswered(let answer): return .failed(OutageCause(answer))
    }
    keyDueAt = nil
    return .goesOn
  }

  mutating func answered(
    _ message: Delivery.Message, _ content: Span<UInt8>, now: Instant
  ) -> Outcome {
    switch message {
    case .key: preconditionFailure("a key does not come in an answer of this kind")
    case .configuration:
      let addresses = server.configurationAnswered(content, now: now)
      repeatReport(now: now)
      return addresses.map {
        .addressesTold(cloudhook: $0.cloudhookURL, remoteUI: $0.remoteUIURL)
      } ?? .goesOn
    case .zones: server.zonesAnswered(content)
    case .registration: deviceAnswered(content)
    case .sensor(let sensor): sent.sensorAnswered(sensor, content)
    case .location: return locationAnswered()
    case .readBack: return readBackAnswered(content, now: now)
    case .states:
      guard let challenge else { return .failed(.otherAnswer) }
      return sent.statesAnswered(content, to: challenge)
    // The proof comes with the states.
    case .history: isHistoryAnswered = true
    case .commandResult: results.answered()
    }
    return .goesOn
  }

  /// Handles an empty answer, which is the right one to a location and to history.
  mutating func dropped(_ message: Delivery.Message) -> Outcome {
    switch message {
    case .sensor(let sensor): batch.setStatus(.declined, of: sensor)
    case .registration: deviceDropped()
    case .location: return locationAnswered()
    case .history: isHistoryAnswered = true
    case .commandResult: results.answered()
    case .zones: break
    case .key, .configuration, .readBack, .states: return .failed(.dropped)
    }
    return .goesOn
  }

  /// Repeats the report of the device, because Home Assistant may have been restored: at once, or
  /// after another answer at the end of the interval.
  private mutating func repeatReport(now: Instant) {
    guard let moment = reportDueAt else { return }
    guard now >= moment else { return server.configurationWanted(at: moment) }
    reportDueAt = now + Self.reportInterval
    report = .due
  }

  private mutating func deviceAnswered(_ content: Span<UInt8>) {
    guard identity?.isKnown(by: content) == true else { return deviceDropped() }
    report = .confirmed
  }

  private mutating func deviceDropped() {
    report = .made
    events.append(.registrationDropped)
  }

  /// Returns the next message after a location; some locations are verified by reading them back.
  private mutating func locationAnswered() -> Outcome {
    if server.isReadBackDue { return .sends(.readBack) }
    server.locationTrusted()
    return .sends(.states)
  }

  private mutating func readBackAnswered(_ content: Span<UInt8>, now: Instant) -> Outcome {
    guard let challenge, challenge.isRepeated(asKeyOf: content) else {
      return .failed(.otherAnswer)
    }
    let verdict = sent.locationVerdict(content, to: challenge, now: now)
    sent.locationLookedUp(verdict)
    server.locationLookedUp(verdict)
    return .sends(.states)
  }

  /// Completes the cycle: declined sensors are refused, the location counts as delivered, and Home
  /// Assistant's answer about the device is valid.
  mutating func proven() {
    sent.proven()
    if report == .confirmed, let fingerprint = identity?.fingerprint {
      report = .made
      events.append(.registrationTold(fingerprint: fingerprint))
    }
    results.proven()
  }
}
