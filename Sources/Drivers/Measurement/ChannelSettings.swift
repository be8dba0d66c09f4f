public import Bytes
import LinuxIO
import Sensing
import YAML

/// What the configuration says of one channel of a device that the kernel measures with: an entry
/// `iio: …` or `hwmon: …` of `sensors`. What a channel is called, and what it measures, each kind
/// knows.
public struct ChannelSettings: Equatable, Sendable {
  /// `iio` or `hwmon`: which device and channel, such as `bme280/temp`. Required.
  public var address: ChannelAddress
  public var measurement: MeasurementSettings
  /// `shunt`: the resistor on the board, in ohms; nil where the kernel knows it.
  public var shunt: FixedPoint?
}

extension ChannelSettings {
  /// Reads an entry; nil, reported, where it cannot be used.
  ///
  /// - Parameters:
  ///   - keys: its keys.
  ///   - field: what names the channel.
  ///   - example: how that is written.
  ///   - shuntField: the resistor, asked for after the keys that come before it in messages.
  ///   - taken: what other entries have.
  ///   - quantity: what the channel measures; nil, reported, where there is no such channel.
  init?(
    _ keys: SectionReader, _ field: ConfigurationField?, example: StaticString,
    shunt shuntField: @autoclosure () -> ConfigurationField?, notAmong taken: TakenNames,
    _ quantity: (ConfigurationField, ChannelAddress) -> Quantity?
  ) {
    let address = field?.channelAddress(example: example, notAmong: taken.addresses)
    let measured = field.flatMap { field in address.flatMap { quantity(field, $0) } }
    let measurement = MeasurementSettings(keys, of: measured, notAmong: taken)
    let shuntField = shuntField()
    let shunt = measured.flatMap { shuntField?.shunt(of: $0) }
    guard let address, measured != nil, let measurement else { return nil }
    self.init(address: address, measurement: measurement, shunt: shunt)
  }

  /// What a person does about a number that cannot be.
  static var implausibleRemedy: MessageText {
    "nothing is connected there, or its driver reads it wrong: look at the part and its cable; a"
      + " channel that stays like this is better left out"
  }

  /// The channel as a source, which `open` finds. Unique ids begin with `prefix`.
  func source(
    _ prefix: StaticString, of devices: DeviceKinds, _ context: SourceContext,
    open: @escaping (Path) throws(SourceFailure) -> OpenChannel
  ) -> KernelSensor {
    let sys = context.sys
    return KernelSensor(
      address.name, measurement, uniqueID: uniqueID(prefix, address.text.span), of: devices,
      context
    ) { () throws(SourceFailure) in try open(sys) }
  }
}
