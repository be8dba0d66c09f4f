public import Bytes
public import Sensing
import YAML

/// Settings of a sensor of any kind, in Home Assistant's terms.
public struct EntitySettings: Equatable, Sendable {
  /// `name`: name of the sensor in Home Assistant; 1 to 64 characters. Required.
  public var name: [UInt8]
  /// `device_class`: one that the kind allows.
  public var deviceClass: [UInt8]?
  /// `unit`: one that the kind allows.
  public var unit: [UInt8]?
  /// `state_class`: one that the kind allows.
  public var stateClass: [UInt8]?
  /// `icon`: `prefix:name`, such as `mdi:water`; at most 64 bytes.
  public var icon: [UInt8]?
  /// `unique_id`: identifies the sensor in Home Assistant; 1 to 64 lower-case letters, digits and
  /// `_`. Default: derived from the address, so that a replacement part is another sensor.
  public var uniqueID: [UInt8]?
  /// `min_change`: smallest change to report of a measured quantity; 0 or more, in the unit of the
  /// sensor. Default: nil, the standard one of the quantity.
  public var minChange: FixedPoint?
}

/// Properties of a kind of sensor in Home Assistant, and the choices that the configuration has.
struct EntityKind {
  var kind = SensorDescription.Kind.sensor
  /// Values that Home Assistant accepts for the quantity; if a list is empty, its key does not
  /// exist.
  var deviceClasses: [StaticString] = []
  var units: [StaticString] = []
  var stateClasses: [StaticString] = []
  /// Defaults of keys that are not set.
  var deviceClass: StaticString?
  var unit: StaticString?
  var stateClass: StaticString?
  /// Default icon; nil if each sensor of this kind has a device class.
  var icon: StaticString?
  /// Whether the quantity is measured, and so has a smallest change to report.
  var isMeasured = false

  /// Returns the description for Home Assistant. `uniqueID` is the one derived from the address.
  func description(
    of settings: EntitySettings, uniqueID: [UInt8], isUrgent: Bool = false
  ) -> SensorDescription {
    let deviceClass = settings.deviceClass ?? deviceClass.map { [UInt8]($0) }
    // Home Assistant draws a class by its state: a door that opens, a battery that empties.
    let icon = deviceClass == nil ? icon.map { [UInt8]($0) } : nil
    return SensorDescription(
      uniqueID: settings.uniqueID ?? uniqueID, name: settings.name, kind: kind,
      unit: settings.unit ?? unit.map { [UInt8]($0) }, deviceClass: deviceClass,
      stateClass: settings.stateClass ?? stateClass.map { [UInt8]($0) },
      icon: settings.icon ?? icon, isUrgent: isUrgent)
  }

  /// Reads the keys that every kind has; nil, reported, if the name is missing.
  func settings(_ keys: SectionReader, notAmong taken: TakenNames) -> EntitySettings? {
    let name = keys.required("name", example: "name: Bilge")?.name(notAmong: taken.names)
    let deviceClass = word("device_class", of: deviceClasses, keys)
    let unit = word("unit", of: units, keys)
    let stateClass = word("state_class", of: stateClasses, keys)
    let icon = keys.optional("icon")?.icon()
    let uniqueID = keys.optional("unique_id")?.uniqueID(notAmong: taken)
    let minChange = isMeasured ? keys.optional("min_change")?.minChange() : nil
    return name.map {
      EntitySettings(
        name: $0, deviceClass: deviceClass, unit: unit, stateClass: stateClass, icon: icon,
        uniqueID: uniqueID, minChange: minChange)
    }
  }

  private func word(
    _ key: StaticString, of words: [StaticString], _ keys: SectionReader
  ) -> [UInt8]? {
    if words.isEmpty { return nil }
    return keys.optional(key)?.word(of: words).map { [UInt8](words[$0]) }
  }
}

/// Addresses, names and unique ids in use by the entries of `sensors` so far, and by other keys
/// with lines or names: each may occur once.
public final class TakenNames {
  let addresses = SeenTexts()
  let names = SeenTexts()
  let uniqueIDs = SeenTexts()
  private let pinName: (GPIOLineAddress) -> [UInt8]?

  /// `pinName` returns the pin of the board for a line, however the line is addressed; nil if
  /// unknown.
  public init(pinName: @escaping (GPIOLineAddress) -> [UInt8]? = { _ in nil }) {
    self.pinName = pinName
  }

  /// Adds a line, and reports it if it is in use, even under another name.
  func add(_ line: GPIOLineAddress, of field: ConfigurationField, writtenAs text: [UInt8]) {
    addresses.add(pinName(line) ?? text, of: field, writtenAs: text)
  }
}

extension ConfigurationField {
  private static let uniqueIDBytesMax = 64
  /// Unique ids of the sensors that an agent has without configuration.
  private static let ownIDs: [StaticString] = [
    "processor_temperature", "load_1_minute", "load_5_minutes", "load_15_minutes", "memory_used",
    "last_start", "last_crash", "disk_used", "lost_readings", "anchor",
    "data_sent", "data_received", "power_level", "battery_days_left",
  ]

  fileprivate func uniqueID(notAmong taken: TakenNames) -> [UInt8]? {
    let text = text(
      "a unique id",
      remedy: "write 1 to \(Self.uniqueIDBytesMax) letters from a to z, digits or _"
    ) { text in
      (1...Self.uniqueIDBytesMax).contains(text.count)
        && text.allSatisfy { $0.isASCIIDigit || $0.isASCIILowercase || $0 == UInt8(ascii: "_") }
    }
    guard let text else { return nil }
    let isOwn =
      text.span.starts(with: "supply_") || text.span.starts(with: "gps_")
      || Self.ownIDs.contains { text.span.elementsEqual($0) }
    if isOwn {
      report("\(quoted: text) is a sensor of the board itself", remedy: "write another one")
      return nil
    }
    taken.uniqueIDs.add(text, of: self)
    return text
  }
}

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
  /// Reads `min_change` of a source, and reports unusable values. Its keys are the words of the
  /// `measured` sensors; the `counted` ones are rejected with the reason.
  init(
    _ field: ConfigurationField, of measured: [(number: Int, word: StaticString)],
    counted: [StaticString] = [], example: StaticString
  ) {
    guard let keys = field.section(example: example) else { return }
    if let index = keys.index(ofFirst: counted) {
      keys.hint(counted[index], remedy: "\(counted[index]) is a count, and each step is reported")
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
    reportNot("a change", text, remedy: "write a number such as 0.5, or 0 for all")
    return nil
  }
}
