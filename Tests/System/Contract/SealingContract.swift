import Foundation
import Testing

extension Contract {
  /// How messages are sealed, and what becomes of those that are not sealed just so.
  @Suite struct Sealing {}
}

// MARK: - What an answer looks like

extension Contract.Sealing {
  @Test func theSealedAnswerIsThePaddedEnvelopeOfTheTypeThatMustAnswer() async throws {
    let device = try await Device.registered()
    let box = try #require(device.box)
    let body = device.envelope("update_sensor_states", box.seal("[]"))
    let response = try await device.server.post(device.path, body)
    #expect(response.status == 200)
    #expect(response.contentType == "application/json")
    let answer = try #require(response.json)
    #expect(answer.keys == ["encrypted", "encrypted_data"])
    #expect(answer["encrypted"] == true)
    let sealed = try #require(answer["encrypted_data"].text)
    #expect(sealed.utf8.count % 4 == 0 && !sealed.contains { "-_\n".contains($0) })
    #expect(box.open(sealed) == Data("{}".utf8))
  }

  @Test(arguments: 0..<3)
  func everyAnswerIsPaddedWhateverItsLength(excess: Int) async throws {
    let device = try await Device.registered()
    let id = String(repeating: "x", count: 5 + excess)
    let body = device.envelope(
      "update_sensor_states",
      try #require(device.box).seal(#"[{"type":"sensor","unique_id":"\#(id)","state":1}]"#))
    let response = try await device.server.post(device.path, body)
    #expect(try #require(response.json?["encrypted_data"].text).utf8.count % 4 == 0)
  }

  @Test func storedAndDroppedLocationsAnswerAlike() async throws {
    let device = try await Device.located()
    let box = try #require(device.box)
    for fix in [Device.firstFix, #"{"nonsense":1}"#] {
      let body = device.envelope("update_location", box.seal(fix))
      let response = try await device.server.post(device.path, body)
      #expect(response.status == 200)
      #expect(response.body == Data("{}".utf8))
      #expect(response.contentType == "application/json; charset=utf-8")
    }
  }
}

// MARK: - Base64

extension Contract.Sealing {
  /// Data of three lengths that follow each other: their sealed form needs no, two and one `=`.
  static let paddings = [("[]", 0), ("[ ]", 2), ("[  ]", 1)]

  @Test(arguments: paddings)
  func paddedBase64IsOpened(data: String, padding: Int) async throws {
    let device = try await Device.registered()
    let sealed = try #require(device.box).seal(data)
    try #require(sealed.filter { $0 == "=" }.count == padding)
    #expect(try await device.post(sealed: sealed) == Device.proof)
  }

  @Test(arguments: paddings)
  func unpaddedBase64VanishesUnlessItNeededNone(data: String, padding: Int) async throws {
    let device = try await Device.registered()
    let sealed = try #require(device.box).seal(data).filter { $0 != "=" }
    #expect(
      try await device.post(sealed: sealed) == (padding == 0 ? Device.proof : .emptyObject))
  }

  @Test func theURLSafeAlphabetVanishes() async throws {
    let device = try await Device.registered()
    let box = try #require(device.box)
    // Every sealing has a nonce of its own, so one with both characters comes soon.
    var sealed = box.seal("[]")
    while !(sealed.contains("+") && sealed.contains("/")) { sealed = box.seal("[]") }
    let urlSafe = String(sealed.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    #expect(try await device.post(sealed: urlSafe) == .emptyObject)
    #expect(try await device.post(sealed: sealed) == Device.proof)
  }

  @Test func newlinesInBase64AreTolerated() async throws {
    let device = try await Device.registered()
    let sealed = try #require(device.box).seal("[]")
    let lines = sealed.prefix(20) + #"\n"# + sealed.dropFirst(20)
    #expect(try await device.post(sealed: String(lines)) == Device.proof)
  }
}

// MARK: - What cannot be opened

extension Contract.Sealing {
  @Test(arguments: ["", "AAAA", "!!!!", "not base64"])
  func sealedDataThatAreNoneVanish(sealed: String) async throws {
    let device = try await Device.registered()
    #expect(try await device.post(sealed: sealed) == .emptyObject)
  }

