import Bytes
import Testing

@testable import Sensing

@Suite struct NumberPatternTests {
  private func found(_ pattern: String?, line: Int? = nil, in text: String, isCut: Bool = false)
    throws -> FixedPoint?
  {
    let text = [UInt8](text.utf8)
    guard let pattern else {
      return NumberPattern(line: line).number(in: text.span, isCut: isCut)
    }
    let made = try #require(NumberPattern([UInt8](pattern.utf8), line: line))
    return made.number(in: text.span, isCut: isCut)
  }

  @Test(arguments: [
    ("level=*", "level=42\n", "42"), ("level=*", "level=\nlevel= -3.50 L", "-3.50"),
    ("\"level\":*", "{\"level\": 12.5, \"x\": 1}", "12.5"), ("*%", "charge 85 %", "85"),
    ("* V", "battery: 12.61 V", "12.61"), ("t=*", "ab crc=1 YES\nab t=21500", "21500"),
    ("a=*,", "a=1.5,2", "1.5"), ("a=*,", "a=x a=7,", "7"), ("*", "about 3 of 4", "3"),
    ("[*]", "[ 5 ]", "5"), ("n=*", "n=5.", "5"), ("n=*", "n=5, 6", "5"), ("n=*", "n=5x", "5"),
    ("° *", "° 7", "7"), ("n=*", "n=00012", "12"), ("n=*", "n=5e", "5"),
    ("Core 0:*", "Core 0:       +36.0°C  (crit = +90.0°C)", "36.0"), ("n=*", "n=+5", "5"),
    ("*°C", "in +3.5°C", "3.5"), ("*", "+7", "7"), ("n=*", "n=1.0000000001", "1.000000000"),
    ("n=*", "n=.75", "0.75"), ("n=*", "n=-.5", "-0.5"), ("n=*", "n=+.5 V", "0.5"),
    ("* V", "about .25 V", "0.25"), ("n=*", "n=1 234", "1"), ("* V", "'12.5 V'", "12.5"),
    ("n='*", "n='5'", "5"), ("n=*", "n=5\u{A0}V", "5"),
  ])
  func aPatternIsTheTextAroundTheNumber(pattern: String, text: String, number: String) throws {
    let wanted = KernelText.decimal([UInt8](number.utf8).span)
    #expect(try found(pattern, in: text) == wanted)
  }

  @Test(arguments: [
    ("level=*", "level=full"), ("level=*", "Level=5"), ("level=*", ""), ("level=*", "level="),
    ("n=*", "n=1.2.3"), ("n=*", "n=1,234"), ("n=*", "n=1e5"), ("n=*", "n=1e-5"),
    ("n=*", "n=1E+5"), ("n=*", "n=0x1F"), ("n=*", "n=++5"), ("n=*", "n=."), ("n=*", "n=-"),
    ("n=*", "n=+"), ("n=*", "n=+-5"), ("n=*", "n=- 5"), ("n=*", "n=-+5"),
    ("n=*", "n=99999999999999999999"), ("*%", "12.5.3%"),
    ("* L", "1,234 L"), ("*", "v2 x-1 é3"), ("a=*,", "a=1 b"), ("n=*", "n="),
    ("n=*", "n=-."), ("n=*", "n=.5.3"), ("n=*", "n=..5"), ("* V", "1..5 V"), ("*", "v.5"),
  ])
  func whatIsNoNumberOrGoesOnIsNotGuessed(pattern: String, text: String) throws {
    #expect(try found(pattern, in: text) == nil)
  }

  /// Printed for people: `printf "%'d"`, and all that formats numbers by language.
  @Test(arguments: ["'", "\u{2019}", "\u{A0}", "\u{202F}", "\u{2009}"])
  func digitsInGroupsAreNoNumberAndTheirPlaceIsShown(mark: String) throws {
    for digits in ["1\(mark)234,5", "1\(mark)234.5", "1\(mark)234\(mark)567"] {
      #expect(try found("level=*", in: "level=\(digits)\n") == nil)
      #expect(try place(of: "level=*", in: "level=\(digits)\n") == "level=\(digits)")
      #expect(try found("*", in: digits) == nil)
      #expect(try found("* L", in: "\(digits) L") == nil)
      #expect(try found(nil, in: digits) == nil)
      #expect(NumberPattern(line: nil).place(in: [UInt8](digits.utf8).span) != nil)
    }
  }

  @Test(arguments: [
    ("12.5\n", "12.5"), (" -3\n\n", "-3"), ("0", "0"), ("12.5 V\n", nil), ("1\n2\n", nil),
    ("", nil), ("\n", nil), ("+1", "1"), ("+", nil), ("+-1", nil), ("++1", nil), ("+x", nil),
    ("22.600000000000001", "22.600000000"), (".75", "0.75"), ("-.5\n", "-0.5"), ("+.5", "0.5"),
    (".", nil), ("-.", nil), ("-+5", nil), ("+ 5", nil), ("+-.5", nil),
  ])
  func withoutAPatternTheTextIsTheNumber(text: String, number: String?) throws {
    let wanted = number.flatMap { KernelText.decimal([UInt8]($0.utf8).span) }
    #expect(try found(nil, in: text) == wanted)
  }

