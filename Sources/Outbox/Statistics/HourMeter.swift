import Bytes
import HomeAssistant

/// What one sensor says in the hour under way. A value holds until the next one; what a counter
/// has counted holds also where it is silent.
struct HourMeter {
  private let kind: StatisticsSensor.Kind
  private var value: Double?
  private var countedUpTo: WallTime
  private var knownNanoseconds: Int64 = 0
  /// Of values times nanoseconds.
  private var weightedSum = 0.0
  private var lowest = Double.infinity
  private var highest = -Double.infinity

  init(of kind: StatisticsSensor.Kind, at time: WallTime) {
    self.kind = kind
    countedUpTo = time
  }

  /// The sensor says something; nil where that is no number.
  mutating func record(_ value: Double?, at time: WallTime) {
    guard value != nil || kind == .mean else { return }
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

/// A sensor of which Home Assistant keeps statistics, as the file of the hours names it.
public struct StatisticsSensor: Equatable, Sendable {
  /// What Home Assistant keeps of it.
  public enum Kind: UInt8, Sendable {
    /// Means and extremes of what is measured.
    case mean = 0
    /// What a counter has counted, which only grows.
    case sum = 1
    /// What comes and goes, such as the energy of a grid that is fed, too.
    case balance = 2

    /// Whether Home Assistant keeps a sum of it.
    var hasSum: Bool { self != .mean }
  }

  public let uniqueID: [UInt8]
  /// Empty of plain numbers.
  public let unit: [UInt8]
  public let kind: Kind

  public init(uniqueID: [UInt8], unit: [UInt8], _ kind: Kind = .mean) {
    self.uniqueID = uniqueID
    self.unit = unit
    self.kind = kind
  }

  /// Nil where Home Assistant keeps none of the sensor. A `total` of this integration has no
  /// `last_reset`, so Home Assistant sums all that it changes by.
  init?(_ registration: SensorRegistration) {
    let kind: Kind
    if registration.stateClass == [UInt8]("measurement") {
      kind = .mean
    } else if registration.stateClass == [UInt8]("total_increasing") {
      kind = .sum
    } else if registration.stateClass == [UInt8]("total") {
      kind = .balance
    } else {
      return nil
    }
    self.init(uniqueID: registration.uniqueID, unit: registration.unit ?? [], kind)
  }
}
