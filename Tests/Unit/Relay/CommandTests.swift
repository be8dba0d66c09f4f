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

  @Test(
    arguments: [
      ("redis://relay.example", "redis://relay.example:6379/0", 0, nil),
      ("redis://10.0.0.2:6380/3", "redis://10.0.0.2:6380/3", 3, nil),
      ("redis://[::1]:6380/", "redis://[::1]:6380/0", 0, nil),
      ("redis://:se:s@me@h:1", "redis://h:1/0", 0, ":se:s@me"),
      ("redis://boat:sesame@h", "redis://h:6379/0", 0, "boat:sesame"),
      ("redis+unix:///run/redis.sock", "redis+unix:///run/redis.sock", 0, nil),
    ] as [(String, String, UInt16, String?)])
  func aServersAddressIsReadAndShownWithoutItsPassword(
    text: String, shown: String, database: UInt16, secret: String?
  ) throws {
    let address = try #require(RedisAddress(Array(text.utf8)))
    #expect(address.url == shown)
    #expect(shown.hasSuffix(address.text) || shown.hasSuffix("\(address.text)/\(database)"))
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

  private func storeOption(_ words: Text...) throws -> StoreOption {
    try StoreOption(
      Arguments(words, options: ["--store", "--store-password-file"], switches: []))
  }

  @Test func aStoreIsShownWithoutItsPassword() throws {
    #expect(try storeOption().text == "/var/lib/homeward-relay/relay.sqlite")
    #expect(try storeOption("--store", "redis").text == "redis")
    #expect(try storeOption("--store", "redis://:sesame@h/2").text == "redis://h:6379/2")
  }

  @Test func aPasswordThatCannotBeUsedIsAMistakeOfThePerson() {
    let password: Text = "--store-password-file"
    let code = { (words: [Text]) -> Int32? in
      let error = #expect(throws: CommandError.self) {
        try StoreOption(Arguments(words, options: ["--store", password], switches: []))
      }
      return error?.code
    }
    #expect(code(["--store", "redis", password, "/dev/null"]) == 64)
    #expect(code(["--store", "redis://h", password, "/nowhere/password"]) == 66)
    #expect(code(["--store", "redis://h", password, "/dev/null"]) == 65)
  }

  @Test(
    arguments: [
      (
        "HTTP/1.1 200 OK\r\n\r\n{\"status\":\"ok\",\"notifications_a_day\":7}",
        .serves(notificationsADay: 7), 0
      ),
      ("HTTP/1.1 200 OK\r\n\r\n{\"status\":\"ok\"}", .serves(notificationsADay: nil), 0),
      ("HTTP/1.1 200 OK\r\n\r\n{\"notifications_a_day\":", .serves(notificationsADay: nil), 0),
      ("HTTP/1.1 503 Down\r\n\r\n{}", .hasFailingStore, 74),
      ("HTTP/1.1 404 Not Found\r\n\r\n{}", .doesNotAnswer, 69),
      ("SSH-2.0-OpenSSH", .doesNotAnswer, 69), ("", .doesNotAnswer, 69),
    ] as [(String, Health, Int32)])
  func whetherTheRelayServesIsReadOfItsAnswer(answer: String, health: Health, code: Int32) {
    let read = Health(answer: Array(answer.utf8))
    #expect(read == health)
    #expect(read.code == code)
  }

  @Test func theBoardsStandInAlignedColumns() {
    let now = WallTime(seconds: 1_795_867_200)
    let boards = [
      BoardSummary(
        name: "boat", created: now, fetched: now, hasKey: true, waiting: 12, today: 3,
        oldest: WallTime(seconds: 1_795_867_200 - 7200)),
      BoardSummary(
        name: "van", created: now, fetched: nil, hasKey: false, waiting: 0, today: 0, oldest: nil),
    ]
    #expect(
      table(of: boards, maximum: 150, at: now) == """
        board  waiting  oldest  today  last asked
        boat        12     2 h  3/150  2026-11-28T12:00:00+00:00
        van          0       -  0/150  never

        """)
  }

  @Test(
    arguments: [
      (-5, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (172_799, "47 h"),
      (172_800, "2 d"),
    ] as [(Int64, String)])
  func anAgeHasOneUnit(seconds: Int64, text: String) {
    #expect(age(of: WallTime(seconds: 0), at: WallTime(seconds: seconds)) == text)
  }
}
