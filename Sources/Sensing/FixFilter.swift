public import Bytes

/// Lets through the reports of one receiver that are a fix which may be used.
///
/// A report whose time is that of the last fix is an echo of it, whatever it says. One without a
/// time, or with a date that cannot be right, is as good as its arrival: gpsd reports what its
/// receiver says and nothing else.
public struct FixFilter: Sendable {
  public enum Verdict: Equatable, Sendable {
    case usable(Fix)
    /// The fix is good and its date is not: it has the time of its arrival.
    case misdated(Fix, DateFlaw)
    /// The fix may be old: its place stays the same to the last digit while the receiver reports a
    /// speed.
    case frozen(Fix)
    /// The receiver has no fix: a tunnel, a roof, a cold start.
    case noFix
    /// It has one, and it cannot be used.
    case rejected(Flaw)
  }

  public enum Flaw: Equatable, Sendable {
    /// A mode that gpsd does not document.
    case unknownMode
    /// Latitude or longitude is missing, no number, or not on Earth.
    case noPosition
    /// Latitude and longitude are 0, and so is the height, or there is no accuracy: a receiver's
    /// word for nothing.
    case emptyPosition
    /// The same report has another place in coordinates that turn with Earth (ECEF).
    case contradictory
    /// The report is no newer than the last fix.
    case notNewer
    /// What gpsd says is no JSON.
    case unreadable
    /// Only other receivers than the one that the configuration names report.
    case otherReceiver
  }

  public enum DateFlaw: Equatable, Sendable {
    /// The date is before this program was released, or decades behind that.
    case impossible
    /// The same, and it is off by a multiple of 1,024 weeks: the receiver's count of them has
    /// begun anew. Where the board's own clock is not set, what 1,024 weeks later is within five
    /// years of the release.
    case weeksOff
  }

  /// Nothing that carries a receiver is faster.
  public static let speedMetersPerSecondMax: Double = 100_000
  /// An error that is larger says nothing for a position of 0, 0.
  public static let plausibleErrorMetersMax: Double = 1000

  /// Two ways to say a place are farther apart than that only if one of them is wrong: the datum of
  /// a receiver shifts it by some hundred metres, and a vehicle moves between two messages.
  public static let placesMetersMax: Double = 10_000

  private var clock = ReceiverClock()
  private var stillness = Stillness()
  /// How old the newest report was when it was read, in nanoseconds; 0 where that is not known, or
  /// where it is no fix.
  private(set) var lag: Int64 = 0

  public init() {}

  /// Judges a report that was read just now.
  public mutating func reported(_ report: FixReport, _ arrival: Arrival) -> Verdict {
    lag = 0
    let mode: Fix.Mode
    switch report.mode {
    case 0, 1: return .noFix
    case 2: mode = .twoDimensional
    case 3: mode = .threeDimensional
    default: return .rejected(.unknownMode)
    }
    guard (-90...90).contains(report.latitude), (-180...180).contains(report.longitude) else {
      return .rejected(.noPosition)
    }
    var fix = Fix(report, mode: mode, arrival)
    if report.isEmpty(error: fix.horizontalErrorMeters) { return .rejected(.emptyPosition) }
    if report.isContradictory { return .rejected(.contradictory) }
    if let time = report.time, !clock.isNews(time) { return .rejected(.notNewer) }
    let isFrozen = stillness.holds(report, now: arrival.instant)
    guard let time = report.time else { return isFrozen ? .frozen(fix) : .usable(fix) }
    if let age = clock.age(of: time, now: arrival.instant) {
      lag = age
      fix.notBefore = arrival.instant + .nanoseconds(-age)
    }
    if let flaw = DateFlaw(time, wallTime: arrival.wallTime) { return .misdated(fix, flaw) }
    fix.time = time
    fix.clock = .receiver
    return isFrozen ? .frozen(fix) : .usable(fix)
  }
}

extension FixFilter.Verdict {
  /// The fix that is used.
  var fix: Fix? {
    switch self {
    case .usable(let fix), .misdated(let fix, _), .frozen(let fix): fix
    case .noFix, .rejected: nil
    }
  }
}

extension FixReport {
  fileprivate func isEmpty(error: Double?) -> Bool {
    guard latitude == 0, longitude == 0 else { return false }
    guard altitudeMeters != 0, ellipsoidHeightMeters != 0, let error,
      altitudeMeters.isFinite || ellipsoidHeightMeters.isFinite
    else { return true }
    return error <= 0 || error >= FixFilter.plausibleErrorMetersMax
  }

  fileprivate var isContradictory: Bool {
    // Most receivers do not say it.
    guard earthXMeters.isFinite else { return false }
    let place = EarthPoint(latitudeDegrees: latitude, longitudeDegrees: longitude)
    let distance = place.distanceMeters(toBelow: earthXMeters, earthYMeters, earthZMeters)
    return distance.map { $0 > FixFilter.placesMetersMax } ?? false
  }
}

