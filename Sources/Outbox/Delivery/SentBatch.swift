import Bytes
public import HomeAssistant
import Sensing

extension Delivery {
  /// Maximum age of a fix that is sent: `update_location` has no time and means "now".
  public static let fixAgeMax: Duration = .seconds(60)
}

/// Content of a batch that one cycle sends, and Home Assistant's answers to it.
///
/// Invariants:
/// 1. Only verdicts with the challenge of these states, and `proven`, acknowledge a part of the
///    batch.
/// 2. A sensor that Home Assistant does not know is registered again once in the same cycle.
/// 3. At most one location is sent, and none older than `Delivery.fixAgeMax`.
// A class: each message and each answer would otherwise copy it.
final class SentBatch {
  private struct SentLocation {
    /// Fix that was sent; the batch may have a newer one at the time of the proof.
    let fix: Fix
    let location: Location
    let at: Instant
  }

  private let batch: Batch
  private let events: DeliveryEvents
  /// Numbers of entries that were replaced in the batch before the states were written.
  private(set) var superseded = Batch.Superseded()
  /// Location that was sent; nil also if Home Assistant is known to have dropped it.
  private var sent: SentLocation?
  /// Whether Home Assistant has no tracker for the location that was sent.
  private var isTrackerMissing = false
  private var hasRegisteredAgain = false
  private var acceptedReadings = 0

  init(of batch: Batch, _ events: DeliveryEvents) {
    self.batch = batch
    self.events = events
  }

  /// Begins a cycle, which has sent nothing yet.
  func began() {
    superseded = Batch.Superseded()
    sent = nil
    isTrackerMissing = false
    hasRegisteredAgain = false
    acceptedReadings = 0
  }

  // MARK: Messages

  /// Returns the next message with a part of the batch.
  func nextMessage(now: Instant) -> Delivery.Message {
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

  func writeStates(_ challenge: Challenge, into data: inout ByteBuffer) {
    batch.writeStates(challenge, into: &data)
    superseded = batch.superseded
    // The fix that was sent is not lost.
    if let sent, batch.fix != sent.fix { superseded.fixes -= 1 }
  }

  // MARK: Answers

  func sensorAnswered(_ sensor: SensorIndex, _ content: Span<UInt8>) {
    if (try? isSuccess(content)) == true {
      registered(sensor, isWanted: true)
    } else {
      batch.setStatus(.declined, of: sensor)
    }
  }

  private func registered(_ sensor: SensorIndex, isWanted: Bool) {
    batch.setStatus(isWanted ? .registered : .refused, of: sensor)
    events.append(isWanted ? .sensorRegistered(sensor) : .sensorRefused(sensor))
  }

  /// Returns Home Assistant's verdict on the location that was sent; nil if its template failed,
  /// which proves nothing about the location.
  func locationVerdict(
    _ content: Span<UInt8>, to challenge: Challenge, now: Instant
  ) -> Webhook.LocationReadBack.Verdict? {
    guard let sent else { preconditionFailure("only what was sent is looked up") }
    return try? Webhook.LocationReadBack.judge(
      content, to: challenge, of: sent.location, sent: now - sent.at)
  }

  func locationLookedUp(_ verdict: Webhook.LocationReadBack.Verdict?) {
    isTrackerMissing = verdict == .noTracker
    guard verdict == .dropped, let dropped = sent else { return }
    // Home Assistant would drop it again: it is sent as history, and counted among the entries that
    // could not be sent in time.
    sent = nil
    if batch.fix == dropped.fix { batch.dropFix() }
    events.append(.locationDropped)
  }

  /// Handles the answer to the states: it is the proof if it repeats their challenge.
  func statesAnswered(_ content: Span<UInt8>, to challenge: Challenge)
    -> Cycle.Outcome
  {
    guard challenge.isRepeated(inVerdicts: content) else { return .failed(.otherAnswer) }
    var hasForgotten = false
    do throws(JSONError) {
      try forEachVerdict(in: content) { uniqueID, verdict in
        guard let sensor = batch.sensors.index(of: uniqueID.raw) else { return }
        let isKnown = judged(sensor, verdict)
        hasForgotten = hasForgotten || !isKnown
      }
    } catch {
      return .failed(.unreadableAnswer)
    }
    guard hasForgotten, !hasRegisteredAgain else { return .proven }
    hasRegisteredAgain = true
    return .goesOn
  }

  /// Handles a verdict. Returns whether Home Assistant has the sensor, or has refused it.
  private func judged(_ sensor: SensorIndex, _ verdict: SensorVerdict) -> Bool {
    if batch.status(of: sensor) == .declined {
      // An unknown sensor confirms the refusal.
      guard verdict != .notRegistered else { return true }
      registered(sensor, isWanted: true)
    }
    switch verdict {
    case .accepted, .disabled:
      if batch.isNews(sensor) { acceptedReadings += 1 }
      batch.acknowledge(sensor)
      if verdict == .disabled { batch.disabled(sensor) }
    case .refused:
      // The same value would be refused again, but the next one may be accepted.
      batch.refuse(sensor)
      events.append(.readingRefused(sensor))
    case .notRegistered:
      batch.setStatus(.unregistered, of: sensor)
      events.append(.sensorForgotten(sensor))
    }
    return verdict != .notRegistered
  }

  // MARK: Proof

  /// Completes the cycle: declined sensors are refused, and the location counts as delivered.
  func proven() {
    while let sensor = batch.nextDeclined {
      registered(sensor, isWanted: false)
    }
    if let sent { batch.acknowledgeFix(sent.fix) }
  }

  /// Event with the delivered content.
  var result: DeliveryEvent {
    .proven(readings: acceptedReadings, hasLocation: sent != nil && !isTrackerMissing)
  }
}

extension Location {
  /// Accuracy assumed for a receiver that does not report one.
  public static let unknownAccuracyMeters = 100.0

  init?(_ fix: Fix) {
    self.init(
      latitude: fix.latitude, longitude: fix.longitude,
      accuracyMeters: fix.horizontalErrorMeters ?? Self.unknownAccuracyMeters,
      altitudeMeters: fix.altitudeMeters, speedMetersPerSecond: fix.speedMetersPerSecond,
      courseDegrees: fix.trackDegrees, verticalAccuracyMeters: fix.verticalErrorMeters)
  }
}
