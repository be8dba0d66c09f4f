import Bytes
import Testing

@testable import HomeAssistant

@Suite struct AnswerTests {
  private let key: SecretKey

  init() throws { key = try #require(SecretKey(Oracle.keyBytes)) }

  private func read(status: Int, _ body: [UInt8]) -> Answer {
    var buffer = buffer(of: body)
    return Answer.read(AnswerHead(status: status), body: &buffer, with: key)
  }

  @Test(arguments: [200, 201])
  func anEnvelopeThatOpensIsTheProof(status: Int) throws {
    let message = [UInt8](#"{"door":{"success":true}}"#)
    var buffer = buffer(of: Oracle.answer(message))
    let answer = Answer.read(AnswerHead(status: status), body: &buffer, with: key)
    guard case .opened(let range) = answer else {
      Issue.record("not opened: \(answer)")
      return
    }
    #expect([UInt8](buffer.bytes.extracting(range)) == message)
  }

  @Test func anEnvelopeOfAnotherKeyIsNotOurs() {
    let other = [UInt8](repeating: 1, count: 32)
    #expect(read(status: 200, Oracle.answer([UInt8]("{}"), key: other)) == .otherKey)
  }

  /// One row for each kind of answer that was seen of Home Assistant, and of what stands before it.
  @Test(arguments: [
    (200, "{}", Answer.unproven),
    (200, " {}\r\n", .unproven),
    (200, "", .notLive),
    (400, "{}", .badRequest),
    (400, "400: Bad Request", .server(.untrustedProxy)),
    (400, "", .server(.notHomeAssistant(status: 400))),
    (400, "<html>400 Bad Request</html>", .server(.notHomeAssistant(status: 400))),
    (
      400,
      #"{"success": false, "error": {"code": "encryption_required", "message": "Encryption r…"}}"#,
      .encryptionRequired
    ),
    (
      400, #"{"success": false, "error": {"code": "encryption_already_enabled"}}"#, .badRequest
    ),
    (403, "403: Forbidden", .server(.banned)),
    (410, "", .gone),
    (410, "<html>Gone</html>", .server(.notHomeAssistant(status: 410))),
    (200, "<html>Welcome to the hotel</html>", .server(.notHomeAssistant(status: 200))),
    (200, #"{"webhook":"of somebody else"}"#, .server(.notHomeAssistant(status: 200))),
    (204, "", .server(.notHomeAssistant(status: 204))),
  ])
  func everyAnswerMeansOneThing(status: Int, body: String, answer: Answer) {
    #expect(read(status: status, [UInt8](body.utf8)) == answer)
  }

  @Test(arguments: [400, 401, 403, 404, 410, 500, 503])
  func anEnvelopeProvesNothingUnderAStatusThatSaysNo(status: Int) {
    if case .opened = read(status: status, Oracle.answer([UInt8]("{}"))) {
      Issue.record("status \(status) was taken for a proof")
    }
  }

  /// `stream_camera` for a camera that does not exist.
  @Test func aRefusalThatOpensSaysThatTheKeyIsHeld() {
    let message = [UInt8](#"{"success":false}"#)
    var buffer = buffer(of: Oracle.answer(message))
    let answer = Answer.read(AnswerHead(status: 400), body: &buffer, with: key)
    guard case .refused(let range) = answer else {
      Issue.record("not opened")
      return
    }
    #expect([UInt8](buffer.bytes.extracting(range)) == message)
    let other = [UInt8](repeating: 1, count: 32)
    #expect(read(status: 400, Oracle.answer(message, key: other)) == .otherKey)
  }

  @Test(arguments: [1, 16, 4096])
  func anAnswerLongerThanAnyOfHomeAssistantIsNotItsOwn(chunk: Int) {
    var buffer = ByteBuffer(capacity: 20)
    while !buffer.isOverflowed { buffer.append([UInt8](repeating: 0x20, count: chunk)) }
    let answer = Answer.read(AnswerHead(status: 200), body: &buffer, with: key)
    #expect(answer == .server(.notHomeAssistant(status: 200)))
  }
}
