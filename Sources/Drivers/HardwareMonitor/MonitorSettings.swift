import Bytes
public import Sensing
import YAML

/// An entry `hwmon: …` of the configuration's `sensors`: a channel of a hardware monitor.
public struct MonitorSettings: Equatable, Sendable {
  public var entry: ChannelSettings
  public var channel: MonitorChannel
}

extension MonitorSettings: SensorSettings {
  static let key: StaticString = "hwmon"
  private static let example: StaticString = "hwmon: sht3x/temp1"

  init?(_ keys: SectionReader, notAmong taken: TakenNames) {
    var channel: MonitorChannel?
    let entry = ChannelSettings(
      keys, keys.required(Self.key, example: Self.example), example: Self.example,
      shunt: keys.optional("shunt"), notAmong: taken
    ) {
      channel = $0.monitorChannel($1.channel)
      return channel?.quantity
    }
    guard let entry, let channel else { return nil }
    self.init(entry: entry, channel: channel)
  }

  var entity: EntitySettings { entry.measurement.entity }
  var input: SensorInput { .part(entry.address.text) }
  var measured: [MeasuredSensor] { entry.measurement.measured }

  var remedies: SourceRemedies {
    SourceRemedies(of: entry.address.name, isNamedByPerson: true) { failure in
      switch failure {
      case .missing:
        "grep . /sys/class/hwmon/*/name shows the chips, and ls the files of each; batteries and"
          + " thermal zones are reported by the keys battery and system"
      case .ambiguous:
        "write which one, such as ina219@1-0040/in1: the name, @ and the place that is shown"
      case .implausible: ChannelSettings.implausibleRemedy
      default:
        "the chip does not answer: look at its cable and its supply (i2cdetect -y 1 shows the parts)"
      }
    }
  }
}

extension ConfigurationField {
  fileprivate func monitorChannel(_ name: [UInt8]) -> MonitorChannel? {
    if let channel = MonitorChannel(name) { return channel }
    report(
      "\(quoted: name) is not a channel",
      remedy: "write in, curr, power, energy, temp, humidity or fan with its number, such as temp1")
    return nil
  }
}