  @Test(arguments: ["", "null", "nonsense", "[NaN", #"{"type":"update_sensor_states","data":[]}"#])
  func aSealedTextThatIsNotTheDataVanishes(plaintext: String) async throws {
    let device = try await Device.registered()
    #expect(try await device.send("update_sensor_states", plaintext) == .emptyObject)
  }

  @Test(arguments: ["encrypted", "update_sensor_state", ""])
  func anUnknownTypeVanishes(type: String) async throws {
    let device = try await Device.registered()
    #expect(try await device.send(type, "[]") == .emptyObject)
  }

  @Test func aForeignKeyInTheEnvelopeMakesItVanish() async throws {
    let device = try await Device.registered()
    let sealed = try #require(device.box).seal("[]")
    let body =
      #"{"type":"update_sensor_states","encrypted":true,"encrypted_data":"\#(sealed)","v":1}"#
    #expect(try await device.post(body) == .emptyObject)
  }

  @Test func aBodyAboveSixteenMebibytesIsNotAnswered() async throws {
    let device = try await Device.registered()
    let blank = String(repeating: " ", count: 16 * 1024 * 1024)
    #expect(try await device.post(blank + "{}") == .nobody)
  }
}

// MARK: - In clear

extension Contract.Sealing {
  @Test(arguments: [
    #"{"type":"update_sensor_states","data":[]}"#, #"{"type":"no_such_type"}"#, "{}", "[]",
  ])
  func anEncryptedRegistrationRefusesWhatIsInClear(body: String) async throws {
    let device = try await Device.registered()
    let answer = try await device.post(body)
    #expect(answer.errorCode == "encryption_required")
    guard case .plain(400, let json) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(json["success"] == false)
  }

  /// Envelopes that say that they are not encrypted, or hold no sealed data, and what is no object.
  @Test(arguments: [
    (#"{"type":"update_sensor_states","encrypted":false,"data":[]}"#, Answer.emptyObject),
    (#"{"type":"update_sensor_states","encrypted":true}"#, .nobody),
    ("5", .nobody), ("null", .nobody), (#""encrypted""#, .emptyObject),
  ])
  func aBodyThatIsNoEnvelopeIsNotStoredEither(body: String, answer: Answer) async throws {
    let device = try await Device.registered()
    #expect(try await device.post(body) == answer)
  }

  @Test func aPlainRegistrationTakesWhatIsInClear() async throws {
    let device = try await Device.registered(encrypted: false)
    #expect(try await device.prove() == .emptyObject)
    let answer = try await device.tryRegister("mast", "sensor", #""state":1"#)
    #expect(answer == .plain(201, ["success": true]))
    #expect(try await device.reading("mast").state == "1")
  }

  @Test func aSealedMessageToAPlainRegistrationIsNotAnswered() async throws {
    let device = try await Device.registered(encrypted: false)
    let box = try #require(Secretbox(secret: String(repeating: "42", count: 32)))
    let body = device.envelope("update_location", box.seal(Device.firstFix))
    #expect(try await device.post(body) == .nobody)
  }

  @Test(arguments: [
    "", "{", "nonsense", #"{"type":NaN}"#, #"{"type":Infinity}"#, #"{"type":1e999}"#,
    "\u{FEFF}{}",
  ])
  func aBodyThatIsNotJSONIsABadRequest(body: String) async throws {
    let device = try await Device.registered()
    #expect(try await device.post(body) == .invalidJSON)
  }

  @Test func aBodyInLatin1IsABadRequest() async throws {
    let device = try await Device.registered()
    let body = Data([0x22, 0xE9, 0x22])
    let response = try await device.server.request("POST", device.path, body)
    #expect(Answer(response, openedWith: device.box) == .invalidJSON)
  }
}

// MARK: - Keys

extension Contract.Sealing {
  @Test func theOldKeyWorksUntilTheRightOneWasUsedOnce() async throws {
    let device = try await Device.registered()
    let old = Secretbox(legacySecret: try #require(device.secret))
    let body = device.envelope("update_sensor_states", old.seal("[]"))
    let first = Answer(try await device.server.post(device.path, body), openedWith: old)
    #expect(first == Device.proof)
    #expect(try await device.prove() == Device.proof)
    #expect(try await device.post(body) == .emptyObject)
  }

  @Test func enablingEncryptionAnswersOnceWithTheSecretInClear() async throws {
    let plain = try await Device.registered(encrypted: false)
    guard case .plain(200, let answer) = try await plain.send("enable_encryption", "{}") else {
      Issue.record("enable_encryption did not answer in clear")
      return
    }
    let secret: String = try #require(answer["secret"].text)
    let device = Device(
      server: plain.server, identity: plain.identity, webhookID: plain.webhookID, secret: secret)
    #expect(try await device.prove() == Device.proof)
    #expect(try await plain.prove().errorCode == "encryption_required")
  }

  @Test func encryptionCannotBeEnabledTwice() async throws {
    let device = try await Device.registered()
    let answer = try await device.send("enable_encryption", "{}")
    #expect(answer.errorCode == "encryption_already_enabled")
  }
}
