import Bytes
import Testing

@testable import HomeAssistant

@Suite struct LocationReadBackTests {
  /// As it was tried on a real Home Assistant.
  private static let template =
    "{% set e=device_entities(id)|select('match','device_tracker[.]')|list|first|default(none) %}"
    + "{% if e and states[e] %}{{ {'e':e,'lat':state_attr(e,'latitude'),"
    + "'lon':state_attr(e,'longitude'),'acc':state_attr(e,'gps_accuracy'),"
    + "'age':(as_timestamp(now())-as_timestamp(states[e].last_updated))|round(3)} }}"
    + "{% else %}{{ {'e':e} }}{% endif %}"

  @Test func theTrackerIsAskedForByItsDevice() {
    let message = Webhook.LocationReadBack(deviceID: "5fa3", challenge: .zeros)
    #expect(
      written { message.write(into: &$0) }
        == #"{"AAAAAA":{"template":""# + Self.template + #"","variables":{"id":"5fa3"}}}"#)
  }

  private func judged(
    _ answer: String, latitude: Double = 51.5, longitude: Double = 3.6,
    sent: Duration = .milliseconds(300)
  ) throws -> Webhook.LocationReadBack.Verdict {
    let location = try #require(
      Location(latitude: latitude, longitude: longitude, accuracyMeters: 12))
    return try Webhook.LocationReadBack.judge(
      [UInt8](answer.utf8).span, to: .zeros, of: location, sent: sent)
  }

  private static func tracker(
    latitude: String = "51.5", longitude: String = "3.6", age: String = "0.002"
  ) -> String {
    #"{"AAAAAA":{"e":"device_tracker.proof_boat","lat":\#(latitude),"lon":\#(longitude),"acc":12,"#
      + #""age":\#(age)}}"#
  }

  @Test func whatIsShownFreshAndInPlaceWasStored() throws {
    #expect(try judged(Self.tracker()) == .stored)
    #expect(try judged(Self.tracker(age: "0.3")) == .stored)
    #expect(try judged(Self.tracker(age: "-0.001")) == .stored)
    #expect(try judged(Self.tracker(age: "0")) == .stored)
  }

  /// The place is the same: only its age tells that it is the one before.
  @Test func theFixBeforeIsNotTakenForThisOne() throws {
    #expect(try judged(Self.tracker(age: "0.505")) == .dropped)
    #expect(try judged(Self.tracker(age: "86400.5")) == .dropped)
    #expect(try judged(Self.tracker(age: "9.2e15")) == .dropped)
  }

  @Test(arguments: [
    ("51.5000003", "3.6"), ("51.5", "3.5999997"), ("-51.5", "3.6"), ("null", "null"),
    ("52", "4"), ("9e11", "3.6"), ("9.2e11", "-9.2e11"),
  ])
  func anotherPlaceIsNotOurs(latitude: String, longitude: String) throws {
    #expect(try judged(Self.tracker(latitude: latitude, longitude: longitude)) == .dropped)
  }

  @Test(arguments: [
    ("51.1234567", "-3.5"), ("51.123456699999997", "-3.5"), ("51.12345674", "-3.50000001"),
    ("5.11234567e1", "-35E-1"), ("51.1234568", "-3.5"),
  ])
  func aPlaceIsTheSameWhereverItWasRounded(latitude: String, longitude: String) throws {
    let answer = Self.tracker(latitude: latitude, longitude: longitude)
    #expect(try judged(answer, latitude: 51.123456749, longitude: -3.5) == .stored)
  }

  @Test func theEquatorIsAPlaceToo() throws {
    let answer = Self.tracker(latitude: "1e-07", longitude: "-0.0")
    #expect(try judged(answer, latitude: 0.0000001, longitude: 0) == .stored)
    #expect(try judged(Self.tracker(), latitude: 0, longitude: 0) == .dropped)
  }

  @Test(arguments: [#"{"AAAAAA":{"e":null}}"#, #"{"AAAAAA":{"e":"device_tracker.gone"}}"#])
  func withoutATrackerALocationGoesNowhere(answer: String) throws {
    #expect(try judged(answer) == .noTracker)
  }

  /// An on-path attacker may have kept the answer to an earlier one.
  @Test(arguments: [
    "{}", #"{"AAAAAB":{"e":"device_tracker.b","lat":51.5,"lon":3.6,"acc":12,"age":0.002}}"#,
    #"{"q":{"e":null}}"#,
    // The template failed.
    #"{"AAAAAA":{}}"#, #"{"AAAAAA":{"error":"UndefinedError: 'id' is undefined"}}"#,
  ])
  func theAnswerToAnotherReadBackOrAFailureIsNoVerdict(answer: String) {
    #expect(throws: JSONDecodingError.missingKey("e")) { try judged(answer) }
  }

  @Test(arguments: ["", "null", "[]", #"{"AAAAAA":"text"}"#, #"{"AAAAAA":{"e":null}}x"#, "<html>"])
  func anAnswerOfAnotherShapeIsNoVerdict(answer: String) {
    #expect(throws: JSONDecodingError.self) { try judged(answer) }
  }

  @Test func aDamagedAnswerNeverTraps() {
    let answer = [UInt8](Self.tracker().utf8)
    for cut in truncations(of: answer) {
      #expect(throws: JSONDecodingError.self) {
        try judged(String(decoding: cut, as: UTF8.self))
      }
    }
    for flipped in flips(of: answer) {
      _ = try? judged(String(decoding: flipped, as: UTF8.self))
    }
  }
}
