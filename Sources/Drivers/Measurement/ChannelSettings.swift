public import Bytes
import LinuxIO
import Sensing
import YAML

/// `DEVICE/CHANNEL` or `DEVICE@PLACE/CHANNEL`: the address of a number in the configuration.
public struct ChannelAddress: Equatable, Sendable {
  /// Name of the device, optionally with `@` and the place of its parent on its bus.
  public let device: [UInt8]
  public let channel: [UInt8]

  public var text: [UInt8] { device + [UInt8(ascii: "/")] + channel }
  var name: InlineText { InlineText(text.span) }
}

extension ConfigurationField {
  private static let deviceBytesMax = 48

  /// Reads an address, and reports an invalid one. The caller checks the channel.
  func channelAddress(
    example: StaticString, notAmong taken: SeenTexts
  ) -> ChannelAddress? {
    guard let text = text() else { return nil }
    let slash = text.lastIndex(of: UInt8(ascii: "/"))
    let device = [UInt8](text[..<(slash ?? 0)])
    guard let slash, !device.isEmpty, device.count <= Self.deviceBytesMax,
      !text.hasInvisibleControl, !device.contains(UInt8(ascii: "/"))
    else {
      reportNot("a device and its channel", text, remedy: "write for example \(example)")
      return nil
    }
    taken.add(text, of: self)
    return ChannelAddress(device: device, channel: [UInt8](text[(slash + 1)...]))
  }

  /// Reads `shunt`: the resistor on the board, in ohms.
  func shunt(of quantity: Quantity?) -> FixedPoint? {
    guard let number = decimal(example: "0.1") else { return nil }
    guard let quantity, quantity.isThroughShunt else {
      report("this channel has no current through a resistor", remedy: "remove it")
      return nil
    }
    if number.coefficient > 0, number.isLess(than: FixedPoint(1000)) { return number }
    report(
      "a resistor of this size measures no current",
      remedy: "write the ohms of the resistor on the board, such as 0.1 for R100")
    return nil
  }
}

/// Settings of a channel of a device that the kernel measures with: an entry `iio: …` or
/// `hwmon: …` of `sensors`. Each kind defines its channels, and what they measure.
public struct ChannelSettings: Equatable, Sendable {
  /// `iio` or `hwmon`: device and channel, such as `bme280/temp`. Required.
  public var address: ChannelAddress
  public var measurement: MeasurementSettings
  /// `shunt`: the resistor on the board, in ohms; nil if the kernel knows it.
  public var shunt: FixedPoint?
}

extension ChannelSettings {
  /// Reads an entry; nil, reported, if it cannot be used. `field` names the channel, and `quantity`
  /// returns its quantity; nil, reported, if there is no such channel. The field of the resistor is
  /// read after the keys that come before it in messages.
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

  static var implausibleRemedy: MessageText {
    "nothing is connected there, or its driver reads it wrong: check the part and its cable, or"
      + " remove the channel"
  }

  /// Makes the source of the channel, which `open` finds. Unique ids begin with `prefix`.
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
