import Bytes

/// What the track filter needs to know of a fix.
struct TrackSighting {
  let point: EarthPoint
  let instant: Instant
  /// As the receiver says it.
  let speedMetersPerSecond: Double?
  let errorMeters: Double
  /// As the receiver says it, of a board that moves.
  var direction: Direction?

  /// What is taken for the error of a fix that has none.
  static let unknownErrorMeters = 50.0

  init(_ fix: Fix) {
    point = EarthPoint(latitudeDegrees: fix.latitude, longitudeDegrees: fix.longitude)
    instant = fix.notBefore
    speedMetersPerSecond = fix.speedMetersPerSecond
    errorMeters = fix.horizontalErrorMeters ?? Self.unknownErrorMeters
    // The course of a board that stands is noise.
    let hasCourse = fix.speedMetersPerSecond.map { $0 >= RestDetector.movingSpeed } ?? false
    direction = hasCourse ? fix.trackDegrees.map(Direction.init(degrees:)) : nil
  }

  func seconds(since other: TrackSighting) -> Double {
    Double((instant - other.instant).nanoseconds) / 1e9
  }

  func meters(from other: TrackSighting) -> Double { other.point.distanceMeters(to: point) }

  /// The mean speed since `earlier`, in metres per second. The clocks of receivers are coarse: no
  /// time is shorter than half a second.
  func derivedSpeed(since earlier: TrackSighting) -> Double {
    meters(from: earlier) / max(seconds(since: earlier), 0.5)
  }
}
