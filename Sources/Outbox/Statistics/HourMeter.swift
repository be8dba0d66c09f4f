import Bytes
import HomeAssistant

/// What one sensor measures in the hour under way. A value holds until the next one.
struct HourMeter {
  private var value: Double?
  private var countedUpTo: WallTime
  private var knownNanoseconds: Int64 = 0
  /// Of values times nanoseconds.
  private var weightedSum = 0.0
  private var lowest = Double.infinity
  private var highest = -Double.infinity

  init(at time: WallTime) { countedUpTo = time }

  /// The sensor says something; nil where that is no number.
  mutating func record(_ value: Double?, at time: WallTime) {
    advance(to: time)
    self.value = value
    include(value)
  }

  /// Forgets what was measured before, but for the value that holds.
  mutating func begin(at time: WallTime) {
    countedUpTo = time
    knownNanoseconds = 0
    weightedSum = 0
    (lowest, highest) = (.infinity, -.infinity)
    include(value)
  }

  /// What was measured up to `end`, and for how long; nil where nothing was.
  mutating func figures(upTo end: WallTime) -> (hour: SensorHour, known: Duration)? {
    advance(to: end)
    guard knownNanoseconds > 0 else { return nil }
    let hour = SensorHour(
      number: end.hour - 1, mean: weightedSum / Double(knownNanoseconds), lowest: lowest,
      highest: highest)
    return (hour, .nanoseconds(knownNanoseconds))
  }

  private mutating func advance(to time: WallTime) {
    guard time > countedUpTo else { return }
    if let value {
      let passed = (time - countedUpTo).nanoseconds
      knownNanoseconds += passed
      weightedSum += value * Double(passed)
    }
    countedUpTo = time
  }

  private mutating func include(_ value: Double?) {
    guard let value else { return }
    lowest = min(lowest, value)
    highest = max(highest, value)
  }
}

/// A sensor of which Home Assistant keeps means, as the file of the hours names it.
public struct MeasuredSensor: Equatable, Sendable {
  public let uniqueID: [UInt8]
  /// Empty of plain numbers.
  public let unit: [UInt8]

  public init(uniqueID: [UInt8], unit: [UInt8]) {
    self.uniqueID = uniqueID
    self.unit = unit
  }

  /// Nil where Home Assistant keeps no means of the sensor.
  init?(_ registration: SensorRegistration) {
    guard registration.stateClass == [UInt8]("measurement") else { return nil }
    self.init(uniqueID: registration.uniqueID, unit: registration.unit ?? [])
  }
}
