import Board
import Testing
import YAML

/// Files that are wrong as a whole, and YAML that a configuration does not need.
@Suite struct ConfigurationFileTests {
  static let nothing = """
    f:1:1: the file has no settings; write at least \
    home_assistant: { url: http://192.168.1.5:8123 }
    """
  static let noMapping = """
    keys and values are expected here; write for example \
    home_assistant: { url: http://192.168.1.5:8123 }
    """

  @Test(arguments: [
    ("", nothing), ("\n\n", nothing), ("# only a comment\n", nothing), ("---\n", nothing),
    ("~\n", nothing), ("\u{FEFF}", nothing),
    ("- a\n- b\n", "f:1:1: \(noMapping)"), ("[]", "f:1:1: \(noMapping)"),
    ("\n  hello\n", "f:2:3: \(noMapping)"), ("12", "f:1:1: \(noMapping)"),
    ("\"\"", "f:1:1: \(noMapping)"),
  ])
  func aFileWithoutSettingsSaysWhatToWrite(_ file: String, _ expected: String) {
    #expect(Outcome.problem(file) == expected)
  }

  static let noUTF8 = "the file is not UTF-8 here; save it as UTF-8"
  static let control = "there is an invisible control character here; delete it"
  static let mark = "there is a byte order mark (U+FEFF) here; delete it"

  @Test(
    arguments: [
      ([0xFF, 0xFE, 0x65, 0x00], "f:1:1: the file is UTF-16; save it as UTF-8"),
      ([0xFE, 0xFF, 0x00, 0x65], "f:1:1: the file is UTF-16; save it as UTF-8"),
      ([0xFF, 0x65, 0x00], "f:1:1: \(noUTF8)"),
      ([0xFE, 0x65, 0x00], "f:1:1: \(noUTF8)"),
      (Array("é: \n ".utf8) + [0xFF], "f:2:2: \(noUTF8)"),
      (Array("é: ".utf8) + [0xC3], "f:1:4: \(noUTF8)"),
      ([0xED, 0xA0, 0x80], "f:1:1: \(noUTF8)"),
      (
        Array("a\r\n\r\nb".utf8) + [0],
        "f:3:2: there is a NUL byte here; is this the right file?"
      ),
      (Array("a\u{1B}[2J".utf8), "f:1:2: \(control)"),
      (Array("é\u{2028}a".utf8), "f:1:2: \(control)"),
      (Array("é\u{85}a".utf8), "f:1:2: \(control)"),
      (Array("é\u{FEFF}a".utf8), "f:1:2: \(mark)"),
      (Array("#\u{FEFF}".utf8), "f:1:2: \(mark)"),
      (Array("é\u{FFFF}a".utf8), "f:1:2: \(control)"),
    ] as [([UInt8], String)])
  func aFileThatIsNotTextIsLocatedToTheCharacter(_ bytes: [UInt8], _ expected: String) {
    #expect(Outcome.problems(bytes) == [expected])
  }

