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
    /// Latitude and longitude are 0 and without an accuracy: a receiver's word for nothing.
    case emptyPosition
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

  private var clock = ReceiverClock()
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
    if report.latitude == 0, report.longitude == 0 {
      guard let error = fix.horizontalErrorMeters, error > 0, error < Self.plausibleErrorMetersMax
      else { return .rejected(.emptyPosition) }
    }
    guard let time = report.time else { return .usable(fix) }
    guard clock.isNews(time) else { return .rejected(.notNewer) }
    if let age = clock.age(of: time, now: arrival.instant) {
      lag = age
      fix.notBefore = arrival.instant + .nanoseconds(-age)
    }
    if let flaw = DateFlaw(time, wallTime: arrival.wallTime) { return .misdated(fix, flaw) }
    fix.time = time
    fix.clock = .receiver
    return .usable(fix)
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
