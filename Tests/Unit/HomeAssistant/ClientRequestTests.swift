import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

/// Commands and their answers, and the queue before a connection.
@Suite struct ClientRequestTests {
  private let rig = ClientRig(isReady: true)

  @Test func aCommandIsItsPayloadWithItsTypeAndANumber() {
    let payload: JSONObject = ["id": 99, "type": "mine", "domain": "light", "data": ["a": nil]]
    rig.client.send(RawRequest("call_service", payload)) { _ in }
    #expect(
      rig.driver.messages == [
        ["id": 1, "type": "call_service", "domain": "light", "data": ["a": nil]]
      ])
  }

  @Test func textsThatJSONEscapesArriveAsTheyAre() {
    let words: JSON = .text(Text("\"\\\n\u{1}é\u{1F600}"))
    rig.client.send(RawRequest("echo", ["words": words])) { _ in }
    #expect(rig.driver.messages.first?["words"] == words)
  }

  @Test func requestsGoOutInTheOrderOfTheirWishes() {
    let rig = ClientRig()
    let names: [Text] = (0..<50).map { Text("command_\($0)") }
    for name in names { rig.send(name) }
    rig.driver.acceptConnection()
    #expect(rig.driver.messages.dropFirst().map { $0["type"] } == names.map { .text($0) })
    #expect(rig.driver.messages.dropFirst().map { $0["id"] } == (1...50).map { JSON.id($0) })
  }

  @Test func answersMayComeInAnyOrderAndEachEndsItsOwnRequestOnce() {
    rig.send("one")
    rig.send("two")
    rig.driver.answer(2, with: "b")
    rig.driver.answer(1, with: "a")
    rig.driver.answer(1, with: "again")
    rig.driver.refuse(2, code: "again")
    #expect(rig.endings == ["two: \"b\"", "one: \"a\""])
  }

  @Test func aResultThatIsMissingOrNullIsNull() {
    rig.send("one")
    rig.driver.say(["id": 1, "type": "result", "success": true])
    rig.send("two")
    rig.driver.answer()
    #expect(rig.endings == ["one: null", "two: null"])
  }

  @Test func aTypedAnswerThatDoesNotFitIsADecodingError() {
    var results: [Result<Bool, RequestError>] = []
    rig.client.send(IsLoaded()) { results.append($0) }
    rig.driver.answer(with: true)
    rig.client.send(IsLoaded()) { results.append($0) }
    rig.driver.answer(with: 1)
    #expect(results[0] == .success(true))
    #expect(
      results[1]
        == .failure(.decoding(.wrongKind(key: "root", expected: .boolean, found: .number))))
  }

  @Test(arguments: [["a": 1], [1, 2], nil, "x"] as [JSON])
  func anAnswerThatIsNotLookedAtDecodesFromAnything(json: JSON) {
    var results: [Result<NoContent, RequestError>] = []
    rig.client.send(Forget()) { results.append($0) }
    rig.driver.answer(with: json)
    #expect(results == [.success(NoContent())])
  }

  @Test func aCompletionMaySendTheNextRequest() {
    rig.client.send(RawRequest("one")) { _ in rig.send("two") }
    rig.driver.answer()
    #expect(rig.driver.messageTypes == ["one", "two"])
    rig.driver.answer(with: 2)
    #expect(rig.endings == ["two: 2"])
  }

  @Test func aCompletionMayCancelTheOthersAndDisconnect() {
    let first = rig.send("first", retry: .never)
    rig.client.send(RawRequest("second")) { _ in
      rig.client.cancel(first)
      rig.client.disconnect()
    }
    rig.driver.answer()
    #expect(rig.endings.isEmpty)
    #expect(rig.states == [.down(.idle)])
  }

  @Test func theLongestMessageOfHomeAssistantIsNotExceeded() {
    let most = Session.membersByteCountMax - #""type":"echo","text":"""#.utf8.count
    for count in [most, most + 1] {
      let text = Text([UInt8](repeating: UInt8(ascii: "a"), count: count))
      rig.client.send(RawRequest("echo", ["text": .text(text)])) { result in
        #expect(result == .failure(.tooLarge))
      }
    }
    #expect(rig.driver.messages.count == 1)
    #expect(rig.driver.messages[0].serialized().count <= 4_194_303)
  }

  @Test func aBinaryMessageGoesOutAsItIsOnceThereIsAConnection() {
    let rig = ClientRig()
    let sound: [UInt8] = [7, 0, 255, 128]
    let isSentTooEarly = rig.client.sendBinary(sound.span)
    rig.connect()
    let isSent = rig.client.sendBinary(sound.span)
    #expect(!isSentTooEarly && isSent)
    #expect(rig.driver.deeds == [.sentBinary(sound)])
  }
}

/// What a client connects for, and what it does not.
@Suite struct ClientAutomaticConnectionTests {
  @Test func aRequestAndASubscriptionConnectOnceFromIdle() {
    let rig = ClientRig()
    rig.send("get_config")
    rig.subscribe("ticks").detach()
    rig.send("get_services")
    #expect(rig.driver.deeds == [.fetchedToken(.connect), .openedSocket])
  }

  @Test func aPolicyMayLeaveConnectingToTheProgram() {
    var policy = ClientRig.plain
    policy.connectsAutomatically = false
    let rig = ClientRig(policy: policy)
    rig.send("get_config")
    #expect(rig.driver.deeds.isEmpty)
    rig.client.connect()
    rig.driver.acceptConnection()
    #expect(rig.driver.messageTypes == ["auth", "get_config"])
  }

  @Test func theFirstMessageOffersToTakeSeveralInOneFrame() {
    let rig = ClientRig(policy: SessionPolicy())
    rig.send("get_config")
    rig.driver.acceptConnection()
    #expect(rig.driver.messageTypes == ["auth", "supported_features", "get_config"])
    rig.driver.answer(1)
    rig.driver.answer(2, with: 5)
    #expect(rig.endings == ["get_config: 5"])
  }
}

private struct IsLoaded: Request {
  typealias Response = Bool
  let command: Text = "is_loaded"
}

private struct Forget: Request {
  let command: Text = "forget"
}

extension JSON {
  static func id(_ number: Int) -> JSON { .number(JSONNumber(Int64(number))) }
}

@Suite struct RequestErrorTests {
  @Test(arguments: [
    (RequestError.server(code: "not_found", message: "no such thing"), "no such thing"),
    (.http(status: 404, body: "404: Not Found"), "404"),
    (.transport("Couldn't connect to server"), "Couldn't connect to server"),
    (.rejected, "login"), (.expired, "does not answer"), (.disconnected, "lost"),
    (.tooLarge, "too large"), (.overrun, "faster"), (.decoding(.missingKey("a")), "answer"),
  ])
  func whatHappenedIsSaidForPeople(error: RequestError, words: String) {
    #expect(error.summary.string.contains(words))
  }

  /// A page of a proxy may hold anything.
  @Test func theBodyOfAnAnswerIsNotSaid() {
    #expect(!RequestError.http(status: 502, body: "<html>").summary.string.contains("html"))
  }
}