  @Test func aFileBeyondTheLimitIsNotLookedAt() {
    let large = [UInt8](repeating: 0x61, count: 10 << 20)
    #expect(
      Outcome.problems(large) == ["f:1:1: the file has 10485760 bytes; the most is 65536"])
    let full = Array(minimum.utf8) + [UInt8](repeating: 0x0A, count: 65536 - minimum.utf8.count)
    #expect(Outcome.problems(full) == [])
    #expect(
      Outcome.problems(full + [0x0A]) == ["f:1:1: the file has 65537 bytes; the most is 65536"])
  }

  static let plainly = "write a plain space"
  static let noBreak = "there is a no-break space (U+00A0) here; \(plainly)"
  static let zeroWidth = "there is a zero-width space (U+200B) here; delete it"
  static let turned = "there is a mark that turns the direction of writing "

  /// What pages, chats and word processors put in the place of a space.
  @Test(arguments: [
    ("device:\n\u{A0}\u{A0}name: Boat", "f:3:1: \(noBreak)"),
    ("device:\n \u{A0}name: Boat", "f:3:2: \(noBreak)"),
    ("device:\n  name:\u{A0}Boat", "f:3:8: \(noBreak)"),
    ("device: { name: My\u{A0}Boat }", "f:2:19: \(noBreak)"),
    ("device: { \"name\":\u{A0}x }", "f:2:18: \(noBreak)"),
    ("device: { name: x }\u{A0}# ok", "f:2:20: \(noBreak)"),
    ("every:\u{A0}10s", "f:2:7: \(noBreak)"),
    ("every: 10s\u{200B}", "f:2:11: \(zeroWidth)"),
    ("\u{200B}every: 10s", "f:2:1: \(zeroWidth)"),
    ("every: 10\u{202F}s", "f:2:10: there is a narrow no-break space (U+202F) here; \(plainly)"),
    ("every:\u{2003}10s", "f:2:7: there is another kind of space (U+2003) here; \(plainly)"),
    ("sensors:\u{3000}[]", "f:2:9: there is another kind of space (U+3000) here; \(plainly)"),
    ("every: 10s\u{AD}", "f:2:11: there is a soft hyphen (U+00AD) here; delete it"),
    ("every: 10s\u{2060}", "f:2:11: there is a word joiner (U+2060) here; delete it"),
    ("every: 10s\u{200E}", "f:2:11: there is a left-to-right mark (U+200E) here; delete it"),
    ("every: \u{200F}10s", "f:2:8: there is a right-to-left mark (U+200F) here; delete it"),
    ("every: \u{61C}10s", "f:2:8: there is an Arabic letter mark (U+061C) here; delete it"),
    ("every: 10\u{3164}s", "f:2:10: there is a Hangul filler (U+3164) here; \(plainly)"),
    ("every:\u{2800}10s", "f:2:7: there is a blank Braille pattern (U+2800) here; \(plainly)"),
    ("every: \u{202A}10s", "f:2:8: \(turned)(U+202A) here; delete it"),
    ("every: \u{202E}10s", "f:2:8: \(turned)(U+202E) here; delete it"),
    ("every: \u{2066}10s", "f:2:8: \(turned)(U+2066) here; delete it"),
    ("device: { name: \"\u{2069}x\" }", "f:2:18: \(turned)(U+2069) here; delete it"),
    ("# \u{202B}every: 10s", "f:2:3: \(turned)(U+202B) here; delete it"),
  ])
  func aCharacterThatCannotBeSeenIsNamed(_ lines: String, _ expected: String) {
    #expect(Outcome.problem(minimum + lines + "\n") == expected)
  }

  @Test(arguments: [
    "# \u{A0}every: 1s", "every: 10s #\u{A0}often", "every: 10s\t# 10\u{202F}s",
    "device: { name: 'My # \\u00A0' } # \u{A0}", "device: { name: \"My\\u00A0Boat\" }",
    "device: { name: 👩\u{200D}🚀 }", "device: { name: می\u{200C}خواهم }",
  ])
  func inACommentAndAsAnEscapeItMayStand(_ lines: String) {
    #expect(Outcome.problem(minimum + lines + "\n") == "")
  }

  @Test(arguments: ["\"居間\u{3000}温度\"", "'居間\u{3000}温度'", "\"Cap\u{A0}: nord\""])
  func aSpaceOfANameMayStandInQuotes(_ name: String) throws {
    let configuration = try Outcome.configuration(minimum + "device: { name: \(name) }\n")
    #expect(text(configuration.deviceName) == String(name.dropFirst().dropLast()))
  }

  static let straight = "is not a quote in YAML, but a part of the text; write \" at both ends"

  @Test(arguments: [
    ("device: { name: “Boat” }", 17, "device.name: “"),
    ("device: { name: „Boot“ }", 17, "device.name: „"),
    ("device: { name: «Bateau» }", 17, "device.name: «"),
    ("device: { name: »Boot« }", 17, "device.name: »"),
    ("device: { name: ”Båt” }", 17, "device.name: ”"),
    ("device: { name: ‘Boat’ }", 17, "device.name: ‘"),
    ("device: { name: ‚Boot‘ }", 17, "device.name: ‚"),
    ("device: { name: “My, Boat” }", 17, "device.name: “"), ("every: “10s”", 8, "every: “"),
    ("device: { “name”: Boat }", 11, "device: “"),
    ("battery: [“BAT0”]", 11, "battery[0]: “"),
    ("state_directory: “/var”", 18, "state_directory: “"),
  ])
  func typographicQuotesAreNamed(_ line: String, _ column: Int, _ start: String) {
    #expect(
      Outcome.problems(minimum + line + "\n").first == "f:2:\(column): \(start) \(Self.straight)")
  }

  @Test func typographicQuotesAroundTheAddressAndANetworkAreNamed() {
    #expect(
      Outcome.problems("home_assistant: { url: “http://ha:8123” }\n")
        == ["f:1:24: home_assistant.url: “ \(Self.straight)"])
    #expect(
      Outcome.problems(
        "home_assistant: { url: http://ha, home_network: { ssids: [“Harbour”, Café] } }\n")
        == ["f:1:59: home_assistant.home_network.ssids[0]: “ \(Self.straight)"])
  }

  @Test(arguments: [
    "\"“Boat”\"", "'«Boat»'", "’s-Hertogenbosch", "Anna’s iPhone", "Pipe 5”", "The “Boat”", "‘",
    "’90s",
  ])
  func typographicQuotesThatAreMeantStay(_ name: String) throws {
    let configuration = try Outcome.configuration(minimum + "device: { name: \(name) }\n")
    let isQuoted = name.hasPrefix("\"") || name.hasPrefix("'")
    #expect(
      text(configuration.deviceName) == (isQuoted ? String(name.dropFirst().dropLast()) : name))
  }

  // MARK: A number sign

  static let cut = "this # begins a comment, so the bracket on line"
  static let quoteIt = "put a text that contains \" #\" in quotes"

  @Test(arguments: [
    ("battery: [Slip #5, BAT1]\nsystem: off", "f:2:16: \(cut) 2 is not closed; \(quoteIt)"),
    ("battery:\n  [A,\n   Slip #5]\nsystem: off", "f:4:9: \(cut) 3 is not closed; \(quoteIt)"),
    ("device: { name: Slip #5 }\nsystem: off", "f:2:22: \(cut) 2 is not closed; \(quoteIt)"),
    ("device: { name: Slip #5 }", "f:2:22: \(cut) 2 is not closed; \(quoteIt)"),
    ("device: { name: Slip # 5 }", "f:2:22: \(cut) 2 is not closed; \(quoteIt)"),
    ("battery: [\"A\" # x\n", "f:2:10: a list begins here and does not end; close it with ]"),
  ])
  func aCommentThatCutsOffABracketIsThePlaceToLookAt(_ lines: String, _ expected: String) {
    #expect(Outcome.problem(minimum + lines + "\n") == expected)
  }

  @Test(arguments: [
    ("device: { name: x }\nevery: 10s #fast", [3]), ("device:\n  name: Slip #5", [3]),
    ("battery:\n  - A #5\n  - B #6 # two", [3, 4]), ("device:\n  name: Møøse #ø", [3]),
    ("every: 10s # fast", []), ("every: 10s #", []), ("#every: 10s", []), ("  #every", []),
    ("device: { name: \"Slip #5\" } #x", []), ("device: { name: 'It''s #5' }", []),
    ("device: { name: \"a\\\" #5\" }", []), ("device: { name: Slip#5 }", []),
    ("device: { name: x, #y\n }", []), ("device: #y\n  name: x", []),
    ("device: { name: it's }\nevery: 10s #fast", [3]),
  ])
  func aCommentRightBehindATextIsPointedOut(_ lines: String, _ expected: [Int]) throws {
    let configuration = try Outcome.configuration(minimum + lines + "\n")
    #expect(configuration.warnings.map { $0.line } == expected)
    for warning in configuration.warnings {
      #expect(
        text(warning.rendered(fileName: [0x66]))?.hasSuffix(
          "this # begins a comment: the value ends before it; if the rest belongs to the value, put it"
            + " all in quotes") == true)
    }
  }

  static let yaml = "this is not YAML:"
  static let quote =
    "a text in quotes begins here and does not end; close it with the quote it begins with"
  static let reserved = "a value cannot begin with this character; put it in quotes"
  static let noMappingHere =
    "\(yaml) mapping values are not allowed in this context; check the indentation; a text that"
    + " contains \": \" needs quotes"
  static let notAligned =
    "\(yaml) did not find expected key while parsing a block mapping, which begins on line 1; check"
    + " the indentation: keys that belong together align"

  @Test(arguments: [
    ("device:\n\tname: x", "f:3:1: the line is indented with a tab; use spaces"),
    ("sensors:\n  - a\n \t- b", "f:4:2: the line is indented with a tab; use spaces"),
    ("device: { name: \"a\n\n", "f:2:17: \(quote)"),
    ("device: { name: 'a", "f:2:17: \(quote)"),
    ("device: @x", "f:2:9: \(reserved)"),
    ("device: { name: `x` }", "f:2:17: \(reserved)"),
    ("device: a: b", "f:2:10: \(noMappingHere)"),
    (
      "device: { name: x\nbattery: auto\n",
      "f:3:8: \(yaml) did not find expected ',' or '}' while parsing a flow mapping, which "
        + "begins on line 2; close it with } or put a comma between settings"
    ),
    (
      "battery: [a\n", "f:2:10: a list begins here and does not end; close it with ]"
    ),
    (
      "device: { name: x\n",
      "f:2:9: a section begins here and does not end; close it with }"
    ),
    (" every: 10s", "f:2:2: \(notAligned)"),
    ("device:\n  name: x\n icon: y", "f:4:2: \(notAligned)"),
    (
      "every",
      "f:2:1: \(yaml) could not find expected ':' while scanning a simple key; "
        + "write key: value, with a colon and a space"
    ),
    (
      "device: { name: \"\\q\" }",
      "f:2:18: \(yaml) found unknown escape character while parsing a quoted scalar; write "
        + "the backslash twice, or use single quotes"
    ),
    (
      "sensors: - a",
      "f:2:10: \(yaml) block sequence entries are not allowed in this context; begin a list "
        + "on the line after its key"
    ),
  ])
  func whatIsNotYAMLIsExplained(_ lines: String, _ expected: String) {
    #expect(Outcome.problem(minimum + lines + "\n") == expected)
  }

  @Test func afterASyntaxErrorOnlyWhatWasFoundBeforeIsReported() {
    #expect(
      Outcome.problems("evry: !x 1\nevry: 2\ndevice: a: b\nhost: *x\n") == [
        "f:1:7: evry: \(Self.noTags)",
        "f:2:1: the key \"evry\" is here twice; remove one; the first is on line 1",
        "f:3:10: \(Self.noMappingHere)",
      ])
  }

  static let noTags =
    "tags are not supported; write the value itself; a text that begins with ! needs quotes"
  static let noAliases =
    "aliases (*) are not supported; write the value out; a text that begins with * needs quotes"
  static let noMerge = "merge keys (<<) are not supported; write the settings out"
  static let isTwice = "is here twice; remove one; the first is on line 2"

  @Test(arguments: [
    (
      "every: !secret cycle",
      "f:2:8: every: !secret is not supported: only Home Assistant knows it; write a "
        + "token to the file of token_file, and other values here"
    ),
    ("every: !!str 10s", "f:2:8: every: \(noTags)"),
    ("system: !include x.yaml", "f:2:9: system: \(noTags)"),
    ("battery: !x [BAT0]", "f:2:10: battery: \(noTags)"),
    (
      "every: &e 10s",
      "f:2:8: every: anchors (&) are not supported; remove it, and write the value wherever "
        + "it is needed"
    ),
    ("every: *e", "f:2:8: every: \(noAliases)"),
    ("battery: [BAT0, *x]", "f:2:17: battery[1]: \(noAliases)"),
    ("<<: *defaults", "f:2:1: \(noMerge)"),
    ("device: { <<: [*a, *b] }", "f:2:11: device: \(noMerge)"),
    ("? [a, b]\n: c", "f:2:3: a key must be a plain word; write key: value"),
    ("device: { { a: b }: c }", "f:2:11: device: a key must be a plain word; write key: value"),
    ("every: 10s\nevery: 20s", "f:3:1: the key \"every\" \(isTwice)"),
    ("device: { name: a,\n  \"name\": b }", "f:3:3: device: the key \"name\" \(isTwice)"),
    ("---\nevery: 10s", "f:2:1: a second document begins here; keep one, and remove the line ---"),
    ("...\n---\n", "f:3:1: a second document begins here; keep one, and remove the line ---"),
    (
      "device: { name: \(String(repeating: "x", count: 4097)) }",
      "f:2:17: device.name: this text has 4097 bytes; the most is 4096; is a quote missing?"
    ),
    (
      "a: [[[[[[[[]]]]]]]]",
      "f:2:11: a[0][0][0][0][0][0][0]: keys and lists are nested more than 8 deep; "
        + "no setting needs that; check the brackets and the indentation"
    ),
    (
      "a: [\(String(repeating: "x,", count: 257))]",
      "f:2:517: a: there are more than 256 entries here; no setting needs that many; remove some"
    ),
  ])
  func yamlThatNoSettingNeedsIsRefused(_ lines: String, _ expected: String) {
    #expect(Outcome.problem(minimum + lines + "\n") == expected)
  }

  @Test func aKeyCannotCommandTheTerminal() {
    let problems = Outcome.problems(minimum + "\"\\e[2J\": *e\n")
    #expect(problems.last == "f:2:10: ?[2J: \(Self.noAliases)")
    #expect(problems.first?.hasPrefix("f:2:1: unknown key \"?[2J\"; ") == true)
  }

  @Test func aBillionLaughsAreOneShortAnswerEach() {
    var file = minimum + "a: &a [lol, lol]\n"
    for (name, before) in zip("bcdefghij", "abcdefghi") {
      file += "\(name): &\(name) [*\(before), *\(before), *\(before), *\(before)]\n"
    }
    let problems = Outcome.problems(file)
    #expect(problems.count == 51)
    #expect(problems.last == "and 6 more")
  }
}
