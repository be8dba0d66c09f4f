public import Bytes

/// Request for the descriptions of statistics, even without records: for a sensor with a state
/// class Home Assistant describes its future statistics.
public struct GetStatisticDescriptions: Request {
  public typealias Response = [StatisticDescription]
  /// Identifiers of entities, or `source:name` for imported statistics; none for all. The answer
  /// leaves out unknown ones.
  public let ids: [Text]

  /// Creates a request for these descriptions, or for all.
  public init(_ ids: [Text] = []) { self.ids = ids }

  public var command: Text { "recorder/get_statistics_metadata" }
  public var payload: JSONObject { ["statistic_ids": .texts(ids)] }
}

/// Request for the statistics of a period, by their identifiers.
public struct GetStatistics: Request {
  public typealias Response = [Text: [StatisticsPoint]]
  /// Length of a point.
  public enum Period: Text, Sendable {
    /// Five minutes; stored for some days only.
    case fiveMinutes = "5minute"
    /// Hour; stored without limit, like all longer ones.
    case hour
    /// Day of the home's time zone.
    case day
    /// Week from Monday.
    case week
    /// Calendar month.
    case month
  }
  /// Value of a point.
  public enum Figure: Text, Sendable, CaseIterable {
    /// Time-weighted mean.
    case mean
    /// Minimum.
    case min
    /// Maximum.
    case max
    /// Total of a meter since the statistics began.
    case sum
    /// Meter reading at the end.
    case state
    /// Change of a meter in the period.
    case change
    /// Time of the meter's last reset to zero.
    case lastReset = "last_reset"
  }

  /// Identifiers of entities, or `source:name` for imported statistics.
  public let ids: [Text]
  /// Length of each point.
  public let period: Period
  /// Start of the period.
  public let startTime: WallTime
  /// End of the period; nil for now.
  public let endTime: WallTime?
  /// Values of each point, as far as they are stored.
  public let figures: [Figure]
  /// Units by unit class, such as `temperature`: `°F`. The others have the display unit.
  public var units: JSONObject = [:]

  /// Creates a request for statistics.
  public init(
    _ ids: [Text], per period: Period, from startTime: WallTime, to endTime: WallTime? = nil,
    figures: [Figure] = Figure.allCases
  ) {
    self.ids = ids
    self.period = period
    self.startTime = startTime
    self.endTime = endTime
    self.figures = figures
  }

  public var command: Text { "recorder/statistics_during_period" }
  public var payload: JSONObject {
    var payload: JSONObject = [
      "statistic_ids": .texts(ids), "period": .text(period.rawValue),
      "start_time": .time(startTime), "types": .texts(figures.map { $0.rawValue }),
    ]
    payload["end_time"] = endTime.map { .time($0) }
    if !units.isEmpty { payload["units"] = .object(units) }
    return payload
  }
}

/// Request to add or replace hours of long-term statistics. For administrators. Home Assistant
/// answers before the import.
public struct ImportStatistics: Request {
  /// Statistics of one hour. Nil values are left out.
  public struct Hour: Equatable, Sendable {
    /// Start of a full hour in UTC.
    public let start: WallTime
    /// Time-weighted mean.
    public var mean: Double?
    /// Minimum.
    public var min: Double?
    /// Maximum.
    public var max: Double?
    /// Total of the meter since the statistics began.
    public var sum: Double?
    /// Meter reading at the end.
    public var state: Double?

    /// Creates the statistics of one hour.
    public init(
      _ start: WallTime, mean: Double? = nil, min: Double? = nil, max: Double? = nil,
      sum: Double? = nil, state: Double? = nil
    ) {
      self.start = start
      self.mean = mean
      self.min = min
      self.max = max
      self.sum = sum
      self.state = state
    }
  }

  /// Identifier of an entity, or `source:name` for a statistic without one.
  public let id: Text
  /// Text before the colon of the identifier; `recorder` for an entity.
  public let source: Text
  /// Name for people; nil for an entity.
  public let name: Text?
  /// Unit of the values; nil for plain numbers.
  public let unit: Text?
  /// Unit class, such as `temperature`, if Home Assistant can convert the unit.
  public let unitClass: Text?
  /// Type of mean; `.none` for a meter.
  public let mean: StatisticDescription.Mean
  /// Whether it is a meter, and the hours have a `sum`.
  public let hasSum: Bool
  /// Hours in any order; existing ones are replaced.
  public let hours: [Hour]
  /// Version of the server. Home Assistant refuses members that it does not know: before 2025.11
  /// that are the type of mean and the unit class, both of which 2026.11 requires.
  public let server: ServerVersion

  /// Creates an import of hours of one statistic.
  public init(
    _ id: Text, source: Text, name: Text?, unit: Text?, unitClass: Text?,
    mean: StatisticDescription.Mean, hasSum: Bool, hours: [Hour], for server: ServerVersion
  ) {
    self.id = id
    self.source = source
    self.name = name
    self.unit = unit
    self.unitClass = unitClass
    self.mean = mean
    self.hasSum = hasSum
    self.hours = hours
    self.server = server
  }

  public var command: Text { "recorder/import_statistics" }
  public var payload: JSONObject {
    var metadata: JSONObject = [
      "statistic_id": .text(id), "source": .text(source), "has_mean": .boolean(mean != .none),
      "has_sum": .boolean(hasSum), "name": name.map { .text($0) } ?? .null,
      "unit_of_measurement": unit.map { .text($0) } ?? .null,
    ]
    if server.supports(.meanTypes) {
      metadata["mean_type"] = .number(JSONNumber(Int64(mean.rawValue)))
      metadata["unit_class"] = unitClass.map { .text($0) } ?? .null
    }
    return ["metadata": .object(metadata), "stats": .array(hours.map { .object($0.members) })]
  }
}

extension ImportStatistics.Hour {
  fileprivate var members: JSONObject {
    var members: JSONObject = ["start": .time(start)]
    func set(_ key: Text, _ value: Double?) {
      members[key] = value.flatMap { JSONNumber($0) }.map { .number($0) }
    }
    set("mean", mean)
    set("min", min)
    set("max", max)
    set("sum", sum)
    set("state", state)
    return members
  }
}
