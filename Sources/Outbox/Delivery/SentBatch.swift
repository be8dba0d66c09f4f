import Bytes
import HomeAssistant
import Sensing

extension Delivery {
  /// A fix older than this is not sent; `update_location` has no time, so it would be "now".
  public static let fixAgeMax: Duration = .seconds(60)
}

/// What one cycle sends of a batch, and what Home Assistant says about it.
///
/// Invariants:
/// 1. Nothing of the batch is acknowledged but by verdicts with the challenge of these states, and
///    by `proven`.
/// 2. A sensor that Home Assistant does not know is registered again in the same cycle once.
/// 3. At most one location is sent, and none that is older than `Delivery.fixAgeMax`.
struct SentBatch {
  private struct SentLocation {
    /// The batch may have a newer one by the time of the proof.
    let fix: Fix
    let location: Location
    let at: Instant
  }

  /// What the answer to the states says.
  enum Verdict {
    case proven
    /// Home Assistant does not know a sensor any more.
    case incomplete
    case unproven(OutageCause)
  }

  /// What was replaced in the batch before the states were written.
  private(set) var superseded = Batch.Superseded()
  /// Nil, too, where it is known that Home Assistant did not take it.
  private var sent: SentLocation?
  /// Home Assistant has no place for the location that was sent.
  private var isTrackerMissing = false
  private var hasRegisteredAgain = false
  private var acceptedReadings = 0

  // MARK: What is sent

  /// The next message with something of the batch.
  mutating func nextMessage(of batch: inout Batch, now: Instant) -> Delivery.Message {
    if let sensor = batch.nextUnregistered { return .sensor(sensor) }
    guard sent == nil, let fix = batch.fix else { return .states }
    guard now - fix.notBefore <= Delivery.fixAgeMax, let location = Location(fix) else {
      batch.dropFix()
      return .states
    }
    sent = SentLocation(fix: fix, location: location, at: now)
    return .location
  }

  func writeLocation(for version: ServerVersion, into data: inout ByteBuffer) {
    sent?.location.write(into: &data, for: version)
  }

  mutating func writeStates(
    of batch: inout Batch, _ challenge: Challenge, into data: inout ByteBuffer
  ) {
    batch.writeStates(challenge, into: &data)
    superseded = batch.superseded
    // The one that was sent is not lost.
    if let sent, batch.fix != sent.fix { superseded.fixes -= 1 }
  }

  // MARK: What is answered

  func sensorAnswered(
    _ sensor: SensorIndex, _ content: Span<UInt8>, in batch: inout Batch,
    telling tellings: inout Queue<DeliveryEvent>
  ) {
    if (try? isSuccess(content)) == true {
      registered(sensor, isWanted: true, in: &batch, telling: &tellings)
    } else {
      sensorDropped(sensor, in: &batch)
    }
  }

  /// One sensor that Home Assistant drops says nothing about the others.
  func sensorDropped(_ sensor: SensorIndex, in batch: inout Batch) {
    batch.setStatus(.declined, of: sensor)
  }

  private func registered(
    _ sensor: SensorIndex, isWanted: Bool, in batch: inout Batch,
    telling tellings: inout Queue<DeliveryEvent>
  ) {
    batch.setStatus(isWanted ? .registered : .refused, of: sensor)
    tellings.append(isWanted ? .sensorRegistered(sensor) : .sensorRefused(sensor))
  }

  /// What Home Assistant shows of the location that was sent; nil where its template failed, which
  /// says nothing about the location.
  func locationVerdict(
    _ content: Span<UInt8>, to challenge: Challenge, now: Instant
  ) -> Webhook.LocationReadBack.Verdict? {
    guard let sent else { preconditionFailure("only what was sent is looked up") }
    return try? Webhook.LocationReadBack.judge(
      content, to: challenge, of: sent.location, sent: now - sent.at)
  }

  mutating func locationLookedUp(
    _ verdict: Webhook.LocationReadBack.Verdict?, in batch: inout Batch,
    telling tellings: inout Queue<DeliveryEvent>
  ) {
    isTrackerMissing = verdict == .noTracker
    guard verdict == .dropped, let dropped = sent else { return }
    // Home Assistant would not take it the next time either: it goes as history, and is counted
    // among what could not be sent in its time.
    sent = nil
    if batch.fix == dropped.fix { batch.dropFix() }
    tellings.append(.locationDropped)
  }

  /// The states were answered: that is the proof, where the answer repeats their challenge.
  mutating func statesAnswered(
    _ content: Span<UInt8>, to challenge: Challenge, in batch: inout Batch,
    telling tellings: inout Queue<DeliveryEvent>
  ) -> Verdict {
    guard challenge.isRepeated(inVerdicts: content) else { return .unproven(.otherAnswer) }
    var hasForgotten = false
    do throws(JSONError) {
      try forEachVerdict(in: content) { uniqueID, verdict in
        guard let sensor = batch.index(of: uniqueID) else { return }
        let isKnown = judged(sensor, verdict, in: &batch, telling: &tellings)
        hasForgotten = hasForgotten || !isKnown
      }
    } catch {
      return .unproven(.unreadableAnswer)
    }
    guard hasForgotten, !hasRegisteredAgain else { return .proven }
    hasRegisteredAgain = true
    return .incomplete
  }

  /// Returns whether Home Assistant knows the sensor, or is not to know it.
  private mutating func judged(
    _ sensor: SensorIndex, _ verdict: SensorVerdict, in batch: inout Batch,
    telling tellings: inout Queue<DeliveryEvent>
  ) -> Bool {
    if batch.status(of: sensor) == .declined {
      // That it does not know the sensor confirms that it does not want it.
      guard verdict != .notRegistered else { return true }
      registered(sensor, isWanted: true, in: &batch, telling: &tellings)
    }
    switch verdict {
    case .accepted, .disabled:
      if batch.isNews(sensor) { acceptedReadings += 1 }
      batch.acknowledge(sensor)
    case .refused:
      // The same value would be refused again; the next one may not be.
      batch.refuse(sensor)
      tellings.append(.readingRefused(sensor))
    case .notRegistered:
      batch.setStatus(.unregistered, of: sensor)
      tellings.append(.sensorForgotten(sensor))
    }
    return verdict != .notRegistered
  }

  // MARK: The proof

  /// What was declined is not wanted, and the location has arrived as far as is known.
  func proven(in batch: inout Batch, telling tellings: inout Queue<DeliveryEvent>) {
    while let sensor = batch.nextDeclined {
      registered(sensor, isWanted: false, in: &batch, telling: &tellings)
    }
    if let sent { batch.acknowledgeFix(sent.fix) }
  }

  /// What Home Assistant has of it.
  var result: DeliveryEvent {
    .proven(readings: acceptedReadings, hasLocation: sent != nil && !isTrackerMissing)
  }
}
