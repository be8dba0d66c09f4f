import Bytes
import HomeAssistant
import Sensing

/// Messages of a cycle: their order, their content, and the meaning of their answers.
///
/// A cycle registers the sensors that Home Assistant does not know, sends the fix if it is fresh,
/// and sends the states. The answer to the states is the proof for the whole cycle: it counts if it
/// is sealed with the board's key and repeats the `Challenge` of this very message. It proves that
/// Home Assistant has the states and can open messages over this route now. For a fix and for
/// history, whose own answers are empty, it proves no more than that: an attacker who drops single
/// messages is not detected, except by the verification of a location.
///
/// Without a key an answer that repeats the challenge proves that its author read the message, but
/// not the author's identity.
///
/// Some cycles do more. The first one, one a day, and each attempt of an outage begin with a
/// request for Home Assistant's configuration and, if they are wanted, its zones. Changes of the
/// device and results of commands are reported. The first location after a configuration, a change
/// of the device or a change of the route is verified by reading it back, because its own answer is
/// empty.
///
/// No request and no report beside readings delays a reading: a failure of one is reported, and the
/// cycle continues.
///
/// Invariants:
/// 1. An answer that has to repeat a challenge counts only for the message written last.
/// 2. The states of a cycle come after the key, the configuration, the zones, the device, results,
///    the sensors and the location, each if it is due.
/// 3. Answers about Home Assistant's version, addresses and tracker count at once, those about the
///    device with the proof.
struct Cycle {
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

  private(set) var sent = SentBatch()
  /// Whether the chunk of history at the beginning of the cycle was answered.
  private(set) var isHistoryAnswered = false
  private(set) var server: KnownServer
  private var keyRequest: KeyRequest
  private var deviceUpdate: DeviceUpdate
  var results = CommandResults()
  /// Challenge of the message written last; nil until the next one is written.
  private var challenge: Challenge?

  init(
    trackerID: [UInt8], wantsZones: Bool, protection: Delivery.Protection,
    untold: Webhook.UpdateRegistration?
  ) {
    server = KnownServer(trackerID: trackerID, wantsZones: wantsZones)
    keyRequest = KeyRequest(protection)
    deviceUpdate = DeviceUpdate(untold)
  }

  // MARK: Events

  mutating func began() {
    sent = SentBatch()
    isHistoryAnswered = false
    deviceUpdate.cycleBegan()
    results.cycleBegan()
  }

  /// Handles a possible change of the Home Assistant server.
  mutating func serverDoubted() { server.doubted() }

  mutating func takeZones() -> [ZoneWatch.Circle]? { server.takeZones() }

  /// Resets the requests of the device: a new registration includes all its data.
  mutating func registrationReplaced(_ protection: Delivery.Protection) {
    server.doubted()
    keyRequest = KeyRequest(protection)
    deviceUpdate = DeviceUpdate(nil)
  }

  // MARK: Messages

  mutating func nextMessage(of batch: inout Batch, now: Instant) -> Delivery.Message {
    if keyRequest.isDue(now: now) {
      keyRequest.sent(now: now)
      return .key
    }
    if server.isConfigurationDue(now: now) { return .configuration }
    if server.areZonesDue(now: now) {
      server.zonesAsked(now: now)
      return .zones
    }
    if deviceUpdate.isDue { return .registration }
    if results.isDue { return .commandResult }
    return sent.nextMessage(of: &batch, now: now)
  }

  /// Invalidates late answers to the message before.
  mutating func messageDue() { challenge = nil }

  mutating func write(
    _ message: Delivery.Message, of batch: inout Batch, _ history: borrowing History,
    for registration: borrowing Registration, nonce: Nonce, into buffer: inout ByteBuffer
  ) {
    let challenge = Challenge(of: nonce)
    self.challenge = challenge
    registration.write(message.type, nonce: nonce, into: &buffer) { data in
      switch message {
      case .key, .configuration, .zones: data.append("{}")
      case .registration: deviceUpdate.write(into: &data)
      case .sensor(let sensor): batch.writeRegistration(of: sensor, into: &data)
      case .location: sent.writeLocation(for: server.version, into: &data)
      case .readBack: server.writeReadBack(challenge, into: &data)
      case .states: sent.writeStates(of: &batch, challenge, into: &data)
      case .history: history.writeChunk(into: &data)
      case .commandResult: results.writeNext(into: &data, of: history.device)
      }
    }
    precondition(!buffer.isOverflowed, "the buffer was made for as many sensors as there can be")
  }

