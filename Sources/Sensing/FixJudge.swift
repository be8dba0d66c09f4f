public import Bytes

/// What a receiver reported, before anybody judged it. A field that it did not give is NaN.
public struct FixReport: Equatable, Sendable {
  /// gpsd's mode: 2 and 3 are fixes, 0 and 1 are none.
  public var mode: Int32
  public var time: WallTime?
  public var latitude = Double.nan
  public var longitude = Double.nan
  public var altitudeMeters = Double.nan
  public var speedMetersPerSecond = Double.nan
  public var trackDegrees = Double.nan
  public var horizontalErrorMeters = Double.nan
  public var verticalErrorMeters = Double.nan

  public init(mode: Int32, time: WallTime?) {
    self.mode = mode
    self.time = time
  }
}

/// Decides whether a report is a fix that may be used.
///
/// A report that is not newer than the last fix is an echo of it, whatever it says: a receiver
/// that was unplugged, or a gpsd that repeats itself. Only a clock that goes back and then goes on
/// from there is believed again, for receivers correct their date after a cold start.
public struct FixJudge: Sendable {
  public enum Verdict: Equatable, Sendable {
    case usable(Fix)
    /// The receiver has no fix: a tunnel, a roof, a cold start.
    case noFix
    /// It has one, and it cannot be used.
    case rejected(Flaw)
  }

  public enum Flaw: Equatable, Sendable {
    /// A mode that gpsd does not document.
    case unknownMode
    /// Latitude or longitude is no number, or not on Earth.
    case noPosition
    /// The report has no time, so it cannot be told from an old one.
    case noTime
    /// The report is no newer than the last fix.
    case notNewer
  }

  /// Rising times in a row after which an earlier clock is believed.
  public static let earlierReportsMax = 3
  /// Nothing that carries a receiver is faster.
  public static let speedMetersPerSecondMax: Double = 100_000

  private var lastTime: WallTime?
  private var earlier: (time: WallTime, count: Int)?

  public init() {}

  /// Judges a report that the receiver cannot have made before `notBefore`.
  public mutating func reported(_ report: FixReport, notBefore: Instant) -> Verdict {
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
    guard let time = report.time else { return .rejected(.noTime) }
    guard isNews(time) else { return .rejected(.notNewer) }
    return .usable(
      Fix(
        mode: mode, latitude: report.latitude, longitude: report.longitude,
        altitudeMeters: mode == .threeDimensional ? finite(report.altitudeMeters) : nil,
        speedMetersPerSecond: finite(
          report.speedMetersPerSecond, in: 0...Self.speedMetersPerSecondMax),
        trackDegrees: finite(report.trackDegrees, in: 0...360).map { $0 == 360 ? 0 : $0 },
        horizontalErrorMeters: finite(report.horizontalErrorMeters, in: 0...(.infinity)),
        verticalErrorMeters: finite(report.verticalErrorMeters, in: 0...(.infinity)),
        time: time, notBefore: notBefore))
  }

  private mutating func isNews(_ time: WallTime) -> Bool {
    guard let lastTime, time <= lastTime else {
      accept(time)
      return true
    }
    guard time < lastTime else { return false }
    let count = earlier.map { time > $0.time ? $0.count + 1 : 1 } ?? 1
    earlier = (time, count)
    guard count >= Self.earlierReportsMax else { return false }
    accept(time)
    return true
  }

  private mutating func accept(_ time: WallTime) {
    lastTime = time
    earlier = nil
  }
}

private func finite(
  _ value: Double, in range: ClosedRange<Double> = -(.infinity)...(.infinity)
) -> Double? {
  value.isFinite && range.contains(value) ? value : nil
}
