import Bytes
import Foundation
import Testing

@testable import Board
@testable import Tools

/// What a board becomes of the file on its card.
@Suite struct ProvisioningTests {
  /// A key of a type with these bytes behind the type.
  static func key(_ type: String = "ssh-ed25519", byteCount: Int = 32) -> String {
    var bytes: [UInt8] = []
    for field in [[UInt8](type.utf8), [UInt8](repeating: 7, count: byteCount)] {
      bytes += [0, 0, UInt8(field.count >> 8), UInt8(field.count & 0xFF)] + field
    }
    return "\(type) \(Data(bytes).base64EncodedString()) me@pc"
  }

  static var whole: [String] {
    [
      "country: de", "wifi: { name: Harbour, password: \"correct horse\" }", "hostname: boat",
      "ssh_key: \(key())", "token: \(FlashedCard.token)",
    ]
  }

  private func card(_ lines: [String]) throws -> FlashedCard {
    try FlashedCard(FlashedCard.file(lines))
  }

  @Test func theFileOfTheCardSetsUpTheBoard() throws {
    let card = try card(Self.whole)
    try card.write("127.0.0.1\tlocalhost\n127.0.1.1\tdebian\n::1\tip6\n", to: "root/etc/hosts")
    let (code, lines) = try card.provision()
    #expect(code == .success)
    #expect(
      lines == [
        "homeward.yaml is right.", "Keys of SSH for root: 1", "Host name: boat", "Wi-Fi: Harbour",
        "Country: DE", "Read-only root: when the board is paired",
        "Token: it is erased from this card when the board is paired",
      ])
    #expect(card.text(of: "root/etc/hostname") == "boat\n")
    #expect(
      card.text(of: "root/etc/hosts") == "127.0.0.1\tlocalhost\n127.0.1.1\tboat\n::1\tip6\n")
    #expect(
      card.text(of: "root/root/.ssh/authorized_keys2")?.split(separator: "\n").last
        == Self.key()[...])
    #expect(card.text(of: "\(card.state)/token") == FlashedCard.token + "\n")
    #expect(
      card.arguments
        == "console=tty1 root=LABEL=root rw rootwait cfg80211.ieee80211_regdom=DE\n")
    #expect(
      card.text(of: "root/etc/homeward/homeward.yaml")
        == String(repeating: "\n", count: 6) + FlashedCard.home)
  }

  @Test func secretsAreForTheirOwnerAndTheRestForTheAgentToo() throws {
    let card = try card(Self.whole)
    try card.provision()
    #expect(
      try card.mode(
        of: "root/etc/NetworkManager/system-connections/homeward-wifi-1.nmconnection") == 0o600)
    #expect(try card.mode(of: "\(card.state)/token") == 0o600)
    #expect(try card.mode(of: card.state) == 0o700)
    #expect(try card.mode(of: "root/root/.ssh") == 0o700)
    #expect(try card.mode(of: "root/root/.ssh/authorized_keys2") == 0o600)
    for name in ["hostname", "hosts", "homeward/homeward.yaml"] {
      #expect(try card.mode(of: "root/etc/\(name)") == 0o644)
    }
    for folder in ["etc/NetworkManager/system-connections", "var/lib"] {
      #expect(try card.mode(of: "root/\(folder)") == 0o755)
    }
  }

  /// Each write wears the card.
  @Test(arguments: [false, true]) func aSecondStartWritesNothing(isWrong: Bool) throws {
    let wrong = ["country: DEU", "hostname: \"a b\"", "wifi: [{ name: A }, { name: B, psk: c }]"]
    let card = try card(isWrong ? wrong : Self.whole)
    try card.provision()
    let versions = try card.versions()
    try card.provision()
    #expect(try card.versions() == versions)
    #expect(versions["card/homeward-card.txt"] != nil)
  }

  @Test func theReportHasTheLineEndsOfNotepadAndNoSecret() throws {
    let card = try card(Self.whole + ["colour: red"])
    let (_, lines) = try card.provision()
    let report = try #require(card.text(of: "card/homeward-card.txt"))
    #expect(report.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init) == lines)
    #expect(!report.replacing("\r\n", with: "").contains { $0.isNewline })
    for secret in ["correct", "horse", "eyJ", "s3cr3t", "AAAA"] {
      #expect(!report.contains(secret))
    }
  }

  // MARK: Mistakes

  @Test(arguments: [
    ("country: DEU", "2:12: card.country: this is not the code of a country; write two letters"),
    ("country: UK", "2:12: card.country: this is not the code of a country; write two letters"),
    ("country: EU", "2:12: card.country: this is not the code of a country; write two letters"),
    ("hostname: my boat", "2:13: card.hostname: this is not a host name; write 1 to 63 letters"),
    ("hostname: -boat", "2:13: card.hostname: this is not a host name; write"),
    ("hostname: böat", "2:13: card.hostname: this is not a host name; write"),
    ("hostname: boat.local", "2:13: card.hostname: this is not a host name; write"),
    ("hostname: Localhost", "2:13: card.hostname: this is not a host name; write"),
    ("hostname: \(String(repeating: "a", count: 64))", "2:13: card.hostname: this is not a"),
    // A password may stand in the wrong line.
    ("read_only: s3cr3t", "2:14: card.read_only: this is not a yes-or-no value; write true"),
    (
      "wifi: [{ name: A, hidden: s3cr3t }]",
      "2:29: card.wifi[0].hidden: this is not a yes-or-no value; write true"
    ),
    ("token: abc", "2:10: card.token: this is not a long-lived token of Home Assistant; copy it"),
    ("token: eyJ0 eyJ1 eyJ2 eyJ3", "2:10: card.token: this is not a long-lived token of Home"),
    ("token:", "2:9: card.token: there is no value; write one, or remove the line"),
    ("ssh_key: ssh-ed25519", "2:12: card.ssh_key: this is not a whole public key of SSH; write"),
    ("ssh_key: [\(key()), x]", "2:101: card.ssh_key[1]: this is not a whole public key of SSH"),
    ("wfi: []", "2:3: card: this key is unknown; did you mean \"wifi\"?"),
    ("country: ‘DE’", "2:12: card.country: ‘ is not a quote in YAML, but a part of the text;"),
    ("\tcountry: DE", "2:3: the line is indented with a tab; use spaces"),
  ]) func aMistakeHasItsLineAndItsRemedy(line: String, words: String) throws {
    let card = try card([line])
    let (code, lines) = try card.provision()
    #expect(code == .configuration)
    #expect(lines[0].hasPrefix("homeward.yaml has mistakes."))
    #expect(lines[1].hasPrefix("homeward.yaml:\(words)"), "\(lines)")
    #expect(
      card.text(of: "root/etc/homeward/homeward.yaml")?.hasSuffix(FlashedCard.home) == true,
      "the rest is right, and is applied")
  }

  /// A person gets in to repair the rest.
  @Test func aMistakeElsewhereKeepsNoNetworkAndNoKeyFromTheBoard() throws {
    let card = try FlashedCard(
      FlashedCard.file(Self.whole) + "sensors: [{ gpio: GPIO17, nam: Bilge }\n  \"")
    let (code, lines) = try card.provision()
    #expect(code == .configuration)
    #expect(lines[1].hasPrefix("homeward.yaml:9:3: a text in quotes begins here"), "\(lines)")
    #expect(card.profile() != nil)
    #expect(card.text(of: "root/root/.ssh/authorized_keys2") != nil)
    #expect(card.text(of: "root/etc/hostname") == "boat\n")
    #expect(card.text(of: "root/etc/homeward/homeward.yaml") == nil)
  }

  @Test func whatIsWrongStaysAsItWas() throws {
    let card = try card(Self.whole)
    try card.provision()
    let (profile, arguments) = (card.profile(), card.arguments)
    let configuration = card.text(of: "root/etc/homeward/homeward.yaml")
    try card.write(
      "card:\n  country: X\n  hostname: -x\n  wifi: { name: Harbour, password: short }\n"
        + "  ssh_key: x\n  token: y\nhome_assistant: { url: ftp://x }\n", to: "card/homeward.yaml")
    let (code, lines) = try card.provision()
    #expect(code == .configuration)
    #expect(lines.count { $0.hasPrefix("homeward.yaml:") } == 6, "\(lines)")
    #expect(card.profile() == profile && card.arguments == arguments)
    #expect(card.text(of: "root/etc/homeward/homeward.yaml") == configuration)
    #expect(card.text(of: "root/etc/hostname") == "boat\n")
    #expect(card.text(of: "root/root/.ssh/authorized_keys2")?.contains(Self.key()) == true)
    #expect(card.text(of: "\(card.state)/token") == FlashedCard.token + "\n")
  }

  /// It may be there, with a slip in its key.
  @Test func whatIsMissingStaysWhileTheSectionHasAMistake() throws {
    let card = try card(Self.whole)
    try card.provision()
    for text in ["card:\n  wfi: []\n", "card:\n  country: DE\nwifi: []\n", "card: [\n"] {
      try card.write(text + FlashedCard.home, to: "card/homeward.yaml")
      #expect(try card.provision().code == .configuration)
      #expect(card.profile() != nil, "\(text)")
      #expect(card.text(of: "root/root/.ssh/authorized_keys2") != nil, "\(text)")
    }
  }

  @Test func whatWentOutOfTheSectionIsRemoved() throws {
    let card = try card(Self.whole)
    try card.provision()
    try card.write(FlashedCard.file(["hostname: boat"]), to: "card/homeward.yaml")
    #expect(try card.provision().code == .success)
    #expect(card.profile() == nil)
    #expect(card.text(of: "root/root/.ssh/authorized_keys2") == nil)
  }

  @Test func withoutTheSectionNothingOfItChanges() throws {
    let card = try card(Self.whole)
    try card.provision()
    try card.write(FlashedCard.home, to: "card/homeward.yaml")
    #expect(try card.provision().code == .success)
    #expect(card.profile() != nil)
    #expect(card.text(of: "root/root/.ssh/authorized_keys2") != nil)
  }

  @Test(arguments: [["hostname: boat"], ["ssh_key: \(ProvisioningTests.key("ssh-rsa"))"]])
  func keysOfAnotherHandStay(lines: [String]) throws {
    let card = try card(lines)
    try card.write("\(Self.key())\n", to: "root/root/.ssh/authorized_keys")
    #expect(try card.provision().code == .success)
    #expect(card.text(of: "root/root/.ssh/authorized_keys") == "\(Self.key())\n")
  }

  /// A sealed root begins each start as it was sealed, whatever was changed since.
  @Test func theReportSaysWhatAWrongSettingIsOnASealedRoot() throws {
    let card = try card(["country: X"])
    #expect(try card.provision().lines[0].hasSuffix("What is wrong was not changed on the board."))
    try card.seal()
    #expect(
      try card.provision().lines[0].hasSuffix(
        "What is wrong is as it was when the root became read-only."))
  }

  /// One of them may have the password.
  @Test func whatALossOfPowerLeftIsRemovedAndNoFileOfAnother() throws {
    let card = try FlashedCard(card: "country: X")
    let (networks, keys) = ("root/etc/NetworkManager/system-connections", "root/root/.ssh")
    let ours = [
      "\(networks)/homeward-wifi-16.nmconnection.new7", "\(keys)/authorized_keys2.new12",
      "root/etc/hosts.new1", "card/cmdline.txt.new345", "card/homeward-card.txt.new345",
    ]
    let others = [
      "\(networks)/mine.nmconnection.new7", "\(keys)/authorized_keys.new12", "root/etc/hosts.new",
      "root/etc/hosts.new1a", "card/config.txt.new3",
    ]
    for name in ours + others { try card.write("correct horse", to: name) }
    try card.provision()
    for name in ours { #expect(card.text(of: name) == nil, "\(name)") }
    for name in others { #expect(card.text(of: name) != nil, "\(name)") }
  }

  @Test(arguments: [
    "\"-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1rZXk\"", "'PuTTY-User-Key-File-3: b3Blbn'",
    "|\n    -----BEGIN OPENSSH PRIVATE KEY-----\n    b3BlbnNzaC1rZXk\n",
  ]) func aPrivateKeyIsRefusedAndNeverShown(text: String) throws {
    let card = try card(["ssh_key: \(text)"])
    let (code, lines) = try card.provision()
    #expect(code == .configuration)
    #expect(
      lines[1].hasPrefix("homeward.yaml:2:12: card.ssh_key: this is a private key, which has to"))
    #expect(!lines.joined().contains("b3Blbn"))
    #expect(card.text(of: "root/root/.ssh/authorized_keys2") == nil)
  }

  @Test(arguments: [
    ProvisioningTests.key(), ProvisioningTests.key("ssh-rsa", byteCount: 400),
    ProvisioningTests.key("sk-ssh-ed25519@openssh.com"),
  ]) func aPublicKeyIsTakenWhole(key: String) throws {
    #expect(PublicKey.isWhole([UInt8](key.utf8)))
    let words = key.split(separator: " ")
    let cut = "\(words[0]) \(words[1].dropLast(4)) me@pc"
    let broken = "\(words[0]) \(words[1].prefix(40)) \(words[1].dropFirst(40)) me@pc"
    let other = "ssh-dss \(words[1])"
    for text in [cut, broken, other, "\(key)\n\(key)"] {
      #expect(!PublicKey.isWhole([UInt8](text.utf8)), "\(text)")
    }
  }

  // MARK: Files that cannot be read or written

  @Test(arguments: [
    ("", "1:1: the file has no settings; write at least home_assistant: {"),
    ("# only a comment\r\n", "1:1: the file has no settings; write at least home_assistant: {"),
    (String(repeating: "#\n", count: 40_000), "1:1: this is larger than 64 KiB; is it the right"),
    ("card:\n  country: DE\n", "1:1: the key \"home_assistant\" is missing; write for example"),
    ("card:\n", "1:6: card: there is no value; write one, or remove the line"),
    ("card:\nwifi: []\n", "2:1: \"wifi\" belongs to card; indent it by two spaces"),
    (
      "{ card: { country: DE }, home_assistant: { url: http://h } }",
      "1:3: unknown key \"card\"; only homeward provision reads it, in homeward.yaml of a card"
    ),
    (
      "home_assistant: { url: http://h, token: eyJ0 }",
      "1:34: home_assistant: unknown key \"token\"; put the token into a separate file and name that"
    ),
    ("Card:\n  country: DE\n", "1:1: this key is unknown; did you mean \"card\"?"),
  ]) func aFileThatIsNoSetUpIsToldWhy(text: String, words: String) throws {
    let card = try FlashedCard(text)
    let (code, lines) = try card.provision()
    #expect(code == .configuration)
    #expect(lines.contains { $0.hasPrefix("homeward.yaml:\(words)") }, "\(lines)")
  }

  @Test func whatCannotBeWrittenKeepsNothingElseFromTheBoard() throws {
    let card = try card(Self.whole)
    // A directory in the place of a file cannot be replaced, by root neither.
    for name in [
      "card/homeward-card.txt", "root/etc/hostname", "\(card.state)/token",
      "root/etc/homeward/homeward.yaml",
    ] {
      try card.makeFolder(name)
    }
    let (code, lines) = try card.provision()
    #expect(code == .inputOutput)
    #expect(lines[0] == "homeward.yaml is right.")
    for file in [
      "/etc/hostname", "/var/lib/homeward/token", "/etc/homeward/homeward.yaml",
      "homeward-card.txt on the card",
    ] {
      #expect(lines.count { $0.hasPrefix("\(file) cannot be written: ") } == 1, "\(lines)")
    }
    #expect(card.profile() != nil)
    #expect(card.text(of: "root/etc/hosts")?.contains("boat") == true)
  }

  @Test func aFolderThatDoesNotExistIsAFailureOfTheCommand() throws {
    let card = try FlashedCard()
    try card.remove("card")
    #expect(throws: CommandFailure.self) { _ = try card.provision() }
  }

  /// An image could have one that leads out of it.
  @Test func noLinkOfAnImageIsFollowed() throws {
    let card = try card(Self.whole)
    try card.makeFolder("outside")
    for name in ["root/etc/homeward", "root/etc/NetworkManager", "root/root/.ssh"] {
      try FileManager.default.createSymbolicLink(
        at: card.url(name), withDestinationURL: card.url("outside"))
    }
    #expect(try card.provision().code == .inputOutput)
    #expect(try FileManager.default.contentsOfDirectory(atPath: card.url("outside").path) == [])
  }

  @Test(arguments: [
    ("", "127.0.1.1\tboat\n"), ("127.0.0.1 localhost", "127.0.0.1 localhost\n127.0.1.1\tboat\n"),
    (" 127.0.1.1 a b\n127.0.1.10 c\n", "127.0.1.1\tboat\n127.0.1.10 c\n"),
    ("# 127.0.1.1 a\n", "# 127.0.1.1 a\n127.0.1.1\tboat\n"),
    ("::1 a\n\n127.0.1.1\n127.0.1.1 b\n", "::1 a\n\n127.0.1.1\tboat\n127.0.1.1 b\n"),
  ]) func theNameIsInTheLineThatDebianHasForIt(text: String, expected: String) {
    let hosts = Provisioner.hosts([UInt8](text.utf8), naming: [UInt8]("boat".utf8))
    #expect(String(decoding: hosts, as: UTF8.self) == expected)
  }

  // MARK: The file that people edit

  private static let template = "deploy/card/homeward.yaml"

  /// What has to be filled in is empty, and the report names each line of it, and nothing else.
  @Test func theTemplateOfTheCardIsRightButForWhatIsToBeFilledIn() throws {
    let text = try readFile(Self.template)
    let (code, lines) = try FlashedCard(text).provision()
    #expect(code == .configuration)
    let mistakes = lines.filter { $0.hasPrefix("homeward.yaml:") }
    let keys = ["card.country", "card.wifi.name", "card.wifi.password", "card.token"]
    #expect(mistakes.count == keys.count, "\(lines)")
    for key in keys {
      #expect(mistakes.contains { $0.contains(": \(key): there is no value; write one") }, "\(key)")
    }
    var filled = text
    for (key, value) in [
      ("country", "DE"), ("name", "Harbour"), ("password", "correct horse"),
      ("token", FlashedCard.token),
    ] {
      filled = filled.replacing("  \(key):", with: "  \(key): \(value)")
    }
    #expect(try FlashedCard(filled).provision().code == .success, "\(filled)")
    // What is commented out is right, too.
    let examples = filled.split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in
        let isProse = line.hasPrefix("# ") && !line.hasPrefix("#  ")
        return line.hasPrefix("#") && !isProse ? line.dropFirst() : line
      }
      .joined(separator: "\n").replacing("AAAA... me@pc", with: Self.key().split(separator: " ")[1])
    #expect(try FlashedCard(examples).provision().code == .success, "\(examples)")
  }

  @Test func theTemplateFitsOnAScreen() throws {
    let text = try readFile(Self.template)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 45)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}
