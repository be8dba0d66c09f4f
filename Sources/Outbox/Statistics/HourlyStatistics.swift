public import Bytes
public import Sensing

/// Hourly figures that Home Assistant would have written into its long-term statistics without an
/// outage: for each hour and sensor the mean, weighted by time, and the extremes; for a counter,
/// its value at the end.
///
/// Home Assistant computes them itself for hours with data from the board; in an outage it
/// continues with the last known value. So this reports an hour if Home Assistant was not reached
/// for at least `unreachedMin` of it, and if the board knows more of it than Home Assistant.
///
/// Measurements of an hour from before the clock was set, or known to be right, are dropped.
public struct HourlyStatistics {
  /// Minimum duration of an outage; graphs show nothing shorter.
  public static let unreachedMin: Duration = .seconds(300)
  /// Maximum time by which a reading may be newer than the last reading of the clock.
  static let lag: Duration = .seconds(60)

  private let sensors: SensorTable
  /// Meters by the sensor's index; nil if Home Assistant stores no statistics of it.
  private var meters: [HourMeter?] = []
  /// Present hour; nil while the clock is not known to be right.
  private var hour: Int64?
  private var clockReadAt = WallTime(nanoseconds: 0)
  /// Whether Home Assistant accepts data, and for how long in this hour it did not.
  private var isReached = false
  private var unreached: Duration = .zero
  private var finished: [(sensor: StatisticsSensor, hour: SensorHour)] = []

  public init(of sensors: SensorTable) { self.sensors = sensors }

  /// Removes and returns the oldest hour that Home Assistant lacks; nil without one.
  public mutating func takeHour() -> (sensor: StatisticsSensor, hour: SensorHour)? {
    finished.isEmpty ? nil : finished.removeFirst()
  }

  public mutating func record(_ reading: Reading) {
    while meters.count < sensors.count {
      let sensor = StatisticsSensor(sensors[SensorIndex(meters.count)])
      meters.append(sensor.map { HourMeter(of: $0.kind, at: clockReadAt) })
    }
    // An edge of a line may be slightly older or newer than the last reading of the clock. A much
    // later time means that the clock was set meanwhile.
    if reading.time - clockReadAt <= Self.lag { advance(to: reading.time) }
    meters[reading.sensor.value]?.record(reading.value.number, at: clockReadAt)
  }

  /// Handles a reading of the clock, at least once in every cycle. The clock is right if that is
  /// known and it was not set since the last call; Home Assistant is reached if it has accepted
  /// data since then.
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
    // A clock is synchronised by small steps, which may go back.
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
