import Bytes

/// Network of Wi-Fi, for NetworkManager.
struct WiFiNetwork {
  static let nameByteCounts = 1...32

  let name: [UInt8]
  /// Nil for an open network.
  let password: [UInt8]?
  /// Whether the access point does not announce the name.
  let isHidden: Bool

  /// Name of the file of a network, counted from 1.
  static func fileName(_ number: Int) -> [UInt8] {
    ("homeward-wifi-\(number).nmconnection" as MessageText).bytes
  }

  /// Returns the profile of the network (`nm-settings-keyfile(5)`), the first one with the highest
  /// priority. The name is a list of bytes in decimal digits, which needs no escapes;
  /// NetworkManager makes the UUID from the name of the file.
  func profile(_ number: Int) -> [UInt8] {
    var bytes: MessageText = ""
    for byte in name { bytes = bytes + "\(Int(byte));" }
    let hidden: MessageText = isHidden ? "hidden=true\n" : ""
    let security: MessageText =
      password.map {
        "\n[wifi-security]\nkey-mgmt=wpa-psk\npsk=\(bytes: Self.keyFileValue($0))\n"
      } ?? ""
    let text: MessageText =
      "[connection]\nid=homeward-wifi-\(number)\ntype=wifi\nautoconnect-priority=\(CardSettings.entriesMax - number)\n"
      + "mdns=2\n\n[wifi]\nmode=infrastructure\nssid=\(bytes)\n\(hidden)\(security)\n"
      + "[ipv4]\nmethod=auto\n\n[ipv6]\nmethod=auto\n"
    return text.bytes
  }

  /// Returns a printable text as a value of a key file of GLib, which removes blanks at both ends
  /// and reads a backslash as the beginning of an escape.
  private static func keyFileValue(_ text: [UInt8]) -> [UInt8] {
    var value: [UInt8] = []
    for index in text.indices {
      let isEnd = index == 0 || index == text.count - 1
      switch text[index] {
      case UInt8(ascii: "\\"): value += [UInt8]("\\\\")
      case UInt8(ascii: " ") where isEnd: value += [UInt8]("\\s")
      default: value.append(text[index])
      }
    }
    return value
  }
}
