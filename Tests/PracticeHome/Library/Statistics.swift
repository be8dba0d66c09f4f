/// What Home Assistant says of a statistic before any figure.
struct StatisticMetadata: Sendable, Equatable {
  /// What the means of a statistic are, by the number on the wire.
  enum Mean: Int128, Sendable {
    case none = 0
    case arithmetic = 1
    case circular = 2
  }

  /// An entity's id, or `source:name`.
  var id: String
  var source: String
  var name: String?
  var unit: String?
  var mean: Mean
  var hasSum: Bool

  func json(displayUnit: String?) -> JSON {
    [
      "statistic_id": .string(id), "display_unit_of_measurement": JSON(displayUnit),
      "has_mean": .bool(mean == .arithmetic), "mean_type": .integer(mean.rawValue),
      "has_sum": .bool(hasSum), "name": JSON(name), "source": .string(source),
      "statistics_unit_of_measurement": JSON(unit),
      "unit_class": JSON(StatisticUnits.kind(of: unit)),
    ]
  }
}

/// The figures of one hour, in the unit that its statistic has now.
public struct StatisticHour: Sendable, Equatable {
  public static let duration = Duration.seconds(3600)

  public var start: Moment
  public var mean: Double?
  public var min: Double?
  public var max: Double?
  public var sum: Double?
  public var state: Double?
  public var lastReset: Moment?
}

/// Long-term statistics, as far as a client imported them: the home compiles none itself.
struct Statistics: Sendable {
  /// How many hours are kept, of all statistics together. Home Assistant has no such limit, so what
  /// would go beyond it is refused, and not forgotten.
  static let hourCountMax = 100_000

  /// One statistic, and its hours by their beginnings.
  struct Series: Sendable {
    fileprivate(set) var metadata: StatisticMetadata
    fileprivate var hours: [Moment: StatisticHour] = [:]

    /// The hours that begin in a time, in order; the end is not in it.
    func hours(from start: Moment, to end: Moment?) -> [StatisticHour] {
      hours.values.filter { hour in hour.start >= start && end.map { hour.start < $0 } ?? true }
        .sorted { $0.start < $1.start }
    }

    /// The last hour that begins before a time.
    func hour(before end: Moment) -> StatisticHour? {
      hours.values.filter { $0.start < end }.max { $0.start < $1.start }
    }
  }

  private(set) var all: [Series] = []
  private var hourCount = 0

  subscript(id: String) -> Series? { all.first { $0.metadata.id == id } }

  /// Takes hours in. What was there of the same hour is replaced as a whole; what is there of other
  /// hours stays as it is, even if the unit becomes another one.
  ///
  /// - Returns: how many hours were replaced, or nil where there is no room; then nothing is taken.
  mutating func take(_ metadata: StatisticMetadata, _ hours: [StatisticHour]) -> Int? {
    let index = all.firstIndex { $0.metadata.id == metadata.id }
    var series = index.map { all[$0] } ?? Series(metadata: metadata)
    let countBefore = series.hours.count
    for hour in hours { series.hours[hour.start] = hour }
    series.metadata = metadata
    let newCount = series.hours.count - countBefore
    guard hourCount + newCount <= Self.hourCountMax else { return nil }
    hourCount += newCount
    if let index { all[index] = series } else { all.append(series) }
    return hours.count - newCount
  }
}