  @Test(
    arguments: [
      (1, "10"), (2, nil), (3, "-2.5"), (4, "7"), (5, nil), (6, nil),
    ] as [(Int, String?)])
  func aLineIsReadAlone(line: Int, number: String?) throws {
    let wanted = number.flatMap { KernelText.decimal([UInt8]($0.utf8).span) }
    #expect(try found(nil, line: line, in: "10\r\na=8\n-2.5\n 7 \n") == wanted)
  }

  @Test func aPatternInALineDoesNotLookBeyondIt() throws {
    let text = "a=1\nb=2\na=3"
    #expect(try found("a=*", line: 3, in: text) == FixedPoint(3))
    #expect(try found("b=*", line: 2, in: text) == FixedPoint(2))
    #expect(try found("b=*", line: 1, in: text) == nil)
  }

  @Test func aNumberThatMayBeCutIsNone() throws {
    #expect(try found("a=*", in: "a=12", isCut: true) == nil)
    #expect(try found("a=*", in: "a=12 ", isCut: true) == FixedPoint(12))
    #expect(try found(nil, in: "12", isCut: true) == nil)
    #expect(try found(nil, line: 2, in: "1\n12", isCut: true) == nil)
    #expect(try found("a=*", line: 2, in: "1\na=12", isCut: true) == nil)
    #expect(try found("a=*", line: 1, in: "a=12\n3", isCut: true) == FixedPoint(12))
    #expect(try found(nil, line: 1, in: "12\n3", isCut: true) == FixedPoint(12))
  }

  private func place(
    of pattern: String, line: Int? = nil, in text: String
  ) throws -> String? {
    let text = [UInt8](text.utf8)
    let made = try #require(NumberPattern([UInt8](pattern.utf8), line: line))
    return made.place(in: text.span).map { String(decoding: text[$0], as: UTF8.self) }
  }

  @Test(
    arguments: [
      ("Core 2:*", "Core 0: +1.0\nCore 2: +40,8°C\nCore 3: +1.0\n", "Core 2: +40,8°C"),
      ("level=*", "a=1 level=full", "level=full"), ("level=*", "Level=5", nil),
      ("*%", "a 1\ncharge 85,3% now\n", "charge 85,3%"), ("*%", "85", nil), ("*", "none", nil),
      ("n=*", "n=", "n="), ("n=* V", "n=1,5 V", "n=1,5 V"), ("nnn*", "nn", nil),
    ] as [(String, String, String?)])
  func thePlaceIsShownWhereThePatternFits(pattern: String, text: String, shown: String?) throws {
    #expect(try place(of: pattern, in: text) == shown)
  }

  @Test func thePlaceIsInItsLine() throws {
    let text = "a=x\nb=y\na=z 1"
    #expect(try place(of: "a=*", line: 3, in: text) == "a=z 1")
    #expect(try place(of: "a=*", line: 2, in: text) == nil)
    #expect(try place(of: "*y", line: 2, in: text) == "b=y")
    #expect(try place(of: "a=*", line: 4, in: text) == nil)
  }

  @Test(
    arguments: [
      ("40,78\n", nil, true), ("1.2.3", nil, true), ("1,2", 1, true), ("a\n40,78", 2, true),
      ("a\n40,78", 1, false), ("a\n40,78", nil, false), ("1\n2\n", nil, false), ("", nil, false),
      ("40,78 V", nil, false), ("1,2", 2, false),
    ] as [(String, Int?, Bool)])
  func whatIsNearlyANumberIsShownWithoutAPattern(text: String, line: Int?, isShown: Bool) {
    #expect((NumberPattern(line: line).place(in: [UInt8](text.utf8).span) != nil) == isShown)
  }

  @Test(arguments: ["", "level=", "*=*", "a\n*", String(repeating: "a", count: 128) + "*"])
  func aPatternHasOneStar(_ text: String) {
    #expect(NumberPattern([UInt8](text.utf8), line: nil) == nil)
  }

  @Test(arguments: [(0, false), (1, true), (999, true), (1000, false)])
  func linesCountFromOne(line: Int, isRight: Bool) {
    #expect((NumberPattern([UInt8]("*".utf8), line: line) != nil) == isRight)
  }

  /// Any text and pattern: what is found is written there.
  @Test func anyBytesAreReadOrRefused() {
    var random = SplitMix64(seed: 1)
    let alphabet = [UInt8]("0123456789-+.,eEx =*\n\t\u{FF}a".utf8)
    func bytes(_ countMax: UInt64) -> [UInt8] {
      (0..<random.next() % countMax).map { _ in
        alphabet[Int(random.next() % UInt64(alphabet.count))]
      }
    }
    for _ in 0..<10_000 {
      let text = bytes(20)
      let line = random.next() % 2 == 0 ? nil : Int(1 + random.next() % 3)
      if let place = NumberPattern(bytes(4), line: line)?.place(in: text.span) {
        #expect(place.upperBound <= text.count)
      }
      guard let pattern = NumberPattern(bytes(4), line: line),
        let number = pattern.number(in: text.span, isCut: random.next() % 2 == 0)
      else { continue }
      let size = FixedPoint(Int64(number.coefficient.magnitude), decimals: number.decimals)
      let core = (written(size) ?? "").drop { $0 == "0" }
      #expect(core.isEmpty || String(decoding: text, as: UTF8.self).contains(core))
    }
  }
}
