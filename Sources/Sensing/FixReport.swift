public import Bytes

/// A report of a receiver before it is judged. A missing field is NaN.
public struct FixReport: Equatable, Sendable {
  /// Mode of gpsd: 2 and 3 mean a fix, 0 and 1 do not.
  public var mode: Int32
  public var time: WallTime?
  public var latitude = Double.nan
  public var longitude = Double.nan
  public var altitudeMeters = Double.nan
  public var speedMetersPerSecond = Double.nan
  public var climbMetersPerSecond = Double.nan
  public var trackDegrees = Double.nan
  public var horizontalErrorMeters = Double.nan
  public var verticalErrorMeters = Double.nan
  /// The parts of the horizontal error (epx, epy), for a receiver that gives only those.
  public var eastErrorMeters = Double.nan
  public var northErrorMeters = Double.nan
  public var ellipsoidHeightMeters = Double.nan
  /// Position of the receiver in ECEF coordinates, in metres from the centre of Earth.
  public var earthXMeters = Double.nan
  public var earthYMeters = Double.nan
  public var earthZMeters = Double.nan

  public init(mode: Int32, time: WallTime?) {
    self.mode = mode
    self.time = time
  }
}

/// Time at which a report was read, by the clocks of the board.
public struct Arrival: Equatable, Sendable {
  public var instant: Instant
  public var wallTime: WallTime
  /// Instant at which the socket was empty: the report came later.
  public var since: Instant

  public init(instant: Instant, wallTime: WallTime, since: Instant) {
    self.instant = instant
    self.wallTime = wallTime
    self.since = since
  }
}