  // MARK: Answers

  mutating func keyAnswered(
    _ result: Webhook.EnableEncryption.Result, telling tellings: inout Queue<DeliveryEvent>
  ) -> Outcome {
    keyRequest.answered(result, telling: &tellings).map { .failed($0) } ?? .goesOn
  }

  mutating func answered(
    _ message: Delivery.Message, _ content: Span<UInt8>, of batch: inout Batch, now: Instant,
    telling tellings: inout Queue<DeliveryEvent>
  ) -> Outcome {
    switch message {
    case .key: preconditionFailure("a key does not come in an answer of this kind")
    case .configuration:
      return server.configurationAnswered(content, now: now, telling: &tellings)
        .map { .addressesTold(cloudhook: $0.cloudhookURL, remoteUI: $0.remoteUIURL) } ?? .goesOn
    case .zones: server.zonesAnswered(content)
    case .registration: deviceUpdate.answered(content, telling: &tellings)
    case .sensor(let sensor):
      sent.sensorAnswered(sensor, content, in: &batch, telling: &tellings)
    case .location: return locationAnswered()
    case .readBack: return readBackAnswered(content, of: &batch, now: now, telling: &tellings)
    case .states: return statesAnswered(content, of: &batch, telling: &tellings)
    // The proof comes with the states.
    case .history: isHistoryAnswered = true
    case .commandResult: results.answered()
    }
    return .goesOn
  }

  /// Handles an empty answer, which is the right one to a location and to history.
  mutating func dropped(
    _ message: Delivery.Message, of batch: inout Batch,
    telling tellings: inout Queue<DeliveryEvent>
  ) -> Outcome {
    switch message {
    case .sensor(let sensor): sent.sensorDropped(sensor, in: &batch)
    case .registration: deviceUpdate.dropped(telling: &tellings)
    case .location: return locationAnswered()
    case .history: isHistoryAnswered = true
    case .commandResult: results.answered()
    case .zones: break
    case .key, .configuration, .readBack, .states: return .failed(.dropped)
    }
    return .goesOn
  }

  /// Returns the next message after a location; some locations are verified by reading them back.
  private mutating func locationAnswered() -> Outcome {
    if server.isReadBackDue { return .sends(.readBack) }
    server.locationTrusted()
    return .sends(.states)
  }

  private mutating func readBackAnswered(
    _ content: Span<UInt8>, of batch: inout Batch, now: Instant,
    telling tellings: inout Queue<DeliveryEvent>
  ) -> Outcome {
    guard let challenge, challenge.isRepeated(asKeyOf: content) else {
      return .failed(.otherAnswer)
    }
    let verdict = sent.locationVerdict(content, to: challenge, now: now)
    sent.locationLookedUp(verdict, in: &batch, telling: &tellings)
    server.locationLookedUp(verdict, telling: &tellings)
    return .sends(.states)
  }

  private mutating func statesAnswered(
    _ content: Span<UInt8>, of batch: inout Batch,
    telling tellings: inout Queue<DeliveryEvent>
  ) -> Outcome {
    guard let challenge else { return .failed(.otherAnswer) }
    switch sent.statesAnswered(content, to: challenge, in: &batch, telling: &tellings) {
    case .proven: return .proven
    case .incomplete: return .goesOn
    case .unproven(let cause): return .failed(cause)
    }
  }

  /// Completes the cycle: declined sensors are refused, the location counts as delivered, and Home
  /// Assistant's answer about the device is valid.
  mutating func proven(in batch: inout Batch, telling tellings: inout Queue<DeliveryEvent>) {
    sent.proven(in: &batch, telling: &tellings)
    deviceUpdate.proven(telling: &tellings)
    results.proven()
  }
}
