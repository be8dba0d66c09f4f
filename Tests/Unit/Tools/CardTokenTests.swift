import Bytes
import Foundation
import LinuxIO
import Testing

@testable import Board
@testable import Tools

/// The token of a card, and the sealing of its root: what waits until the board is paired.
@Suite struct CardTokenTests {
  private static let erased = "erased" + String(repeating: " ", count: FlashedCard.token.count - 6)

  private func inode(of name: String, _ card: FlashedCard) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: card.url(name).path)
    return attributes[.systemFileNumber] as? Int
  }

  @Test(arguments: [
    "token: TOKEN", "token: \"TOKEN\"", "token: 'TOKEN' # mine", "\u{FEFF}", "token:\n    TOKEN",
    "token: TOKEN\n#  token: TOKEN",
  ]) func whenTheBoardIsPairedTheTokenIsOverwrittenWhereItStands(line: String) throws {
    let isMarked = line == "\u{FEFF}"
    let text =
      (isMarked ? line : "")
      + FlashedCard.file([isMarked ? "token: TOKEN" : line, "hostname: a"])
      .replacing("\n", with: "\r\n")
    let card = try FlashedCard(text.replacing("TOKEN", with: FlashedCard.token))
    #expect(try card.provision().code == .success)
    #expect(card.text(of: "card/homeward.yaml")?.contains(FlashedCard.token) == true)
    let inode = try inode(of: "card/homeward.yaml", card)
    try card.pair()
    for _ in 0..<2 {
      let (code, lines) = try card.provision()
      #expect(code == .success)
      #expect(lines.contains("Token: erased from this card"))
      #expect(card.text(of: "card/homeward.yaml") == text.replacing("TOKEN", with: Self.erased))
    }
    #expect(try self.inode(of: "card/homeward.yaml", card) == inode)
    #expect(card.text(of: "\(card.state)/token") == FlashedCard.token + "\n")
  }

  /// After a loss of power at any moment one of both has it.
  @Test func aTokenThatIsNotKeptStaysOnTheCard() throws {
    let card = try FlashedCard(card: "token: \(FlashedCard.token)")
    try card.pair()
    try card.makeFolder("\(card.state)/token")
    #expect(try card.provision().code == .inputOutput)
    #expect(card.text(of: "card/homeward.yaml")?.contains(FlashedCard.token) == true)
  }

  /// What may be left of the token: each sector of the card may have been written, or not.
  private static let rests: [String] = {
    let token = Array(FlashedCard.token.utf8)
    let blank = [UInt8](repeating: 0x20, count: token.count)
    func rest(_ word: String, at place: Int, _ blanks: Range<Int>) -> String {
      var bytes = token
      bytes.replaceSubrange(place..<place + word.utf8.count, with: word.utf8)
      bytes.replaceSubrange(blanks, with: blank[blanks])
      return String(decoding: bytes, as: UTF8.self)
    }
    return [
      rest("", at: 0, 20..<token.count), rest("sed", at: 3, 6..<6), rest("era", at: 0, 6..<6),
      rest("erased", at: 0, 6..<6), rest("erased", at: 0, 6..<20),
    ]
  }()

  @Test(arguments: rests)
  func aLossOfPowerWhileTheTokenIsErasedLeavesTheStoredOne(rest: String) throws {
    let card = try FlashedCard(card: "token: \(FlashedCard.token)")
    try card.provision()
    try card.pair()
    let text = FlashedCard.file(["token: REST", "# token: TOKEN"])
    try card.write(
      text.replacing("REST", with: rest).replacing("TOKEN", with: FlashedCard.token),
      to: "card/homeward.yaml")
    let (code, lines) = try card.provision()
    #expect(code == .success)
    #expect(lines.contains("Token: erased from this card"))
    #expect(card.text(of: "\(card.state)/token") == FlashedCard.token + "\n")
    #expect(
      card.text(of: "card/homeward.yaml")
        == text.replacing("REST", with: Self.erased).replacing("TOKEN", with: Self.erased))
  }

  @Test func anErasedTokenChangesNothing() throws {
    let card = try FlashedCard(card: "token: \(FlashedCard.token)")
    try card.pair()
    try card.provision()
    try card.remove("\(card.state)/registration.json")
    #expect(try card.provision().code == .success)
    #expect(card.text(of: "\(card.state)/token") == FlashedCard.token + "\n")
  }

  @Test func aNewTokenOnTheCardOfAPairedBoardReplacesTheOldOne() throws {
    let card = try FlashedCard(card: "token: \(FlashedCard.token)")
    try card.pair()
    try card.provision()
    let other = "eyJ0.another-token"
    try card.write(FlashedCard.file(["token: \(other)"]), to: "card/homeward.yaml")
    try card.provision()
    #expect(card.text(of: "\(card.state)/token") == "\(other)\n")
    #expect(card.text(of: "card/homeward.yaml")?.contains(other) == false)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func theTokenBelongsToTheUserOfTheAgent() throws {
    let card = try FlashedCard(card: "token: \(FlashedCard.token)")
    try card.pair()
    try card.give(card.state, to: 65534, 65534)
    try card.provision()
    let attributes = try FileManager.default.attributesOfItem(
      atPath: card.url("\(card.state)/token").path)
    #expect(attributes[.ownerAccountID] as? Int == 65534)
  }

  // MARK: Sealing

  @Test func aPairedBoardIsSealedOnceAndItsTokenIsErased() throws {
    let card = try FlashedCard(card: "token: \(FlashedCard.token)")
    try card.provision()
    #expect(card.refusalToSeal()?.code == .unavailable)
    #expect(card.arguments == FlashedCard.arguments)
    try card.pair()
    #expect(card.refusalToSeal() == nil)
    #expect(
      card.arguments == "console=tty1 root=LABEL=root ro rootwait overlayroot=tmpfs:recurse=0\n")
    #expect(card.text(of: "card/homeward.yaml")?.contains(FlashedCard.token) == false)
    let versions = try card.versions()
    #expect(card.refusalToSeal()?.code == .cannotCreate)
    #expect(try card.versions() == versions)
    #expect(try card.provision().lines.contains("Read-only root: yes"))
  }

  /// Raspberry Pi OS has no partition for registration and history, and may have no overlay.
  @Test func anotherSystemIsNotSealedButItsTokenIsErased() throws {
    let card = try FlashedCard(card: "token: \(FlashedCard.token)")
    try card.provision()
    try card.pair()
    try card.remove("root/etc/systemd/system/homeward-seal.service")
    #expect(card.refusalToSeal()?.code == .cannotCreate)
    #expect(card.arguments == FlashedCard.arguments)
    #expect(card.text(of: "card/homeward.yaml")?.contains(FlashedCard.token) == false)
    #expect(try !card.provision().lines.contains { $0.hasPrefix("Read-only root") })
  }

  @Test func noRootIsSealedOverATokenThatStaysOnTheCard() throws {
    let escaped = "\\x65" + FlashedCard.token.dropFirst()
    let card = try FlashedCard(card: "token: \"\(escaped)\"")
    try card.pair()
    let failure = try #require(card.refusalToSeal())
    #expect(failure.code == .inputOutput)
    #expect(
      String(decoding: failure.text.bytes, as: UTF8.self).hasPrefix("the token cannot be erased"))
    #expect(card.arguments == FlashedCard.arguments)
  }

  @Test(arguments: [false, true])
  func onlyTheOptionMakesTheRootReadOnly(isAsked: Bool) throws {
    let card = try FlashedCard(card: "hostname: boat")
    try card.pair()
    var words = [[UInt8]("--card".utf8), card.path("card").bytes]
    words += [[UInt8]("--root".utf8), card.path("root").bytes]
    if isAsked { words.append([UInt8]("--seal".utf8)) }
    var arguments = Arguments(words)
    #expect(try Command.provision.task(&arguments)() == .success)
    #expect((card.arguments != FlashedCard.arguments) == isAsked)
    #expect((card.text(of: "card/homeward-card.txt") == nil) == isAsked, "it reports nothing else")
  }

  @Test func theArgumentsAreReplacedAsAWhole() throws {
    let card = try FlashedCard(card: "hostname: boat")
    try card.pair()
    let inode = try inode(of: "card/cmdline.txt", card)
    #expect(card.refusalToSeal() == nil)
    #expect(try self.inode(of: "card/cmdline.txt", card) != inode)
    let names = try FileManager.default.contentsOfDirectory(atPath: card.url("card").path)
    #expect(names.sorted() == ["cmdline.txt", "homeward.yaml"], "no temporary file is left")
  }

  @Test func aRootThatIsToStayWritableIsNotSealedAndIsUnsealed() throws {
    let card = try FlashedCard(card: "hostname: boat")
    try card.pair()
    #expect(card.refusalToSeal() == nil)
    try card.write(FlashedCard.file(["read_only: false"]), to: "card/homeward.yaml")
    #expect(card.refusalToSeal()?.code == .cannotCreate)
    try card.seal()
    for _ in 0..<2 {
      #expect(
        try card.provision().lines.contains("Read-only root: no, from the next start on"))
    }
    try card.remove("root/proc/cmdline")
    #expect(try card.provision().lines.contains("Read-only root: no"))
    #expect(card.arguments == FlashedCard.arguments)
    #expect(card.refusalToSeal()?.code == .cannotCreate)
    #expect(card.arguments == FlashedCard.arguments)
  }

  @Test(arguments: [
    ("card/homeward.yaml", "card:\n  read_only: fals\n", ExitCode.configuration),
    ("card/cmdline.txt", "quiet\n", .inputOutput), ("card/cmdline.txt", "", .inputOutput),
  ]) func nothingIsSealedByAFileThatIsWrong(file: String, text: String, code: ExitCode) throws {
    let card = try FlashedCard(card: "hostname: boat")
    try card.pair()
    try card.write(text, to: file)
    #expect(card.refusalToSeal()?.code == code)
    #expect(card.text(of: file) == text)
    try card.remove(file)
    #expect(card.refusalToSeal() != nil)
    #expect(card.text(of: file) == nil)
  }

  @Test func aBoardWithoutArgumentsIsToldThatTheCountryIsNotSet() throws {
    let card = try FlashedCard(card: "country: DE", "wifi: { name: Harbour }")
    try card.remove("card/cmdline.txt")
    let (code, lines) = try card.provision()
    #expect(code == .inputOutput)
    #expect(lines.contains { $0.hasPrefix("cmdline.txt on the card cannot be read, or names no") })
    #expect(card.profile() != nil)
    #expect(card.arguments == nil, "a board does not start with these arguments alone")
  }

  // MARK: The arguments of the kernel

  private func changed(_ text: String, _ change: (inout KernelArguments) -> Void) throws -> String {
    var arguments = try #require(KernelArguments([UInt8](text.utf8)))
    change(&arguments)
    return String(decoding: arguments.text, as: UTF8.self)
  }

  @Test(arguments: [
    ("root=a rw", "root=a ro overlayroot=tmpfs:recurse=0\n"),
    ("root=a", "root=a ro overlayroot=tmpfs:recurse=0\n"),
    ("ro root=a rw", "ro root=a ro overlayroot=tmpfs:recurse=0\n"),
    ("rootwait root=a rw\r\n", "rootwait root=a ro overlayroot=tmpfs:recurse=0\r\n"),
    ("overlayroot=disabled root=a rw\n", "overlayroot=tmpfs:recurse=0 root=a ro\n"),
    ("root=a  x=\"b  rw\" rw\nmore\n", "root=a x=\"b  rw\" ro overlayroot=tmpfs:recurse=0\nmore\n"),
  ]) func sealingChangesItsArgumentsAndNoOther(text: String, sealed: String) throws {
    #expect(try changed(text) { $0.seal() } == sealed)
    #expect(
      try changed(text) {
        $0.seal(); $0.unseal()
      }.contains("overlayroot") == false)
  }

  @Test(arguments: [
    ("root=a\n", "root=a cfg80211.ieee80211_regdom=DE\n"),
    ("cfg80211.ieee80211_regdom=GB root=a", "cfg80211.ieee80211_regdom=DE root=a\n"),
    (
      "a root=a cfg80211.ieee80211_regdom=GB b cfg80211.ieee80211_regdom=US\n",
      "a root=a cfg80211.ieee80211_regdom=DE b\n"
    ),
  ]) func theCountryStandsOnce(text: String, expected: String) throws {
    #expect(try changed(text) { $0.setCountry([UInt8]("DE".utf8)) } == expected)
  }

  @Test(arguments: ["", "\n", "quiet", "xroot=a", "\nroot=a", "x=\"root=a", "#\nroot=a"])
  func argumentsWithoutARootAreNotChanged(text: String) {
    #expect(KernelArguments([UInt8](text.utf8)) == nil)
  }
}
