public import Bytes

/// What entities were in a time, by their ids.
public struct GetHistory: Request {
  public typealias Response = [Text: [HistoryState]]
  public let entityIDs: [EntityID]
  public let startTime: WallTime
  /// Now, where it is nil.
  public let endTime: WallTime?
  /// Whether the state at the start comes first, though it began before.
  public var includesStartState = true
  /// Whether changes of attributes alone are left out, but of the few domains where they matter.
  public var isSignificantOnly = true
  /// Whether attributes stand only in the first state and the last.
  public var isMinimal = false
  public var hasAttributes = true

  public init(_ entityIDs: [EntityID], from startTime: WallTime, to endTime: WallTime? = nil) {
    self.entityIDs = entityIDs
    self.startTime = startTime
    self.endTime = endTime
  }

  public var command: Text { "history/history_during_period" }
  public var payload: JSONObject {
    var payload: JSONObject = [
      "entity_ids": .ids(entityIDs), "start_time": .time(startTime),
      "include_start_time_state": .boolean(includesStartState),
      "significant_changes_only": .boolean(isSignificantOnly),
      "minimal_response": .boolean(isMinimal), "no_attributes": .boolean(!hasAttributes),
    ]
    payload["end_time"] = endTime.map { .time($0) }
    return payload
  }
}

/// The logbook of a time.
public struct GetLogbook: Request {
  public typealias Response = [LogbookEntry]
  public let startTime: WallTime
  public let endTime: WallTime?
  /// Of these alone, where there are any.
  public let entityIDs: [EntityID]

  public init(
    from startTime: WallTime, to endTime: WallTime? = nil, entities entityIDs: [EntityID] = []
  ) {
    self.startTime = startTime
    self.endTime = endTime
    self.entityIDs = entityIDs
  }

  public var command: Text { "logbook/get_events" }
  public var payload: JSONObject {
    var payload: JSONObject = ["start_time": .time(startTime)]
    payload["end_time"] = endTime.map { .time($0) }
    if !entityIDs.isEmpty { payload["entity_ids"] = .ids(entityIDs) }
    return payload
  }
}

/// The logbook from a time on, and then as it is written.
public struct SubscribeLogbook: SubscriptionRequest {
  public typealias Event = LogbookEvent
  public let startTime: WallTime
  /// Of these alone, where there are any.
  public let entityIDs: [EntityID]

  public init(from startTime: WallTime, entities entityIDs: [EntityID] = []) {
    self.startTime = startTime
    self.entityIDs = entityIDs
  }

  public var command: Text { "logbook/event_stream" }
  public var payload: JSONObject {
    var payload: JSONObject = ["start_time": .time(startTime)]
    if !entityIDs.isEmpty { payload["entity_ids"] = .ids(entityIDs) }
    return payload
  }
}

/// What there are statistics of.
public struct GetStatisticIDs: Request {
  public typealias Response = [StatisticDescription]
  public enum Kind: Text, Sendable { case mean, sum }
  public let kind: Kind?

  public init(_ kind: Kind? = nil) { self.kind = kind }

  public var command: Text { "recorder/list_statistic_ids" }
  public var payload: JSONObject {
    var payload = JSONObject()
    payload["statistic_type"] = kind.map { .text($0.rawValue) }
    return payload
  }
}

/// Statistics of a time, by their ids.
public struct GetStatistics: Request {
  public typealias Response = [Text: [StatisticsPoint]]
  public enum Period: Text, Sendable {
    case fiveMinutes = "5minute"
    case hour, day, week, month
  }
  public enum Figure: Text, Sendable, CaseIterable {
    case mean, min, max, sum, state, change
    case lastReset = "last_reset"
  }

  public let ids: [Text]
  public let period: Period
  public let startTime: WallTime
  public let endTime: WallTime?
  public let figures: [Figure]
  /// By kind of unit, such as `temperature`: `°F`. What is not named comes as people see it.
  public var units: JSONObject = [:]

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

/// Adds hours to long-term statistics, or replaces them. For administrators. Home Assistant answers
/// before it has done it.
public struct ImportStatistics: Request {
  /// How a kind of mean is written. Home Assistant refuses a member that it does not know, so one
  /// form does not serve all.
  public enum Form: Sendable {
    /// Only whether there is a mean.
    case before2025_11
    /// Also which one, and the class of the unit, both of which 2026.11 demands.
    case since2025_11
  }

  /// One hour. What is nil is not written.
  public struct Hour: Equatable, Sendable {
    /// Full, in UTC.
    public let start: WallTime
    public var mean: Double?
    public var min: Double?
    public var max: Double?
    public var sum: Double?
    public var state: Double?

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

  /// An entity's id, or `source:name` of what is nobody's.
  public let id: Text
  /// What stands in front of the colon of the id; `recorder` for an entity's.
  public let source: Text
  public let name: Text?
  public let unit: Text?
  /// Such as `temperature`, where Home Assistant can convert the unit.
  public let unitClass: Text?
  public let mean: StatisticDescription.Mean
  public let hasSum: Bool
  public let hours: [Hour]
  public let form: Form

  public init(
    _ id: Text, source: Text, name: Text?, unit: Text?, unitClass: Text?,
    mean: StatisticDescription.Mean, hasSum: Bool, hours: [Hour], form: Form
  ) {
    self.id = id
    self.source = source
    self.name = name
    self.unit = unit
    self.unitClass = unitClass
    self.mean = mean
    self.hasSum = hasSum
    self.hours = hours
    self.form = form
  }

  public var command: Text { "recorder/import_statistics" }
  public var payload: JSONObject {
    var metadata: JSONObject = [
      "statistic_id": .text(id), "source": .text(source), "has_mean": .boolean(mean != .none),
      "has_sum": .boolean(hasSum), "name": name.map { .text($0) } ?? .null,
      "unit_of_measurement": unit.map { .text($0) } ?? .null,
    ]
    if form == .since2025_11 {
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
