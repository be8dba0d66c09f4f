import Bytes

/// The values of a fix that the track filter needs.
struct TrackSighting {
  let point: EarthPoint
  let instant: Instant
  /// Speed that the receiver reports.
  let speedMetersPerSecond: Double?
  let errorMeters: Double
  /// Course that the receiver reports, of a moving board.
  var direction: Direction?

  /// Error assumed for a fix that has none.
  static let unknownErrorMeters = 50.0

  init(_ fix: Fix) {
    point = EarthPoint(latitudeDegrees: fix.latitude, longitudeDegrees: fix.longitude)
    instant = fix.notBefore
    speedMetersPerSecond = fix.speedMetersPerSecond
    errorMeters = fix.horizontalErrorMeters ?? Self.unknownErrorMeters
    // The course of a standing board is noise.
    let hasCourse = fix.speedMetersPerSecond.map { $0 >= RestDetector.movingSpeed } ?? false
    direction = hasCourse ? fix.trackDegrees.map(Direction.init(degrees:)) : nil
  }

  func seconds(since other: TrackSighting) -> Double {
    Double((instant - other.instant).nanoseconds) / 1e9
  }

  func meters(from other: TrackSighting) -> Double { other.point.distanceMeters(to: point) }

  /// Returns the mean speed since `earlier`, in metres per second, over at least half a second: the
  /// clocks of receivers are coarse.
  func derivedSpeed(since earlier: TrackSighting) -> Double {
    meters(from: earlier) / max(seconds(since: earlier), 0.5)
  }
}
