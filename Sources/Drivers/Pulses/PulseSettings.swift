public import Bytes
public import Sensing
import YAML

/// An entry `pulses: …` of the configuration's `sensors`: a line whose pulses are counted.
public struct PulseSettings: Equatable, Sendable {
  /// `pulses`: the line. Required.
  public var address: GPIOLineAddress
  public var entity: EntitySettings
  /// `per_pulse`: amount that one pulse adds to the total; above 0, with at most 9 digits before
  /// and 9 after the point. Default: 1.
  public var perPulse = FixedPoint(1)
  /// `min_width`: minimum duration of a pulse, and of the pause before it; 0 to 1 s. Default: 0,
  /// every rising edge is a pulse.
  public var minWidth: Duration = .zero
  /// `active_low`: whether a pulse is a low level.
  public var isActiveLow = false
  /// `bias`: bias of the line while nothing drives it.
  public var bias = GPIOBias.asIs
  /// `rate`: a second sensor. Default: none.
  public var rate: PulseRateSettings?
}

/// `rate: { per: hour, name: Rain rate }`: settings of the rate of the pulses.
public struct PulseRateSettings: Equatable, Sendable {
  /// `per`: `second`, `minute` or `hour`. Required.
  public var span: Duration
  public var entity: EntitySettings
}

extension PulseSettings: SensorSettings {
  static let key: StaticString = "pulses"
  private static let minWidthRange: ClosedRange<Duration> = .zero ... .seconds(1)

  static let entityKind = EntityKind(
    deviceClasses: ["distance", "energy", "gas", "precipitation", "volume", "water"],
    units: [
      "Wh", "kWh", "MWh", "L", "m³", "ft³", "gal", "mm", "cm", "in", "m", "km", "mi", "pulses",
    ], stateClasses: ["total_increasing", "total"], stateClass: "total_increasing",
    icon: "mdi:counter")

  static let rateKind = EntityKind(
    deviceClasses: [
      "frequency", "power", "precipitation_intensity", "speed", "volume_flow_rate", "wind_speed",
    ],
    units: [
      "W", "kW", "L/min", "L/h", "m³/h", "ft³/min", "gal/min", "mm/h", "in/h", "m/s", "km/h", "mph",
      "kn", "Hz", "rpm",
    ], stateClasses: ["measurement"], stateClass: "measurement", icon: "mdi:speedometer",
    isMeasured: true)

  init?(_ keys: SectionReader, notAmong taken: TakenNames) {
    let line = keys.required(Self.key, example: "pulses: GPIO27")?
      .gpioLine(notAmong: taken)
    let entity = Self.entityKind.settings(keys, notAmong: taken)
    keys.hint(
      "min_change", remedy: "the total is a count, and each step is reported; write it into rate")
    let perPulse = keys.optional("per_pulse")?.amount()
    let minWidth = keys.optional("min_width")?.duration(in: Self.minWidthRange, example: "5ms")
    let isActiveLow = keys.optional("active_low")?.boolean()
    let bias = keys.optional("bias")?.bias()
    let rate = keys.optional("rate")?.rate(notAmong: taken)
    guard let line, let entity else { return nil }
    self.init(
      address: line, entity: entity, perPulse: perPulse ?? FixedPoint(1),
      minWidth: minWidth ?? .zero, isActiveLow: isActiveLow ?? false, bias: bias ?? .asIs,
      rate: rate)
  }

  var name: InlineText { InlineText(address.text.span) }

  /// Unique id derived from the address.
  var ownID: [UInt8] { uniqueID("pulses_", address.text.span) }
  /// Key of the stored count.
  public var id: [UInt8] { entity.uniqueID ?? ownID }
  /// Unique id of its rate, derived from the address.
  public var rateID: [UInt8] { ownID + [UInt8]("_rate") }

  /// Returns these settings at the line in the board file, with the same identities in Home
  /// Assistant.
  func moved(to line: GPIOLineAddress) -> PulseSettings {
    guard line != address else { return self }
    var moved = self
    moved.entity.uniqueID = id
    moved.rate?.entity.uniqueID = rate?.entity.uniqueID ?? rateID
    moved.address = line
    return moved
  }

  /// Returns no items: the kernel does not know the device at a line.
  static func found(in search: BoardSearch) -> FoundKind { FoundKind("Pulses", key: key) }

  var input: SensorInput { .line(address) { SensorEntry(moved(to: $0)) } }
  func source(_ context: SourceContext) -> any Source { PulseLine(self, context) }

  var remedies: SourceRemedies {
    SourceRemedies(of: name, isNamedByPerson: true) { GPIOLineAddress.remedy(for: $0) }
  }
}

extension CountsFile {
  /// Remedies for counts that cannot be stored or read.
  public static var remedies: SourceRemedies {
    SourceRemedies(of: name, isNamedByPerson: false) { failure in
      if case .malformed = failure {
        return "if it is damaged, the totals restart at 0, as with a new meter; if it is from a"
          + " newer version, install that version, or remove the file to restart at 0"
      }
      return "free space on the disk of state_directory, and check whether it is read-only or fails"
        + " (sudo dmesg); the agent retries in each cycle; if you remove the file, the totals"
        + " restart at 0"
    }
  }
}

extension ConfigurationField {
  private static let digitsMax = 9

  /// Reads a number above 0: digits, optionally with a point.
  fileprivate func amount() -> FixedPoint? {
    guard let text = text() else { return nil }
    if let number = FixedPoint(digits: text, digitsMax: Self.digitsMax), number.coefficient > 0 {
      return number
    }
    reportNot(
      "an amount", text,
      remedy: "write a number above 0 with at most 9 digits on each side of its point, such as"
        + " 0.2794")
    return nil
  }

  fileprivate func rate(notAmong taken: TakenNames) -> PulseRateSettings? {
    guard let keys = section(example: "rate: { per: hour, name: Rain rate }") else { return nil }
    defer { keys.reportUnknownKeys() }
    let spans: [Duration] = [.seconds(1), .seconds(60), .seconds(3600)]
    let span = keys.required("per", example: "per: hour")?.word(of: ["second", "minute", "hour"])
    let entity = PulseSettings.rateKind.settings(keys, notAmong: taken)
    guard let span, let entity else { return nil }
    return PulseRateSettings(span: spans[span], entity: entity)
  }
}

extension FixedPoint {
  /// Parses a number with at most `digitsMax` digits before its point and after it; nil for others.
  fileprivate init?(digits text: [UInt8], digitsMax: Int) {
    let point = text.firstIndex(of: UInt8(ascii: "."))
    let whole = text[..<(point ?? text.count)]
    let fraction = text[(point.map { $0 + 1 } ?? text.count)...]
    guard (1...digitsMax).contains(whole.count), fraction.count <= digitsMax,
      point == nil || !fraction.isEmpty,
      let coefficient = ([UInt8](whole) + [UInt8](fraction)).span.decimalValue
    else { return nil }
    self.init(coefficient, decimals: UInt8(fraction.count))
  }
}
