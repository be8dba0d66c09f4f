public import Bytes
public import Sensing
import YAML

/// An entry `hwmon: …` of the configuration's `sensors`: a channel of a hardware monitor.
public struct MonitorSettings: Equatable, Sendable {
  /// `hwmon`: which chip and channel, such as `ina219/in1`. Required.
  public var address: ChannelAddress
  public var channel: MonitorChannel
  public var measurement: MeasurementSettings
  /// `shunt`: the resistor on the board, in ohms; nil where the kernel knows it.
  public var shunt: FixedPoint?
}

extension MonitorSettings {
  private static let example: StaticString = "hwmon: sht3x/temp1"

  /// Reads an entry; nil, reported, where it cannot be used.
  init?(_ keys: SectionReader, notAmong taken: TakenNames) {
    let field = keys.required("hwmon", example: Self.example)
    let address = field?.channelAddress(example: Self.example, notAmong: taken.addresses)
    let channel = address.flatMap { field?.monitorChannel($0.channel) }
    let quantity = address.flatMap { channel?.quantity(on: $0.chip.span) }
    let measurement = MeasurementSettings(keys, of: quantity, notAmong: taken)
    let shuntField = keys.optional("shunt")
    let shunt = quantity.flatMap { shuntField?.shunt(of: $0) }
    guard let address, let channel, let measurement else { return nil }
    self.init(address: address, channel: channel, measurement: measurement, shunt: shunt)
  }

  var quantity: Quantity { channel.quantity(on: address.chip.span) }

  var remedies: SourceRemedies {
    SourceRemedies(of: address.name, isNamedByPerson: true) { failure in
      switch failure {
      case .missing:
        "grep . /sys/class/hwmon/*/name shows the chips, and ls the files of each; batteries and"
          + " thermal zones are reported by the keys battery and system"
      case .ambiguous:
        "write which one, such as ina219@1-0040/in1: the name, @ and the place that is shown"
      default:
        "the chip does not answer: look at its cable and its supply (i2cdetect -y 1 shows the parts)"
      }
    }
  }
}

extension ChannelAddress {
  /// The device without its place; the names of chips have no `@`.
  fileprivate var chip: [UInt8] {
    [UInt8](device.prefix { $0 != UInt8(ascii: "@") })
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
