import Bytes
import Testing

@testable import HomeAssistant

/// What is written, against the forms that Home Assistant was seen to take.
@Suite struct WebhookMessageTests {
  @Test(
    arguments: [
      (
        Webhook.callService("light", "turn_on", data: ["entity_id": "light.deck", "x": 120]),
        #"{"domain":"light","service":"turn_on","#
          + #""service_data":{"entity_id":"light.deck","x":120}}"#
      ),
      (
        Webhook.callService("backup", "create"),
        #"{"domain":"backup","service":"create","service_data":{}}"#
      ),
      (Webhook.scanTag("04-a1"), #"{"tag_id":"04-a1"}"#),
      (Webhook.converse("hello \"boat\""), #"{"text":"hello \"boat\""}"#),
      (Webhook.streamCamera("camera.x"), #"{"camera_entity_id":"camera.x"}"#),
      (
        Webhook.template("{{ a + 1 }}", variables: ["a": 4]),
        #"{"template":"{{ a + 1 }}","variables":{"a":4}}"#
      ),
      (Webhook.template("{{ states('sun.sun') }}"), #"{"template":"{{ states('sun.sun') }}"}"#),
    ] as [(JSON, String)])
  func itIsWrittenAsHomeAssistantTakesIt(data: JSON, expected: String) {
    #expect(written { data.write(into: &$0) } == expected)
  }

  @Test func anEventHasAnObjectAlways() throws {
    #expect(
      try Webhook.fireEvent("homeward_history", data: ["n": 1])
        == ["event_type": "homeward_history", "event_data": ["n": 1]])
    #expect(try Webhook.fireEvent("boat") == ["event_type": "boat", "event_data": [:]])
  }

  /// Home Assistant counts characters and not bytes, and its handler fails beyond 64.
  @Test(arguments: ["e", "é", "⛵️"])
  func anEventTypeThatHomeAssistantWouldFailOnIsRefused(filler: String) throws {
    let scalars = filler.unicodeScalars.count
    let longest = String(repeating: filler, count: 64 / scalars)
    _ = try Webhook.fireEvent(Text(longest))
    #expect(throws: Webhook.ArgumentError.eventTypeTooLong(characterCount: 65)) {
      _ = try Webhook.fireEvent(Text(longest + "x"))
    }
  }

  @Test func whatIsWrittenForBytesThatAreNoTextIsCountedToo() {
    let broken = Text([UInt8](repeating: 0xFF, count: 65))
    #expect(throws: Webhook.ArgumentError.eventTypeTooLong(characterCount: 65)) {
      _ = try Webhook.fireEvent(broken)
    }
  }
}

@Suite struct TypedMembersTests {
  private func members(_ text: String) throws(Webhook.ArgumentError) -> JSONObject {
    try Webhook.members(parsing: [UInt8](text.utf8).span)
  }

  @Test func whatAPersonTypedIsWrittenAsItWasMeant() throws {
    let typed = "  {\n  \"a\" : [1, 2.50, null, {\"b\":\"\\u00e9\\n\"}] }\n"
    let call = Webhook.callService("d", "s", data: try members(typed))
    #expect(
      written { call.write(into: &$0) }
        == #"{"domain":"d","service":"s","service_data":{"a":[1,2.50,null,{"b":"é\u000a"}]}}"#)
  }

  @Test func aTypingErrorIsShownWhereItIs() {
    #expect(throws: Webhook.ArgumentError.malformed(.unexpected(at: 6))) {
      try members(#"{"a": x}"#)
    }
    #expect(throws: Webhook.ArgumentError.malformed(.truncated)) { try members(#"{"a": 1"#) }
    #expect(throws: Webhook.ArgumentError.malformed(.unexpected(at: 8))) {
      try members(#"{"a":1} {}"#)
    }
  }

  @Test(arguments: [
    ("[]", JSON.Kind.array), ("5", .number), (#""text""#, .string), ("null", .null),
    ("true", .boolean),
  ])
  func dataIsAnObject(text: String, kind: JSON.Kind) {
    #expect(throws: Webhook.ArgumentError.notAnObject(kind)) { try members(text) }
  }

  /// Home Assistant would drop the message over it without a word.
  @Test(arguments: [#"{"a":1e999}"#, #"{"a":[{"b":-1e400}]}"#])
  func aNumberThatHomeAssistantCannotReadIsRefused(text: String) {
    #expect {
      try members(text)
    } throws: { error in
      if case Webhook.ArgumentError.numberTooLarge = error { true } else { false }
    }
  }
}
