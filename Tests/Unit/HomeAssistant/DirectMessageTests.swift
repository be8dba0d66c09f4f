import AllocationCount
import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

/// Messages without a handler and without a copy, for those who send all day.
@Suite struct DirectMessageTests {
  private let rig = ClientRig()
  private let owner = Owner()

  private func send(_ text: [UInt8] = [UInt8]("hello".utf8)) -> Bool {
    rig.client.sendDirectMessage(telling: owner) { buffer in
      buffer.append(",\"type\":\"echo\"")
      buffer.appendJSON(key: "text")
      buffer.appendJSON(text)
    }
  }

  @Test func itIsWrittenIntoTheMessageAndItsAnswerIsShown() {
    rig.connect()
    #expect(send())
    #expect(rig.driver.messages == [["id": 1, "type": "echo", "text": "hello"]])
    rig.driver.answer(with: ["a": 1])
    rig.driver.answer(with: ["a": 2])
    #expect(owner.words == [#"{"a":1}"#])
    #expect(send())
    rig.driver.say(["id": 2, "type": "result", "success": true])
    #expect(owner.words.last == "")
  }

  @Test func itIsNotSentWhereThereIsNoConnection() {
    #expect(!send())
    rig.client.connect()
    #expect(!send())
    rig.driver.showToken()
    #expect(!send())
    #expect(owner.words.isEmpty)
  }

  @Test func aRefusalAndALossAreTold() {
    rig.connect()
    #expect(send())
    rig.driver.refuse(code: "not_found", message: "gone")
    #expect(send())
    rig.driver.endConnection()
    rig.connect()
    #expect(send())
    rig.driver.advance(by: .seconds(29))
    #expect(rig.driver.messageTypes == ["echo"])
    rig.client.disconnect()
    #expect(
      owner.errors == [.server(code: "not_found", message: "gone"), .disconnected, .disconnected])
  }

  @Test func anAnswerThatDoesNotComeIsAnExpiry() {
    rig.connect()
    #expect(send())
    rig.driver.advance(by: .seconds(60))
    #expect(owner.errors == [.expired])
    #expect(send())
  }

  @Test func nothingIsToldAfterItsCancellation() {
    rig.connect()
    #expect(send())
    rig.client.cancelDirectMessage()
    rig.driver.answer()
    #expect(owner.words.isEmpty && owner.errors.isEmpty)
    #expect(send())
  }

  @Test func itsAnswerMayBeFollowedByTheNextAtOnce() {
    rig.connect()
    owner.whenTold = { [unowned owner, unowned rig] in
      guard owner.words.count < 3 else { return }
      _ = rig.client.sendDirectMessage(telling: owner) { $0.append(",\"type\":\"next\"") }
    }
    #expect(send())
    for _ in 0..<3 { rig.driver.answer(with: true) }
    #expect(rig.driver.messageTypes == ["echo", "next", "next"])
  }

  @Test func itMayBeAsLongAsHomeAssistantTakesAndNoLonger() {
    rig.connect()
    let around = #"{"id":1,"type":"echo","text":""}"#.utf8.count
    let most = 4_194_303 - around
    #expect(!send([UInt8](repeating: 0x61, count: most + 1)))
    #expect(rig.driver.deeds.isEmpty)
    #expect(send([UInt8](repeating: 0x61, count: most)))
    #expect(rig.driver.messages[0].serialized().count == 4_194_303)
  }

  @Test func itAndItsAnswerAllocateNothing() {
    let driver = CountingDriver()
    let client = Client(driver: driver, policy: ClientRig.plain, seed: 1)
    driver.login(client)
    let owner = SilentOwner()
    let answers = (1...200).map { [UInt8](#"{"id":\#($0),"type":"result","success":true}"#.utf8) }
    var counts: [UInt64] = []
    counts.reserveCapacity(answers.count)
    for (index, answer) in answers.enumerated() {
      let before = allocation_count()
      _ = client.sendDirectMessage(telling: owner) { buffer in
        buffer.append(",\"type\":\"echo\"")
        buffer.appendJSON(key: "number")
        buffer.appendJSON(index)
      }
      client.received(answer.span)
      _ = client.deadline
      counts.append(allocation_count() - before)
    }
    #expect(owner.answerCount == 200)
    #expect(driver.messageCount == 201)
    // The first one makes what the Swift runtime keeps.
    #expect(counts[1...].allSatisfy { $0 == 0 }, "\(counts)")
    #expect(allocation_count() > 0)
  }
}

private final class Owner: DirectMessageOwner {
  private(set) var words: [String] = []
  private(set) var errors: [RequestError] = []
  var whenTold: () -> Void = {}

  func directMessageAnswered(_ result: Span<UInt8>) {
    words.append(String(decoding: [UInt8](result), as: UTF8.self))
    whenTold()
  }

  func directMessageFailed(_ error: RequestError) { errors.append(error) }
}

private final class SilentOwner: DirectMessageOwner {
  private(set) var answerCount = 0
  func directMessageAnswered(_ result: Span<UInt8>) { answerCount += 1 }
  func directMessageFailed(_ error: RequestError) {}
}

/// A driver that allocates nothing itself.
private final class CountingDriver: Driver {
  var now = Instant(nanoseconds: 0)
  private(set) var messageCount = 0

  func login(_ client: Client) {
    client.connect()
    client.socketOpened()
    client.tokenFetched(.token([1]))
    client.received([UInt8](#"{"type":"auth_ok","ha_version":"2025.4.4"}"#.utf8).span)
  }

  func openSocket() {}
  func closeSocket(code: UInt16) {}
  func send(_ kind: WebSocketMessageKind, _ message: Span<UInt8>) { messageCount += 1 }
  func fetchToken(_ reason: TokenReason) {}
  func send(_ call: HTTPCall) {}
  func cancelHTTP(_ id: RequestID) {}
}

@Suite struct HandledWebhookTests {
  @Test func theCallStandsInTheMessageWithItsBodyAsText() throws {
    let rig = ClientRig(isReady: true)
    let owner = SilentOwner()
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
