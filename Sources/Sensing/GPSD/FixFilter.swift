public import Bytes

/// Accepts the reports of one receiver that are usable fixes.
///
/// A report with the time of the last fix is an echo of it, whatever else it contains. A report
/// without a time, or with an impossible date, gets the time of its arrival.
public struct FixFilter: Sendable {
  public enum Verdict: Equatable, Sendable {
    case usable(Fix)
    /// The fix is good and its date is not: it gets the time of its arrival.
    case misdated(Fix, DateFlaw)
    /// The fix may be old: its place is the same to the last digit while the receiver reports a
    /// speed.
    case frozen(Fix)
    /// The receiver has no fix: a tunnel, a roof, a cold start.
    case noFix
    /// The receiver has a fix that cannot be used.
    case rejected(Flaw)
  }

  public enum Flaw: Equatable, Sendable {
    /// A mode that gpsd does not document.
    case unknownMode
    /// Latitude or longitude is missing, not a number or not on Earth.
    case noPosition
    /// Latitude and longitude are 0, and the altitude is 0 or there is no accuracy: receivers
    /// report this without a position.
    case emptyPosition
    /// The report has another place in ECEF coordinates.
    case contradictory
    /// The report is not newer than the last fix.
    case notNewer
    /// The output of gpsd is not JSON.
    case unreadable
    /// No report comes from the receiver that the configuration names.
    case otherReceiver
  }

  public enum DateFlaw: Equatable, Sendable {
    /// The date is before the release of this program, or decades after it.
    case impossible
    /// The date is impossible and off by a multiple of 1,024 weeks (GPS week rollover). If the
    /// board's own clock is not set: the date plus 1,024 weeks is within five years of the release.
    case weeksOff
  }

  /// No carrier of a receiver is faster.
  public static let speedMetersPerSecondMax: Double = 100_000
  /// A larger error does not make a position of 0, 0 plausible.
  public static let plausibleErrorMetersMax: Double = 1000

  /// Greatest distance between the two forms of a place in one report: the datum of a receiver
  /// shifts it by some hundred metres, and a vehicle moves between two messages.
  public static let placesMetersMax: Double = 10_000

  private var clock = ReceiverClock()
  private var stillness = Stillness()
  /// Age of the newest fix when it was read, in nanoseconds; 0 if the age is unknown.
  private(set) var lag: Int64 = 0

  public init() {}

  /// Judges a report that was just read.
  public mutating func reported(_ report: FixReport, _ arrival: Arrival) -> Verdict {
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
    lag = 0
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
  // Inlined: a call would copy the verdict and the fix.

  /// The fix to use.
  @inline(__always)
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
    // Most receivers report no ECEF coordinates.
    guard earthXMeters.isFinite else { return false }
    let place = EarthPoint(latitudeDegrees: latitude, longitudeDegrees: longitude)
    let distance = place.distanceMeters(toBelow: earthXMeters, earthYMeters, earthZMeters)
    return distance.map { $0 > FixFilter.placesMetersMax } ?? false
  }
}

/// Distance that a receiver should have moved, by its own speeds, since its place last changed.
struct Stillness: Sendable {
  /// A lower speed is noise.
  static let speedMin = 0.5
  /// More than the last digit of a receiver that reports hundredths of a minute.
  static let wayMetersMax = 25.0
  /// Longest time for which a reported speed counts: it does not hold for a longer gap.
  static let secondsMax = 5.0
  /// This many reports of standstill in a row end a frozen place: the vehicle stands.
  static let restsMax = 3

  private var latitude = Double.nan
  private var longitude = Double.nan
  private var wayMeters = 0.0
  private var rests = 0
  private var since = Instant(nanoseconds: 0)

  /// Whether this report has the place of the last one, to the last digit, although the receiver
  /// reported speeds that would have moved it.
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

  /// Counts a report of standstill. A frozen receiver may report one or two.
  private mutating func rest() {
    rests = min(rests + 1, Self.restsMax)
    if wayMeters < Self.wayMetersMax || rests == Self.restsMax { wayMeters = 0 }
  }
}

