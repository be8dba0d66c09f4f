import Bytes
import Testing

@testable import HomeAssistant

/// What is written, against the forms that Home Assistant was seen to take.
@Suite struct WebhookMessageTests {
  private func data(_ message: some Webhook.Message) -> String {
    written { message.write(into: &$0) }
  }

  @Test func aServiceIsCalledWithItsData() {
    let call = Webhook.CallService(
      domain: "light", service: "turn_on", data: ["entity_id": "light.deck", "brightness": 120])
    #expect(
      data(call)
        == #"{"domain":"light","service":"turn_on","#
        + #""service_data":{"entity_id":"light.deck","brightness":120}}"#)
    #expect(
      data(Webhook.CallService(domain: "backup", service: "create"))
        == #"{"domain":"backup","service":"create","service_data":{}}"#)
  }

  @Test func anEventHasAnObjectAlways() throws {
    let event = try Webhook.FireEvent("homeward_history", data: ["n": 1])
    #expect(data(event) == #"{"event_type":"homeward_history","event_data":{"n":1}}"#)
    let bare = try Webhook.FireEvent("boat")
    #expect(data(bare) == #"{"event_type":"boat","event_data":{}}"#)
  }

  /// Home Assistant counts characters and not bytes, and its handler fails beyond 64.
  @Test(arguments: ["e", "é", "⛵️"])
  func anEventTypeThatHomeAssistantWouldFailOnIsRefused(filler: String) throws {
    let scalars = filler.unicodeScalars.count
    let longest = String(repeating: filler, count: 64 / scalars)
    _ = try Webhook.FireEvent(Text(longest))
    #expect(throws: Webhook.ArgumentError.eventTypeTooLong(characterCount: 65)) {
      _ = try Webhook.FireEvent(Text(longest + "x"))
    }
  }

  @Test func whatIsWrittenForBytesThatAreNoTextIsCountedToo() {
    let broken = Text([UInt8](repeating: 0xFF, count: 65))
    #expect(throws: Webhook.ArgumentError.eventTypeTooLong(characterCount: 65)) {
      _ = try Webhook.FireEvent(broken)
    }
  }

  @Test func aTagIsItsID() {
    #expect(data(Webhook.ScanTag(tagID: "04-a1")) == #"{"tag_id":"04-a1"}"#)
  }

  @Test func templatesStandBesideOneAnother() {
    let message = Webhook.RenderTemplate([
      .init(key: "sum", "{{ a + 1 }}", variables: ["a": 4]),
      .init(key: "say \"hi\"", "{{ states('sun.sun') }}"),
    ])
    #expect(
      data(message)
        == #"{"sum":{"template":"{{ a + 1 }}","variables":{"a":4}},"#
        + #""say \"hi\"":{"template":"{{ states('sun.sun') }}"}}"#)
    #expect(data(Webhook.Probe(.zeros)) == #"{"AAAAAA":{"template":"1"}}"#)
  }

  @Test func aQuestionWithoutDataIsAnEmptyObject() {
    #expect(data(Webhook.GetZones()) == "{}")
    #expect(data(Webhook.GetConfiguration()) == "{}")
    #expect(data(Webhook.EnableEncryption()) == "{}")
  }

  @Test func aConversationGoesOnWhereItWas() {
    #expect(data(Webhook.Converse("hello \"boat\"")) == #"{"text":"hello \"boat\""}"#)
    #expect(
      data(Webhook.Converse("hallo", language: "nl", conversationID: "01J"))
        == #"{"text":"hallo","language":"nl","conversation_id":"01J"}"#)
  }

  @Test func aCameraIsItsEntity() {
    #expect(
      data(Webhook.StreamCamera(entityID: "camera.x")) == #"{"camera_entity_id":"camera.x"}"#)
  }

  @Test func aSealedMessageIsTheSameUnderItsType() throws {
    let key = try #require(SecretKey(Oracle.keyBytes))
    let sealed = written { buffer in
      Envelope.seal(
        Webhook.ScanTag(tagID: "t"), with: key, nonce: Nonce(Oracle.nonceBytes), into: &buffer)
    }
    let box = Oracle.base64(Oracle.seal([UInt8](#"{"tag_id":"t"}"#)))
    #expect(
      sealed
        == #"{"type":"scan_tag","encrypted":true,"encrypted_data":""#
        + String(decoding: box, as: UTF8.self) + #""}"#)
  }

  @Test func everyMessageGoesByItsOwnType() {
    #expect(Webhook.CallService.type == .callService)
    #expect(Webhook.FireEvent.type == .fireEvent)
    #expect(Webhook.ScanTag.type == .scanTag)
    #expect(Webhook.RenderTemplate.type == .renderTemplate)
    #expect(Webhook.Probe.type == .renderTemplate)
    #expect(Webhook.LocationReadBack.type == .renderTemplate)
    #expect(Webhook.UpdateRegistration.type == .updateRegistration)
    #expect(Webhook.GetZones.type == .getZones)
    #expect(Webhook.GetConfiguration.type == .getConfiguration)
    #expect(Webhook.EnableEncryption.type == .enableEncryption)
    #expect(Webhook.StreamCamera.type == .streamCamera)
    #expect(Webhook.Converse.type == .conversationProcess)
  }
}

@Suite struct TypedMembersTests {
  private func members(_ text: String) throws(Webhook.ArgumentError) -> JSONObject {
    try Webhook.members(parsing: [UInt8](text.utf8).span)
  }

  @Test func whatAPersonTypedIsWrittenAsItWasMeant() throws {
    let typed = "  {\n  \"a\" : [1, 2.50, null, {\"b\":\"\\u00e9\\n\"}] }\n"
    let call = Webhook.CallService(domain: "d", service: "s", data: try members(typed))
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
