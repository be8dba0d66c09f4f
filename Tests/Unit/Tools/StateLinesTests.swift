import Bytes
import HomeAssistant
import Testing

@testable import Tools

@Suite struct StateLinesTests {
  /// The lines of an event, without the time at the beginning of those that have one.
  private func lines(_ event: String, of states: inout StateLines) throws -> [String] {
    var text: [UInt8] = []
    try states.apply(Array(event.utf8).span) { text += $0.bytes }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map {
      $0.hasPrefix(" ") ? String($0) : String($0.dropFirst("2026-11-21 17:12:33+01:00  ".count))
    }
  }

  private static let beginning = #"""
    {"a":{"sun.sun":{"s":"up","a":{"elevation":10.5},"c":"1","lc":1700000000},
    "sensor.charge":{"s":"83","a":{"unit_of_measurement":"%"},"c":"2","lc":1700000000}}}
    """#

  @Test func whatIsThereIsShownInOrderAndAligned() throws {
    var states = StateLines(showsAttributes: false)
    #expect(
      try lines(Self.beginning, of: &states) == ["sensor.charge  83 %", "sun.sun        up"])
  }

  @Test func onlyAStateThatIsOtherThanBeforeIsShownAgain() throws {
    var states = StateLines(showsAttributes: false)
    _ = try lines(Self.beginning, of: &states)
    let attribute = #"{"c":{"sun.sun":{"+":{"a":{"elevation":11},"lu":1700000001}}}}"#
    #expect(try lines(attribute, of: &states) == [])
    let both = #"{"c":{"sun.sun":{"+":{"s":"down","lc":1700000002}}}}"#
    #expect(try lines(both, of: &states) == ["sun.sun        down"])
  }

  @Test func attributesAreShownWhereTheyAreWanted() throws {
    var states = StateLines(showsAttributes: true)
    _ = try lines(Self.beginning, of: &states)
    let event = #"""
      {"c":{"sun.sun":{"+":{"a":{"azimuth":[1,2],"name":"a\u001bb"},"lu":1700000001},
      "-":{"a":["elevation"]}}}}
      """#
    #expect(
      try lines(event, of: &states) == [
        "sun.sun        up", "    azimuth: [1,2]", #"    name: "a\u001bb""#,
        "    elevation was removed",
      ])
    #expect(try lines(#"{"c":{"sun.sun":{"+":{"lu":1700000002}}}}"#, of: &states) == [])
  }

  @Test func aNewConnectionShowsOnlyWhatHasChangedMeanwhile() throws {
    var states = StateLines(showsAttributes: false)
    states.subscriptionStarted()
    _ = try lines(Self.beginning, of: &states)
    states.subscriptionStarted()
    let again = #"""
      {"a":{"sensor.charge":{"s":"83","a":{"unit_of_measurement":"%"},"c":"3","lc":1700000009},
      "sun.moon":{"s":"full","a":{},"c":"4","lc":1700000005}}}
      """#
    #expect(
      try lines(again, of: &states) == ["sun.moon       full", "sun.sun        was removed"])
    let known = (states.knows("sun.moon"), states.knows("sun.sun"))
    #expect(known == (true, false))
  }

  @Test func aNameOrAStateCannotCommandATerminal() throws {
    var states = StateLines(showsAttributes: false)
    let event = #"""
      {"a":{"a.\u001b[2J":{"s":"\u001b[31m","a":{"unit_of_measurement":"\u0007"},"c":"1","lc":1}}}
      """#
    #expect(try lines(event, of: &states) == ["a.?[2J  ?[31m ?"])
  }
}
