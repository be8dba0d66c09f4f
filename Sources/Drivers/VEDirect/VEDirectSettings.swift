import Bytes
import LinuxIO
public import Sensing
import YAML

/// An entry `ve_direct: …` of the configuration's `sensors`: a battery monitor, solar charger or
/// other device of Victron at a VE.Direct cable. It has many sensors.
public struct VEDirectSettings: Equatable, Sendable {
  /// `ve_direct`: the path of the serial port, such as
  /// `/dev/serial/by-id/usb-VictronEnergy_BV_VE_Direct_cable_VE4XYZ-if00-port0`. Required.
  public var path: [UInt8]
  /// `name`: prefix of its sensors' names. `icon`: icon of all its sensors. `unique_id`: prefix of
  /// their unique ids; default: the serial number that the device reports, else the last part of
  /// the path.
  public var entity: EntitySettings
  /// `only`: selection of the sensors. Default: all that the device reports, except its own
  /// history.
  public var sensors = VEDirectSensors.usual
  /// `min_change`: smallest changes to report of the measured sensors, by the words of `only`.
  public var minChanges = MinChanges.standard
}

extension VEDirectSettings: SensorSettings {
  static let key: StaticString = "ve_direct"
  private static let entityKind = EntityKind(icon: "mdi:battery")

  init?(_ keys: SectionReader, notAmong taken: TakenNames) {
    let path = keys.required(Self.key, example: "ve_direct: /dev/serial/by-id/usb-Victron…")?
      .serialPort(notAmong: taken.addresses)
    let entity = Self.entityKind.settings(keys, notAmong: taken)
    let sensors = keys.optional("only").map {
      VEDirectSensors($0.indices(of: VEDirectSensor.keys, example: "[voltage, current, soc]"))
    }
    let minChanges = keys.optional("min_change")?.minChanges(of: sensors ?? .usual)
    guard let path, let entity else { return nil }
    self.init(
      path: path, entity: entity, sensors: sensors ?? .usual, minChanges: minChanges ?? .standard)
  }

  /// Returns the smallest change to report of the sensor with this number; nil for that of its
  /// class.
  func minChange(of number: Int) -> FixedPoint? {
    minChanges[number] ?? VEDirectSensor.all[number].standardMinChange
  }

  /// Name in messages: the end of the path, of a long one from a `_` or `-` on, because the end
  /// distinguishes two cables.
  var name: InlineText {
    var start = lastPartStart
    while path.count - start > InlineText.byteCountMax {
      start += 1
      while start < path.count - 1, !Self.isMark(path[start - 1]) { start += 1 }
    }
    return InlineText(path.span.extracting(start...))
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  /// Returns the base of the unique ids; `serial` is the serial number that the device reports.
  func identity(serial: InlineText?) -> [UInt8] {
    if let own = entity.uniqueID { return own }
    if let serial { return [UInt8](serial.bytes) }
    return [UInt8](path.span.extracting(lastPartStart...))
  }

  private var lastPartStart: Int { (path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1 }

  /// Sensors with a unit that the device may have.
  var measured: [MeasuredSensor] {
    let wanted = VEDirectSensor.all.indices.filter { sensors.contains($0) }.map {
      VEDirectSensor.all[$0]
    }
    let charge = wanted.first { $0.measuresCharge }.map { description(of: $0).name }
    return wanted.compactMap { sensor in
      let description = description(of: sensor)
      guard let unit = description.unit else { return nil }
      return MeasuredSensor(
        name: description.name, uniqueID: entity.uniqueID == nil ? nil : description.uniqueID,
        unit: unit, chargeName: sensor.measuresVoltageOfCharge ? charge : nil)
    }
  }

  private func description(of sensor: VEDirectSensor) -> SensorDescription {
    sensor.description(of: identity(serial: nil), named: entity.name, icon: nil)
  }

  var input: SensorInput { .file(path) }
  func source(_ context: SourceContext) -> any Source { VEDirect(self, context) }

  var remedies: SourceRemedies {
    let path = path
    return SourceRemedies(of: name, isNamedByPerson: true) { failure in
      switch failure {
      case .missing: "ls /dev/serial/by-id shows the cables that are plugged in"
      case .busy: "stop the program that has it open: sudo fuser -v \(bytes: path)"
      case .silent:
        "check both ends of the cable; a device that is off, or used by another program, sends"
          + " nothing"
      case .malformed(_, let found) where found == VEDirectSession.wrongSums:
        "it is VE.Direct, but bytes are lost or changed on the way: check the plugs, and keep the"
          + " cable away from inverters and motors"
      case .implausible:
        "nothing is connected there, or the device counts wrongly: check its settings and its"
          + " wires; exclude the value (only) if it stays"
      case .malformed:
        "check that it is a VE.Direct cable; some devices speak only HEX, or while a program asks"
      default: "check the cable: sudo dmesg"
      }
    }
  }
}

extension ConfigurationField {
  /// Reads the path of a serial port, which has to mean the same device after the next start.
  fileprivate func serialPort(notAmong ports: SeenTexts) -> [UInt8]? {
    guard let path = absolutePath() else { return nil }
    guard path.span.starts(with: "/dev/"), path.count > "/dev/".utf8.count else {
      report("this is not a serial port", remedy: "write a path in /dev/serial/by-id")
      return nil
    }
    guard !path.span.starts(with: "/dev/ttyUSB"), !path.span.starts(with: "/dev/ttyACM") else {
      report(
        "the number of a serial port is not enough: another start may give it to another cable",
        remedy: "write the path that \"ls /dev/serial/by-id\" shows")
      return nil
    }
    ports.add(path, of: self)
    return path
  }

  fileprivate func minChanges(of wanted: VEDirectSensors) -> MinChanges {
    let all = VEDirectSensor.all
    let numbers = all.indices.filter { wanted.contains($0) && all[$0].isMeasured }
    return MinChanges(
      self, of: numbers.map { (number: $0, word: all[$0].key) },
      counted: all.filter { $0.isCounted }.map { $0.key },
      example: "min_change: { voltage: 0.05, current: 0.1 }")
  }

}

extension VEDirectSettings {
  /// Folder in which udev names serial ports by what is plugged in.
  private static let folder: StaticString = "serial/by-id"

  /// Returns the serial ports by the names of their adapters. Those that Victron makes are for
  /// VE.Direct; to others anything may be connected, and they are not listened to.
  static func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("Serial ports, for VE.Direct", key: key)
    for name in BoardSearch.names(in: search.devices / folder) {
      let path = [UInt8]("/dev/") + [UInt8](folder) + [UInt8(ascii: "/")] + name
      let isVictron = name.span.starts(with: "usb-VictronEnergy")
      kind.append(
        search.entry(
          key, [path], named: [[UInt8](isVictron ? "Victron" : "Battery monitor")],
          words: isVictron ? nil : "any device may be connected there: not read"))
    }
    return kind
  }
}
