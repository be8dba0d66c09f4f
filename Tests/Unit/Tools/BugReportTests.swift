import Bytes
import Foundation
import LinuxIO
import Testing
import YAML

@testable import Board
@testable import Tools

/// What `homeward check --report` writes for strangers.
@Suite struct BugReportTests {
  private let board = FakeBoard()

  /// The report of a board whose root, kernel and configuration are in one folder.
  private func report(of configuration: String?) throws -> String {
    if let configuration { try board.write(configuration, to: "homeward.yaml") }
    let checkup = try Checkup(configuration: board.path("homeward.yaml").bytes, isShown: false)
    _ = try checkup.run()
    return text(BugReport(of: checkup, for: .seconds(3), root: board.root).text)
  }

  /// A configuration in which each value that a person chose is a secret.
  private var secretive: String {
    """
    # Written by Annegret
    every: 10s
    state_directory: \(board.folder.path)/state
    home_assistant:
      url: https://127.0.0.1:9/hidden/path
      home_network:
        ssids: ["Harbour Café", "Berth 12"]
        bssids: [b8:27:eb:12:34:56]
        url: http://cabin-of-ole.example.org:8123/x
      token_file: \(board.folder.path)/token
      tls: { public_key: "sha256//AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefg=" }
    push: { relay: https://push.example.net/p/webhook9, token_file: /etc/tok }
    device: { name: Annegrets Boot }
    host: { sys: \(board.folder.path)/sys }
    battery: off
    system: off
    sensors:
      - { file: \(board.folder.path)/place, name: Liegeplatz }
      - { file: \(board.folder.path)/house, name: Haus, pattern: "lat *" }
      - { one_wire: 28-0316a2796cff, name: Kajüte Jörn }
      - { one_wire: 28-0316a2796c00, name: "The saloon of Annegret and Jörn on the old Trijntje" }
      - { gpio: GPIO17, name: Bilge Jörn, debounce: 50ms, icon: mdi:secret-icon }

    """
  }

  private static let secrets = [
    "Annegret", "cabin-of-ole", "hidden/path", "Harbour", "Caf", "Berth", "27:eb",
    "AbCdEf", "push.example", "webhook9", "Boot", "52.93", "5.0324", "Liegeplatz",
    "Haus", "Kaj", "Jörn", "saloon", "Trijntje", "Bilge", "secret-icon", "6cff", "6c00", "/tok",
    "eyJ", "feedc0de", "cafebabe", "10000000abcdef12", "deadbeef00112233",
  ]

