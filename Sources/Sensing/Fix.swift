public import Bytes

/// A complete position report of the receiver, judged to be usable.
///
/// Fields that the receiver did not report are nil. Values are in the ranges written beside them.
public struct Fix: Equatable, Sendable {
  public enum Mode: Sendable { case twoDimensional, threeDimensional }
  /// Source of the horizontal error.
  public enum ErrorSource: Sendable {
    /// An estimate by the receiver or gpsd.
    case estimate
    /// The errors to the east and to the north.
    case parts
    /// The geometry of the satellites (HDOP).
    case dilution
  }
  /// The clock that dates a fix.
  public enum Clock: Sendable { case receiver, board }

  public var mode: Mode
  /// Degrees north, -90...90.
  public var latitude: Double
  /// Degrees east, -180...180.
  public var longitude: Double
  /// Metres above mean sea level; nil for a two-dimensional fix.
  public var altitudeMeters: Double?
  /// Metres per second over ground, 0 or more.
  public var speedMetersPerSecond: Double?
  /// Degrees from true north, 0..<360.
  public var trackDegrees: Double?
  /// Estimated horizontal error (eph), 0 or more.
  public var horizontalErrorMeters: Double?
  /// Meaningless without `horizontalErrorMeters`.
  public var errorSource = ErrorSource.estimate
  /// Estimated vertical error (epv), 0 or more.
  public var verticalErrorMeters: Double?
  /// Time of the position by `clock`.
  public var time: WallTime
  /// `board` if the receiver reports no time, or one that cannot be right.
  public var clock: Clock
  /// Instant of the report by the board's clock, or the earliest possible one: the age of a fix
  /// counts from here, because the receiver's clock and the board's need not agree.
  public var notBefore: Instant

  public init(
    mode: Mode, latitude: Double, longitude: Double, altitudeMeters: Double? = nil,
    speedMetersPerSecond: Double? = nil, trackDegrees: Double? = nil,
    horizontalErrorMeters: Double? = nil, verticalErrorMeters: Double? = nil, time: WallTime,
    clock: Clock = .receiver, notBefore: Instant
  ) {
    self.mode = mode
    self.latitude = latitude
    self.longitude = longitude
    self.altitudeMeters = altitudeMeters
    self.speedMetersPerSecond = speedMetersPerSecond
    self.trackDegrees = trackDegrees
    self.horizontalErrorMeters = horizontalErrorMeters
    self.verticalErrorMeters = verticalErrorMeters
    self.time = time
    self.clock = clock
    self.notBefore = notBefore
  }

  /// Sets the error if the receiver reported none.
  mutating func estimateError(meters: Double, from source: ErrorSource) {
    guard horizontalErrorMeters == nil else { return }
    horizontalErrorMeters = meters
    errorSource = source
  }
}
