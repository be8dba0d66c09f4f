import Bytes
import LinuxIO
import Sensing
import YAML

/// An entry `one_wire: …` of the configuration's `sensors`: a thermometer on a 1-Wire bus.
public struct OneWireSettings: Equatable, Sendable {
  /// `one_wire`: the part, by the kernel's name of its directory, such as `28-0316a2796cff`; in
  /// lower case. Required.
  public var id: [UInt8]
  public var entity: EntitySettings
}

extension OneWireSettings: SensorSettings {
  static let key: StaticString = "one_wire"
  static let entityKind = EntityKind(
    deviceClasses: ["temperature"], units: ["°C"], stateClasses: ["measurement"],
    deviceClass: "temperature", unit: "°C", stateClass: "measurement",
    isMeasured: true)

  init?(_ keys: SectionReader, notAmong taken: TakenNames) {
    let id = keys.required(Self.key, example: "one_wire: 28-0316a2796cff")?
      .oneWireID(notAmong: taken.addresses)
    let entity = Self.entityKind.settings(keys, notAmong: taken)
    guard let id, let entity else { return nil }
    self.init(id: id, entity: entity)
  }

  var name: InlineText { InlineText(id.span) }

  var input: SensorInput { .part(id) }
  func source(_ context: SourceContext) -> any Source { OneWireThermometer(self, context) }

  var remedies: SourceRemedies {
    SourceRemedies(of: name, isNamedByPerson: true) { [id] failure in
      switch failure {
      case .missing:
        "ls /sys/bus/w1/devices shows the parts; if there are none, write dtoverlay=w1-gpio into"
          + " /boot/firmware/config.txt, reboot, and check the cable"
      case _ where id.span.starts(with: "3b-"):
        "check the thermocouple, which may be open, shorted or reversed, and the cable: three"
          + " wires, and a resistor of 4.7 kOhm between data and 3.3 V"
      default:
        "check its cable: three wires, and a resistor of 4.7 kOhm between data and 3.3 V"
      }
    }
  }
}

extension OneWireSettings {
  /// Families that `w1_therm` of the kernel reads: DS18S20, DS1822, DS18B20, DS1825 and the
  /// thermocouples of MAX31850, DS28EA00.
  private static let families: [StaticString] = ["10-", "22-", "28-", "3b-", "42-"]
  private static let idByteCount = 15

  /// Whether the text is the id of a part, in lower case.
  fileprivate static func isID(_ text: Span<UInt8>) -> Bool {
    guard text.count == idByteCount else { return false }
    for index in text.indices {
      let isGood =
        index == 2
        ? text[index] == UInt8(ascii: "-") : hexadecimalValue(of: text[index]) != nil
      guard isGood else { return false }
    }
    return true
  }

  /// Whether the text is the id of a part that measures a temperature.
  static func isThermometer(_ id: Span<UInt8>) -> Bool {
    guard isID(id) else { return false }
    for family in families where id.starts(with: family) { return true }
    return false
  }
}

extension ConfigurationField {
  /// Reads an id. The kernel writes `%02x-%012llx`; capital letters are accepted, too.
  fileprivate func oneWireID(notAmong ids: SeenTexts) -> [UInt8]? {
    guard let text = text() else { return nil }
    let id = text.lowercasedASCII
    guard OneWireSettings.isID(id.span) else {
      reportNot(
        "the id of a 1-Wire part", text,
        remedy: "write one that \"ls /sys/bus/w1/devices\" shows, such as 28-0316a2796cff")
      return nil
    }
    guard OneWireSettings.isThermometer(id.span) else {
      reportNot(
        "a thermometer", text, remedy: "write one whose id begins with 28-, 10-, 22-, 3b- or 42-")
      return nil
    }
    ids.add(id, of: self)
    return id
  }
}

extension OneWireSettings {
  /// Number of characters at the end of an id that distinguish a part from the others of a board.
  private static let endByteCount = 4

  /// Returns the thermometers that the kernel has found on its 1-Wire buses.
  static func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("Thermometers on 1-Wire", key: key)
    for id in BoardSearch.names(in: search.sys / "bus" / "w1" / "devices")
    where isThermometer(id.span) {
      let end = [UInt8](id.suffix(endByteCount))
      kind.append(search.entry(key, [id], named: [[UInt8]("Thermometer ") + end]))
    }
    return kind
  }
}
