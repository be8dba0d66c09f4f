import Bytes
import Testing

@testable import HomeAssistant

/// What Home Assistant was seen to answer, and what it never may.
@Suite struct WebhookAnswerTests {
  /// Reads a text as an answer, and anything cut off it as none.
  private func reading<Value>(
    _ answer: String, _ read: (Span<UInt8>) throws(JSONDecodingError) -> Value
  ) throws -> Value {
    let bytes = [UInt8](answer.utf8)
    for cut in truncations(of: bytes) {
      #expect(throws: JSONDecodingError.self) { _ = try read(cut.span) }
    }
    for flipped in flips(of: bytes) { _ = try? read(flipped.span) }
    return try read(bytes.span)
  }

  private func error<Value>(
    _ answer: String, _ read: (Span<UInt8>) throws(JSONDecodingError) -> Value
  ) -> JSONDecodingError? {
    do throws(JSONDecodingError) {
      _ = try read([UInt8](answer.utf8).span)
      return nil
    } catch {
      return error
    }
  }

  // MARK: Templates

  @Test(
    arguments: [
      (5, nil), ("Boat", nil), ([1, 2], nil), (["error": "x", "and": 1], nil), (["error": 5], nil),
      (["error": "TemplateSyntaxError: x"], "TemplateSyntaxError: x"),
    ] as [(JSON, Text?)])
  func anErrorIsToldFromAResult(result: JSON, words: Text?) {
    #expect(Webhook.templateError(result) == words)
  }

  @Test(arguments: [
    (#"{"AAAAAA":1}"#, true), (#" {"x":{"AAAAAA":2}, "AAAAAA" : 1}"#, true), ("{}", false),
    (#"{"AAAAAA":2}"#, false), (#"{"AAAAAA":"1"}"#, false), (#"{"AAAAAA":{"error":"x"}}"#, false),
    ("[]", false), ("", false), (#"{"x":{"AAAAAA":1}}"#, false), ("<html>", false),
    // The answer to another one, and the message itself, given back by an on-path attacker.
    (#"{"AAAAAB":1}"#, false), (#"{"AAAAAA":{"template":"1"}}"#, false),
  ])
  func onlyTheResultOfTheProbeAnswersIt(answer: String, isAnswered: Bool) {
    #expect(Challenge.zeros.isRepeated(inResults: [UInt8](answer.utf8).span) == isAnswered)
  }

  // MARK: Zones

  private static func zones(_ answer: Span<UInt8>) throws(JSONDecodingError) -> [Webhook.Zone] {
    try [Webhook.Zone](decoding: answer)
  }

  private static func zone(
    _ attributes: String
  ) -> String {
    #"[{"entity_id":"zone.home","state":"1","attributes":{\#(attributes)},"last_changed":"2025-"}]"#
  }

  @Test func everyZoneIsReadThePassiveOnesToo() throws {
    let zones = try reading(
      #"[{"entity_id":"zone.home","state":"1","attributes":{"latitude":52.0,"longitude":4,"#
        + #""radius":100,"passive":false,"persons":["person.a"],"editable":true,"#
        + #""icon":"mdi:home","friendly_name":"Home \"sweet\""},"last_changed":"2025-04-05","#
        + #""context":{"id":"01J","parent_id":null}},"#
        + #"{"entity_id":"zone.harbour_2","attributes":{"latitude":-51.12345678901234,"#
        + #""longitude":3.5e0,"radius":62.5,"passive":true,"friendly_name":"Harbour"}}]"#,
      Self.zones)
    #expect(zones.map { $0.latitude } == [52, -51.12345678901234])
    #expect(zones.map { $0.longitude } == [4, 3.5])
    #expect(zones.map { $0.radiusMeters } == [100, 62.5])
    #expect(zones.map { $0.isPassive } == [false, true])
    #expect(try reading("[]", Self.zones).isEmpty)
  }

  private static let members: [(key: String, member: String)] = [
    ("latitude", #""latitude":52"#), ("longitude", #""longitude":4"#), ("radius", #""radius":1"#),
    ("passive", #""passive":false"#),
  ]

  @Test(arguments: 0..<3) func aZoneWithoutOneOfItsMembersIsNone(missing: Int) {
    let rest = Self.members.indices.filter { $0 != missing }.map { Self.members[$0].member }
    let answer = Self.zone(rest.joined(separator: ","))
    #expect(
      error(answer, Self.zones) == .missingKey(Text(Self.members[missing].key)))
  }

  @Test(arguments: ["", #","passive":null"#])
  func aZoneThatDoesNotSaySoIsNotPassive(passive: String) throws {
    let place = Self.members.dropLast().map { $0.member }.joined(separator: ",")
    #expect(try reading(Self.zone(place + passive), Self.zones).map(\.isPassive) == [false])
  }

  @Test(arguments: [
    (#""latitude":90.1"#, "latitude"), (#""longitude":-180.5"#, "longitude"),
    (#""radius":-1"#, "radius"),
  ])
  func aZoneThatIsNotOnEarthIsNone(member: String, key: String) {
    // The last of two members of one name counts.
    let answer = Self.zone(Self.members.map { $0.member }.joined(separator: ",") + "," + member)
    #expect(error(answer, Self.zones) == .invalidValue(key: Text(key)))
  }

  // MARK: Encryption

  private func enabling(status: Int, _ body: String) -> Webhook.EnableEncryption.Result {
    Webhook.EnableEncryption.read(AnswerHead(status: status), body: buffer(of: body))
  }

  @Test func theKeyComesInClearAndOnce() {
    let secret = RegistrationAnswerTests.secret
    guard case .enabled(let key) = enabling(status: 200, #"{"secret":"\#(secret)"}"#) else {
      Issue.record("not enabled")
      return
    }
    #expect(written { key.append(to: &$0) } == secret)
  }

  @Test(arguments: ["encryption_already_enabled", "encryption_required"])
  func aLockedRegistrationStaysLocked(code: String) {
    let body = #"{"success": false, "error": {"code": "\#(code)", "message": "…"}}"#
    guard case .alreadyEnabled = enabling(status: 400, body) else {
      Issue.record("\(code) was not seen")
      return
    }
  }

  @Test func aHomeThatCannotEncryptSaysSo() {
    let body = #"{"success": false, "error": {"code": "encryption_not_available"}}"#
    guard case .notAvailable = enabling(status: 400, body) else {
      Issue.record("not seen")
      return
    }
  }

  @Test(arguments: [
    (200, "{}", Answer.unproven), (200, "", .notLive), (404, "", .server(.notFound)),
    (200, #"{"secret":null}"#, .server(.notHomeAssistant(status: 200))),
    (200, #"{"secret":"40ab"}"#, .server(.notHomeAssistant(status: 200))),
    (200, "<html>", .server(.notHomeAssistant(status: 200))), (400, "{}", .badRequest),
  ])
  func anythingElseEnablesNothing(status: Int, body: String, answer: Answer) {
    guard case .unanswered(answer) = enabling(status: status, body) else {
      Issue.record("\(body) enabled something")
      return
    }
  }

  /// People make such ones for a point, and Home Assistant takes them.
  @Test func aZoneMayBeAPoint() throws {
    let members = Self.members.map { $0.key == "radius" ? #""radius":0"# : $0.member }
    let zones = try reading(Self.zone(members.joined(separator: ",")), Self.zones)
    #expect(zones.map(\.radiusMeters) == [0])
  }
}
