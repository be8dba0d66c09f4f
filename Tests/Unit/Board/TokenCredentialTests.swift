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
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
  }

  /// The token file of a board whose credential has this text; nil for none.
  private func tokenFile(_ text: String?, settings: String = "") throws -> String? {
    let file = place.appending(path: "token")
    if let text { try Data(text.utf8).write(to: file) }
    var configuration = try Outcome.configuration(
      "home_assistant: { url: http://ha, \(settings) }\n")
    configuration.useTokenCredential(
      unlessPairedIn: StateDirectory(directory), directory: directory)
    return BoardTests.text(configuration.homeAssistant.tokenFile)
  }

  @Test func itIsTheTokenFileOfABoardWithoutOne() throws {
    #expect(try tokenFile("eyJ0\n") == "\(place.path)/token")
  }

  @Test(arguments: ["", nil]) func anEmptyOneIsNone(text: String?) throws {
    #expect(try tokenFile(text) == nil)
  }

  @Test func theConfiguredFileGoesFirst() throws {
    #expect(try tokenFile("eyJ0", settings: "token_file: /a") == "/a")
  }

  @Test func theLoginOfPairingGoesFirst() throws {
    let login = try #require(Credential(accessToken: [1, 2].map { $0 + 0x40 }))
    try StateDirectory(directory).write(login)
    #expect(try tokenFile("eyJ0") == nil)
    try Data("damaged".utf8).write(to: place.appending(path: "credential.json"))
    #expect(try tokenFile("eyJ0") == nil, "a damaged login is reported, not replaced")
  }

  @Test func withoutSystemdThereIsNone() throws {
    var configuration = try Outcome.configuration(minimum)
    configuration.useTokenCredential(
      unlessPairedIn: StateDirectory(directory), directory: nil)
    #expect(configuration.homeAssistant.tokenFile == nil)
  }

  /// With it the agent would register this board again.
  @Test func theTokenOfTheCardGoesWithThePairing() throws {
    try Data("eyJ0".utf8).write(to: place.appending(path: "token"))
    try StateDirectory(directory).removePairing()
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
  }
}
