public import Bytes

/// What there are statistics of.
public struct GetStatisticIDs: Request {
  public typealias Response = [StatisticDescription]
  /// What there may be figures of.
  public enum Kind: Text, Sendable {
    /// What is measured: mean, lowest and highest.
    case mean
    /// What a meter counts.
    case sum
  }
  /// Those with figures of this kind; all, where it is nil.
  public let kind: Kind?

  /// Those with figures of one kind, or all.
  public init(_ kind: Kind? = nil) { self.kind = kind }

  public var command: Text { "recorder/list_statistic_ids" }
  public var payload: JSONObject {
    var payload = JSONObject()
    payload["statistic_type"] = kind.map { .text($0.rawValue) }
    return payload
  }
}

/// What is known of single statistics, whether anything was recorded of them or not: of a sensor
/// with a state class Home Assistant also tells what its statistics will be.
public struct GetStatisticDescriptions: Request {
  public typealias Response = [StatisticDescription]
  /// Entities' ids, or `source:name` of what was imported. An unknown one is left out of the
  /// answer.
  public let ids: [Text]

  /// The descriptions of these statistics.
  ///
  /// - Parameter ids: entities' ids, or `source:name` of what was imported; at least one, since
  ///   Home Assistant answers nothing asked with everything.
  public init(_ ids: [Text]) {
    precondition(!ids.isEmpty, "no ids are all of them; that is GetStatisticIDs")
    self.ids = ids
  }

  public var command: Text { "recorder/get_statistics_metadata" }
  public var payload: JSONObject { ["statistic_ids": .texts(ids)] }
}

/// Statistics of a time, by their ids.
public struct GetStatistics: Request {
  public typealias Response = [Text: [StatisticsPoint]]
  /// What a point is of.
  public enum Period: Text, Sendable {
    /// Kept for some days only.
    case fiveMinutes = "5minute"
    /// Kept for ever, like all longer ones.
    case hour
    /// Of the home's time zone.
    case day
    /// From Monday.
    case week
    /// Of the calendar.
    case month
  }
  /// What a point can say.
  public enum Figure: Text, Sendable, CaseIterable {
    /// Weighted by time.
    case mean
    /// The lowest.
    case min
    /// The highest.
    case max
    /// What a meter has counted since the statistics began.
    case sum
    /// What a meter showed at the end.
    case state
    /// What a meter has counted in the period.
    case change
    /// When the meter last began from zero.
    case lastReset = "last_reset"
  }

  /// Entities' ids, or `source:name` of what was imported.
  public let ids: [Text]
  /// What each point is of.
  public let period: Period
  /// From when.
  public let startTime: WallTime
  /// Until when; now, where it is nil.
  public let endTime: WallTime?
  /// What each point says, as far as it is kept.
  public let figures: [Figure]
  /// By kind of unit, such as `temperature`: `°F`. What is not named comes as people see it.
  public var units: JSONObject = [:]

  /// The statistics of a time.
  ///
  /// - Parameters:
  ///   - ids: entities' ids, or `source:name` of what was imported.
  ///   - period: what each point is of.
  ///   - startTime: from when.
  ///   - endTime: until when; now, where it is nil.
  ///   - figures: what each point says, as far as it is kept.
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

    /// What a server of this version takes.
    public init(for server: ServerVersion) {
      self = server.supports(.meanTypes) ? .since2025_11 : .before2025_11
    }
  }

  /// One hour. What is nil is not written.
  public struct Hour: Equatable, Sendable {
    /// Full, in UTC.
    public let start: WallTime
    /// Weighted by time.
    public var mean: Double?
    /// The lowest.
    public var min: Double?
    /// The highest.
    public var max: Double?
    /// What the meter has counted since the statistics began.
    public var sum: Double?
    /// What the meter showed at the end.
    public var state: Double?

    /// The figures of one hour.
    ///
    /// - Parameters:
    ///   - start: a full hour of UTC.
    ///   - mean: weighted by time.
    ///   - min: the lowest.
    ///   - max: the highest.
    ///   - sum: what the meter has counted since the statistics began.
    ///   - state: what the meter showed at the end.
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

  /// An entity's id, or `source:name` of what belongs to no entity.
  public let id: Text
  /// What stands in front of the colon of the id; `recorder` for an entity's.
  public let source: Text
  /// For people; nil of an entity's.
  public let name: Text?
  /// What the figures are in; nil of plain numbers.
  public let unit: Text?
  /// Such as `temperature`, where Home Assistant can convert the unit.
  public let unitClass: Text?
  /// What the means are; `.none` of a meter.
  public let mean: StatisticDescription.Mean
  /// Whether it is a meter, and the hours have a `sum`.
  public let hasSum: Bool
  /// In any order; one that is there already is replaced.
  public let hours: [Hour]
  /// How a kind of mean is written, which goes by the server's version.
  public let form: Form

  /// Hours of one statistic.
  ///
  /// - Parameters:
  ///   - id: an entity's id, or `source:name` of what belongs to no entity.
  ///   - source: what stands in front of the colon of the id; `recorder` for an entity's.
  ///   - name: for people; nil of an entity's.
  ///   - unit: what the figures are in.
  ///   - unitClass: such as `temperature`, where Home Assistant can convert the unit.
  ///   - mean: what the means are.
  ///   - hasSum: whether it is a meter.
  ///   - hours: the figures.
  ///   - form: how a kind of mean is written, which goes by the server's version.
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
