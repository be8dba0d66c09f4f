import Bytes
import Foundation
import LinuxIO
import TestRun
import Testing

@testable import Board
@testable import HomeAssistant

/// Which file the agent reads its token from, if systemd hands on a token.
@Suite struct TokenCredentialTests {
  private let place = TestRun.newPlace()
  private var directory: Path { Path([UInt8](place.path.utf8)) }

  init() throws {
    try FileManager.default.createDirectory(
      at: place.appending(path: "state"), withIntermediateDirectories: true)
  }

  /// The token file of a board whose credential has this text; nil for none.
  private func tokenFile(_ text: String?, settings: String = "") throws -> String? {
    let file = place.appending(path: "token")
    if let text { try Data(text.utf8).write(to: file) }
    let configuration = try Outcome.configuration(
      "home_assistant: { url: http://ha, \(settings) }\n")
    return BoardTests.text(
      configuration.tokenFile(
        unlessPairedIn: StateDirectory(directory / "state"), directory: directory,
        ofSystem: directory / "system"))
  }

  @Test func itIsTheTokenFileOfABoardWithoutOne() throws {
    #expect(try tokenFile("eyJ0\n") == "\(place.path)/token")
  }

  @Test(arguments: ["", "\n", nil]) func anEmptyOneIsNone(text: String?) throws {
    #expect(try tokenFile(text) == nil)
  }

  @Test func theConfiguredFileGoesFirst() throws {
    #expect(try tokenFile("eyJ0", settings: "token_file: /a") == "/a")
  }

  @Test func theLoginOfPairingGoesFirst() throws {
    let login = try #require(Credential(accessToken: [1, 2].map { $0 + 0x40 }))
    try StateDirectory(directory / "state").write(login)
    #expect(try tokenFile("eyJ0") == nil)
    try Data("damaged".utf8).write(to: place.appending(path: "state/credential.json"))
    #expect(try tokenFile("eyJ0") == nil, "a damaged login is reported, not replaced")
  }

  /// A command that a person starts has nothing of systemd.
  @Test func theTokensOfTheCardAndOfTheSystemAreUsedInThisOrder() throws {
    try Data("eyJ1\n".utf8).write(to: place.appending(path: "system"))
    #expect(try tokenFile("\n") == "\(place.path)/system")
    try Data("eyJ2\n".utf8).write(to: place.appending(path: "state/token"))
    #expect(try tokenFile(nil) == "\(place.path)/state/token")
    #expect(try tokenFile("eyJ0") == "\(place.path)/token")
  }

  /// The board has no other login, whatever command needs one.
  @Test func aRejectedTokenOfTheCardHasARemedyWithBothPlaces() throws {
    let state = StateDirectory(directory / "state")
    try Data("eyJ2\n".utf8).write(to: place.appending(path: "state/token"))
    let login = try #require(
      try Login.find(try Outcome.configuration("home_assistant: { url: http://ha }\n"), state))
    #expect(login.credential == Credential(accessToken: Array("eyJ2".utf8)))
    let remedy = BoardTests.text(login.remedy.bytes)
    for name in ["/etc/homeward/token", "card: token of the card's homeward.yaml"] {
      #expect(remedy?.contains(name) == true)
    }
  }

  /// With it the agent would register this board again.
  @Test func theTokenOfTheCardGoesWithThePairing() throws {
    let state = place.appending(path: "state")
    try Data("eyJ0".utf8).write(to: state.appending(path: "token"))
    try StateDirectory(directory / "state").removePairing()
    #expect(try FileManager.default.contentsOfDirectory(atPath: state.path) == [])
  }
}
