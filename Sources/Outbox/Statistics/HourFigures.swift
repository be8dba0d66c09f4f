import Bytes
import HomeAssistant
import Sensing

extension ArraySlice<SensorHour> {
  /// Returns the figures of these hours, which are in order, in Home Assistant's unit; nil if it
  /// has no earlier sum of a counter, or the counter was reset. `points` are Home Assistant's
  /// figures of these hours and of earlier ones.
  ///
  /// Home Assistant sums the increases of a counter. After an outage it adds the whole increase in
  /// one hour. So an hour of the outage has the sum from before it plus the counter's increase
  /// since; the sums after the outage continue from these. After a reset of the counter Home
  /// Assistant's later sums would be smaller. A lesser decrease comes from a value that Home
  /// Assistant converted, and rounded before 2025.6. A balance may decrease.
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

/// Conversion of figures to another unit.
///
/// Home Assistant stores the statistics of a sensor in the unit in which it first showed it: that
/// of its user's system, or the choice of a person. It does not convert imported hours: their unit
/// would become that of all stored hours, whose figures stay as they are.
struct UnitConversion: Equatable {
  private let factor: Double
  private let offset: Double

  /// Nil if no conversion exists. A nil `new` means plain numbers, like an empty `old`.
  init?(from old: [UInt8], to new: Text?) {
    let new = new?.bytes ?? []
    if old == new {
      self.init(factor: 1, offset: 0)
    } else if let from = Self.find(old.span, in: Self.units),
      let to = Self.find(new.span, in: Self.units), from.base == to.base
    {
      let oldZero = Self.find(old.span, in: Self.zeros)?.size ?? 0
      let newZero = Self.find(new.span, in: Self.zeros)?.size ?? 0
      self.init(factor: from.size / to.size, offset: (oldZero - newZero) / to.size)
    } else {
      return nil
    }
  }

  private init(factor: Double, offset: Double) {
    self.factor = factor
    self.offset = offset
  }

  func callAsFunction(_ number: Double) -> Double { number * factor + offset }

  /// Finds a unit in a table, possibly after a prefix; nil if the table lacks it. Units with the
  /// same base, which is the field of its name, can be converted.
  private static func find(
    _ unit: Span<UInt8>, in table: StaticString
  ) -> (base: Int, size: Double)? {
    let text = table.bytes
    var base = 0
    var field = 0
    while true {
      guard let name = KernelText.field(field, of: text),
        let number = KernelText.number(field + 1, of: text)?.double
      else { return nil }
      if number == 1 { base = field }
      if unit.extracting(last: name.count).elementsEqual(name) {
        let prefix = unit.extracting(droppingLast: name.count)
        let multiple = prefix.isEmpty ? 1 : find(prefix, in: prefixes)?.size
        if let multiple { return (base, number * multiple) }
      }
      field += 2
    }
  }

  /// Units and their sizes, relative to the base: the last one with size 1. Home Assistant has them
  /// in `homeassistant/util/unit_conversion.py`. `min` comes before `in`, because it ends with it.
  private static let units: StaticString = """
    s 1 min 60 h 3600 d 86400
    m 1 in 0.0254 ft 0.3048 yd 0.9144 mi 1609.344 nmi 1852
    m/d 1 m/h 24 m/s 86400 in/d 0.0254 in/h 0.6096 in/s 2194.56 ft/s 26334.72 mph 38624.256 kn 44448
    Pa 1 bar 100000 mmHg 133.322387415 inHg 3386.388640341 psi 6894.757
    L 1 m³ 1000 ft³ 28.316846592 gal 3.785411784
    g 1 oz 28.349523125 lb 453.59237
    J 1 Wh 3600
    bit 1 B 8
    bit/s 1 B/s 8
    W 1
    V 1
    A 1
    S/cm 1
    g/m³ 1
    °F 1 °C 1.8 K 1.8
    """

  /// Zeros of units in their base; those of the others are equal.
  private static let zeros: StaticString = "°C 32 K -459.67"

  /// Prefixes with their factors. Micro has two signs: Home Assistant replaced the first by the
  /// second in 2025.9.
  private static let prefixes: StaticString = """
    k 1000 m 0.001 c 0.01 h 100 M 1000000 G 1000000000 T 1000000000000
    µ 0.000001 \u{3BC} 0.000001 Ki 1024 Mi 1048576 Gi 1073741824
    """
}
