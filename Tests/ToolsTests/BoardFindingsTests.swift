import Testing

@testable import Tools

/// What of a board may stand in a configuration as an example.
@Suite struct BoardFindingsTests {
  @Test func onlyANameThatShowsAllThatItIsBecomesAnExample() {
    for name in ["BAT0", "Café am Meer", "a \"quoted\" one", "?"] {
      #expect([UInt8](name.utf8).canBeQuoted, "\(name)")
    }
    for name in ["", "\u{1B}[2J", "two\nlines", "\u{7F}"] {
      #expect(![UInt8](name.utf8).canBeQuoted, "\(name.debugDescription)")
    }
    #expect(![UInt8]([0x42, 0xFF]).canBeQuoted, "it is no UTF-8")
  }
}
