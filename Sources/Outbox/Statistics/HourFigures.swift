public import Bytes
import HomeAssistant

/// Figures of a sensor for one hour of UTC.
public struct SensorHour: Equatable, Sendable {
  public enum Figures: Equatable, Sendable {
    /// Figures of a measurement; the mean is weighted by time.
    case measured(mean: Double, lowest: Double, highest: Double)
    /// Value of a counter at the end of the hour.
    case counted(Double)
  }

  /// Number of the hour, counted from 1970.
  public let number: Int64
  public let figures: Figures

  public init(number: Int64, _ figures: Figures) {
    self.number = number
    self.figures = figures
  }

  public var start: WallTime { WallTime(startOfHour: number) }
  public var end: WallTime { WallTime(startOfHour: number + 1) }
}

extension WallTime {
  static let nanosecondsPerHour: Int64 = 3_600_000_000_000

  /// - Precondition: the hour is within the range of `WallTime`.
  init(startOfHour number: Int64) { self.init(nanoseconds: number * Self.nanosecondsPerHour) }

  /// Number of the hour that contains this time, counted from 1970.
  var hour: Int64 { nanoseconds.dividedDown(by: Self.nanosecondsPerHour).quotient }
}

extension ArraySlice<SensorHour> {
  /// Returns the figures of these hours, which are in order, in Home Assistant's unit; nil if it
  /// has no earlier sum of a counter, or the counter was reset. `points` are Home Assistant's
  /// figures of these hours and of earlier ones.
  ///
  /// Home Assistant sums the increases of a counter. After an outage it adds the whole increase in
  /// one hour. So an hour of the outage has the sum from before it plus the counter's increase
  /// since; the sums after the outage continue from these. After a reset of the counter Home
  /// Assistant's later sums would be smaller. A decrease by less than a tenth is no reset: before
  /// 2025.6 Home Assistant rounded converted values. A balance may decrease.
  func figures(
    of kind: StatisticsSensor.Kind, after points: [StatisticsPoint], _ conversion: UnitConversion
  ) -> [StatisticsHour]? {
    var hours: [StatisticsHour] = []
    var shownLast = -Double.infinity
    for hour in self {
      switch hour.figures {
      case .measured(let mean, let lowest, let highest):
        hours.append(
          StatisticsHour(
            hour.start, mean: conversion(mean), min: conversion(lowest), max: conversion(highest)))
      case .counted(let count):
        var shown = conversion(count)
        guard let base = points.lastCount(before: hour.start) else { return nil }
        if kind != .balance {
          let least = Swift.max(shownLast, base.shown)
          guard shown >= least * StatisticsSensor.resetShare else { return nil }
          shown = Swift.max(shown, least)
        }
        shownLast = shown
        hours.append(
          StatisticsHour(hour.start, sum: base.sum + (shown - base.shown), state: shown))
      }
    }
    return hours
  }
}

extension StatisticsSensor {
  /// Share of a counter's last value below which Home Assistant assumes a reset.
  fileprivate static let resetShare = 0.9
}

extension [StatisticsPoint] {
  /// Returns the value and the sum of a counter at the end of the last hour before this time.
  fileprivate func lastCount(before time: WallTime) -> (shown: Double, sum: Double)? {
    var last: (start: WallTime, shown: Double, sum: Double)?
    for point in self where point.start < time && last.map({ point.start > $0.start }) ?? true {
      guard let shown = point.state, let sum = point.sum else { continue }
      last = (point.start, shown, sum)
    }
    return last.map { ($0.shown, $0.sum) }
  }
}

extension StatisticDescription {
  func has(_ kind: StatisticsSensor.Kind) -> Bool {
    switch kind {
    case .mean: mean == .arithmetic
    case .sum, .balance: hasSum
    }
  }
}

extension StatisticsPoint {
  /// Whether Home Assistant has the figures of the hour, apart from rounding.
  func shows(_ hour: StatisticsHour) -> Bool {
    start == hour.start && mean.isNear(hour.mean) && min.isNear(hour.min) && max.isNear(hour.max)
      && sum.isNear(hour.sum) && state.isNear(hour.state)
  }
}

extension Double? {
  /// Whether the value is near `other`; true if that is nil.
  fileprivate func isNear(_ other: Double?) -> Bool {
    guard let other else { return true }
    guard let self else { return false }
    return abs(self - other) <= 1e-9 * Swift.max(1, abs(other))
  }
}
