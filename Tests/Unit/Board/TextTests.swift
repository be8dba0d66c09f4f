import Bytes
import Foundation
import HomeAssistant
import Testing

@testable import Board

/// What people read below each other, and by the clock of their wall.
@Suite struct TablesAndTimesTests {
  @Test func columnsAreAsWideAsTheirWidestCellAndNumbersStandToTheRight() {
    var table = ListTable(["NAME", "COUNT", "UNIT"])
    table.append(["bilge", "5", "°C"])
    table.append(["a long name", "12345678", ""])
    #expect(
      text(table.lines) == """
        NAME            COUNT  UNIT
        bilge               5  °C
        a long name  12345678

        """)
  }

  @Test func aColumnWithAWordIsNoColumnOfNumbers() {
    var table = ListTable(["VALUE"])
    table.append(["12"])
    table.append(["unknown"])
    #expect(text(table.lines) == "VALUE\n12\nunknown\n")
  }

  /// The C library's words for the same moment are the oracle.
  @Test(arguments: [0, 951_782_399, 1_700_000_000, 1_782_000_000] as [Int])
  func aTimeIsThatOfTheClocksHere(seconds: Int) {
    var time = time_t(seconds)
    var parts = unsafe tm()
    var bytes = [CChar](repeating: 0, count: 64)
    let count = unsafe strftime(
      &bytes, bytes.count, "%Y-%m-%d %H:%M:%S%z", localtime_r(&time, &parts))
    var expected = bytes[..<count].map { UInt8(bitPattern: $0) }
    expected.insert(UInt8(ascii: ":"), at: count - 2)
    let words: MessageText = "\(localTime: WallTime(nanoseconds: Int64(seconds) * 1_000_000_000))"
    #expect(words.bytes == expected)
  }
}

/// What a person reads of servers that say no.
@Suite struct ServerWordsTests {
  @Test(arguments: [
    (429, "not available"), (500, "not available"), (599, "not available"), (401, "a proxy"),
    (403, "a proxy"), (407, "a proxy"), (400, "not a push relay"), (402, "not a push relay"),
    (406, "not a push relay"), (428, "not a push relay"), (499, "not a push relay"),
  ])
  func aRefusalOfAPushRelayIsByItsStatus(_ status: Int, _ words: String) throws {
    let refusal = try #require(text(PushFetch.Problem.refused(status: status).words.bytes))
    #expect(refusal.contains(words) && refusal.contains("(\(status))"), "\(refusal)")
  }

  /// home-assistant/home-assistant.io#33074, NginxProxyManager/nginx-proxy-manager#526: the page
  /// loads through a proxy that drops `Upgrade`, and Home Assistant answers 400.
  @Test(arguments: [
    WebSocketRefusal.server(.notHomeAssistant(status: 400)), .notHTTP, .notUpgraded,
  ])
  func aProxyThatPassesNoWebSocketIsSuspected(_ refusal: WebSocketRefusal) throws {
    let words = try #require(text(ConnectionFailure.refused(refusal).words.bytes))
    #expect(words.contains("; a proxy may block"), "\(words)")
    #expect(!words.contains("?"), "a sentence follows")
  }
}

/// Where lines end on a terminal.
@Suite struct WrappingTests {
  private func wrapped(_ text: String, _ columns: Int) -> String {
    String(decoding: [UInt8](text.utf8).wrapped(columns: columns), as: UTF8.self)
  }

  @Test func noWordIsBroken() {
    #expect(wrapped("one two three\nfour\n", 8) == "one two\nthree\nfour\n")
    #expect(wrapped("a-very-long-word and more", 8) == "a-very-long-word\nand more")
    #expect(wrapped("exactly8", 8) == "exactly8")
    #expect(wrapped("four for", 8) == "four for")
  }

  @Test func whatGoesOnStandsBelowTheLastColumn() {
    #expect(
      wrapped("WRONG  server   it cannot be reached at all", 34)
        == "WRONG  server   it cannot be\n                reached at all")
    #expect(wrapped("0123456789  four five six", 24) == "0123456789  four five\n            six")
    // A column on the right half would leave no room.
    #expect(wrapped("one two three four  five six", 24) == "one two three four  five\nsix")
  }

  @Test func aCharacterOfSeveralBytesTakesOneColumn() {
    #expect(wrapped("°°°° °°°° x", 9) == "°°°° °°°°\nx")
  }

  @Test func aTerminalThatDoesNotSayItsWidthBreaksLinesItself() {
    let line = String(repeating: "word ", count: 100)
    #expect(wrapped(line, 0) == line)
  }
}
