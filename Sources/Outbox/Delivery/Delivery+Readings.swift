public import HomeAssistant
import Sensing

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