extension FixFilter.DateFlaw {
  /// Range of the GPS week counter.
  private static let weeksNanoseconds: Int64 = 1024 * 7 * 86_400 * 1_000_000_000
  private static let dayNanoseconds: Int64 = 86_400 * 1_000_000_000
  private static let yearsOfUseNanoseconds: Int64 = 5 * 365 * dayNanoseconds

  /// Nil if the date can be right.
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
  /// Lower bound of every correct clock, 2026-11-01 00:00 UTC: raise it with each release.
  public static let released = WallTime(nanoseconds: 1_793_491_200 * 1_000_000_000)
}

extension Fix {
  /// Whether it has all that a receiver reports of each position. A course belongs to a movement.
  var isWhole: Bool {
    mode == .threeDimensional && altitudeMeters != nil && speedMetersPerSecond != nil
      && horizontalErrorMeters != nil
  }

  /// Adds the fields that are missing from another report of the same time. Three dimensions
  /// replace two.
  mutating func add(_ report: FixReport, _ arrival: Arrival) {
    var rest = Fix(report, mode: report.mode == 3 ? .threeDimensional : .twoDimensional, arrival)
    if rest.mode == .threeDimensional, mode == .twoDimensional {
      (rest.time, rest.clock, rest.notBefore) = (time, clock, notBefore)
      swap(&self, &rest)
    }
    altitudeMeters = altitudeMeters ?? rest.altitudeMeters
    speedMetersPerSecond = speedMetersPerSecond ?? rest.speedMetersPerSecond
    trackDegrees = trackDegrees ?? rest.trackDegrees
    verticalErrorMeters = verticalErrorMeters ?? rest.verticalErrorMeters
    guard let error = rest.horizontalErrorMeters else { return }
    estimateError(meters: error, from: rest.errorSource)
  }

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

/// The clock of a receiver: its last time, and its distance from the board's clock.
///
/// Neither clock needs to be right. A report that is read as soon as it was made sets the distance;
/// a report that is read later seems further away, and the difference is its age.
struct ReceiverClock: Sendable {
  /// Number of rising times in a row after which an earlier clock is accepted: receivers correct
  /// their date after a cold start.
  static let earlierReportsMax = 3
  /// The two clocks drift apart by at most one part in this number: the kernel slews the board's
  /// clock by 500 millionths.
  static let driftDivisor: Int64 = 2000

  private var lastTime: WallTime?
  private var earlier: (time: WallTime, count: Int)?
  /// The board's clock minus the receiver's, in nanoseconds, from a report without delay.
  private var distance: (nanoseconds: Int64, at: Instant)?

  /// Returns whether this is the time of a new fix.
  mutating func isNews(_ time: WallTime) -> Bool {
    guard let lastTime, time <= lastTime else {
      lastTime = time
      earlier = nil
      return true
    }
    guard time < lastTime else { return false }
    // An echo neither counts nor ends the row.
    if let earlier, time == earlier.time { return false }
    let count = earlier.map { time > $0.time ? $0.count + 1 : 1 } ?? 1
    earlier = (time, count)
    guard count >= Self.earlierReportsMax else { return false }
    self = ReceiverClock()
    self.lastTime = time
    return true
  }

  /// Returns the age of this receiver time in nanoseconds; nil for the first time.
  mutating func age(of time: WallTime, now: Instant) -> Int64? {
    let (difference, overflowed) = now.nanoseconds.subtractingReportingOverflow(time.nanoseconds)
    guard !overflowed else { return nil }
    guard let distance else {
      distance = (difference, now)
      return nil
    }
    let drift = (now - distance.at).nanoseconds / Self.driftDivisor
    let (age, isTooLong) = difference.subtractingReportingOverflow(
      distance.nanoseconds &+ max(0, drift))
    guard !isTooLong, age > 0 else {
      self.distance = (difference, now)
      return 0
    }
    return age
  }
}
