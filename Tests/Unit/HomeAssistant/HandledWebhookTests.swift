import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

@Suite struct HandledWebhookTests {
  @Test func theCallStandsInTheMessageWithItsBodyAsText() throws {
    let rig = ClientRig(isReady: true)
    let owner = Owner()
    let body = [UInt8](#"{"type":"get_config","data":"é\n"}"#.utf8)
    let isSent = rig.client.sendDirectMessage(telling: owner) {
      HandledWebhook.appendCall(webhookID: [UInt8]("hook".utf8), body: body.span, to: &$0)
    }
    #expect(isSent)
    #expect(
      rig.driver.messages == [
        [
          "id": 1, "type": "webhook/handle", "method": "POST", "webhook_id": "hook",
          "body": .text(Text(body)),
        ]
      ])
  }

  private final class Owner: DirectMessageOwner {
    func directMessageAnswered(_ result: Span<UInt8>) {}
    func directMessageFailed(_ error: RequestError) {}
  }

  private func reply(_ json: String) throws -> (status: Int, body: String) {
    var body = ByteBuffer(capacity: 64)
    body.append("left over")
    let status = try HandledWebhook.readReply([UInt8](json.utf8).span, body: &body)
    return (status, String(decoding: [UInt8](body.bytes), as: UTF8.self))
  }

  @Test func theReplyIsTakenOutOfItsText() throws {
    let answer = try reply(#"{"body":"{\"a\":\"\u00e9\"}","status":201,"headers":{"a":"b"}}"#)
    #expect(answer.status == 201 && answer.body == #"{"a":"é"}"#)
  }

  /// The webhook does not live now.
  @Test func aReplyWithoutABodyIsEmpty() throws {
    let answer = try reply(#"{"body":null,"status":200,"headers":{}}"#)
    #expect(answer.status == 200 && answer.body.isEmpty)
  }

  @Test func aBodyThatIsTooLongIsSeen() throws {
    var body = ByteBuffer(capacity: 4)
    let json = [UInt8](#"{"body":"12345","status":200}"#.utf8)
    _ = try HandledWebhook.readReply(json.span, body: &body)
    let isOverflowed = body.isOverflowed
    #expect(isOverflowed)
  }

  @Test(arguments: ["", "null", "[]", "{}", #"{"body":""}"#, #"{"status":"200"}"#, #"{"status":2"#])
  func whatIsNoReplyIsRefused(json: String) {
    #expect(throws: JSONDecodingError.self) { try reply(json) }
  }
}
