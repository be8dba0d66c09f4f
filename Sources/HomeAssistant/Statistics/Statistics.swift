public import Bytes

/// Statistics of one period: 5 minutes, an hour, a day, a week or a month.
public struct StatisticsPoint: JSONDecodable, Equatable, Sendable {
  /// Start of the period.
  public let start: WallTime
  /// End of the period, which is the start of the next one.
  public let end: WallTime
  /// Time-weighted mean; nil for a meter.
  public let mean: Double?
  /// Minimum; nil for a meter.
  public let min: Double?
  /// Maximum; nil for a meter.
  public let max: Double?
  /// Total of a meter since the statistics began.
  public let sum: Double?
  /// Meter reading at the end of the period.
  public let state: Double?
  /// Change of the sum in this period.
  public let change: Double?
  /// Time of the meter's last reset to zero.
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
    let lastReset: Int64? = try members.getIfPresent("last_reset")
    self.lastReset = lastReset.flatMap(WallTime.init(milliseconds:))
    if lastReset != nil, self.lastReset == nil { throw .invalidValue(key: "last_reset") }
  }
}

/// Description of a statistic.
public struct StatisticDescription: JSONDecodable, Equatable, Sendable {
  /// Type of mean of a statistic.
  public enum Mean: Int, JSONDecodable, Sendable {
    /// No mean: the statistic is a meter.
    case none = 0
    /// Mean of numbers.
    case arithmetic = 1
    /// Mean of angles, such as the wind's direction.
    case circular = 2
  }

  /// Identifier: that of an entity, or `source:name` for imported statistics.
  public let id: Text
  /// Source; `recorder` for an entity.
  public let source: Text
  /// Name for people; nil for an entity.
  public let name: Text?
  /// Unit of the values.
  public let unit: Text?
  /// Unit that people chose.
  public let displayUnit: Text?
  /// Unit class, such as `temperature`, if Home Assistant can convert the unit.
  public let unitClass: Text?
  /// Type of mean.
  public let mean: Mean
  /// Whether it is a meter, with sums.
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
