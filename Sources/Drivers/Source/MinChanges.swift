import Bytes
import YAML

/// `min_change: { voltage: 0.05, current: 0.1 }`: smallest changes to report, of a source with
/// several sensors.
///
/// Counted sensors have none: Home Assistant adds up the steps of a count, and a delayed step is
/// missing in the hour in which it occurred.
public struct MinChanges: Equatable, Sendable {
  private struct Change: Equatable {
    let number: Int
    let least: FixedPoint
  }

  private var changes: [Change] = []

  /// No setting: each sensor has the standard one.
  public static let standard = MinChanges()

  /// Smallest change of the sensor with this number in its source, in its unit; nil for the
  /// standard one.
  subscript(number: Int) -> FixedPoint? {
    for change in changes where change.number == number { return change.least }
    return nil
  }
}

extension MinChanges {
  /// A sensor of a source, with its word in the configuration.
  struct Sensor {
    let number: Int
    let word: StaticString
  }

  /// Reads `min_change` of a source, and reports unusable values.
  ///
  /// - Parameters:
  ///   - field: the value of the key.
  ///   - measured: the sensors that are reported and measured: the possible keys.
  ///   - counted: the counted sensors, which are rejected with the reason.
  ///   - example: an example of the value, for messages.
  init(
    _ field: ConfigurationField, of measured: [Sensor], counted: [StaticString] = [],
    example: StaticString
  ) {
    guard let keys = field.section(example: example) else { return }
    if let index = keys.index(ofFirst: counted) {
      keys.hint(counted[index], "\(counted[index]) is a count, and each step is reported")
    }
    for sensor in measured {
      guard let least = keys.optional(sensor.word)?.minChange() else { continue }
      changes.append(Change(number: sensor.number, least: least))
    }
    keys.reportUnknownKeys()
  }
}

extension ConfigurationField {
  /// Reads a number of at least 0, in the unit of the quantity.
  func minChange() -> FixedPoint? {
    guard let text = text() else { return nil }
    if let change = FixedPoint(written: text.span), change.coefficient >= 0 { return change }
    report(
      "\(quoted: text) is not a change",
      remedy: "write a number such as 0.5, or 0 for all")
    return nil
  }
}
