import Bytes
import YAML

/// Setting of a card. What is wrong stays on the board as it is.
enum CardSetting<Value> {
  case missing, wrong
  case written(Value)
}

/// Section `card` of `homeward.yaml`.
///
/// A message about it contains no value, because a password may be in the wrong line.
struct CardSettings {
  static let keys: [StaticString] = [
    "wifi", "country", "hostname", "ssh_key", "token", "read_only",
  ]
  /// All keys in the section, and its own.
  static let words: [StaticString] = ["card"] + keys + ["name", "password", "hidden"]
  /// Value of `token` after the token was erased. After a loss of power, a part of the token may
  /// follow.
  static let erased: StaticString = "erased"
  /// Maximum number of networks, and of keys.
  static let entriesMax = 16
  static let tokenByteCountMin = 16

  /// `wifi`: the networks, the preferred one first; nil for one with a mistake.
  var networks = CardSetting<[WiFiNetwork?]>.missing
  /// `country`: two capital letters.
  var country = CardSetting<[UInt8]>.missing
  /// `hostname`: label of RFC 1123.
  var hostName = CardSetting<[UInt8]>.missing
  /// `ssh_key`: lines of `authorized_keys`.
  var keys = CardSetting<[[UInt8]]>.missing
  /// `token`: a long-lived token, or a text that begins with `erased`.
  var token = CardSetting<[UInt8]>.missing
  /// `read_only`: whether the root is sealed once the board is paired.
  var isReadOnly = CardSetting<Bool>.missing

  /// Whether the section says `read_only: false`.
  var isWritable: Bool { if case .written(false) = isReadOnly { true } else { false } }

  /// Makes networks and keys that are missing stay on the board, for a section with mistakes: they
  /// may be there, with a slip in a key, or be left out because of one.
  mutating func keepMissing() {
    if case .missing = networks { networks = .wrong }
    if case .written(let found) = networks { networks = .written(found + [nil]) }
    if case .missing = keys { keys = .wrong }
  }
}

extension SectionReader {
  fileprivate func setting<Value>(
    _ key: StaticString, _ read: (ConfigurationField) -> Value?
  ) -> CardSetting<Value> {
    guard let field = optional(key) else {
      return index(ofFirst: [key]) == nil ? .missing : .wrong
    }
    return read(field).map { .written($0) } ?? .wrong
  }

  /// Sets the remedy for the keys of a fixed address.
  fileprivate func hintAddress() {
    hint(
      "ip", "ip_address", "static_ip", "address", "addresses", "netmask", "gateway", "dns", "dhcp",
      "network",
      remedy: "the router gives the board its address: reserve one for it there")
  }
}

extension ConfigurationField {
  func card() -> CardSettings? {
    guard let keys = section(example: "card: { country: DE }") else { return nil }
    keys.show(
      only: ["name", "password", "hidden", "ssid", "psk"],
      remedy: "write \(anyOf: CardSettings.keys)")
    defer { keys.reportUnknownKeys() }
    keys.hintAddress()
    keys.hint(
      "home_assistant", "device", "location", "battery", "system", "sensors", "outputs", "power",
      "every", "notifications", remedy: "it is no part of card: begin its line at the margin")
    var settings = CardSettings()
    settings.networks = keys.setting("wifi") { $0.networks() }
    settings.country = keys.setting("country") { $0.country() }
    settings.hostName = keys.setting("hostname") { $0.hostName() }
    settings.keys = keys.setting("ssh_key") { $0.publicKeys() }
    settings.token = keys.setting("token") { $0.token() }
    settings.isReadOnly = keys.setting("read_only") { $0.boolean(isShown: false) }
    return settings
  }

  // MARK: Wi-Fi

  private func networks() -> [WiFiNetwork?] {
    let example: StaticString = "{ name: Harbour, password: \"correct horse\" }"
    guard !isMapping, !isText else { return [network(example)] }
    return items(count: 0...CardSettings.entriesMax, example: example).map { $0.network(example) }
  }

  private func network(_ example: StaticString) -> WiFiNetwork? {
    guard let keys = section(example: example) else { return nil }
    keys.show(
      only: ["ssid", "psk", "country"],
      remedy: "write name, password or hidden; a text with a comma or a colon needs quotes")
    keys.hintAddress()
    keys.hint("scan_ssid", remedy: "write hidden: true")
    let name = keys.required("name", example: "name: Harbour")?.networkName()
    let password = keys.optional("password")?.wifiPassword()
    let isHidden = keys.optional("hidden")?.boolean(isShown: false) ?? false
    keys.reportUnknownKeys()
    // Without a password that is wrong, or whose key is, the network would be an open one.
    guard !hasProblem, let name else { return nil }
    return WiFiNetwork(name: name, password: password, isHidden: isHidden)
  }

  private func networkName() -> [UInt8]? {
    guard let text = text() else { return nil }
    if WiFiNetwork.nameByteCounts.contains(text.count) { return text }
    report(
      "the name of the network has \(text.count) bytes",
      remedy: "write 1 to 32; a letter with an accent has 2")
    return nil
  }

