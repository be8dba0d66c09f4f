import Foundation
import Testing

@testable import Board
@testable import Tools

/// Boards without a screen that did not come into their network: each test names the public report
/// of it, and has what the person wrote, as it would stand in `homeward.yaml`.
@Suite struct HeadlessReportsTests {
  /// Returns the lines of the report about a file that is wrong.
  private func mistakes(_ text: String) throws -> [String] {
    let (code, lines) = try FlashedCard(text).provision()
    #expect(code == .configuration)
    let mistakes = lines.filter { $0.hasPrefix("homeward.yaml:") }
    #expect(!mistakes.joined().contains("hunter2"), "\(mistakes)")
    return mistakes
  }

  private func mistake(inSection lines: [String]) throws -> String {
    try #require(try mistakes(FlashedCard.file(lines)).first)
  }

  /// esphome/issues#81: the apostrophe of a name ended it. fritz-smh/yi-hack#126,
  /// motioneye-project/motioneyeos#1604: an editor made curved quotes. esphome/device-builder#2738:
  /// a password began with a sign of YAML. raspberrypi/documentation#1129: lines of
  /// wpa_supplicant.conf. devsumo.com, "Raspberry Pi command line WiFi configuration": a hidden
  /// network.
  @Test(arguments: [
    (["name: 'John-Arvid's'", "password: hunter22"], "4:23: the text in quotes ends before this"),
    (["name: Harbour", "password: \"hunter2\"2\""], "5:24: the text in quotes ends before this"),
    (["name: “MY SSID”", "password: hunter22"], "4:11: card.wifi.name: “ is not a quote in YAML,"),
    (["name: Harbour", "password: ″hunter22″"], "5:15: card.wifi.password: ″ is not a quote in"),
    (["name: Harbour", "password: !hunter2@555"], "5:15: card.wifi.password: tags are not"),
    (
      ["name: Harbour", "password: %hunter2@555"], "5:15: a value cannot begin with this character"
    ),
    (
      ["name: Harbour", "password: \"hunter2\\$5\""], "5:23: this is not YAML: found unknown escape"
    ),
    (
      ["name: Harbour", "password: hunter22", "scan_ssid: 1"],
      "6:5: card.wifi: this key is unknown;"
    ),
    (
      ["name: Harbour", "hidden: hunter2"], "5:13: card.wifi.hidden: this is not a yes-or-no value"
    ),
    (
      ["name:Harbour", "password:hunter22"],
      "4:5: card.wifi: keys and values are expected"
    ),
  ]) func aMistakeInANetworkHasItsPlaceAndItsRemedy(lines: [String], words: String) throws {
    let network = ["country: DE", "wifi:"] + lines.map { "  \($0)" }
    let mistake = try mistake(inSection: network)
    #expect(mistake.hasPrefix("homeward.yaml:\(words)"), "\(mistake)")
  }

  @Test(arguments: ["country=DE", "country:DE", "# Boat", "read_only: true"])
  func aLineWithoutKeyAndValueIsNamedAndNotTheOneBelow(line: String) throws {
    let isSetting = line.contains("# ") || line.contains(": ")
    let text = FlashedCard.file([line, "wifi: { name: Harbour, password: hunter22 }"])
    guard !isSetting else {
      return #expect(try FlashedCard(text).provision().code == .success)
    }
    #expect(
      try mistakes(text) == [
        "homeward.yaml:2:10: this line has no key and value; write key: value, with a colon and a"
          + " space"
      ])
  }

  /// MichaIng/DietPi#515, guysoft/FullPageOS#222: a fixed address was asked for.
  @Test(arguments: ["ip: 192.168.1.5", "static_ip: a", "dns: [1.1.1.1]", "network: { version: 2 }"])
  func aFixedAddressIsTheMatterOfTheRouter(line: String) throws {
    let remedy = "this key is unknown; the router gives the board its address: reserve one for it"
    #expect(try mistake(inSection: [line]).contains("2:3: card: \(remedy)"))
    let network = "wifi: { name: Harbour, \(line) }"
    #expect(try mistake(inSection: [network]).contains("2:26: card.wifi: \(remedy)"))
  }

  /// Each is a section in a place where YAML has another meaning for it.
  @Test(arguments: [
    ("home_assistant:\n  url: http://h\n  card:\n    token: hunter2\n", "3:3: the section card is"),
    (
      "  card:\n    country: DE\n  home_assistant:\n    url: http://h\n", "1:3: the section card is"
    ),
    (" card:\n  token: hunter2\nhome_assistant: { url: http://h }\n", "1:2: the section card is"),
    (
      "card:\n  country: DE\n  home_assistant:\n    url: http://h\n",
      "3:3: card: this key is unknown; it is no part of card: begin its line at the margin"
    ),
  ]) func aSectionInAWrongPlaceIsNamed(text: String, words: String) throws {
    let mistakes = try mistakes(text)
    #expect(mistakes.first?.hasPrefix("homeward.yaml:\(words)") == true, "\(mistakes)")
  }

  /// RPi-Distro/raspberrypi-net-mods#4, motioneye-project/motioneyeos#2629: the PC hid an ending.
  @Test(arguments: [
    "homeward.yaml.txt", "homeward.yml", "homeward.yaml.yaml", "homeward (1).yaml", "Homeward.txt",
  ]) func aFileWithAnotherNameIsNamed(name: String) throws {
    let card = try FlashedCard()
    try card.makeFolder("card/homeward")
    try card.write("", to: "card/homeward-card.txt")
    #expect(try card.provision().lines[1].hasSuffix("is missing; write one beside this report"))
    try card.write(FlashedCard.home, to: "card/\(name)")
    let (code, lines) = try card.provision()
    #expect(code == .noInput)
    #expect(lines[1].hasPrefix("homeward.yaml is missing; rename \(name), whose"), "\(lines)")
    #expect(card.text(of: "card/homeward-card.txt")?.contains("is missing") == true)
  }

  /// An editor of a Mac saves a document, whose text would be one key of YAML.
  @Test func aDocumentWithFormattingIsNamedAndNotQuoted() throws {
    let mistakes = try mistakes("{\\rtf1\\ansi card:\\par password hunter2: x\\par}")
    #expect(
      mistakes == [
        "homeward.yaml:1:1: this is a document with formatting (RTF); save it as plain text"
      ])
  }

  /// motioneye-project/motioneyeos#1037, gitbls/autoAP#8: the line ends of Windows became a part of
  /// the name. influxdata/telegraf#1378: the mark of Notepad broke the first line.
  /// flightaware/piaware#73: è became two question marks. yast/yast-network#1276: an apostrophe.
  @Test func whatWindowsAndPeopleWriteArrives() throws {
    let text = FlashedCard.file([
      "country: FR", "wifi:", "  name: Modèle", "  password: Thispassworddoesn'twork.",
    ])
    let card = try FlashedCard("\u{FEFF}" + text.replacing("\n", with: "\r\n"))
    #expect(try card.provision().code == .success)
    #expect(card.profile()?.contains("ssid=77;111;100;195;168;108;101;") == true)
    #expect(card.profile()?.contains("psk=Thispassworddoesn'twork.") == true)
  }

  /// esphome/device-builder#1099: `Home #2` became another network.
  @Test func aValueThatACommentCutsIsNoted() throws {
    let (_, lines) = try FlashedCard(card: "wifi:", "  name: Home #2").provision()
    #expect(
      lines.contains { $0.hasPrefix("homeward.yaml:3:16: this # begins a comment") }, "\(lines)")
  }
}
