import Bytes
import Testing

@testable import HomeAssistant

@Suite struct MessageTypeTests {
  /// Home Assistant's own names.
  @Test func everyTypeIsCalledAsHomeAssistantCallsIt() {
    let names: [StaticString] = [
      "update_location", "register_sensor", "update_sensor_states", "call_service", "fire_event",
      "render_template", "update_registration", "get_zones", "get_config", "enable_encryption",
      "stream_camera", "conversation_process", "scan_tag",
    ]
    #expect(MessageType.allCases.map { "\($0.name)" } == names.map { "\($0)" })
    for (type, name) in zip(MessageType.allCases, names) {
      #expect(MessageType(name: [UInt8](name).span) == type)
    }
  }

  @Test(arguments: ["", "encrypted", "Get_Zones", "get_zone", "get_zones ", "get_zoness"])
  func anotherNameIsNoType(name: String) {
    #expect(MessageType(name: [UInt8](name.utf8).span) == nil)
  }

  @Test func fourTypesAreNeverAnswered() {
    let silent = MessageType.allCases.filter { !$0.isAnswered }
    #expect(silent == [.updateLocation, .callService, .fireEvent, .scanTag])
  }
}

@Suite struct PlainMessageTests {
  @Test func aMessageThatDoesNotFitIsSeen() throws {
    let registration = try #require(Registration(webhookID: [UInt8]("0f"), protection: .plain))
    var buffer = ByteBuffer(capacity: 20)
    registration.write(.getZones, nonce: Nonce(Oracle.nonceBytes), into: &buffer) {
      $0.append("{}")
    }
    let isOverflowed = buffer.isOverflowed
    #expect(isOverflowed)
  }

  @Test func aRegistrationWritesAndReadsAsItIsProtected() throws {
    let key = try #require(SecretKey(Oracle.keyBytes))
    let nonce = Nonce(Oracle.nonceBytes)
    var registration = try #require(Registration(webhookID: [UInt8]("0f"), protection: .plain))
    let plain = written { buffer in
      registration.write(.getZones, nonce: nonce, into: &buffer) { $0.append("{}") }
    }
    #expect(plain == #"{"type":"get_zones","data":{}}"#)
    var answer = buffer(of: "[]")
    #expect(registration.readAnswer(AnswerHead(status: 200), body: &answer) == .content(0..<2))

    registration.protection = .sealed(key)
    let sealed = written { buffer in
      registration.write(.getZones, nonce: nonce, into: &buffer) { $0.append("{}") }
    }
    let box = String(decoding: Oracle.base64(Oracle.seal([UInt8]("{}"))), as: UTF8.self)
    #expect(sealed == #"{"type":"get_zones","encrypted":true,"encrypted_data":"\#(box)"}"#)
    #expect(
      registration.readAnswer(AnswerHead(status: 200), body: &answer)
        == .server(.notHomeAssistant(status: 200))
    )
  }
}

@Suite struct PlainAnswerTests {
  private func read(status: Int, _ body: String) -> Answer {
    Answer.read(AnswerHead(status: status), plain: buffer(of: body))
  }

  @Test(arguments: [
    (200, #"{"t":1}"#, Answer.content(0..<7)),
    (201, #"{"success":true}"#, .content(0..<16)),
    (200, "[]", .content(0..<2)),
    (200, "{}", .unproven),
    (200, "", .notLive),
    (200, "<html>Welcome to the hotel</html>", .server(.notHomeAssistant(status: 200))),
    (200, "null", .server(.notHomeAssistant(status: 200))),
    (200, #"{"t":1"#, .server(.notHomeAssistant(status: 200))),
    (200, #"{"encrypted":true,"encrypted_data":"AAAA"}"#, .otherKey),
    (400, #"{"success":false}"#, .refused(0..<17)),
    (400, "{}", .badRequest),
    (400, "400: Bad Request", .server(.untrustedProxy)),
    (400, #"{"error":{"code":"encryption_required"}}"#, .encryptionRequired),
    (404, #"{"t":1}"#, .server(.notFound)),
    (410, "", .gone),
    (503, #"{"t":1}"#, .server(.unavailable(status: 503))),
  ])
  func aPlainAnswerIsContentAndNeverAProof(status: Int, body: String, answer: Answer) {
    #expect(read(status: status, body) == answer)
  }
}