  private func addBoard() throws {
    try board.write("21312\n", to: "sys/bus/w1/devices/28-0316a2796cff/temperature")
    try board.write("52.9342083\n", to: "place")
    try board.write("lat 5.0324 E, Annegret\n", to: "house")
    try board.write("eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhYmMifQ.AbC", to: "token")
    try board.write(#"{"webhook_id":"feedc0decafebabe"}"#, to: "state/registration.json")
    for folder in ["sys/firmware/devicetree/base", "proc/device-tree"] {
      try board.write("Raspberry Pi Zero 2 W Rev 1.0\0", to: "\(folder)/model")
      try board.write("10000000abcdef12\0", to: "\(folder)/serial-number")
    }
    try board.write("deadbeef001122334455667788990011\n", to: "etc/machine-id")
    try board.write("6.12.47+rpt-rpi-v8\n", to: "proc/sys/kernel/osrelease")
    try board.write(
      "NAME=\"x\"\nPRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\n", to: "etc/os-release")
    try board.write(
      "console=serial0,115200 smsc95xx.macaddr=b8:27:eb:12:34:56 console=tty1\n",
      to: "proc/cmdline")
    try board.write(
      "# dtoverlay=off\ndtoverlay=w1-gpio\nforce_mac=b8:27:eb:12:34:56\r\n[pi4]\r\n",
      to: "boot/firmware/config.txt")
    try board.write("w1_gpio 16384 0 - Live\nw1_therm 24576 0 - Live\n", to: "proc/modules")
    try board.write(
      "Package: gpsd-tools\nVersion: 1\n\nPackage: gpsd\nStatus: ok\nVersion: 3.25-5\n",
      to: "var/lib/dpkg/status")
    try board.write("Name:\tx\nUid:\t0\t1\nGroups:\t20 44 \n", to: "proc/self/status")
    try board.write("", to: "dev/gpiochip0")
  }

  @Test func noSecretNameOrPositionOfTheConfigurationIsInIt() throws {
    try addBoard()
    let report = try report(of: secretive)
    for secret in Self.secrets { #expect(!report.contains(secret), "\(secret) in\n\(report)") }
  }

  @Test func whatMaintainersAskForIsInIt() throws {
    try addBoard()
    let report = try report(of: secretive)
    for fact in [
      "homeward report: read it", "homeward: \(homewardVersion)",
      "board: Raspberry Pi Zero 2 W Rev 1.0\n", "kernel: 6.12.47+rpt-rpi-v8\n",
      "system: PRETTY_NAME=Debian GNU/Linux 13 (trixie)\n", "packages: gpsd 3.25-5",
      "boot: console=serial0,115200; console=tty1\n", "firmware: dtoverlay=w1-gpio; [pi4]",
      "modules: w1_gpio w1_therm", "this command: Uid: 0 1; Groups: 20 44", "the clock is",
      "== check, in 3 s ==", "registration",
      " 21.3 °C\n", "GPIO17", "dev/gpiochip0", "every: 10s", "debounce: 50ms",
      "url: https://<hidden", ":9\n", ":8123\n", "one_wire: 28-<hidden",
    ] {
      #expect(report.contains(fact), "\(fact) in\n\(report)")
    }
  }

  /// A reader sees which entry of the configuration a finding is about.
  @Test func theSameNameHasTheSameNumberEverywhere() throws {
    try addBoard()
    let report = try report(of: secretive)
    let finding = try #require(report.firstMatch(of: /28-(<.*>): (<.*>) 21\.3 °C/))
    let entry = try #require(report.firstMatch(of: /one_wire: 28-(<.*>)\n.*name: (<.*>)\n/))
    #expect(finding.1 == entry.1 && finding.2 == entry.2, "\(report)")
  }

  @Test func aReportIsRecognizedWhateverTheBoardIsCalled() throws {
    let report = try report(
      of: secretive.replacing("name: Annegrets Boot", with: "name: Homeward report"))
    #expect(report.hasPrefix("\(BugReport.title)"), "\(report)")
    #expect(report.contains("name: <hidden"))
  }

  @Test func aBoardWithoutAConfigurationHasAReport() throws {
    try board.write("Raspberry Pi 5\0", to: "sys/firmware/devicetree/base/model")
    let report = try report(of: nil)
    #expect(report.contains("board: Raspberry Pi 5\n"))
    #expect(report.contains("WRONG  configuration"), "\(report)")
    #expect(report.hasSuffix("== configuration ==\nnone, or it is not YAML and was left out\n"))
  }

  @Test(arguments: [
    "device: { name: \"Annegrets Boot }\nsecret: eyJhbGciOiJIUzI1NiJ9", "Annegrets Boot",
    "every: Annegrets\nBoot: \"Annegret\"\nsensors: [{ Annegret: x, name: Boot }]\n",
    "home_assistant: { url: \"http://Annegret:Boot@h\", encryption: Annegret }\n",
  ])
  func aWrongConfigurationIsNotQuoted(_ configuration: String) throws {
    let report = try report(of: configuration)
    for secret in ["Annegret", "Boot", "eyJ"] {
      #expect(!report.lowercased().contains(secret.lowercased()), "\(report)")
    }
    #expect(report.contains("WRONG  configuration"))
  }

  /// Such as a token in the place of a number.
  @Test func aValueLongerThanAnyOfOursIsHidden() throws {
    let (usual, long) = (String(repeating: "1", count: 120), String(repeating: "2", count: 121))
    let outline = ConfigurationOutline.text(
      of: [UInt8]("every: \(usual)\nurl: \(long)\n".utf8), isKnown: { _ in true },
      isShown: { _ in true }, hide: { _ in [UInt8]("hidden".utf8) })
    #expect(try text(#require(outline)) == "1: every: \(usual)\n2: url: hidden\n")
  }

  /// A text with a comma and without quotes ends there.
  @Test(arguments: [
    "device: { name: anna, bertha }\nhome_assistant: { url: http://h }\n",
    "card:\n  wifi: { name: anna, password: horse,bertha }\nhome_assistant: { url: http://h }\n",
  ]) func aWordInThePlaceOfAKeyIsHidden(_ configuration: String) throws {
    let report = try report(of: configuration)
    for secret in ["anna", "bertha", "horse"] { #expect(!report.contains(secret), "\(report)") }
    #expect(report.contains("home_assistant:\n"), "\(report)")
    #expect(report.contains("  url: "), "\(report)")
  }

  // MARK: The file

  private var path: Path { board.path("report.txt") }
  private var ours: [UInt8] { [UInt8](BugReport.title) + [UInt8](": one\n".utf8) }

  @Test func onlyItsOwnerCanReadTheFileAndAnEarlierReportIsReplaced() throws {
    try board.write("", to: "other")
    try ReportFile(at: path).write(ours)
    #expect(try board.mode(of: "report.txt") == 0o600)
    try board.setMode(0o644, of: "report.txt")
    try ReportFile(at: path).write(ours + ours)
    #expect(try board.mode(of: "report.txt") == 0o600)
    #expect(board.text(of: "report.txt") == text(ours + ours))
  }

  private func refusal(at path: Path) -> String {
    do throws(CommandFailure) {
      _ = try ReportFile(at: path)
      return "none"
    } catch {
      #expect(error.code == .cannotCreate)
      return text(error.text.bytes)
    }
  }

  @Test func anotherFileIsNotReplaced() throws {
    try board.write("letters of Annegret", to: "report.txt")
    #expect(refusal(at: path).contains("already exists, and is not a report of homeward"))
    #expect(refusal(at: board.root).contains("cannot be written"))
    #expect(refusal(at: path / "x").contains("cannot be written"))
  }

  @Test func theReportIsNotWrittenThroughALink() throws {
    try board.write(ours, to: "target")
    let (place, target) = (board.url("report.txt"), board.url("target"))
    try FileManager.default.createSymbolicLink(at: place, withDestinationURL: target)
    #expect(refusal(at: path).contains("is a link"))
    // One that is made while the check runs is replaced, and its target is left alone.
    try board.remove("report.txt")
    let file = try ReportFile(at: path)
    try FileManager.default.createSymbolicLink(at: place, withDestinationURL: target)
    try file.write(ours + ours)
    #expect(board.text(of: "target") == text(ours))
    #expect(board.text(of: "report.txt") == text(ours + ours))
  }
}

/// What of a text strangers may read.
@Suite struct RedactionTests {
  private func shown(_ line: String, hiding words: [String] = [], isForeign: Bool = true) -> String
  {
    let redaction = Redaction()
    for word in words { redaction.hide([UInt8](word.utf8)) }
    return text(redaction.redact([UInt8](line.utf8), isForeign: isForeign))
  }

  @Test(arguments: [
    ("at http://ole.example.org:8123/api/x?y=z.", "at http://<hidden 1>:8123."),
    ("at https://me:pw@ole.lan/x, later", "at https://<hidden 1>, later"),
    ("at http://ole.lan:anna/x", "at http://<hidden 1>"),
    ("at http://ole.lan:1234567/x", "at http://<hidden 1>"),
    ("at http://ole.lan:65535/x", "at http://<hidden 1>:65535"),
    ("10.1.2.3:80 and 10.1.2.3", "<hidden 1>:80 and <hidden 1>"),
    ("fe80::ba27:ebff:fe12:3456", "<hidden 1>"),
    ("gateway B8:27:EB:12:34:56.", "gateway <hidden 1>."),
    ("550e8400-e29b-41d4-a716-446655440000", "<hidden 1>"),
    ("enxb827eb123456: up", "<hidden 1>: up"),
    ("at 52.9342083, -5.034", "at <hidden 1>, -<hidden 2>"),
    ("$GPGGA,123519,4807.038,N,01131.000,E", "<hidden 1>"),
    ("x reports \"An\"na\", which is", "x reports \"…\", which is"),
    ("x reports \"An\nb", "x reports \"…\"\nb"),
    ("/home/anna/a.yaml:3:5: bad", "/home/<hidden 1>:3:5: bad"),
    ("/dev/serial/by-id/usb-A_B_C1-if00", "/dev/serial/by-id/<hidden 1>"),
    ("token abcdefgh12345678", "token <hidden 1>"), ("serial HQ2132ABCDE", "serial <hidden 1>"),
    ("token kqzwvuxythgmnop1", "token <hidden 1>"), ("chip abcdefabcde1", "chip <hidden 1>"),
  ])
  func whatIdentifiesIsReplaced(line: String, shown: String) {
    #expect(self.shown(line) == shown)
  }

  @Test(arguments: [
    "6.12.47+rpt-rpi-v8 and 5.10.103-v7l+, homeward 0.1.0", "2026-11-28 01:18:39+01:00",
    "gpsd at 127.0.0.1:2947", "brcmfmac snd_soc_hdmi_codec vc4", "12.85 V, 3 d 4 h, 100 %",
    "/dev/ttyUSB0 /etc/homeward/homeward.yaml:3:5:",
    "ends with $ and ::1 and a \u{201C}word\u{201D}",
  ])
  func whatTellsOfTheBoardStays(line: String) { #expect(shown(line) == line) }

  @Test func aHiddenWordIsFoundInEitherCaseButNotInsideAnother() {
    #expect(
      shown("Ole: OLE's role, Ole Bo, ole", hiding: ["Ole", "Ole Bo"])
        == "<hidden 1>: <hidden 1>'s role, <hidden 2>, <hidden 1>")
    #expect(shown("1 of 12 is on", hiding: ["1", "12", "on"]) == "1 of 12 is on")
  }

  @Test func calibrationsStayInTheConfiguration() {
    #expect(shown("per_pulse: 0.2794", isForeign: false) == "per_pulse: 0.2794")
  }
}
