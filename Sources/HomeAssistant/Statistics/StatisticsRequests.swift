public import Bytes

extension Request where Self == TypedRequest<JSONObject> {
  /// Request for the registry entries of these entities, by entity id; null for an unknown one.
  public static func entityRegistryEntries(_ entityIDs: [EntityID]) -> Self {
    TypedRequest("config/entity_registry/get_entries", ["entity_ids": .ids(entityIDs)])
  }
}

extension Request where Self == TypedRequest<[StatisticDescription]> {
  /// Request for the descriptions of statistics, even without records: for a sensor with a state
  /// class Home Assistant describes its future statistics.
  ///
  /// The identifiers are those of entities, or `source:name` for imported statistics; none for all.
  /// The answer leaves out unknown ones.
  public static func statisticDescriptions(_ ids: [Text] = []) -> Self {
    TypedRequest("recorder/get_statistics_metadata", ["statistic_ids": .texts(ids)])
  }
}

/// Length of a point of statistics.
public enum StatisticsPeriod: Text, Sendable {
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

/// Value of a point of statistics.
public enum StatisticsFigure: Text, Sendable, CaseIterable {
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

extension Request where Self == TypedRequest<[Text: [StatisticsPoint]]> {
  /// Request for the statistics of a period, by their identifiers: those of entities, or
  /// `source:name` for imported statistics. Without an end, it is until now.
  ///
  /// A point has the values of `figures` that are stored. `units` are units by unit class, such as
  /// `temperature`: `°F`; the others have the display unit.
  public static func statistics(
    _ ids: [Text], per period: StatisticsPeriod, from startTime: WallTime,
    to endTime: WallTime? = nil, figures: [StatisticsFigure] = StatisticsFigure.allCases,
    units: JSONObject = [:]
  ) -> Self {
    var payload: JSONObject = [
      "statistic_ids": .texts(ids), "period": .text(period.rawValue),
      "start_time": .time(startTime), "types": .texts(figures.map { $0.rawValue }),
    ]
    payload["end_time"] = endTime.map { .time($0) }
    if !units.isEmpty { payload["units"] = .object(units) }
    return TypedRequest("recorder/statistics_during_period", payload)
  }
}

extension Request where Self == TypedRequest<NoContent> {
  /// Request to add or replace hours of the long-term statistics of one statistic. For
  /// administrators. Home Assistant answers before the import.
  ///
  /// - Parameters:
  ///   - id: identifier of an entity, or `source:name` for a statistic without one.
  ///   - source: text before the colon of the identifier; `recorder` for an entity.
  ///   - name: name for people; nil for an entity.
  ///   - unit: unit of the values; nil for plain numbers.
  ///   - unitClass: unit class, such as `temperature`, if Home Assistant can convert the unit.
  ///   - mean: type of mean; `.none` for a meter.
  ///   - hasSum: whether it is a meter, and the hours have a `sum`.
  ///   - hours: hours in any order; existing ones are replaced.
  ///   - server: version of the server. Home Assistant refuses members that it does not know:
  ///     before 2025.11 that are the type of mean and the unit class, both of which 2026.11
  ///     requires.
  /// - Returns: the request.
  public static func importStatistics(
    of id: Text, source: Text, name: Text?, unit: Text?, unitClass: Text?,
    mean: StatisticDescription.Mean, hasSum: Bool, hours: [StatisticsHour],
    for server: ServerVersion
  ) -> Self {
    var metadata: JSONObject = [
      "statistic_id": .text(id), "source": .text(source), "has_mean": .boolean(mean != .none),
      "has_sum": .boolean(hasSum), "name": name.map { .text($0) } ?? .null,
      "unit_of_measurement": unit.map { .text($0) } ?? .null,
    ]
    if server.supports(.meanTypes) {
      metadata["mean_type"] = .number(JSONNumber(Int64(mean.rawValue)))
      metadata["unit_class"] = unitClass.map { .text($0) } ?? .null
    }
    return TypedRequest(
      "recorder/import_statistics",
      ["metadata": .object(metadata), "stats": .array(hours.map { .object($0.members) })])
  }
}

/// Statistics of one hour for `importStatistics`. Nil values are left out.
public struct StatisticsHour: Equatable, Sendable {
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
