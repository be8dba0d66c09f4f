public import Bytes

/// Figures of one period: an hour, or 5 minutes, a day, a week, a month.
public struct StatisticsPoint: JSONDecodable, Equatable, Sendable {
  /// The beginning of the period.
  public let start: WallTime
  /// The end of the period, where the next one begins.
  public let end: WallTime
  /// Weighted by time; nil of a meter.
  public let mean: Double?
  /// The lowest; nil of a meter.
  public let min: Double?
  /// The highest; nil of a meter.
  public let max: Double?
  /// What a meter has counted since the statistics began.
  public let sum: Double?
  /// What a meter showed at the end.
  public let state: Double?
  /// Of the sum, in this period.
  public let change: Double?
  /// When the meter last began from zero.
  public let lastReset: WallTime?

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    start = try members.get("start", transform: WallTime.init(milliseconds:))
    end = try members.get("end", transform: WallTime.init(milliseconds:))
    mean = try members.getIfPresent("mean")
    min = try members.getIfPresent("min")
    max = try members.getIfPresent("max")
    sum = try members.getIfPresent("sum")
    state = try members.getIfPresent("state")
    change = try members.getIfPresent("change")
    let lastReset: JSON? = try members.getIfPresent("last_reset")
    self.lastReset =
      if lastReset == nil { nil } else {
        try members.get("last_reset", transform: WallTime.init(milliseconds:))
      }
  }
}

/// What there are statistics of.
public struct StatisticDescription: JSONDecodable, Equatable, Sendable {
  /// What the means of a statistic are.
  public enum Mean: Int, JSONDecodable, Sendable {
    /// It has none: it is a meter.
    case none = 0
    /// Of numbers.
    case arithmetic = 1
    /// Of angles, such as the wind's direction.
    case circular = 2
  }

  /// An entity's id, or `source:name` of what was imported.
  public let id: Text
  /// `recorder` for an entity's.
  public let source: Text
  /// For people; nil of an entity's.
  public let name: Text?
  /// What the figures are in.
  public let unit: Text?
  /// The unit that people chose.
  public let displayUnit: Text?
  /// Such as `temperature`, where Home Assistant can convert the unit.
  public let unitClass: Text?
  /// What its means are.
  public let mean: Mean
  /// Whether it is a meter, of which there are sums.
  public let hasSum: Bool

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    id = try members.get("statistic_id")
    source = try members.get("source")
    name = try members.getIfPresent("name")
    unit = try members.getIfPresent("statistics_unit_of_measurement")
    displayUnit = try members.getIfPresent("display_unit_of_measurement")
    unitClass = try members.getIfPresent("unit_class")
    // Before 2025.4 there was only one kind of mean.
    let hasMean = try members.get("has_mean", default: false)
    mean = try members.get("mean_type", default: hasMean ? .arithmetic : .none)
    hasSum = try members.get("has_sum")
  }
}

extension WallTime {
  fileprivate init?(milliseconds: Int64) {
    let (nanoseconds, overflowed) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflowed else { return nil }
    self.init(nanoseconds: nanoseconds)
  }
}
