import Bytes
import Testing
import YAML

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
    #expect(![UInt8]("\u{FFFF}".utf8).canBeQuoted, "YAML refuses it")
  }
}

/// How a text becomes a value of YAML.
@Suite struct QuotedTextTests {
  @Test(arguments: [
    ("GPIO17", "GPIO17"), ("28-0316a2796cff", "28-0316a2796cff"), ("/dev/x@1.y", "/dev/x@1.y"),
    ("two words", "two words"), ("17", "\"17\""), ("1e5", "\"1e5\""), ("null", "\"null\""),
    ("Yes", "\"Yes\""), ("a, b", "\"a, b\""), ("a: b", "\"a: b\""), ("~", "\"~\""),
    ("end ", "\"end \""), ("-x", "\"-x\""), ("a\"b\\", "\"a\\\"b\\\\\""), ("café", "\"café\""),
  ])
  func onlyWhatMeansItselfStandsWithoutQuotes(text: String, yaml: String) {
    let written: MessageText = "\(yaml: [UInt8](text.utf8))"
    #expect(String(decoding: written.bytes, as: UTF8.self) == yaml)
  }

  @Test func aListIsCutWhereItIsLong() {
    let texts = ["a", "b\u{1B}", "c"].map { [UInt8]($0.utf8) }
    func listed(_ max: Int) -> String {
      String(decoding: ("\(listed: texts, max: max)" as MessageText).bytes, as: UTF8.self)
    }
    #expect(listed(3) == "a, b?, c")
    #expect(listed(2) == "a, b? and 1 more")
  }
}
