import Bytes
public import HomeAssistant
public import Sensing

// What is sensed: the batch holds the latest of it, and the history all of it.

extension Delivery {
  /// The place of a sensor; nil where no more fit into a message.
  public func declare(_ sensor: SensorDescription) -> SensorIndex? {
    batch.declare(sensor)
  }

  /// Keeps what a sensor says, if it is another value than before.
  public func record(_ reading: Reading) {
    guard batch.record(reading) else { return }
    history.record(reading)
  }

  public func record(_ fix: Fix) {
    batch.record(fix)
    history.record(fix)
  }

  /// What was recorded so far waits for the next upload. It is written where it waits for long, at
  /// the cycles that there are: to be written, it wakes no processor.
  func uploadPutOff(now: Instant) {
    if openBatch.uploadPutOff(now: now) { history.writeBatch() }
  }

  /// All states are told again with the next cycle.
  func restatementWanted() { restatementDueAt = Instant(nanoseconds: 0) }

  /// Keeps what became of a command, until Home Assistant is proven to have it.
  func report(_ result: CommandResult) {
    cycle.results.append(result)
    hasNewResult = true
  }

  var commandResults: CommandResults { cycle.results }

  /// Whether something is to go that does not wait for an upload.
  var hasUrgentNews: Bool { batch.hasUrgentChange || cycle.results.count > 0 }

  /// A fix that is no point of the track: what it says of the time counts all the same.
  public func fixLeftOut(_ fix: Fix) { history.fixLeftOut(fix) }
}

extension Location {
  /// A receiver that does not tell how wrong it may be is taken to be this wrong.
  public static let unknownAccuracyMeters = 100.0

  init?(_ fix: Fix) {
    self.init(
      latitude: fix.latitude, longitude: fix.longitude,
      accuracyMeters: fix.horizontalErrorMeters ?? Self.unknownAccuracyMeters,
      altitudeMeters: fix.altitudeMeters, speedMetersPerSecond: fix.speedMetersPerSecond,
      courseDegrees: fix.trackDegrees, verticalAccuracyMeters: fix.verticalErrorMeters)
  }
}
