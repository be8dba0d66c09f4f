import Testing

@testable import PracticeHome

/// What Home Assistant says, or does not say, before it looks at the type of a message.
@Suite struct SilenceTests {
  @Test func whoOnlyReadsIsAnsweredNothing() {
    var visitor = Visitor()
    for (method, id) in [("GET", "abc"), ("HEAD", visitor.webhookID)] {
      #expect(visitor.ask(Request(method: method, path: "/api/webhook/\(id)")) == .noBody)
    }
  }

  @Test(arguments: ["/", "/api/webhook/", "/api/webhook/abc/", "/api/webhook", "/api/events"])
  func elsewhereIsNothing(path: String) {
    var visitor = Visitor()
    let reply = visitor.post(path, Array("{}".utf8))
    #expect(reply.status == 404)
    #expect(reply.text == "404: Not Found")
  }

  @Test func aByteOrderMarkIsNamed() {
    var visitor = Visitor()
    visitor.send(raw: "\u{FEFF}{}")
    #expect(visitor.lastReason?.contains("byte order mark") == true)
  }

  @Test(arguments: [#"["encrypted"]"#, #""xxencryptedyy""#])
  func wordsThatOnlyMentionEncryptionAreDropped(body: String) {
    var visitor = Visitor()
    #expect(visitor.send(raw: body) == .silence)
  }

  @Test(arguments: ["true", "1", "1.0"], [true])
  func encryptedMustBeTrueOrEqualToIt(word: String, isOpened: Bool) {
    var visitor = Visitor()
    let data = visitor.seal("{}")
    let body = "{\"type\":\"get_zones\",\"encrypted\":\(word),\"encrypted_data\":\"\(data)\"}"
    #expect((visitor.send(raw: body).opened != nil) == isOpened)
    let refused = body.replacing("\"encrypted\":\(word)", with: "\"encrypted\":false")
    #expect(visitor.send(raw: refused) == .silence)
  }

  @Test func aPlainAnswerCannotBeToldFromSilenceButForItsContentType() {
    var visitor = Visitor(sealed: false)
    let reply = visitor.send("update_sensor_states", [])
    #expect(reply.text == "{}")
    #expect(reply.contentType == "application/json")
    #expect(visitor.send("update_sensor_states", 5) == .silence)
  }

  @Test func aTypeGivenTwiceCountsTheLastTime() {
    var visitor = Visitor(sealed: false)
    #expect(visitor.send(raw: #"{"type":"get_zones","type":"nope"}"#) == .silence)
    #expect(visitor.lastReason == "unknown type \"nope\"")
  }

  @Test(arguments: ["5", "null", "\"x\""])
  func dataMustBeAnObjectOrAList(data: String) {
    var visitor = Visitor(sealed: false)
    #expect(visitor.send("get_zones", text: data) == .silence)
  }
}

/// Base64 and keys.
@Suite struct EnvelopeTests {
  @Test func whatFollowsThePaddingIsNotEvenLookedAt() {
    var visitor = Visitor()
    let data = visitor.seal("{}  ")
    #expect(data.hasSuffix("="))
    #expect(visitor.send(envelope: "get_zones", data + "junk").opened != nil)
  }

  @Test func base64IsReadAsInPython() {
    #expect(Base64.encode(Array("ab".utf8)) == "YWI=")
    for text in ["YWI=", "Y-W_\nI =", "YWI=YW"] { #expect(Base64.decode(text) == [97, 98]) }
    for text in ["YWI", "A", "é=="] { #expect(Base64.decode(text) == nil) }
  }
}
