import Bytes
import Testing

@Suite struct HexadecimalTests {
  @Test func bytesAreWrittenAsTwoLowerCaseDigits() {
    #expect(text { $0.append(hexadecimal: [0x00, 0x0F, 0xA5, 0xFF].span) } == "000fa5ff")
  }

  @Test func everyByteComesBack() {
    for byte in UInt8.min...UInt8.max {
      let digits = bytes { $0.append(hexadecimal: [byte].span) }
      let values = digits.compactMap(hexadecimalValue)
      #expect(values.count == 2)
      #expect(values.reduce(0) { $0 << 4 | $1 } == byte)
    }
  }

  @Test func onlyHexadecimalDigitsHaveAValue() {
    for byte in UInt8.min...UInt8.max {
      let value = hexadecimalValue(of: byte)
      #expect(value.map(Int.init) == Character(Unicode.Scalar(byte)).hexDigitValue)
    }
  }
}

@Suite struct InlineTextTests {
  private func text(_ string: String) -> String { text([UInt8](string.utf8)) }
  private func text(_ bytes: [UInt8]) -> String {
    String(decoding: [UInt8](InlineText(bytes.span).bytes), as: UTF8.self)
  }

  @Test func aShortTextIsKeptAsItIs() {
    #expect(text("") == "")
    #expect(text("BAT0") == "BAT0")
    #expect(text("Zürich 東京 🚐") == "Zürich 東京 🚐")
    #expect(text(String(repeating: "x", count: 47)) == String(repeating: "x", count: 47))
  }

  @Test(
    arguments: [
      ("x", 48, "x"), ("é", 46, ""), ("東", 46, ""), ("東", 45, ""), ("🚐", 46, ""), ("🚐", 44, ""),
      ("é", 45, "é"), ("東", 44, "東"), ("🚐", 43, "🚐"),
    ] as [(String, Int, String)])
  func aLongTextIsCutBetweenCharacters(last: String, before: Int, kept: String) {
    let prefix = String(repeating: "a", count: min(before, InlineText.byteCountMax))
    #expect(text(prefix + last) == prefix + (before >= InlineText.byteCountMax ? "" : kept))
  }

  @Test func nothingFollowsTheCharacterThatDidNotFit() {
    let prefix = String(repeating: "a", count: 46)
    #expect(text(prefix + "éb") == prefix)
  }

  @Test(arguments: [
    "\u{0}", "\u{1}", "\n", "\r", "\t", "\u{1B}", "\u{7F}", "\u{80}", "\u{85}", "\u{9B}", "\u{9F}",
  ])
  func whatWouldSteerATerminalBecomesAQuestionMark(control: String) {
    #expect(text("a\(control)b") == "a?b")
  }

  /// A serial number may hold them, and `status --json` goes to a terminal, too.
  @Test func jsonForATerminalSaysTheSameAndSteersNothing() throws {
    let json = "{\"a\u{9B}31m\": [\"\u{7F}\u{85}\u{202E}é東\",\n 1]}\n"
    let shown = [UInt8](json.utf8).forTerminal
    let expected = #"{"a\u009b31m": ["\u007f\u0085\u202eé東","# + "\n 1]}\n"
    #expect(String(decoding: shown, as: UTF8.self) == expected)
    #expect(try JSON(parsing: shown.span) == JSON(parsing: [UInt8](json.utf8).span))
    let plain = [UInt8](#"{"a":"é"}"#.utf8)
    #expect(plain.forTerminal == plain)
    // What our own lines are coloured with, and a control of eight bits.
    #expect([UInt8]("\u{1B}[31mé\n".utf8).forTerminal == [UInt8]("\u{1B}[31mé\n".utf8))
    #expect([0x61, 0x9B, 0x31].forTerminal == [UInt8]("a\u{FFFD}1".utf8))
  }

  @Test(
    arguments: [
      ([0x80], "?"), ([0xFF, 0xFE], "??"), ([0xC3], "?"), ([0xC3, 0x41], "?A"),
      ([0xED, 0xA0, 0x80], "???"), ([0xF0, 0x9F, 0x9A], "???"), ([0xC0, 0x80], "??"),
    ] as [([UInt8], String)])
  func bytesThatAreNotUTF8BecomeQuestionMarks(bytes: [UInt8], shown: String) {
    #expect(text(bytes) == shown)
  }

  @Test func anyBytesMakeAPrintableText() {
    for seed in UInt64(0)..<500 {
      var random = SplitMix64(seed: seed)
      let noise = random.bytes(count: Int.random(in: 0...80, using: &random))
      let shown = [UInt8](InlineText(noise.span).bytes)
      #expect(shown.count <= InlineText.byteCountMax)
      let text = String(validating: shown, as: UTF8.self)
      let isPrintable = text?.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control
      }
      #expect(isPrintable == true, "seed \(seed)")
    }
  }

  @Test func textsAreEqualByWhatTheySay() {
    #expect(InlineText("abc") == InlineText([UInt8]("abc").span))
    #expect(InlineText("abc") != InlineText("abd"))
    #expect(InlineText("abc") != InlineText("ab"))
  }
}

@Suite struct SearchTests {
  /// Bytes that a search for a line end by words could take for one: it and they differ by one bit
  /// or by one.
  @Test(arguments: [0x00, 0x09, 0x0B, 0x0E, 0x8A, 0xFF] as [UInt8])
  func aByteIsFoundWhereverItStands(among other: UInt8) {
    for count in 0...75 {
      var text = [UInt8](repeating: other, count: count)
      #expect(text.span.firstIndex(of: 0x0A) == nil)
      for place in 0..<count {
        text[place] = 0x0A
        #expect(text.span.firstIndex(of: 0x0A) == place)
        #expect(text.span.firstIndex(of: 0x0A, from: place) == place)
        #expect(text.span.firstIndex(of: 0x0A, from: place + 1) == nil)
        text[place] = other
      }
    }
  }

