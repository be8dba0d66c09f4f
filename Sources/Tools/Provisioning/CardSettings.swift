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
