import Bytes
import HomeAssistant

// Hours as Home Assistant's long-term statistics have them.

extension ArraySlice<SensorHour> {
  /// The figures of these hours, which are in order, in Home Assistant's unit; nil where it has no
  /// sum that counters could go on from, or one began anew. `points` are what Home Assistant has of
  /// these hours, and from before them.
  ///
  /// Home Assistant sums what a counter grows by. After an outage it adds what the counter has
  /// grown by since, all in one hour. So an hour in between has the sum from before and what the
  /// counter shows more by then; the sums after the outage go on from ours. Where a counter began
  /// anew meanwhile, Home Assistant's later sums would be less than ours. A balance may shrink.
  func figures(
    of kind: StatisticsSensor.Kind, after points: [StatisticsPoint], _ conversion: UnitConversion
  ) -> [ImportStatistics.Hour]? {
    var hours: [ImportStatistics.Hour] = []
    var shownLast = -Double.infinity
    for hour in self {
      switch hour.figures {
      case .measured(let mean, let lowest, let highest):
        hours.append(
          ImportStatistics.Hour(
            hour.start, mean: conversion(mean), min: conversion(lowest), max: conversion(highest)))
      case .counted(let count):
        let shown = conversion(count)
        guard let base = points.lastCount(before: hour.start) else { return nil }
        guard kind == .balance || shown >= Swift.max(shownLast, base.shown) else { return nil }
        shownLast = shown
        hours.append(
          ImportStatistics.Hour(hour.start, sum: base.sum + (shown - base.shown), state: shown))
      }
    }
    return hours
  }
}

extension [StatisticsPoint] {
  /// What a counter showed at the end of the last hour before this time, and its sum then.
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
  /// Whether there are figures of this kind.
  func has(_ kind: StatisticsSensor.Kind) -> Bool {
    switch kind {
    case .mean: mean == .arithmetic
    case .sum, .balance: hasSum
    }
  }
}

extension StatisticsPoint {
  /// Whether Home Assistant has the hour as it is told, but for what is lost on the way.
  func shows(_ hour: ImportStatistics.Hour) -> Bool {
    start == hour.start && mean.isNear(hour.mean) && min.isNear(hour.min) && max.isNear(hour.max)
      && sum.isNear(hour.sum) && state.isNear(hour.state)
  }
}

extension Double? {
  /// What is not told is not looked at.
  fileprivate func isNear(_ other: Double?) -> Bool {
    guard let other else { return true }
    guard let self else { return false }
    return abs(self - other) <= 1e-9 * Swift.max(1, abs(other))
  }
}
