import Bytes

/// Hours that Home Assistant's statistics lack, until they are imported.
public struct WaitingHours: Equatable, Sendable {
  /// Maximum number: a month of eleven sensors, or eleven of one. The oldest is dropped first.
  public static let countMax = 8192

  struct Sensor: Equatable {
    let sensor: StatisticsSensor
    /// Hours in order.
    var hours: [SensorHour]
  }

  private(set) var sensors: [Sensor] = []
  public private(set) var count = 0

  public init() {}

  public var isEmpty: Bool { count == 0 }

  func hours(of sensor: StatisticsSensor) -> [SensorHour] {
    sensors.first { $0.sensor == sensor }?.hours ?? []
  }

  /// Adds an hour, or replaces one that was measured before the clock was set back.
  mutating func insert(_ hour: SensorHour, of sensor: StatisticsSensor) {
    let index = place(of: sensor)
    // It is nearly always the newest hour.
    let before = sensors[index].hours.lastIndex { $0.number <= hour.number }
    if let before, sensors[index].hours[before].number == hour.number {
      sensors[index].hours[before] = hour
    } else {
      sensors[index].hours.insert(hour, at: before.map { $0 + 1 } ?? 0)
      count += 1
      if count > Self.countMax { removeOldest() }
    }
  }

  private mutating func place(of sensor: StatisticsSensor) -> Int {
    if let index = sensors.firstIndex(where: { $0.sensor == sensor }) { return index }
    sensors.append(Sensor(sensor: sensor, hours: []))
    return sensors.count - 1
  }

  private mutating func removeOldest() {
    let oldest = sensors.min { $0.hours[0].number < $1.hours[0].number }
    if let oldest { remove(oldest.hours[...0], of: oldest.sensor) }
  }

  mutating func remove(_ hours: ArraySlice<SensorHour>, of sensor: StatisticsSensor) {
    guard let index = sensors.firstIndex(where: { $0.sensor == sensor }) else { return }
    sensors[index].hours.removeAll { hours.contains($0) }
    if sensors[index].hours.isEmpty { sensors.remove(at: index) }
    count = sensors.reduce(0) { $0 + $1.hours.count }
  }
}
