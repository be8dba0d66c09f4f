import Bytes
import Testing

@testable import Tools

@Suite struct JSONLinesTests {
  private func lines(_ json: String) throws -> String {
    String(decoding: try JSON(parsing: Array(json.utf8).span).lines, as: UTF8.self)
  }

  @Test func membersAndElementsStandOnLinesOfTheirOwn() throws {
    let json = #"""
      {"name":"Harbour","position":[52.93,5.030],"empty":{},"none":[],"zones":[
      {"entity_id":"zone.home","text":"a: {\"b\", [c]}\\"},{},null],"on":true}
      """#
    #expect(
      try lines(json) == #"""
        {
          "name": "Harbour",
          "position": [
            52.93,
            5.030
          ],
          "empty": {},
          "none": [],
          "zones": [
            {
              "entity_id": "zone.home",
              "text": "a: {\"b\", [c]}\\"
            },
            {},
            null
          ],
          "on": true
        }

        """#)
  }

  @Test(arguments: [("5", "5\n"), (#""one\ntwo""#, "one\ntwo\n"), ("[]", "[]\n"), ("{}", "{}\n")])
  func aValueThatStandsAloneIsShownAsItIs(_ json: String, _ shown: String) throws {
    #expect(try lines(json) == shown)
  }

  @Test func attributesStandOnALineEach() throws {
    let attributes: JSONObject = ["friendly_name": "Boat X", "days": [1, 2], "a\u{1B}": true]
    #expect(
      String(decoding: attributes.lines, as: UTF8.self) == """
            friendly_name: "Boat X"
            days: [1,2]
            a?: true

        """)
  }

  @Test func noCharacterReachesTheTerminalThatItWouldObey() throws {
    let json = #"{"\u001b[31m":"bell \u0007, turned \u202E, \t and\nmore \u009b","a":"\u007f"}"#
    let shown = try lines(json)
    #expect(
      shown == #"""
        {
          "\u001b[31m": "bell \u0007, turned \u202e, \u0009 and\u000amore \u009b",
          "a": "\u007f"
        }

        """#)
    // Alone, a text is shown as its lines; all else is made visible there, too.
    #expect(
      try lines(#""red \u001b[31m\r\n\tcell \u009b""#) == "red \\u001b[31m\\u000d\n\tcell \\u009b\n"
    )
  }

  @Test func aLineOfJSONGrowsUntilItFits() throws {
    let text = [UInt8](repeating: 0x01, count: 100_000)
    let line = jsonLine { $0.appendMember("text", text.span) }
    #expect(try JSON(parsing: line.span)["text"] == .text(Text(text)))
  }

  @Test func bytesThatAreNoTextAreMarkedAsSuch() {
    let json: JSON = ["k": .text(Text([0x61, 0xFF, 0x62]))]
    #expect(String(decoding: json.lines, as: UTF8.self) == "{\n  \"k\": \"a\u{FFFD}b\"\n}\n")
  }

  /// Each reader of JSON reads the same value.
  @Test(arguments: 0..<300 as Range<UInt64>)
  func aReaderOfJSONFindsTheSameValue(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let json = JSON.array([Self.value(&random, depth: 0), Self.value(&random, depth: 0)])
    let lines = json.lines
    #expect(try JSON(parsing: lines.span) == json, "\(String(decoding: lines, as: UTF8.self))")
  }

  private static let texts = [
    "", "a", "\"quoted\"", "back\\slash\\", "\\\"", "{a: 1}", "[1, 2]", "two\nlines\n", "ü", "🚤",
    "\u{1B}[0m", "\u{85}", "\u{2028}", "\u{FEFF}", ",", ":", "}", "]",
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
}
