import Bytes
import Foundation
import Testing

@testable import Relay

@Suite struct CommandTests {
  @Test func theVersionIsThatOfTheChangelog() throws {
    let changelog = URL(filePath: #filePath)
      .appending(path: "../../../../deploy/debian/changelog")
    let text = try String(contentsOf: changelog.standardizedFileURL, encoding: .utf8)
    #expect(text.hasPrefix("homeward (\(HomewardRelay.version)) "))
  }

  @Test(
    arguments: [
      ("127.0.0.1:8426", "127.0.0.1", 8426), ("[::1]:0", "::1", 0),
      ("0.0.0.0:65535", "0.0.0.0", 65535),
    ] as [(String, String, UInt16)])
  func anAddressIsReadAsItIsWritten(text: String, host: String, port: UInt16) throws {
    let address = try Address(Text(text))
    #expect(address.host == Text(host))
    #expect(address.port == port)
    #expect(address.text == text)
  }

  @Test(
    arguments: [
      "", "8426", ":8426", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:8426",
      "[127.0.0.1]:8426", "[]:1",
    ])
  func whatIsNoAddressIsRefused(text: String) {
    #expect(throws: CommandError.self) { try Address(Text(text)) }
  }

  @Test func wordsAreToldFromOptions() throws {
    let arguments = try Arguments(
      ["token", "--json", "--store", "x", "list"], options: ["--store"], switches: ["--json"])
    #expect(arguments.words == ["token", "list"])
    #expect(arguments["--store"] == "x")
    #expect(arguments.has("--json"))
  }

  @Test(arguments: [["--store"], ["--unknown"], ["-x"]])
  func whatIsNoOptionIsRefused(words: [String]) {
    #expect(throws: CommandError.self) {
      try Arguments(words.map { Text($0) }, options: ["--store"], switches: [])
    }
  }

  @Test(arguments: ["0", "-1", "x", "1.5", "1000000001", "99999999999999999999"])
  func aLimitIsAWholeNumberAboveZero(text: String) throws {
    let arguments = try Arguments(["--n", Text(text)], options: ["--n"], switches: [])
    #expect(throws: CommandError.self) { try arguments.count("--n") }
  }
}
