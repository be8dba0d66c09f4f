import Bytes
import HomeAssistant
import Sensing

/// The messages of a cycle: which one is next, what is in it, and what its answer means.
///
/// One cycle is: register the sensors that Home Assistant does not know, send the fix if it is
/// fresh, and send the states. The answer to the last of these is the proof for the whole cycle: it
/// counts where it is sealed with our key and repeats the `Challenge` of this very message. So it
/// proves that Home Assistant has the states, and that it opens what goes over this route now. Of a
/// fix and of history, whose own answers say nothing, it proves no more than that: an attacker who
/// drops single messages on the way is not noticed, but for a location that is looked up.
///
/// Without a key an answer that repeats the challenge proves that its author read the message, and
/// not who that is.
///
/// Some cycles do more. The first one, one a day, and each attempt of an outage begin by asking
/// Home Assistant for its configuration and, where they are wanted, its zones. What has changed
/// about the device is told, and so are the results of commands. The first location after a
/// configuration, a change of the device or a change of the way is looked up, for its own answer
/// says nothing.
///
/// None of what is asked of Home Assistant and told to it beside readings holds up a reading: what
/// goes wrong with it is told, and the cycle goes on.
///
/// Invariants:
/// 1. An answer that has to repeat a challenge counts only for the message that was written last.
/// 2. Before the states of a cycle come the key, the configuration, the zones, the device, results,
///    the sensors and the location, each where it is due.
/// 3. What an answer says beside the states counts at once for Home Assistant's version, addresses
///    and tracker; with the proof for the device.
struct Cycle {
  /// What becomes of the cycle after an answer.
  enum Outcome {
    /// With the next message that is due.
    case goesOn
    /// With the next message, once the addresses in the cloud are known to the routes.
    case addressesTold(cloudhook: Text?, remoteUI: Text?)
    case sends(Delivery.Message)
    case proven
    case failed(OutageCause)
  }

  private(set) var sent = SentBatch()
  /// Whether the chunk of history that it began with was answered.
  private(set) var isHistoryAnswered = false
  private(set) var server: KnownServer
  private var keyRequest: KeyRequest
  private var deviceUpdate: DeviceUpdate
  var results = CommandResults()
  /// Of the message that was written last; nil where the next one is not written yet.
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

  /// Home Assistant may be another one than before.
  mutating func serverDoubted() { server.doubted() }

  mutating func takeZones() -> [ZoneWatch.Circle]? { server.takeZones() }

  /// The new registration knows all about the device.
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

  /// A message is due: the answer to the one before comes too late.
  mutating func messageDue() { challenge = nil }

  mutating func write(
    _ message: Delivery.Message, of batch: inout Batch, _ history: borrowing History,
    for registration: borrowing Registration, nonce: Nonce, into buffer: inout ByteBuffer
  ) {
    let challenge = Challenge(of: nonce)
    self.challenge = challenge
    registration.write(message.type, nonce: nonce, into: &buffer) { data in
      switch message {
      case .key: Webhook.EnableEncryption().write(into: &data)
      case .configuration: Webhook.GetConfiguration().write(into: &data)
      case .zones: Webhook.GetZones().write(into: &data)
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
    // The proof follows with the states.
    case .history: isHistoryAnswered = true
    case .commandResult: results.answered()
    }
    return .goesOn
  }

  /// An answer of nothing: the right one to a location and to history.
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

  /// The answer says nothing; now and then the location is looked up.
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

  /// What was declined is not wanted, the location has arrived as far as is known, and what Home
  /// Assistant said of the device holds.
  mutating func proven(in batch: inout Batch, telling tellings: inout Queue<DeliveryEvent>) {
    sent.proven(in: &batch, telling: &tellings)
    deviceUpdate.proven(telling: &tellings)
    results.proven()
  }
}
