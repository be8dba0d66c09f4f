import Bytes
import Foundation
import Testing
import YAML

@testable import Board
@testable import Tools

/// Whatever stands in the file of a card: two parts with the places of the file, and an answer.
@Suite(.timeLimit(.minutes(10))) struct CardFileTests {
  private func parts(_ text: String) -> (card: String, configuration: String) {
    let file = CardFile([UInt8](text.utf8))
    return (
      String(decoding: file.card, as: UTF8.self),
      String(decoding: file.configuration, as: UTF8.self)
    )
  }

  @Test(arguments: [
    ("a: 1\ncard:\n  b: 2\nc: 3\n", "\ncard:\n  b: 2\n\n", "a: 1\n\n\nc: 3\n"),
    ("card:\r\n  b: 2\r\nc: 3", "card:\r\n  b: 2\r\n", "\r\n\r\nc: 3"),
    ("card:\r  b: 2\rc: 3\r", "card:\r  b: 2\r\r", "\r\rc: 3\r"),
    ("\u{FEFF}card:\n b\nc: 3\n", "card:\n b\n\n", "\n\nc: 3\n"),
    ("card: {\nwifi: {}\n}\nc: [\n]\n", "card: {\nwifi: {}\n}\n\n\n", "\n\n\nc: [\n]\n"),
    (
      "card:\n\n  b: 2\n# c\n  d: 4\ne: 5\n", "card:\n\n  b: 2\n\n  d: 4\n\n", "\n\n\n\n\ne: 5\n"
    ),
    // A part of the section that a person took out.
    ("card:\n  b: 2\n#  token: t\nc: 3\n", "card:\n  b: 2\n\n\n", "\n\n\nc: 3\n"),
    ("c: 3\ncard:\n- b\n", "\ncard:\n- b\n", "c: 3\n\n\n"),
    ("a:\n- card: 1\n  card: 2\ncards: 3\n", "\n\n\n\n", "a:\n- card: 1\n  card: 2\ncards: 3\n"),
    ("card :\n  b: 2\n---\n  c: 3\n", "card :\n  b: 2\n\n\n", "\n\n---\n  c: 3\n"),
    ("card\n  b\n", "\n\n", "card\n  b\n"),
  ]) func eachPartHasTheLinesOfTheOtherAsEmptyOnes(
    text: String, card: String, configuration: String
  ) {
    let parts = parts(text)
    #expect(parts.card == card)
    #expect(parts.configuration == configuration)
  }

  /// What people see on a PC is what the report says.
  @Test(arguments: ["\n", "\r\n", "\r"]) func aPlaceIsThatOfTheFile(lineEnd: String) throws {
    let text =
      "\u{FEFF}# Boat\nevery: 1x\n\ncard:\n  country: X\n\nsystem: no way\n"
      + FlashedCard.home
    let (_, lines) = try FlashedCard(text.replacing("\n", with: lineEnd)).provision()
    let places = lines.filter { $0.hasPrefix("homeward.yaml:") }
      .map { $0.split(separator: ":").prefix(3).joined(separator: ":") }
    #expect(places == ["homeward.yaml:5:12", "homeward.yaml:2:8", "homeward.yaml:7:9"], "\(lines)")
  }

  @Test func everyPlaceOfATextIsFound() {
    let file = CardFile([UInt8]("aba abaaba".utf8))
    #expect(file.places(of: [UInt8]("aba".utf8)) == [0, 4, 7])
    #expect(file.places(of: [UInt8]("abc".utf8)) == [])
    #expect(CardFile([]).places(of: [1]) == [])
  }

  /// What stands at the margin, or behind a comma, may be the rest of a secret.
  @Test(arguments: [
    "card:\n  token: |\nhorse: a\n", "card:\n  token: |\nhorse: a\nhorse: b\n",
    "card:\n  token: |\nhorse: !a { horse: !b c }\n", "card:\n  wifi: { name: A, horse, horse }\n",
    "card:\n  wifi: { name: A, horse: !a b }\n", "card: {}\nsystem:\nhorse: a\n",
    "card: {}\ndevice: { name: A, horse: b }\n", "card: {}\nsensors: [{ horse: b }]\n",
    "card: {}\nhorse: &horse a\n",
  ]) func noWordInThePlaceOfAKeyIsReported(text: String) throws {
    let card = try FlashedCard(text + FlashedCard.home)
    let (code, lines) = try card.provision()
    #expect(code == .configuration)
    #expect(!lines.joined().contains("horse"), "\(lines)")
    #expect(card.text(of: "card/homeward-card.txt")?.contains("horse") == false)
  }

  @Test func aKnownWordInAWrongPlaceIsReported() throws {
    let (_, lines) = try FlashedCard(
      "card: {}\nurl: http://h\ndevice: { name: “A }\n" + FlashedCard.home
    ).provision()
    #expect(
      lines.contains("homeward.yaml:2:1: unknown key \"url\"; it belongs below home_assistant"),
      "\(lines)")
    #expect(lines.contains { $0.hasPrefix("homeward.yaml:3:17: device.name: ") }, "\(lines)")
  }

  // MARK: Foreign bytes

  /// Judges a file, and checks what holds for every answer.
  private func check(_ bytes: [UInt8], _ what: @autoclosure () -> String) throws {
    let file = CardFile(bytes)
    let problems = ProblemCollector()
    let settings = file.settings(problems)
    _ = try? Configuration.parse(file.configuration)
    let lineCount = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
    for problem in problems.isEmpty ? [] : problems.errors.problems {
      try #require((1...lineCount).contains(problem.line), "\(what())")
      let text = String(decoding: problem.rendered(fileName: []), as: UTF8.self)
      try #require(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "\(what())")
      try #require(!text.contains("s3cr3t"), "\(what()): \(text)")
    }
    if let settings { try check(settings, what()) }
  }

  /// No value leaves its line in a file of the system.
  private func check(_ settings: CardSettings, _ what: String) throws {
    if case .written(let networks) = settings.networks {
      for network in networks.compactMap({ $0 }) {
        let lines = network.profile(1).split(separator: 0x0A)
        try #require(
          lines.count == (network.password == nil ? 12 : 15) + (network.isHidden ? 1 : 0))
        try #require(lines.joined().allSatisfy { (0x20...0x7E).contains($0) }, "\(what)")
      }
    }
    if case .written(let name) = settings.hostName {
      try #require(name.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }, "\(what)")
    }
    if case .written(let code) = settings.country {
      try #require(code.allSatisfy { (0x41...0x5A).contains($0) } && code.count == 2, "\(what)")
    }
    if case .written(let keys) = settings.keys {
      try #require(keys.allSatisfy { !$0.hasInvisibleControl }, "\(what)")
    }
    if case .written(let token) = settings.token {
      try #require(token.allSatisfy { (0x21...0x7E).contains($0) }, "\(what)")
    }
  }

  private static let example = [UInt8](
    """
    card:
      country: DE
      wifi: [{ name: "Harbour", password: "s3cr3t 12" }, { name: B, hidden: true }]
      hostname: boat
      ssh_key: \(ProvisioningTests.key())
      token: s3cr3t-s3cr3t-s3cr3t
      read_only: false
    \(FlashedCard.home)
    """.utf8)

  @Test func everyPrefixOfAFileIsAnswered() throws {
    for count in 0...Self.example.count {
      try check([UInt8](Self.example.prefix(count)), "the first \(count) bytes")
    }
  }

  @Test(arguments: [UInt8]("\0\t\n :-,{]\"'&*!#|%".utf8) + [0x80, 0xC3])
  func anyByteMayBecomeAnother(byte: UInt8) throws {
    for index in Self.example.indices {
      var bytes = Self.example
      bytes[index] = byte
      try check(bytes, "byte \(index) is \(byte)")
    }
  }

  @Test(arguments: [
    "card: ", "card:\n", "card:\n  wifi: [", "card: {", "card: &a [*a]\n", "card: \"", "card:\n - ",
    "card:\n  ssh_key: |\n    a\n", "card: !x\n", "wifi:\n", "- ", "}\n", "\r", "\0", "\u{FEFF}",
    "card:\n  token: \"\\x00\\0\\e\"\n", "card:\n  hostname: \"\\0\"\n",
    "card:\n  wifi: { name: \"\\0\\x01\\n\" }\n",
  ]) func aFileFullOfOneThingIsAnswered(piece: String) throws {
    let bytes = [UInt8](piece.utf8)
    for count in [1, 2, 9, 300, 60_000 / bytes.count] {
      try check((0..<count).flatMap { _ in bytes }, "\(count) times \(piece)")
    }
  }

  @Test(arguments: [
    [0xFF, 0xFE, 0x63, 0x00], [0xFE, 0xFF, 0x00, 0x63], [0xC3, 0x28], [0xED, 0xA0],
  ])
  func aFileOfAnotherEncodingIsToldOnce(bytes: [UInt8]) throws {
    let card = try FlashedCard()
    try card.write(bytes, to: "card/homeward.yaml")
    let (_, lines) = try card.provision()
    #expect(lines.count { $0.contains("save it as UTF-8") } == 1, "\(lines)")
  }

  /// Only the part of a wrong byte is wrong.
  @Test func aWrongByteInTheRestKeepsNoNetworkFromTheBoard() throws {
    let card = try FlashedCard()
    let text = [UInt8](FlashedCard.file(["wifi: { name: Harbour }"]).utf8)
    try card.write(
      text + [UInt8]("device: { name: B".utf8) + [0xF6, 0x7D], to: "card/homeward.yaml")
    let (_, lines) = try card.provision()
    #expect(lines[1].hasPrefix("homeward.yaml:4:18: the file is not UTF-8 here"), "\(lines)")
    #expect(card.profile() != nil)
  }
}
