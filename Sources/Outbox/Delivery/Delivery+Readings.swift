import Bytes
public import HomeAssistant
public import Sensing

// Readings and fixes: the batch stores the latest of them, and the history all of them.

extension Delivery {
  /// Returns the index of a sensor, new or known; nil if it does not fit into a message.
  public func declare(_ sensor: SensorDescription) -> SensorIndex? {
    batch.declare(sensor)
  }

  /// Stores a reading, if its value differs from the one before.
  public func record(_ reading: Reading) {
    guard batch.record(reading) else { return }
    history.record(reading)
  }

  public func record(_ fix: Fix) {
    batch.record(fix)
    history.record(fix)
  }

  /// Postpones the recorded entries to the next upload. If that takes long, they are written to the
  /// disk at an existing cycle: writing wakes no processor.
  func uploadPutOff(now: Instant) {
    if openBatch.uploadPutOff(now: now) { history.writeBatch() }
  }

  /// Makes all states due in the next cycle.
  func restatementWanted() { restatementDueAt = Instant(nanoseconds: 0) }

  /// Stores the result of a command until Home Assistant is proven to have it.
  func report(_ result: CommandResult) {
    cycle.results.append(result)
    hasNewResult = true
  }

  var commandResults: CommandResults { cycle.results }

  /// Whether a change or a result must be sent without waiting for an upload.
  var hasUrgentNews: Bool { batch.hasUrgentChange || cycle.results.count > 0 }

  /// Handles a fix that is not a point of the track: only its time is used.
  public func fixLeftOut(_ fix: Fix) { history.fixLeftOut(fix) }
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
