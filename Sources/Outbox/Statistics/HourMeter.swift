import Bytes
import HomeAssistant

/// Figures of one sensor in the present hour. A value holds until the next one; the count of a
/// counter also while it is unavailable.
struct HourMeter {
  private let kind: StatisticsSensor.Kind
  private var value: Double?
  private var countedUpTo: WallTime
  private var knownNanoseconds: Int64 = 0
  /// Sum of values times nanoseconds.
  private var weightedSum = 0.0
  private var lowest = Double.infinity
  private var highest = -Double.infinity

  init(of kind: StatisticsSensor.Kind, at time: WallTime) {
    self.kind = kind
    countedUpTo = time
  }

  /// Records a value; nil if it is not a number.
  mutating func record(_ value: Double?, at time: WallTime) {
    guard value != nil || kind == .mean else { return }
    advance(to: time)
    self.value = value
    include(value)
  }

  /// Begins an hour: resets all figures, but keeps the present value.
  mutating func begin(at time: WallTime) {
    countedUpTo = time
    knownNanoseconds = 0
    weightedSum = 0
    (lowest, highest) = (.infinity, -.infinity)
    include(value)
  }

  /// Returns the figures up to `end`, and the time with a known value; nil without such a time.
  mutating func figures(upTo end: WallTime) -> (hour: SensorHour, known: Duration)? {
    advance(to: end)
    guard knownNanoseconds > 0, let figures else { return nil }
    return (SensorHour(number: end.hour - 1, figures), .nanoseconds(knownNanoseconds))
  }

  private var figures: SensorHour.Figures? {
    switch kind {
    case .mean:
      .measured(
        mean: weightedSum / Double(knownNanoseconds), lowest: lowest, highest: highest)
    case .sum, .balance: value.map { .counted($0) }
    }
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

/// Sensor with statistics in Home Assistant, as the file of the hours stores it.
public struct StatisticsSensor: Equatable, Sendable {
  /// Type of the statistics.
  public enum Kind: UInt8, Sendable {
    /// Mean and extremes of a measurement.
    case mean = 0
    /// Sum of a counter, which only increases.
    case sum = 1
    /// Sum of a quantity that also decreases, such as the energy of a grid with feed-in.
    case balance = 2

    var hasSum: Bool { self != .mean }
  }

  public let uniqueID: [UInt8]
  /// Unit; empty for plain numbers.
  public let unit: [UInt8]
  public let kind: Kind

  public init(uniqueID: [UInt8], unit: [UInt8], _ kind: Kind = .mean) {
    self.uniqueID = uniqueID
    self.unit = unit
    self.kind = kind
  }

  /// Nil if Home Assistant stores no statistics of the sensor. A `total` of this integration has no
  /// `last_reset`, so Home Assistant sums all its changes.
  init?(_ registration: SensorRegistration) {
    guard let stateClass = registration.stateClass else { return nil }
    let kind: Kind
    if stateClass.span.elementsEqual("measurement") {
      kind = .mean
    } else if stateClass.span.elementsEqual("total_increasing") {
      kind = .sum
    } else if stateClass.span.elementsEqual("total") {
      kind = .balance
    } else {
      return nil
    }
    self.init(uniqueID: registration.uniqueID, unit: registration.unit ?? [], kind)
  }
}
