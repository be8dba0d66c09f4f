public import Bytes

/// A TPV, SKY or ATT of gpsd. Fields that the report does not have are NaN or nil.
public struct GPSDReport: Equatable, Sendable {
  /// Position of a TPV.
  public var fix = FixReport(mode: 0, time: nil)
  /// Horizontal dilution of precision (HDOP) of a SKY.
  public var horizontalDilution = Double.nan
  /// Satellites of a SKY. Newer releases of gpsd write some SKYs without them.
  public var satellitesSeen: Int64?
  public var satellitesUsed: Int64?
  /// Heading of an ATT from true north. (`magtrack` of a TPV is a course over ground, not a
  /// heading: gpsd up to 3.22 makes only that of a compass that sends HDG.)
  public var headingDegrees = Double.nan
  /// Heading of an ATT from magnetic north.
  public var magneticHeadingDegrees = Double.nan

  public init() {}
}

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
