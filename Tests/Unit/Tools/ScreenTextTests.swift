import Bytes
import TestRun
import Testing

@testable import Tools

/// Text from outside, on a screen: it takes the columns that it seems to take, and steers nothing.
@Suite struct ScreenTextTests {
  private func shown(_ text: String, isUnicode: Bool = true) -> String {
    shown([UInt8](text.utf8), isUnicode: isUnicode)
  }

  private func shown(_ text: [UInt8], isUnicode: Bool = true) -> String {
    var shown = String.UnicodeScalarView()
    for cell in text.cells(isUnicode: isUnicode) where !cell.isSecondHalf {
      if let scalar = Unicode.Scalar(cell.scalar) { shown.append(scalar) }
    }
    return String(shown)
  }

  @Test(arguments: [
    ("\u{1B}[2J\u{1B}]0;title\u{7}", "?[2J?]0;title?"), ("a\u{9B}31mb\u{90}c\u{9C}", "a?31mb?c?"),
    ("a\r\n\t\u{0}\u{7F}b", "a?????b"), ("\u{202E}evil\u{2066}\u{FEFF}", "?evil??"),
    ("Zo\u{308}e\u{300}\u{301}", "Zoe"), ("a\u{200B}\u{200D}\u{FE0F}b", "ab"),
    ("温度 21 °C", "温度 21 °C"), ("Grüße, Ωμέγα, Привет", "Grüße, Ωμέγα, Привет"),
    ("1\u{2007}minute 2\u{A0}h 3\u{202F}V 4\u{2000}\u{200A}", "1 minute 2 h 3 V 4  "),
    ("שלום مرحبا ไทย", "???? ????? ???"), ("🚤 \u{1F3FB}ok", "🚤 ok"), ("\u{10FFFF}\u{E000}", "??"),
  ])
  func whatATerminalCouldObeyOrMismeasureIsReplaced(_ text: String, _ expected: String) {
    #expect(shown(text) == expected)
  }

  @Test func whatIsNotUTF8IsReplaced() {
    #expect(shown([0x61, 0xFF, 0xC3, 0x28, 0xE2, 0x82, 0x1B, 0x5B, 0xC0, 0x9B]) == "a??(???[??")
  }

  @Test(arguments: [
    ("21.5 °C", "21.5 C"), ("µg/m³", "ug/m3"), ("温度", "??"), ("3–4", "3-4"), ("Zo\u{308}e", "Zoe"),
    ("\u{1B}[m", "?[m"),
  ])
  func aTerminalWithoutUnicodeGetsASCIIOnly(_ text: String, _ expected: String) {
    #expect(shown(text, isUnicode: false) == expected)
  }

  @Test func everyCharacterTakesTheColumnsThatTheCLibrarySays() {
    var differing: [UInt32] = []
    for number in UInt32(0)...0x2_FFFF {
      guard let scalar = Unicode.Scalar(number), let columns = number.columnCount else { continue }
      // Its tables give colours of skin the width that they have without a person before them.
      if (0x1F3FB...0x1F3FF).contains(number) { continue }
      if TerminalEmulator.width(of: scalar) != columns { differing.append(number) }
    }
    #expect(differing.map { String($0, radix: 16) } == [])
    #expect(TerminalEmulator.width(of: "温") == 2, "the C library has its tables")
  }

  /// Names and texts of an enemy, on every size: the terminal finds nothing that it could obey.
  @Test(arguments: [(80, 24), (40, 12), (31, 9), (200, 60)])
  func noNameSteersTheTerminal(_ columns: Int, _ rows: Int) throws {
    let names = [
      #"\u001b[2J\u001b[1;1Hpwned"#, #"\u009b2J\u0090x\u009c"#, #"\u001b]52;c;cm0=\u0007"#,
      "温温温温温温温温温温温温温温温温温温温温温温温温温温温温温温温温温温温温温温温温温温",
      #"e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301"#, #"\u202eabc\u2066"#, "🚤🚤🚤",
      #"a\r\nb\tc\bd"#, "", " ", #"\ud800"#, String(repeating: "long ", count: 200),
    ]
    for look in [ScreenRig.dark, ScreenLook(isColored: true, isUnicode: false)] {
      var rig = ScreenRig(columns, rows, look: look)
      var told = ToldStatus()
      told.sensors = names.map { ($0, $0, 90) }
      told.decision.words = names[0]
      told.fix = (age: 3, east: 0, north: 0)
      let document = told.document
        .replacing("accepts the data", with: names[1])
        .replacing("http://192.168.1.5:8123", with: names[2])
        .replacing("\"0.1.0\"", with: "\"\(names[0])\"")
      // One of half a character is no JSON, and no answer.
      try rig.answered(document.replacing(#"\ud800"#, with: "x"))
      for _ in 0..<20 { rig.type(" ") }
      rig.unanswered("\u{1B}[31mno agent")
      rig.type("g")
      #expect(!look.isUnicode || rig.picture.contains("?[31mno agent"))
      if !look.isUnicode { #expect(rig.picture.utf8.allSatisfy { $0 < 0x80 }) }
    }
  }

  @Test func halfAWideCharacterIsNotShown() {
    var grid = ScreenGrid(ScreenSize(columns: 5, rows: 1))
    grid.put([UInt8]("a温度x".utf8).cells(isUnicode: true), row: 0, column: 1)
    #expect(grid.shown == [" a温"])
    grid.put([UInt8]("温".utf8).cells(isUnicode: true), row: 0, column: 2, end: 3)
    #expect(grid.shown == [" a"])
  }

  // MARK: What the environment says

  private func look(_ variables: [String: String]) -> ScreenLook? {
    ScreenLook { name in variables["\(name)"].map { [UInt8]($0.utf8) } }
  }

  @Test(arguments: [
    (["LANG": "de_DE.UTF-8"], true), (["LANG": "C.utf8"], true), (["LANG": "C"], false),
    ([:], false),
    (["LC_ALL": "C", "LANG": "de_DE.UTF-8"], false),
    (["LC_ALL": "", "LC_CTYPE": "en_GB.UTF-8", "LANG": "C"], true),
    (["LC_CTYPE": "POSIX", "LANG": "en_GB.UTF-8"], false),
    (["LANG": "de_DE@euro"], false), (["LANG": "de_DE.UTF-8", "TERM": "linux"], false),
  ])
  func theLocaleSaysWhetherBlocksCanBeShown(_ variables: [String: String], _ isUnicode: Bool) {
    let look = look(["TERM": "xterm"].merging(variables) { $1 })
    #expect(look?.isUnicode == isUnicode)
    #expect(look?.isColored == true)
  }

  @Test func coloursAreLeftOutWhereTheyAreNotWanted() {
    #expect(look(["TERM": "xterm", "NO_COLOR": "1"])?.isColored == false)
    #expect(look(["TERM": "xterm", "NO_COLOR": ""])?.isColored == true, "no-color.org")
  }

  @Test func aDumbTerminalIsNotDrawnOn() {
    #expect(look(["TERM": "dumb"]) == nil)
    #expect(look(["TERM": ""]) == nil)
    #expect(look([:]) == nil)
  }
}