  private func wifiPassword() -> [UInt8]? {
    guard let text = text() else { return nil }
    if text.count == 64, text.allSatisfy({ hexadecimalValue(of: $0) != nil }) { return text }
    if !text.allSatisfy({ (0x20...0x7E).contains($0) }) {
      report(
        "the password has a character that no password of Wi-Fi has",
        remedy: "write letters without accents, digits, spaces and the signs of ASCII")
    } else if !(8...63).contains(text.count) {
      report(
        "the password has \(text.count) characters",
        remedy: "write 8 to 63, or 64 hexadecimal digits; an open network has no password line")
    } else {
      return text
    }
    return nil
  }

  private func country() -> [UInt8]? {
    guard let text = text() else { return nil }
    let isCode = text.count == 2 && text.allSatisfy { $0.isLetterOrDigit && !$0.isASCIIDigit }
    let code = text.map { $0 & 0xDF }
    // The kernel has no rules for either.
    if isCode, !code.span.elementsEqual("UK"), !code.span.elementsEqual("EU") { return code }
    report(
      "this is not the code of a country",
      remedy: "write two letters, such as DE, FR, US, or GB for the United Kingdom")
    return nil
  }

  // MARK: The way in

  private func hostName() -> [UInt8]? {
    guard let text = text() else { return nil }
    let dash = UInt8(ascii: "-")
    let isLabel =
      (1...63).contains(text.count) && text.first != dash && text.last != dash
      && text.allSatisfy { $0.isLetterOrDigit || $0 == dash }
    if isLabel, !text.lowercasedASCII.span.elementsEqual("localhost") { return text }
    report(
      "this is not a host name",
      remedy: "write 1 to 63 letters without accents, digits and hyphens, such as boat; .local is"
        + " added by the network")
    return nil
  }

  /// Returns the right ones of the keys; nil if there is none.
  private func publicKeys() -> [[UInt8]]? {
    if isText { return publicKey().map { [$0] } }
    let before = problemCount
    let keys = items(count: 0...CardSettings.entriesMax, example: "ssh-ed25519 AAAA... me@pc")
      .compactMap { $0.publicKey() }
    return keys.isEmpty && problemCount > before ? nil : keys
  }

  private func publicKey() -> [UInt8]? {
    guard let text = text() else { return nil }
    let line = [UInt8](text.span.trimmed())
    if PublicKey.isPrivate(line) {
      report(
        "this is a private key, which has to stay on its PC",
        remedy: "write the line of the file that ends with .pub; and make a new pair, because this"
          + " key was on a card")
    } else if PublicKey.isWhole(line) {
      return line
    } else {
      report(
        "this is not a whole public key of SSH",
        remedy: "write the one line of the file that ends with .pub, such as ssh-ed25519 AAAA..."
          + " me@pc")
    }
    return nil
  }

  private func token() -> [UInt8]? {
    guard let text = text() else { return nil }
    let token = [UInt8](text.span.trimmed())
    if token.span.starts(with: CardSettings.erased) { return token }
    if token.count >= CardSettings.tokenByteCountMin, token.span.isVisibleASCII { return token }
    report(
      "this is not a long-lived token of Home Assistant",
      remedy: "copy it whole, in one line (in Home Assistant: your profile, Security)")
    return nil
  }
}

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

/// Check of a public key of SSH, as a line of `authorized_keys` (`sshd(8)`).
enum PublicKey {
  private static let types: [StaticString] = [
    "ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
    "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com",
  ]

  /// Whether a text is a private key, or has the beginning of one.
  static func isPrivate(_ text: [UInt8]) -> Bool {
    let marks: [StaticString] = ["PRIVATE KEY", "PuTTY-User-Key-File"]
    return marks.contains { text.span.contains($0) }
  }

  /// Whether a line has a type, and a key that is as long as its own fields say: a key that was
  /// copied in part, or broken over two lines, lets the owner not in.
  static func isWhole(_ line: [UInt8]) -> Bool {
    guard !line.hasInvisibleControl else { return false }
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count >= 2 else { return false }
    let type = [UInt8](words[0])
    guard types.contains(where: { type.span.elementsEqual($0) }) else { return false }
    var key = [UInt8](words[1])
    var bytes = key.mutableSpan
    guard let count = Base64.decode(&bytes, in: 0..<bytes.count) else { return false }
    return hasFields(key.span.extracting(..<count), first: type)
  }

  /// Whether the bytes are at least two fields, each behind its length in four bytes.
  private static func hasFields(_ bytes: Span<UInt8>, first: [UInt8]) -> Bool {
    var (place, fieldCount) = (0, 0)
    while bytes.count - place >= 4 {
      var length: UInt32 = 0
      for index in place..<place + 4 { length = length << 8 | UInt32(bytes[index]) }
      place += 4
      guard let size = Int(exactly: length), size <= bytes.count - place else { return false }
      if fieldCount == 0, !bytes.extracting(place..<place + size).elementsEqual(first.span) {
        return false
      }
      place += size
      fieldCount += 1
    }
    return place == bytes.count && fieldCount >= 2
  }
}
