import Bytes
import HomeAssistant

extension ArraySlice<SensorHour> {
  /// Returns the figures of these hours, which are in order, in Home Assistant's unit; nil if it
  /// has no earlier sum of a counter, or the counter was reset. `points` are Home Assistant's
  /// figures of these hours and of earlier ones.
  ///
  /// Home Assistant sums the increases of a counter. After an outage it adds the whole increase in
  /// one hour. So an hour of the outage has the sum from before it plus the counter's increase
  /// since; the sums after the outage continue from these. After a reset of the counter Home
  /// Assistant's later sums would be smaller. A smaller decrease is no
  /// reset: before 2025.6 Home Assistant rounded what it converted. A balance may decrease.
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
