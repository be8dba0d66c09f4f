import Foundation
import Testing

@testable import Board
@testable import Tools

/// Networks that did not come up on other images: each test names the report of it.
@Suite struct ProvisionedNetworksTests {
  /// The profile of the only network of a card.
  private func profile(_ wifi: String) throws -> [String] {
    let card = try FlashedCard(card: "country: DE", "wifi: \(wifi)")
    let (code, lines) = try card.provision()
    #expect(code == .success, "\(lines)")
    return try #require(card.profile())
  }

  private func bytes(_ name: String) -> String {
    "ssid=" + name.utf8.map { "\($0);" }.joined()
  }

  private func problem(_ wifi: String) throws -> String {
    let card = try FlashedCard(card: "country: DE", "wifi: \(wifi)")
    let (code, lines) = try card.provision()
    #expect(code == .configuration)
    #expect(card.profile() == nil)
    return lines[1]
  }

  @Test func aNetworkIsAProfileOfNetworkManager() throws {
    #expect(
      try profile("{ name: Harbour, password: correct horse }") == [
        "[connection]", "id=homeward-wifi-1", "type=wifi", "autoconnect-priority=15", "mdns=2",
        "[wifi]", "mode=infrastructure", "ssid=72;97;114;98;111;117;114;",
        "[wifi-security]", "key-mgmt=wpa-psk", "psk=correct horse",
        "[ipv4]", "method=auto", "[ipv6]", "method=auto",
      ])
  }

  @Test func aNetworkWithoutPasswordIsOpen() throws {
    let profile = try profile("{ name: Harbour }")
    #expect(!profile.contains("[wifi-security]"))
  }

  /// RPi-Distro/raspi-config#209, raspberrypi/rpi-imager#276: a hidden network is never found.
  @Test func aHiddenNetworkIsSearchedForByItsName() throws {
    #expect(try profile("{ name: Harbour, hidden: true }").contains("hidden=true"))
    #expect(try !profile("{ name: Harbour, hidden: no }").contains("hidden=true"))
  }

  /// raspberrypi/rpi-imager#1743: each byte of a name that is not ASCII was encoded twice.
  /// Start9Labs/start-technologies#3375: the apostrophe of a telephone was refused.
  /// raspberrypi/rpi-imager#498: one of ASCII broke the script. brickbots/PiFinder#520: names of
  /// digits, and lists in hexadecimal digits, were read as other names.
  @Test(arguments: [
    "漢字網", "Família", "⛵️", "Wang’s WiFi", "Wang's WiFi", "0x20", "1234", "61;70", "a;b=c[d]",
    "FRITZ!Box 7490", "100% Wi-Fi", "a \\ b", "\\o_example\\",
  ]) func aNameArrivesByteForByte(name: String) throws {
    let list = try profile("{ name: '\(name.replacing("'", with: "''"))' }")
    #expect(list.contains(bytes(name)), "\(list)")
  }

  /// flightaware/piaware-support#12: blanks at the ends were lost.
  @Test func blanksOfANameAndOfAPasswordStay() throws {
    let profile = try profile("{ name: ' a ', password: '  three spaces ' }")
    #expect(profile.contains("ssid=32;97;32;"))
    #expect(profile.contains("psk=\\s three spaces\\s"))
  }

  /// raspberrypi/rpi-imager#255: a shell took $T away. raspberrypi/rpi-imager#541: & became &amp;.
  /// NixOS/nixpkgs#342140: # began a comment. raspberrypi/rpi-imager#1058: a backslash began an
  /// escape, in a password as in a name.
  @Test(arguments: [
    ("A$T@Crlp[}l@", "A$T@Crlp[}l@"), ("123&4567", "123&4567"), ("12345#678", "12345#678"),
    ("1234 # 5678", "1234 # 5678"), ("back\\slash", "back\\\\slash"), ("a;b;c;d;e", "a;b;c;d;e"),
    ("\"quoted\"", "\"quoted\""), ("=[wifi]\\s", "=[wifi]\\\\s"), ("0012345678", "0012345678"),
  ]) func aPasswordArrivesAsItIs(password: String, value: String) throws {
    let lines = try profile("{ name: Harbour, password: '\(password)' }")
    #expect(lines.contains("psk=\(value)"), "\(lines)")
  }

  /// trueos/trueos-core#1498, canonical/netplan#120: a key of 64 digits was refused, or hashed.
  @Test func sixtyFourHexadecimalDigitsAreTheKeyItself() throws {
    let key = String(repeating: "0aF9", count: 16)
    #expect(try profile("{ name: Harbour, password: \(key) }").contains("psk=\(key)"))
  }

  /// A text that YAML reads as a number, or as a Norwegian's no, is what the person wrote.
  @Test func noSettingIsReadAsANumberOrAsNo() throws {
    let card = try FlashedCard(
      card: "country: NO", "hostname: 007", "wifi: { name: 2.40, password: 12345678 }")
    #expect(try card.provision().code == .success)
    #expect(card.arguments?.hasSuffix(" cfg80211.ieee80211_regdom=NO\n") == true)
    #expect(card.text(of: "root/etc/hostname") == "007\n")
    #expect(card.profile()?.contains(bytes("2.40")) == true)
    #expect(card.profile()?.contains("psk=12345678") == true)
  }

  /// raspberrypi/linux#6498: without a country Wi-Fi stays blocked, or sees fewer channels.
  @Test func aMissingCountryIsToldAndKeepsNoNetworkFromTheBoard() throws {
    let card = try FlashedCard(card: "wifi: { name: Harbour }")
    let (code, lines) = try card.provision()
    #expect(code == .success)
    #expect(lines.contains { $0.hasPrefix("card.country is missing, so the board does not see") })
    #expect(card.profile() != nil)
  }

  @Test func theFirstNetworkOfAListIsThePreferredOne() throws {
    let card = try FlashedCard(card: "wifi: [{ name: A }, { name: B }, { name: C }]")
    try card.provision()
    for (number, priority) in [(1, 15), (2, 14), (3, 13)] {
      #expect(card.profile(number)?.contains("autoconnect-priority=\(priority)") == true)
    }
    try card.write(FlashedCard.file(["wifi: [{ name: B }]"]), to: "card/homeward.yaml")
    #expect(try card.provision().lines.contains("Wi-Fi: B"))
    #expect(card.profile(1)?.contains("ssid=66;") == true)
    #expect(card.profile(2) == nil && card.profile(3) == nil)
  }

  @Test func asManyNetworksAsACardMayNameAreAllThere() throws {
    let names = (1...16).map { "{ name: N\($0) }" }.joined(separator: ", ")
    let card = try FlashedCard(card: "country: DE", "wifi: [\(names)]")
    #expect(try card.provision().code == .success)
    #expect((1...16).allSatisfy { card.profile($0) != nil })
  }

  @Test func aMistakeInOneNetworkLeavesTheOthersAndItsOwnProfile() throws {
    let card = try FlashedCard(card: "wifi: [{ name: A }, { name: B }, { name: C }]")
    try card.provision()
    let second = card.profile(2)
    try card.write(
      FlashedCard.file(["wifi: [{ name: D }, { name: E, password: x }]"]),
      to: "card/homeward.yaml")
    #expect(try card.provision().code == .configuration)
    #expect(card.profile(1)?.contains("ssid=68;") == true)
    #expect(card.profile(2) == second)
    #expect(card.profile(3) != nil)
  }

  /// balena-io-modules/network-manager#111: what is no password of WPA failed on the board only.
  @Test(arguments: [
    ("{ name: A, password: short12 }", "30: card.wifi.password: the password has 7 characters;"),
    ("{ name: A, password: '' }", "30: card.wifi.password: the password has 0 characters; write"),
    ("{ name: A, password: }", "30: card.wifi.password: there is no value; write one, or remove"),
    (
      "{ name: A, password: \(String(repeating: "g", count: 64)) }",
      "30: card.wifi.password: the password has 64 characters; write 8 to 63, or 64 hexadecimal"
    ),
    ("{ name: A, password: Grüße123 }", "30: card.wifi.password: the password has a character"),
    ("{ name: A, password: “12345678” }", "30: card.wifi.password: “ is not a quote in YAML,"),
    ("{ name: A, password: \"1234567\\t\" }", "30: card.wifi.password: the password has a"),
    ("{ password: 12345678 }", "9: card.wifi: the key \"name\" is missing; write for example"),
    ("{ name: '', password: 12345678 }", "17: card.wifi.name: the name of the network has 0"),
    (
      "{ name: \(String(repeating: "ü", count: 17)) }",
      "17: card.wifi.name: the name of the network has 34 bytes; write 1 to 32; a letter with"
    ),
    (
      "Harbour",
      "9: card.wifi: keys and values are expected here; write for example { name: Harbour,"
    ),
    ("{ ssid: A }", "9: card.wifi: the key \"name\" is missing"),
  ]) func aMistakeInANetworkHasItsPlace(wifi: String, words: String) throws {
    let problem = try problem(wifi)
    #expect(problem.hasPrefix("homeward.yaml:3:\(words)"), "\(problem)")
  }

  /// What YAML leaves out is not missing: the network would be an open one.
  @Test(arguments: [
    "password: “12345678”", "“password”: 12345678", "!x password: 12345678", "*password : 12345678",
    "passwort: 12345678", "password: &a 12345678", "password: !x 12345678", "[password]: 12345678",
  ]) func aNetworkWhosePasswordIsWrongIsNoOpenOne(password: String) throws {
    _ = try problem("{ name: Harbour, \(password) }")
    _ = try problem("[{ name: Harbour, \(password) }]")
  }

  @Test func anItemThatIsNoNetworkRemovesNone() throws {
    let card = try FlashedCard(card: "wifi: [{ name: A }, { name: B }]")
    try card.provision()
    try card.write(FlashedCard.file(["wifi: [{ name: A }, *b]"]), to: "card/homeward.yaml")
    #expect(try card.provision().code == .configuration)
    #expect(card.profile(2)?.contains("ssid=66;") == true)
  }

  /// What a password without quotes becomes in YAML is no message of its own.
  @Test(arguments: [
    "abc,hunter2", "abc, hunter2", "hunter2: hunter2", "!hunter2", "&hunter2", "*hunter2",
    "[hunter2", "{hunter2", "\"hunter2", "'hunter2", "%hunter2", "@hunter2", "`hunter2",
    "|hunter2", ">hunter2", "? hunter2", "hunter2 # 34", "“hunter2”", "hunter2\"", "- hunter2",
    "\"\\hunter2\"", "hunter2}hunter2", "hunter2]", "!!hunter2 x", "<<hunter2>>", ", hunter2",
  ]) func aPasswordIsNeverShown(password: String) throws {
    for line in [
      "wifi: { name: A, password: \(password) }", "wifi: [{ name: A, password: \(password) }]",
      "wifi: \(password)", "country: \(password)", "ssh_key: \(password)", "token: \(password)",
      "hostname: \"\(password)\"",
    ] {
      let card = try FlashedCard(card: line)
      let (_, lines) = try card.provision()
      let hostName = lines.filter { !$0.hasPrefix("Host name: ") }
      #expect(!hostName.joined().contains("hunter2"), "\(line): \(lines)")
    }
    let block = try FlashedCard(card: "wifi:", "  name: A", "  password: \(password)")
    #expect(try !block.provision().lines.joined().contains("hunter2"))
  }
}