/// How far a receiver has moved, by its own speeds, since its place changed last.
struct Stillness: Sendable {
  /// Slower is noise.
  static let speedMin = 0.5
  /// More than the last digit of a receiver that gives hundredths of a minute.
  static let wayMetersMax = 25.0
  /// How long a speed is believed: for what is between two reports far apart, it says nothing.
  static let secondsMax = 5.0
  /// This many reports of standstill in a row end what was frozen: the vehicle stands.
  static let restsMax = 3

  private var latitude = Double.nan
  private var longitude = Double.nan
  private var wayMeters = 0.0
  private var rests = 0
  private var since = Instant(nanoseconds: 0)

  /// Whether the place of this report is the one before, to the last digit, though the receiver
  /// reports speeds with which it would be elsewhere.
  mutating func holds(_ report: FixReport, now: Instant) -> Bool {
    defer { since = now }
    guard report.latitude == latitude, report.longitude == longitude else {
      (latitude, longitude, wayMeters, rests) = (report.latitude, report.longitude, 0, 0)
      return false
    }
    if report.speedMetersPerSecond >= Self.speedMin {
      let seconds = Double((now - since).nanoseconds) / 1e9
      wayMeters += report.speedMetersPerSecond * min(seconds, Self.secondsMax)
      rests = 0
    } else {
      rest()
    }
    return wayMeters >= Self.wayMetersMax
  }

  /// It stands, as far as it knows. What is frozen may say so once or twice.
  private mutating func rest() {
    rests = min(rests + 1, Self.restsMax)
    if wayMeters < Self.wayMetersMax || rests == Self.restsMax { wayMeters = 0 }
  }
}

extension FixFilter.DateFlaw {
  /// GPS counts weeks up to this many.
  private static let weeksNanoseconds: Int64 = 1024 * 7 * 86_400 * 1_000_000_000
  private static let dayNanoseconds: Int64 = 86_400 * 1_000_000_000
  private static let yearsOfUseNanoseconds: Int64 = 5 * 365 * dayNanoseconds

  /// Nil where the date can be right.
  fileprivate init?(_ time: WallTime, wallTime: WallTime) {
    let released = WallTime.released.nanoseconds
    if time.nanoseconds >= released, time.nanoseconds - released < Self.weeksNanoseconds {
      return nil
    }
    guard wallTime.nanoseconds >= released else {
      let (later, _) = time.nanoseconds.addingReportingOverflow(Self.weeksNanoseconds)
      self =
        (released..<released + Self.yearsOfUseNanoseconds).contains(later) ? .weeksOff : .impossible
      return
    }
    let (behind, overflowed) = wallTime.nanoseconds.subtractingReportingOverflow(time.nanoseconds)
    let rest = (behind % Self.weeksNanoseconds).magnitude
    let isNearWeeks =
      rest < Self.dayNanoseconds.magnitude
      || rest > (Self.weeksNanoseconds - Self.dayNanoseconds).magnitude
    self =
      !overflowed && isNearWeeks && behind.magnitude > Self.dayNanoseconds.magnitude
      ? .weeksOff : .impossible
  }
}

extension WallTime {
  /// No clock that is right shows an earlier time: raise it with each release.
  /// 2026-11-01 00:00 UTC.
  public static let released = WallTime(nanoseconds: 1_793_491_200 * 1_000_000_000)
}

extension Fix {
  /// A fix with the time of its arrival.
  fileprivate init(_ report: FixReport, mode: Mode, _ arrival: Arrival) {
    let parts = (report.eastErrorMeters, report.northErrorMeters)
    let error = finite(report.horizontalErrorMeters, in: 0...(.infinity))
    self.init(
      mode: mode, latitude: report.latitude, longitude: report.longitude,
      altitudeMeters: mode == .threeDimensional ? finite(report.altitudeMeters) : nil,
      speedMetersPerSecond: finite(
        report.speedMetersPerSecond, in: 0...FixFilter.speedMetersPerSecondMax),
      trackDegrees: finite(report.trackDegrees, in: 0...360).map { $0 == 360 ? 0 : $0 },
      horizontalErrorMeters: error
        ?? finite((parts.0 * parts.0 + parts.1 * parts.1).squareRoot()),
      verticalErrorMeters: finite(report.verticalErrorMeters, in: 0...(.infinity)),
      time: arrival.wallTime, clock: .board, notBefore: arrival.since)
    errorSource = error == nil ? .parts : .estimate
  }
}

private func finite(
  _ value: Double, in range: ClosedRange<Double> = -(.infinity)...(.infinity)
) -> Double? {
  value.isFinite && range.contains(value) ? value : nil
}
