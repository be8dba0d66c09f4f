import Bytes
import LinuxIO
import YAML

extension ConfigurationField {
  /// The name of a directory in `/sys/class/power_supply`.
  func supplyName() -> [UInt8]? {
    guard let text = text() else { return nil }
    let isName =
      !text.isEmpty && text.count <= Configuration.supplyNameBytesMax
      && text.first != UInt8(ascii: ".") && text.span.isVisibleASCII
      && !text.contains(UInt8(ascii: "/"))
    if isName { return text }
    report(
      "\(quoted: text) is not the name of a power supply",
      remedy: "write one that \"ls /sys/class/power_supply\" shows")
    return nil
  }

  /// What gpsd calls a receiver: the path of a device, or an address.
  func receiver() -> [UInt8]? {
    guard let text = text() else { return nil }
    let isPath = !text.isEmpty && text.count <= Configuration.receiverBytesMax
    if isPath, text.span.isVisibleASCII { return text }
    report(
      "\(quoted: text) is not a receiver of gpsd", remedy: "write for example /dev/ttyACM0")
    return nil
  }

  /// The address of a computer: the agent looks no name up beside `localhost`.
  func numericAddress() -> [UInt8]? {
    guard let text = text() else { return nil }
    let isText = isHostName(text.span) || isIPv6Address(text.span)
    if isText, isNumericAddress(text) { return text }
    report(
      "\(quoted: text) is not a numeric address",
      remedy: "write one such as 192.168.1.9, without a port; names are not looked up here")
    return nil
  }
}
