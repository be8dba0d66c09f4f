import Bytes
public import Sensing
import YAML

/// Settings of a sensor that is one number, whatever its source.
public struct MeasurementSettings: Equatable, Sendable {
  /// Settings for Home Assistant, with class, unit and state class even if they are the defaults.
  public var entity: EntitySettings
  /// Meaning of the number; nil if it is the value itself.
  public var calibration: Calibration?
  /// `decimals`: digits after the point that are sent, 0...`decimalsMax`.
  public var decimals: UInt8
  /// Icon that is sent if the configuration has no `icon`.
  let icon: StaticText

  static let decimalsMax = 6

  /// Returns the value to send for a number in the unit of its source `name`.
  func value(of number: FixedPoint, from name: InlineText) throws(SourceFailure) -> FixedPoint {
    guard let value = calibration.map({ $0.meaning(of: number) }) ?? number else {
      throw .malformed(name, found: InlineText("a number too large for its calibration"))
    }
    return value.rounded(to: decimals)
  }

  /// The sensor for reference by other keys of the configuration; empty if it has no unit.
  var measured: [MeasuredSensor] {
    entity.unit.map { unit in
      [MeasuredSensor(name: entity.name, uniqueID: entity.uniqueID, unit: unit)]
    } ?? []
  }

  /// Returns the description for Home Assistant. `uniqueID` is the one derived from the address.
  func description(uniqueID: [UInt8]) -> SensorDescription {
    EntityKind(icon: icon.text).description(of: entity, uniqueID: uniqueID)
  }
}

extension MeasurementSettings {
  /// Reads the keys that all of them have; nil, reported, if they cannot be used. `quantity` is
  /// that of the source, nil if only the person knows it.
  init?(_ keys: SectionReader, of quantity: Quantity?, notAmong taken: TakenNames) {
    let icon = StaticText(stringLiteral: quantity?.icon ?? "mdi:numeric")
    let entity = EntityKind(icon: icon.text, isMeasured: true).settings(keys, notAmong: taken)
    let written = CalibrationKeys(keys)
    let meaning = MeasurementMeaning(
      keys, of: quantity, isFree: quantity == nil || written.isPresent)
    let decimals = keys.optional("decimals")?.wholeNumber(in: 0...Self.decimalsMax)
    guard var entity, let meaning else { return nil }
    entity.deviceClass = meaning.sensorClass.map { $0.name }
    entity.unit = meaning.unit
    entity.stateClass = meaning.stateClass
    self.init(
      entity: entity, calibration: written.calibration,
      decimals: decimals.map { UInt8($0) }
        ?? SensorClass.decimals(of: meaning.sensorClass, in: meaning.unit), icon: icon)
  }
}

private struct MeasurementMeaning {
  let sensorClass: SensorClass?
  let unit: [UInt8]?
  let stateClass: [UInt8]

  /// Reads the keys; nil, reported, if they do not go together. `isFree` allows another unit than
  /// that of the source: a calibration makes other numbers, and only the person knows the unit of a
  /// file.
  init?(_ keys: SectionReader, of quantity: Quantity?, isFree: Bool) {
    let classField = keys.optional("device_class")
    let unitField = keys.optional("unit")
    let stateField = keys.optional("state_class")
    let usualUnit = quantity?.unit.map { [UInt8]($0) }
    let usualClass = quantity?.deviceClass.flatMap { SensorClass(named: [UInt8]($0)) }

    let unit = unitField.map { $0.unit() } ?? usualUnit
    if let unitField {
      guard let unit else { return nil }
      guard isFree || unit == usualUnit else {
        unitField.reportForeign(unit, insteadOf: usualUnit)
        return nil
      }
    }
    var sensorClass = unit == usualUnit ? usualClass : nil
    if let classField {
      guard let chosen = classField.sensorClass() else { return nil }
      guard chosen.goes(with: unit) else {
        (unitField ?? classField).reportMismatch(chosen, unit, isWritten: unitField != nil)
        return nil
      }
      sensorClass = chosen
    }
    self.sensorClass = sensorClass
    self.unit = unit
    guard let stateClass = Self.stateClass(stateField, of: sensorClass) else { return nil }
    self.stateClass = stateClass
  }

  private static func stateClass(
    _ field: ConfigurationField?, of sensorClass: SensorClass?
  ) -> [UInt8]? {
    let all: WordList = "measurement total total_increasing measurement_angle"
    let possible = sensorClass?.stateClasses ?? all.words
    guard let field else { return possible.first }
    guard let text = field.text() else { return nil }
    if possible.contains(text) { return text }
    let subject: MessageText =
      sensorClass.map { "\(quoted: text) does not match \(bytes: $0.name)" }
      ?? "\(quoted: text) is unknown"
    field.report(subject, remedy: "write \(anyOf: possible)")
    return nil
  }
}

extension SensorClass {
  /// Whether the class allows this unit; a class of numbers without a unit allows only nil.
  fileprivate func goes(with unit: [UInt8]?) -> Bool {
    guard let unit else { return units.isEmpty }
    return units.contains(unit)
  }
}

extension ConfigurationField {
  private static let unitBytesMax = 16

  /// Reads a unit, and writes micro with the sign that Home Assistant has had from the start: two
  /// signs look the same.
  fileprivate func unit() -> [UInt8]? {
    let text = text("a unit", remedy: "write 1 to \(Self.unitBytesMax) bytes") {
      (1...Self.unitBytesMax).contains($0.count) && !$0.hasInvisibleControl
    }
    guard let text else { return nil }
    let greek = [UInt8]("\u{3BC}" as StaticString)
    return text.starts(with: greek) ? [UInt8]("µ") + text.dropFirst(greek.count) : text
  }

  fileprivate func sensorClass() -> SensorClass? {
    let all = SensorClass.all
    return word(of: all.map { $0.name }).map { all[$0] }
  }

  fileprivate func reportForeign(_ unit: [UInt8], insteadOf usual: [UInt8]?) {
    let usual: MessageText = usual.map { "write \(bytes: $0)" } ?? "leave it out"
    reportNot(
      "the unit of this measurement", unit, remedy: "\(usual); or convert it, such as factor: 1000")
  }

  fileprivate func reportMismatch(
    _ sensorClass: SensorClass, _ unit: [UInt8]?, isWritten: Bool
  ) {
    let units: MessageText =
      sensorClass.units.isEmpty ? "no unit" : "unit: \(anyOf: sensorClass.units)"
    let problem: MessageText =
      unit.map { "\(bytes: sensorClass.name) does not match \(quoted: $0)" }
      ?? "\(bytes: sensorClass.name) has a unit"
    report(problem, remedy: isWritten ? "write \(units)" : "write it with \(units)")
  }
}
