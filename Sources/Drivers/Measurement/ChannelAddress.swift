import Bytes
import Sensing
import YAML

/// `DEVICE/CHANNEL` or `DEVICE@PLACE/CHANNEL`: the address of a number in the configuration.
public struct ChannelAddress: Equatable, Sendable {
  /// Name of the device, optionally with `@` and the place of its parent on its bus.
  public let device: [UInt8]
  public let channel: [UInt8]

  public init(device: [UInt8], channel: [UInt8]) {
    self.device = device
    self.channel = channel
  }

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
      report(
        "\(quoted: text) is not a device and its channel",
        remedy: "write for example \(example)")
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
