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
  /// Assistant's later sums would be smaller. A balance may decrease.
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
        let shown = conversion(count)
        guard let base = points.lastCount(before: hour.start) else { return nil }
        guard kind == .balance || shown >= Swift.max(shownLast, base.shown) else { return nil }
        shownLast = shown
        hours.append(
          StatisticsHour(hour.start, sum: base.sum + (shown - base.shown), state: shown))
      }
    }
    return hours
  }
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

/// Conversion of figures to another unit.
///
/// Home Assistant shows temperatures in the unit of its user's system, and stores its statistics in
/// it. It converts no other measurement of these sensors automatically.
struct UnitConversion: Equatable {
  private let factor: Double
  private let offset: Double

  /// Nil if no conversion exists. A nil `new` means plain numbers, like an empty `old`.
  init?(from old: [UInt8], to new: Text?) {
    let new = new?.bytes ?? []
    if old == new {
      self.init(factor: 1, offset: 0)
    } else if old == [UInt8]("°C"), new == [UInt8]("°F") {
      self.init(factor: 1.8, offset: 32)
    } else if old == [UInt8]("°C"), new == [UInt8]("K") {
      self.init(factor: 1, offset: 273.15)
    } else {
      return nil
    }
  }

  private init(factor: Double, offset: Double) {
    self.factor = factor
    self.offset = offset
  }

  func callAsFunction(_ number: Double) -> Double { number * factor + offset }
}
