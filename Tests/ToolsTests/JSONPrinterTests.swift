import Bytes
import Testing

@testable import Tools
@testable import YAML

@Suite struct JSONPrinterTests {
  private func printer(_ json: String, depth: Int = 0) throws -> String {
    var printer = JSONPrinter()
    printer.append(try JSON(parsing: Array(json.utf8).span), depth: depth)
    return String(decoding: printer.bytes, as: UTF8.self)
  }

  @Test func membersAndElementsStandOnLinesOfTheirOwn() throws {
    let json = #"""
      {"name":"Harbour","position":[52.93,5.030],"empty":{},"none":[],"zones":[
      {"entity_id":"zone.home","tags":["a",["b"]]},{},null],"on":true}
      """#
    #expect(
      try printer(json) == """
        name: Harbour
        position: [52.93, 5.030]
        empty: {}
        none: []
        zones:
          - entity_id: zone.home
            tags:
              - a
              - - b
          - {}
          - null
        on: true

        """)
  }

  @Test func everyLineIsIndented() throws {
    #expect(
      try printer(#"{"a":1,"b":{"c":[true]}}"#, depth: 2) == """
            a: 1
            b:
              c:
                - true

        """)
    #expect(try printer(#""one\ntwo""#, depth: 1) == "  one\n  two\n")
    #expect(try printer("5", depth: 1) == "  5\n")
  }

  @Test(arguments: [
    "", " ", " a", "a ", "null", "True", "FALSE", "1", "-1", "1e5", "1.0", "+1", ".5", "~", "- a",
    "-", "?", ":", "a:", "a: b", "a #b", "#", "&a", "*a", "!a", "|", ">", "'a'", "\"a\"", "%", "@a",
    "`a", "{a", "[a", "}", "]", ",", "=", "<<",
  ])
  func aTextThatCouldBeTakenForSomethingElseStandsInQuotes(_ text: String) throws {
    let quoted = JSON.text(Text(text)).serialized()
    let shown = try printer("{\"k\":\(String(decoding: quoted, as: UTF8.self))}")
    #expect(shown == "k: \(String(decoding: quoted, as: UTF8.self))\n")
  }

  @Test(arguments: [
    "on", "zone.home", "a:b", "a#b", "2026-11-21T16:27:22+00:00", "2025.4.4", "m²", "°C",
    "mdi:home",
    "it's", "1 a", "a, b", "a [b]", "/api", "(none)", "äöü 日本 🚤", "a\\b",
  ])
  func aTextThatIsClearStandsWithoutQuotes(_ text: String) throws {
    let json = JSON.text(Text(text)).serialized()
    #expect(
      try printer("[\(String(decoding: json, as: UTF8.self))]") == "- \(text)\n")
  }

  @Test func noCharacterReachesTheTerminalThatItWouldObey() throws {
    let json = #"{"\u001b[31m":"bell \u0007, turned \u202E, \t and\nmore \u009b","a":"\u007f"}"#
    let shown = try printer(json)
    #expect(
      shown == #"""
        "\u001b[31m": "bell \u0007, turned \u202e, \t and\nmore \u009b"
        a: "\u007f"

        """#)
    // Alone, a text is shown as its lines; all else is made visible there, too.
    #expect(try printer(#""red \u001b[31m\r\n\tcell""#) == "red \\u001b[31m\\u000d\n\tcell\n")
  }

  @Test func bytesThatAreNoTextAreMarkedAsSuch() throws {
    var printer = JSONPrinter()
    printer.append(["k": .text(Text([0x61, 0xFF, 0x62]))])
    #expect(String(decoding: printer.bytes, as: UTF8.self) == "k: \"a\u{FFFD}b\"\n")
  }

  /// libyaml reads back what was written: the same values, kinds and texts.
  @Test(arguments: 0..<300 as Range<UInt64>)
  func aReaderOfYAMLFindsTheSameValue(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let json = JSON.array([Self.value(&random, depth: 0), Self.value(&random, depth: 0)])
    var printer = JSONPrinter()
    printer.append(json)
    let shown = String(decoding: printer.bytes, as: UTF8.self)
    let problems = ProblemCollector()
    let source = try #require(ConfigurationSource([], problems: problems))
    let tree = YAMLTreeBuilder.tree(of: printer.bytes, source, problems: problems)
    #expect(problems.isEmpty, "\(shown)")
    let read = try #require(tree)
    #expect(Self.json(read) == json, "\(shown)")
  }

  private static let texts = [
    "", "a", "on", "true", "null", "12", "-3.50", "a: b", "- a", "#", "a #b", "x:", "\u{1B}[0m",
    "two\nlines\n", " padded ", "\"quoted\"", "it's", "back\\slash", "ü", "🚤", "\u{85}", "\u{2028}",
    "[1, 2]", "{a: 1}", "*x", "&x", "!x", "%x", "@x", "`x", "|", ">", "?", ",", "a,b", "\u{7F}",
    "\t", "~", "=", "<", "---", "...", "\u{FEFF}",
  ]

  private static func value(_ random: inout SplitMix64, depth: Int) -> JSON {
    func text() -> Text { Text(texts[Int(random.next() % UInt64(texts.count))]) }
    switch random.next() % (depth < 3 ? 8 : 5) {
    case 0: return .null
    case 1: return .boolean(random.next().isMultiple(of: 2))
    case 2: return .number(JSONNumber(Int64(truncatingIfNeeded: random.next())))
    case 3: return .number(1.5)
    case 4: return .text(text())
    case 5, 6:
      var members = JSONObject()
      for _ in 0..<random.next() % 5 { members[text()] = value(&random, depth: depth + 1) }
      return .object(members)
    default:
      return .array((0..<random.next() % 5).map { _ in value(&random, depth: depth + 1) })
    }
  }

  private static func json(_ node: YAMLNode) -> JSON? {
    switch node.content {
    case .scalar(let text, isPlain: false): return .text(Text(text))
    case .scalar(let text, isPlain: true):
      return (try? JSON(parsing: text.span)) ?? .text(Text(text))
    case .sequence(let nodes):
      let elements = nodes.compactMap(json)
      return elements.count == nodes.count ? .array(elements) : nil
    case .mapping(let entries):
      var members = JSONObject()
      for entry in entries { members[Text(entry.key)] = json(entry.value) }
      return .object(members)
    case .refused: return nil
    }
  }
}
