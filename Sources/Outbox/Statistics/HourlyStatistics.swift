public import Bytes
public import Sensing

/// Finds out what Home Assistant would have written into its long-term statistics, had it been
/// there: for each hour and sensor the mean, weighted by time, and the extremes; of a counter, what
/// it shows at the end.
///
/// Home Assistant does that itself for hours in which it hears from the board. In an outage it goes
/// on with the last value that it knows. So an hour is told here where Home Assistant was not
/// reached for `unreachedMin` of it or more, and where we know more of it than Home Assistant.
///
/// What was measured in an hour before the clock was set, or was known to be right, is forgotten.
public struct HourlyStatistics {
  /// Graphs show nothing that is shorter.
  public static let unreachedMin: Duration = .seconds(300)
  /// So long may a reading be newer than the clock that was read last.
  static let lag: Duration = .seconds(60)

  private let sensors: SensorTable
  /// By the sensor's index; nil where Home Assistant keeps no statistics of it.
  private var meters: [HourMeter?] = []
  /// The hour under way; nil while the clock is not known to be right.
  private var hour: Int64?
  private var clockReadAt = WallTime(nanoseconds: 0)
  /// Whether Home Assistant takes the data, and how long in this hour it did not.
  private var isReached = false
  private var unreached: Duration = .zero
  private var finished: [(sensor: StatisticsSensor, hour: SensorHour)] = []

  public init(of sensors: SensorTable) { self.sensors = sensors }

  /// The next hour that Home Assistant lacks and that was not taken yet, the oldest first; nil
  /// where there is none.
  public mutating func takeHour() -> (sensor: StatisticsSensor, hour: SensorHour)? {
    finished.isEmpty ? nil : finished.removeFirst()
  }

  /// A sensor says something.
  public mutating func record(_ reading: Reading) {
    while meters.count < sensors.count {
      let sensor = StatisticsSensor(sensors[SensorIndex(meters.count)])
      meters.append(sensor.map { HourMeter(of: $0.kind, at: clockReadAt) })
    }
    // An edge of a line may be from before the clock was read last, or from a moment after it.
    // Anything later is a clock that was set meanwhile.
    if reading.time - clockReadAt <= Self.lag { advance(to: reading.time) }
    meters[reading.sensor.value]?.record(reading.value.number, at: clockReadAt)
  }

  /// The clock was read, at least once in every cycle.
  ///
  /// - Parameters:
  ///   - time: what it shows.
  ///   - isRight: whether it is known to be right, and was not set since the last time.
  ///   - isReached: whether Home Assistant took the data since the last time.
  public mutating func clockRead(_ time: WallTime, isRight: Bool, isReached: Bool) {
    self.isReached = isReached
    if !isRight {
      hour = nil
      clockReadAt = time
    } else if hour == nil {
      begin(at: time)
    } else {
      advance(to: time)
    }
  }

  private mutating func advance(to time: WallTime) {
    // The clock is kept right by small steps, which may lead back.
    guard let hour, time > clockReadAt else { return }
    for number in hour..<time.hour {
      let end = WallTime(startOfHour: number + 1)
      count(upTo: end)
      finish(upTo: end)
    }
    count(upTo: time)
  }

  private mutating func begin(at time: WallTime) {
    hour = time.hour
    clockReadAt = time
    unreached = .zero
    for index in meters.indices { meters[index]?.begin(at: time) }
  }

  private mutating func count(upTo time: WallTime) {
    if !isReached { unreached += time - clockReadAt }
    clockReadAt = time
  }

  private mutating func finish(upTo end: WallTime) {
    if unreached >= Self.unreachedMin {
      for index in meters.indices { finish(index, upTo: end) }
    }
    begin(at: end)
  }

  private mutating func finish(_ index: Int, upTo end: WallTime) {
    guard let figures = meters[index]?.figures(upTo: end),
      let sensor = StatisticsSensor(sensors[SensorIndex(index)]),
      .nanoseconds(WallTime.nanosecondsPerHour) - figures.known < unreached
    else { return }
    finished.append((sensor, figures.hour))
  }
}

extension Value {
  fileprivate var number: Double? {
    guard case .number(let number) = self else { return nil }
    return number.double
  }
}
