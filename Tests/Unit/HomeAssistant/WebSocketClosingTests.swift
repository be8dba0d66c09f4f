import Bytes
import HomeAssistant
import Testing

@Suite struct WebSocketClosingTests {
  private typealias Server = ServerSide

  @Test func aCloseIsEchoedAndTheServerEndsTheConnection() throws {
    let rig = ConversationRig.opened()
    rig.receive(Server.close(1000, "bye"))
    let frames = try rig.frames()
    #expect(frames.map(\.first) == [0x88] && frames.map(\.payload) == [[0x03, 0xE8]])
    #expect(rig.events == [.opened] && !rig.isOpen)
    rig.disconnect()
    #expect(rig.events.last == .end(.closedByServer(code: 1000, reason: [UInt8]("bye"))))
  }

  @Test func aCloseWithoutACodeIsEchoedWithoutOne() throws {
    let rig = ConversationRig.opened()
    rig.receive(Server.frame(Server.close))
    #expect(try rig.frames().map(\.payload) == [[]])
    rig.disconnect()
    #expect(rig.events.last == .end(.closedByServer(code: 1005, reason: [])))
  }

  @Test(arguments: [
    1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
  ])
  func everyCodeThatMayBeSentIsEchoed(code: Int) throws {
    let rig = ConversationRig.opened()
    rig.receive(Server.close(code))
    #expect(try rig.frames().map(\.payload) == [[UInt8(code >> 8), UInt8(code & 255)]])
  }

  @Test func theLongestReasonIsKept() {
    let reason = String(repeating: "é", count: 61) + "x"
    let rig = ConversationRig.opened()
    rig.receive(Server.close(1011, reason))
    rig.disconnect()
    #expect(
      rig.events.last == .end(.closedByServer(code: 1011, reason: [UInt8](reason.utf8))))
  }

  @Test func afterACloseNothingIsHeardAndNothingIsSent() throws {
    let rig = ConversationRig.opened()
    rig.receive(
      Server.close(1000) + Server.frame(Server.text, "late") + Server.frame(Server.ping)
        + Server.close(1001))
    #expect(!rig.send(.text, [UInt8]("late")))
    rig.close(1000)
    #expect(try rig.frames().count == 1)
    #expect(rig.events == [.opened])
  }

  @Test func aServerThatClosesAndStaysIsLeftAfterFiveSeconds() {
    let rig = ConversationRig.opened()
    rig.receive(Server.close(1000))
    #expect(rig.deadline == rig.now + .seconds(5))
    rig.wait(.seconds(5))
    #expect(rig.events == [.opened, .end(.closedByServer(code: 1000, reason: []))])
    #expect(rig.deadline == nil)
  }

  @Test func weCloseAndTheServerEndsTheConnection() throws {
    let rig = ConversationRig.opened()
    rig.close(1001)
    #expect(try rig.frames().map(\.payload) == [[0x03, 0xE9]])
    rig.receive(Server.frame(Server.text, "crossed") + Server.close(1001))
    rig.disconnect()
    #expect(rig.events == [.opened, .end(.closedByUs)])
  }

  @Test func weCloseAndTheServerDoesNotListen() {
    let rig = ConversationRig.opened()
    rig.close(1000)
    rig.wait(.milliseconds(4_999))
    #expect(rig.events == [.opened])
    rig.wait(.milliseconds(1))
    #expect(rig.events == [.opened, .end(.timedOut(.closing))])
  }

  @Test func closingTwiceIsClosingOnce() throws {
    let rig = ConversationRig.opened()
    rig.close(1000)
    let deadline = rig.deadline
    rig.now = rig.now + .seconds(1)
    rig.close(1001)
    #expect(try rig.frames().count == 1 && rig.deadline == deadline)
  }

  @Test func aConnectionThatBreaksIsNotAClose() {
    let rig = ConversationRig.opened()
    rig.receive([0x81, 0x05, 0x48])
    rig.disconnect()
    #expect(rig.events == [.opened, .end(.disconnected(InlineText("gone")))])
  }

  @Test func anOpenWebSocketWaitsForNothing() {
    let rig = ConversationRig.opened()
    rig.wait(.seconds(1_000_000))
    #expect(rig.events == [.opened] && rig.isOpen)
  }
}
