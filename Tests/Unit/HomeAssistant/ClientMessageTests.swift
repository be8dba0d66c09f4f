import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

/// What Home Assistant says, in every shape that it has been seen in, and worse.
@Suite struct ClientMessageTests {
  private let rig = ClientRig(isReady: true)

  @Test func theMembersOfAMessageComeInAnyOrder() {
    rig.subscribe("ticks").detach()
    rig.driver.say(
      text: [UInt8](#"{"success":true,"result":{"id":9},"id":1,"type":"result"}"#.utf8))
    rig.driver.say(text: [UInt8](#"{"event":{"id":7,"type":"x"},"type":"event","id":1}"#.utf8))
    #expect(rig.starts == [.success(NoContent())])
    #expect(rig.events == [.success(["id": 7, "type": "x"])])
  }

  @Test func aFrameMayHoldSeveralMessages() {
    rig.send("one")
    rig.send("two")
    rig.driver.say([
      ["id": 2, "type": "result", "success": true, "result": "b"],
      ["id": 1, "type": "result", "success": true, "result": "a"],
    ])
    #expect(rig.endings == ["two: \"b\"", "one: \"a\""])
  }

  @Test func whatIsNoMessageInAFrameDoesNotHideTheOthers() {
    rig.send("one")
    rig.driver.say([true, [], nil, ["id": 1, "type": "result", "success": true, "result": 5]])
    #expect(rig.endings == ["one: 5"])
  }

  @Test(
    arguments: [
      "", " ", "x", "{", "{}", "[", "[]", "[true]", "null", "5", "\"pong\"",
      #"{"type":"result"}"#, #"{"type":"result","id":null,"success":false}"#,
      #"{"type":"result","id":"1","success":true}"#, #"{"type":"result","id":1.5,"success":true}"#,
      #"{"type":"result","id":99999999999999999999,"success":true}"#, #"{"id":1}"#,
      #"{"id":1,"type":5}"#, #"{"id":1,"type":"news"}"#, #"{"id":1,"type":"event"}"#,
      #"{"id":01}"#, #"{"id":-}"#, #"{"id":1e}"#, #"{"id":-,"type":"result","success":true}"#,
      #"[{"id":1e},{"id":1,"type":"result"}]"#,
      #"{"type":"auth_invalid","message":"too late"}"#, #"{"type":"auth_ok"}"#,
      #"{"type":"auth_required"}"#, #"{"type":"pong"}"#, #"{"type":"event","event":1}"#,
      #"{"id":1,"type":"result","success":true,"result":[}"#, "\u{FEFF}{}",
    ])
  func whatCannotBeReadIsPassedOver(text: String) {
    rig.send("one")
    rig.driver.say(text: [UInt8](text.utf8))
    #expect(rig.endings.isEmpty)
    #expect(rig.states.isEmpty)
    rig.driver.answer(1, with: 5)
    #expect(rig.endings == ["one: 5"])
  }

  @Test func whatIsPassedOverIsCounted() {
    rig.send("one")
    rig.driver.say(text: [UInt8]("x".utf8))
    rig.client.receivedBinary()
    #expect(rig.client.unreadableMessageCount == 2)
    rig.driver.answer(1, with: 5)
    #expect(rig.endings == ["one: 5"])
    #expect(rig.client.unreadableMessageCount == 2)
  }

  @Test func everyBeginningOfAMessageIsPassedOver() {
    let whole = [UInt8](
      #"{"id":1,"type":"result","success":true,"result":{"a":[1,"é\u00e9"]}}"#.utf8)
    rig.send("one")
    for count in 0..<whole.count { rig.driver.say(text: [UInt8](whole[..<count])) }
    #expect(rig.endings.isEmpty)
    rig.driver.say(text: whole)
    #expect(rig.endings == [#"one: {"a":[1,"éé"]}"#])
  }

  @Test func aRefusalSaysCodeAndMessageWhateverElseItHolds() {
    rig.send("one")
    rig.driver.say([
      "id": 1, "type": "result", "success": false,
      "error": [
        "code": "service_validation_error", "message": "No such light",
        "translation_key": "x", "translation_domain": "light",
        "translation_placeholders": ["entity": "light.a", "count": 3],
      ],
    ])
    #expect(
      rig.outcomes[0].outcome
        == .failure(.server(code: "service_validation_error", message: "No such light")))
  }

  @Test(
    arguments: [
      #""error":{}"#, #""error":null"#, #""error":"x""#, #""error":{"code":5,"message":null}"#,
      #""result":null"#, #""result":5"#,
      #""error":{"code":"x","z":["# + String(repeating: "0,", count: 100) + "0]}",
    ])
  func aRefusalWithoutWordsIsARefusalAllTheSame(rest: String) {
    // A result that says nothing of success is one, too.
    for success in [#""success":false,"#, ""] {
      let rig = ClientRig(isReady: true)
      rig.send("one")
      rig.driver.say(text: [UInt8](#"{"id":1,"type":"result",\#(success)\#(rest)}"#.utf8))
      #expect(
        rig.outcomes.map(\.outcome) == [.failure(.server(code: "unknown_error", message: ""))])
    }
  }

  @Test func aPongEndsAPingOfTheProgram() {
    rig.send("ping")
    rig.driver.pong()
    #expect(rig.endings == ["ping: null"])
  }

  @Test func messagesBeforeTheLoginAreNotAnswers() {
    let rig = ClientRig()
    rig.send("one")
    rig.driver.openConnection()
    rig.driver.answer(1, with: "early")
    rig.driver.tell(1, of: 1)
    rig.driver.say(["type": "pong", "id": 1])
    #expect(rig.endings.isEmpty)
    #expect(rig.driver.messages.isEmpty)
  }
}