  /// Many bytes that are nearly the one: what stands beside it must not be taken for it.
  @Test func theFirstPlaceIsTheOneThatALoopFinds() {
    var random = SplitMix64(seed: 7)
    for count in 0..<100 {
      let bytes = (0..<count).map { _ in
        [0, 1, 0x0A, 0x0B, 0x8A, 0xFF].randomElement(using: &random) ?? UInt8(0)
      }
      for place in 0...count {
        #expect(
          bytes.span.firstIndex(of: 0x0A, from: place) == bytes[place...].firstIndex(of: 0x0A))
      }
    }
  }

  @Test func bytesDifferWhereALoopFindsTheFirstDifference() {
    for count in 0..<40 {
      let bytes = (0..<count).map { UInt8($0) }
      #expect(bytes.span.firstDifference(from: (bytes + [7]).span) == nil)
      #expect((bytes + [7]).span.starts(with: bytes.span) == true)
      #expect(bytes.span.starts(with: bytes.span) == true)
      #expect(bytes.span.starts(with: (bytes + [7]).span) == false)
      for place in 0..<count {
        var other = bytes
        other[place] ^= 0x80
        #expect(bytes.span.firstDifference(from: other.span) == place)
        #expect(bytes.span.starts(with: other.span) == false)
      }
    }
  }

  @Test(arguments: [
    ("content", true), ("Content", true), ("CONTENT", true), ("conten", false),
    ("contents", false), ("kontent", false), ("", false),
  ])
  func anotherCaseIsTheSameAndAnotherLengthIsNot(text: String, isSame: Bool) {
    let bytes = [UInt8](text.utf8)
    #expect(bytes.span.elementsEqualIgnoringCase("content") == isSame)
    #expect(bytes.span.elementsEqual("content") == (text == "content"))
    #expect(bytes.span.elementsEqual([UInt8]("content".utf8).span) == (text == "content"))
  }
}

@Suite struct OwnedTextTests {
  @Test func textsAreEqualWhereTheirBytesAre() {
    #expect(Text("sun.sun") == Text([UInt8]("sun.sun".utf8)))
    #expect(Text(String("sun.sun")).hashValue == Text("sun.sun").hashValue)
    #expect(Text("Caf\u{E9}") != Text("Cafe\u{301}"))
    #expect(Text("") == Text([]))
  }

  @Test func aLiteralOfOneScalarIsText() {
    let one: Text = "s"
    #expect(one.bytes == [0x73])
    let many: Text = "\u{1F6A2}"
    #expect(many.string == "\u{1F6A2}")
  }

  @Test func textsAreOrderedByTheirBytes() {
    let texts: [Text] = ["light.b", "", "light", "light.a", "\u{E9}", "\u{1F6A2}", "Z"]
    #expect(texts.sorted() == ["", "Z", "light", "light.a", "light.b", "\u{E9}", "\u{1F6A2}"])
  }

  @Test func aPrefixIsNeverLongerThanTheText() {
    #expect(Text("light.kitchen").hasPrefix("light."))
    #expect(Text("light").hasPrefix(""))
    #expect(Text("light").hasPrefix("light"))
    #expect(!Text("light").hasPrefix("light."))
    #expect(!Text("light").hasPrefix("b"))
  }
}

/// What people read of lengths of time and of counts.
@Suite struct MessageTextTests {
  private func words(_ text: MessageText) -> String { String(decoding: text.bytes, as: UTF8.self) }

  @Test(
    arguments: [
      (0, "0 s"), (1, "1 ms"), (999, "999 ms"), (1000, "1 s"), (8500, "8 s 500 ms"),
      (59_999, "59 s 999 ms"), (60_000, "1 min"), (90_000, "1 min 30 s"), (3_600_000, "1 h"),
      (3_600_000 + 59_000, "1 h"), (86_400_000 - 1, "23 h 59 min"), (86_400_000, "1 d"),
      (3 * 86_400_000 + 4 * 3_600_000, "3 d 4 h"), (-5, "0 s"),
    ] as [(Int64, String)])
  func aLengthOfTimeIsSaidInItsTwoLargestUnits(milliseconds: Int64, expected: String) {
    #expect(words("\(Duration.milliseconds(milliseconds))") == expected)
  }

  @Test(arguments: [(0, "0 lines"), (1, "1 line"), (2, "2 lines")])
  func ofMoreOrLessThanOneThereIsAPlural(count: Int, expected: String) {
    #expect(words("\(count, "line")") == expected)
  }

  @Test(
    arguments: [(["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")]
      as [([StaticString], String)])
  func whatMayBeChosenIsListed(words: [StaticString], expected: String) {
    #expect(self.words("\(anyOf: words)") == expected)
  }
}

@Suite struct UTF8Tests {
  /// Against the standard library, which has its own decoder: every pair of bytes, what may follow
  /// them, and text around them.
  @Test func everyPairOfBytesIsJudgedAsTheStandardLibraryJudgesIt() {
    let tails: [[UInt8]] = [[], [0x80], [0x80, 0x80], [UInt8]("sixteen ASCII by".utf8)]
    for pair in 0...0xFFFF {
      for tail in tails {
        let bytes = [UInt8(pair >> 8), UInt8(pair & 255)] + tail
        let isValid = String(validating: bytes, as: UTF8.self) != nil
        if bytes.span.isUTF8 != isValid { Issue.record("\(bytes) is \(isValid ? "" : "no ")UTF-8") }
      }
    }
  }
}
