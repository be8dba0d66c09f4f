import Bytes
import YAML

/// `min_change: { voltage: 0.05, current: 0.1 }`: the least changes that count, of a source that
/// brings several sensors.
///
/// Sensors that are counted have none: Home Assistant adds up the steps of a count, and a step that
/// is held back is missing in the hour in which it came.
public struct MinChanges: Equatable, Sendable {
  private struct Change: Equatable {
    let number: Int
    let least: FixedPoint
  }

  private var changes: [Change] = []

  /// None is written: each sensor has the usual one.
  public static let standard = MinChanges()

  /// The one of the sensor with this number among those of the source, in its unit; nil for the
  /// usual one.
  subscript(number: Int) -> FixedPoint? {
    for change in changes where change.number == number { return change.least }
    return nil
  }
}

extension MinChanges {
  /// A sensor of a source, as the configuration calls it.
  struct Sensor {
    let number: Int
    let word: StaticString
  }

  /// Reads `min_change` of a source; what cannot be used is reported.
  ///
  /// - Parameters:
  ///   - field: the value of the key.
  ///   - measured: the sensors that are reported and measured: the keys that are possible.
  ///   - counted: those that are counted, which are refused with the reason.
  ///   - example: what could stand there.
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
  /// A number from 0 on, in the unit of what is measured.
  func minChange() -> FixedPoint? {
    guard let text = text() else { return nil }
    if let change = FixedPoint(written: text.span), change.coefficient >= 0 { return change }
    report(
      "\(quoted: text) is not a change",
      remedy: "write a number such as 0.5, or 0 for all")
    return nil
  }
}
