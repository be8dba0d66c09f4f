import Testing

@testable import Board

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
