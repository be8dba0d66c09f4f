import Testing

@testable import PracticeHome

/// What Home Assistant says, or does not say, before it looks at the type of a message.
@Suite struct SilenceTests {
  @Test func anUnknownWebhookAnswersEachCallerNothing() {
    var visitor = Visitor()
    #expect(visitor.post("/api/webhook/abc", Array("{}".utf8)) == .noBody)
    #expect(visitor.ask(Request(method: "GET", path: "/api/webhook/abc")) == .noBody)
    #expect(visitor.lastRefusal == .unknownWebhook)
  }

  @Test func onlyPostAndPutAreTaken() {
    var visitor = Visitor()
    let path = "/api/webhook/\(visitor.webhookID)"
    let get = visitor.ask(Request(method: "GET", path: path))
    #expect(get.status == 405)
    #expect(get.text.isEmpty)
    #expect(visitor.ask(Request(method: "HEAD", path: path)) == .noBody)
    for method in ["PATCH", "DELETE"] {
      let reply = visitor.ask(Request(method: method, path: path))
      #expect(reply.status == 405)
      #expect(reply.text == "405: Method Not Allowed")
    }
    let body = Array(#"{"type":"get_zones","encrypted":true}"#.utf8)
    #expect(visitor.ask(Request(method: "PUT", path: path, body: body)) == .noBody)
    #expect(visitor.lastRefusal == .encryptedDataMissing)
  }

  @Test(arguments: ["/", "/api/webhook/", "/api/webhook/abc/", "/api/webhook", "/api/events"])
  func elsewhereIsNothing(path: String) {
    var visitor = Visitor()
    let reply = visitor.post(path, Array("{}".utf8))
    #expect(reply.status == 404)
    #expect(reply.text == "404: Not Found")
  }

  @Test(arguments: [
    "", "{", "{\"type\":NaN}", "[Infinity]", "\u{FEFF}{}", "{\"a\":1e999}", "nul", "{'a':1}",
  ])
  func whatIsNotJSONIsBad(body: String) {
    var visitor = Visitor()
    let reply = visitor.send(raw: body)
    #expect(reply.status == 400)
    #expect(reply.text == "{}")
    guard case .invalidJSON = visitor.lastRefusal else {
      Issue.record("not refused as invalid JSON")
      return
    }
  }

  @Test func aByteOrderMarkIsNamed() {
    var visitor = Visitor()
    visitor.send(raw: "\u{FEFF}{}")
    #expect(visitor.lastReason?.contains("byte order mark") == true)
  }

  @Test(arguments: ["{}", "[]", "\"x\"", #"{"type":"get_zones"}"#, #"{"type":"nope","data":{}}"#])
  func aReadableMessageToASealedRegistrationIsToldToSeal(body: String) {
    var visitor = Visitor()
    let reply = visitor.send(raw: body)
    #expect(reply.status == 400)
    #expect(reply.contentType == "application/json; charset=utf-8")
    #expect(
      reply.text
        == #"{"success": false, "error": {"code": "encryption_required", "message": "Encryption required"}}"#
    )
    #expect(visitor.lastRefusal == .encryptionRequired)
  }

  @Test(arguments: [true, false], ["5", "null", "true", "1.5"])
  func aBareNumberBreaksTheHandlerWithoutAWord(sealed: Bool, body: String) {
    var visitor = Visitor(sealed: sealed)
    #expect(visitor.send(raw: body) == .noBody)
    #expect(visitor.lastRefusal == .notAContainer)
  }

  @Test(arguments: [#""encrypted""#, #"["encrypted"]"#, #""xxencryptedyy""#])
  func wordsThatOnlyMentionEncryptionAreDropped(body: String) {
    var visitor = Visitor()
    #expect(visitor.send(raw: body) == .silence)
  }

  @Test func aSealedMessageToAPlainRegistrationIsDropped() {
    var visitor = Visitor(sealed: false)
    #expect(visitor.send(envelope: "get_zones", "x") == .noBody)
    #expect(visitor.lastRefusal == .noSecret)
  }

  @Test func oneExtraKeyOutsideTheEnvelopeDropsIt() {
    var visitor = Visitor()
    let data = visitor.seal("{}")
    let body =
      "{\"type\":\"get_zones\",\"encrypted\":true,\"encrypted_data\":\"\(data)\",\"timestamp\":1}"
    #expect(visitor.send(raw: body) == .silence)
    #expect(visitor.lastReason == "extra key \"timestamp\" in get_zones")
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
  @Test func theURLSafeAlphabetVanishes() throws {
    var visitor = Visitor()
    // The nonce of this visitor has bytes that become "+" in Base64. One time in four what is
    // left looks whole, and then it only fails to open.
    let safe = try #require(
      (2...20).lazy.map { visitor.seal("{}".padding(to: $0)) }
        .map { $0.replacing("+", with: "-").replacing("/", with: "_") }
        .first { $0.count { !"-_=".contains($0) } % 4 == 1 })
    #expect(safe.contains("-"))
    #expect(visitor.send(envelope: "get_zones", safe) == .silence)
    #expect(visitor.lastReason?.contains("URL-safe") == true)
  }

  @Test func whatFollowsThePaddingIsNotEvenLookedAt() {
    var visitor = Visitor()
    let data = visitor.seal("{} ".padding(to: 4))
    #expect(data.hasSuffix("="))
    #expect(visitor.send(envelope: "get_zones", data + "junk").opened != nil)
  }

  @Test(arguments: ["", "x", "é", "AAAA", "!!!!"])
  func rubbishIsDropped(data: String) {
    var visitor = Visitor()
    #expect(visitor.send(envelope: "get_zones", data) == .silence)
  }

  @Test func aWrongKeyIsDroppedWithoutAWord() {
    var visitor = Visitor()
    let wrong = SealingKey([UInt8](repeating: 7, count: 32))
    #expect(
      visitor.send(envelope: "get_zones", visitor.seal("{}", with: wrong)) == .silence)
    #expect(
      visitor.lastReason == "encrypted_data does not open with the secret of this registration")
  }

  @Test func base64IsTheInverseOfItself() throws {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }
      #expect(try Base64.decode(Base64.encode(bytes)) == bytes)
    }
    #expect(Base64.encode(Array("ab".utf8)) == "YWI=")
    #expect(throws: Base64.Failure.self) { try Base64.decode("YWI") }
    #expect(throws: Base64.Failure.self) { try Base64.decode("A") }
  }
}
