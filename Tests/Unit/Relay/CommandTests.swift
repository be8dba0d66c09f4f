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
    let address = try Address(text)
    #expect(address.host == host)
    #expect(address.port == port)
    #expect(address.text == text)
  }

  @Test(
    arguments: [
      "", "8426", ":8426", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:8426",
      "[127.0.0.1]:8426", "[]:1",
    ])
  func whatIsNoAddressIsRefused(text: String) {
    #expect(throws: CommandError.self) { try Address(text) }
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
      try Arguments(words, options: ["--store"], switches: [])
    }
  }

  @Test(arguments: ["0", "-1", "x", "1.5", "1000000001", "99999999999999999999"])
  func aLimitIsAWholeNumberAboveZero(text: String) throws {
    let arguments = try Arguments(["--n", text], options: ["--n"], switches: [])
    #expect(throws: CommandError.self) { try arguments.count("--n") }
  }

  @Test(
    arguments: [
      ("redis://relay.example", "relay.example:6379", 0, nil),
      ("redis://10.0.0.2:6380/3", "10.0.0.2:6380", 3, nil),
      ("redis://[::1]:6380/", "[::1]:6380", 0, nil),
      ("redis://:se:s@me@h:1", "h:1", 0, ":se:s@me"),
      ("redis://boat:sesame@h", "h:6379", 0, "boat:sesame"),
      ("redis+unix:///run/redis.sock", "/run/redis.sock", 0, nil),
    ] as [(String, String, UInt16, String?)])
  func aServersAddressIsReadAndShownWithoutItsPassword(
    text: String, shown: String, database: UInt16, secret: String?
  ) throws {
    let address = try #require(RedisAddress(Array(text.utf8)))
    #expect(address.text == shown)
    #expect(address.database == database)
    #expect(address.credentials == secret.map { .init(Array($0.utf8)) })
  }

  @Test(
    arguments: [
      "redis://", "redis://h:0", "redis://h:65536", "redis://h:x", "redis://h/-1", "redis://h/x",
      "redis://::1", "redis://h\u{0}", "redis+unix://h", "rediss://h",
      "redis://h/99999999999999999999",
    ])
  func whatIsNoServersAddressIsRefused(text: String) {
    #expect(RedisAddress.isOne(Array(text.utf8)))
    #expect(RedisAddress(Array(text.utf8)) == nil)
  }
}
