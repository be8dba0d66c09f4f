public import Bytes

/// What the receiver reports about where it is: one complete report, judged to be usable.
///
/// Fields that the receiver did not give are nil. Values are in the ranges written beside them.
public struct Fix: Equatable, Sendable {
  public enum Mode: Sendable { case twoDimensional, threeDimensional }
  /// What the horizontal error is made of.
  public enum ErrorSource: Sendable {
    /// The receiver's, or gpsd's, own estimate.
    case estimate
    /// The errors to the east and to the north.
    case parts
    /// How the satellites stand (HDOP).
    case dilution
  }
  /// Whose clock tells the time of a fix.
  public enum Clock: Sendable { case receiver, board }

  public var mode: Mode
  /// Degrees north, -90...90.
  public var latitude: Double
  /// Degrees east, -180...180.
  public var longitude: Double
  /// Metres above mean sea level; only of a three-dimensional fix.
  public var altitudeMeters: Double?
  /// Metres per second over ground, 0 or more.
  public var speedMetersPerSecond: Double?
  /// Degrees from true north, 0..<360.
  public var trackDegrees: Double?
  /// The estimated horizontal error (eph), 0 or more.
  public var horizontalErrorMeters: Double?
  /// Means nothing without that one.
  public var errorSource = ErrorSource.estimate
  /// The estimated vertical error (epv), 0 or more.
  public var verticalErrorMeters: Double?
  /// When the receiver was there, by `clock`.
  public var time: WallTime
  /// The receiver's; ours where the receiver gives no time, or one that cannot be right.
  public var clock: Clock
  /// When this was reported, by our clock, or the earliest moment at which it can have been: its
  /// age counts from here, because the receiver's clock and ours need not agree.
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

  /// Takes an error where the receiver gave none.
  mutating func estimateError(meters: Double, from source: ErrorSource) {
    guard horizontalErrorMeters == nil else { return }
    horizontalErrorMeters = meters
    errorSource = source
  }
}
