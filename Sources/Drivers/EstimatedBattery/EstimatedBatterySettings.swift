public import Bytes
public import Sensing
import YAML

/// `battery: { voltage: … }`: a battery unknown to the kernel, estimated from measurements of
/// `sensors`.
public struct EstimatedBatterySettings: Equatable, Sendable {
  /// `name`: prefix of the names of its sensors. Default: `Battery`.
  public var name: [UInt8]
  /// `voltage`: the sensor of its voltage, by its `name` or `unique_id`. Required.
  public var voltage: [UInt8]
  /// `current`: the sensor of its current, positive into the battery. Default: nil, unknown.
  public var current: [UInt8]?
  /// Sensor with which the device of `voltage` reports the charge, if it knows it: it takes
  /// precedence over any estimate.
  public var charge: [UInt8]?
  /// `chemistry`: `lead_acid`, `agm`, `lifepo4` or `li_ion`. Required.
  public var chemistry: BatteryChemistry
  /// `cells`: number of cells in series, 1 to 100. Default: those of a battery of 12 V; required
  /// for `li_ion`.
  public var cells: Int
  /// `min_change`: smallest change of its capacity to report, in percent. Default: nil, each change
  /// of the estimate.
  public var minChange: FixedPoint?
}

extension EstimatedBatterySettings {
  /// Keys of a `battery` mapping that only such a battery has.
  static let ownKeys: [StaticString] = ["voltage", "current", "chemistry", "cells", "name"]
  private static let chemistries: [(word: StaticString, chemistry: BatteryChemistry, cells: Int?)] =
    [
      ("lead_acid", .leadAcid, 6), ("agm", .agm, 6), ("lifepo4", .lifepo4, 4),
      ("li_ion", .liIon, nil),
    ]

  /// Reads the mapping; nil, reported, if it cannot be used. Its keys may name the `sensors`.
  init?(_ keys: SectionReader, among sensors: [MeasuredSensor]) {
    defer { keys.reportUnknownKeys() }
    let name = keys.optional("name")?.name()
    let voltage = keys.required("voltage", example: "voltage: House battery voltage")?
      .sensor(in: ["V", "mV"], among: sensors)
    let current = keys.optional("current")?.sensor(in: ["A", "mA"], among: sensors)
    let kind = keys.required("chemistry", example: "chemistry: agm")?
      .word(of: Self.chemistries.map { $0.word }).map { Self.chemistries[$0] }
    let written =
      kind?.chemistry == .liIon
      ? keys.required("cells", example: "cells: 3") : keys.optional("cells")
    let minChange = keys.optional("min_change")?.minChange()
    let cells = written?.wholeNumber(in: BatteryEstimator.cellsRange) ?? kind?.cells
    guard let voltage, let kind, let cells else { return nil }
    self.init(
      name: name ?? [UInt8]("Battery"), voltage: voltage.name, current: current?.name,
      charge: voltage.chargeName, chemistry: kind.chemistry, cells: cells,
      minChange: minChange)
  }

  /// Name of the source in messages. No power supply is called like this: the kernel's names have
  /// no spaces.
  public static let sourceName = InlineText("estimated battery")

  /// Describes a voltage, such as `24.1 V, or 4.0 V for each of 6 cells`; one that no battery has,
  /// `0.0 V, as without a battery`.
  func words(ofImpossible microvolts: Int64) -> InlineText {
    var words = ByteBuffer(capacity: InlineText.byteCountMax)
    words.append(FixedPoint(microvolts, decimals: 6).rounded(to: 1))
    guard chemistry.likelyCells(microvolts: microvolts) != nil else {
      words.append(" V, as without a battery")
      return InlineText(words.bytes)
    }
    words.append(" V, or ")
    words.append(FixedPoint(microvolts / Int64(cells), decimals: 6).rounded(to: 1))
    words.append(" V for each of ")
    words.append(decimal: cells)
    words.append(" cells")
    return InlineText(words.bytes)
  }

  /// Returns the number of cells that fits these words; nil for other words.
  private static func likelyCells(of chemistry: BatteryChemistry, _ words: InlineText) -> Int? {
    let bytes = [UInt8](words.bytes)
    let volts = [UInt8](bytes.prefix { $0 != UInt8(ascii: " ") })
    guard let number = FixedPoint(written: volts.span) else { return nil }
    return Value.number(number).millionths(decimals: 6).flatMap {
      chemistry.likelyCells(microvolts: $0)
    }
  }

  var remedies: SourceRemedies {
    let chemistry = chemistry
    let cells = cells
    return SourceRemedies(of: Self.sourceName, isNamedByPerson: true) { failure in
      guard case .malformed(_, let found) = failure else {
        return
          "check why this sensor is missing: its device may be away, or \"only\" may exclude it"
      }
      guard let likely = Self.likelyCells(of: chemistry, found) else {
        return "check whether the battery is connected, and whether its sensor reports volts"
      }
      if likely < cells {
        return
          "check whether it is flat or damaged; if not, write its number of cells in series into"
          + " battery, such as cells: \(likely)"
      }
      return "write its number of cells in series into battery, such as cells: \(likely)"
    }
  }
}

extension ConfigurationField {
  /// Returns the sensor with this name and one of these units; nil, reported, if there is none.
  fileprivate func sensor(
    in units: [StaticString], among sensors: [MeasuredSensor]
  ) -> MeasuredSensor? {
    guard let text = text() else { return nil }
    let fitting = sensors.filter { sensor in
      units.contains { sensor.unit.span.elementsEqual($0) }
    }
    if let sensor = fitting.first(where: { $0.isCalled(text) }) { return sensor }
    guard let example = fitting.first else {
      report(
        "no sensor of this configuration measures in \(units[0])",
        remedy: "add one to sensors, such as a battery monitor (ve_direct)")
      return nil
    }
    let isThere = sensors.contains { $0.isCalled(text) }
    report(
      isThere
        ? "\(quoted: text) does not measure in \(units[0])"
        : "no sensor of this configuration is called \(quoted: text)",
      remedy: "write the name of one, such as \(quoted: example.name)")
    return nil
  }
}
