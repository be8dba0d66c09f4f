import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

/// Nothing is told, and as little as possible is done, after a cancellation.
@Suite struct ClientCancellationTests {
  private let rig = ClientRig(isReady: true)

  @Test func aRequestThatWasNotSentIsNotSentAnyMore() {
    let rig = ClientRig()
    rig.client.cancel(rig.send("get_config"))
    rig.driver.acceptConnection()
    #expect(rig.driver.messageTypes == ["auth"])
    #expect(rig.endings.isEmpty)
  }

  @Test func theAnswerToACancelledRequestGoesToNoOtherRequest() {
    let id = rig.send("get_config")
    rig.client.cancel(id)
    rig.client.cancel(id)
    rig.driver.answer(with: 5)
    rig.reconnect()
    #expect(rig.endings.isEmpty)
    #expect(rig.driver.messageTypes == ["get_config", "auth"])
  }

  @Test func aSubscriptionThatWasNotSentNeedsNoEnd() {
    let rig = ClientRig()
    rig.subscribe("ticks").cancel()
    rig.driver.acceptConnection()
    #expect(rig.driver.messageTypes == ["auth"])
  }

  @Test func aSubscriptionThatWasSentIsEndedOnce() {
    let ticks = rig.subscribe("ticks")
    let id = ticks.id
    ticks.cancel()
    rig.client.cancel(id)
    rig.driver.answer(1)
    rig.driver.tell(1, of: 1)
    rig.driver.refuse(2, code: "not_found")
    #expect(
      rig.driver.messages == [
        ["id": 1, "type": "ticks"],
        ["id": 2, "type": "unsubscribe_events", "subscription": 1],
      ])
    #expect(rig.starts.isEmpty)
    #expect(rig.events.isEmpty)
  }

  /// Home Assistant may answer the end first, of a subscription that it does not know yet.
  @Test(arguments: [true, false])
  func anEndThatCameTooEarlyIsSentOnceMore(isConfirmationLost: Bool) {
    rig.subscribe("ticks").cancel()
    rig.driver.refuse(2, code: "not_found")
    #expect(rig.ids(of: "unsubscribe_events") == [2])
    if !isConfirmationLost { rig.driver.answer(1) }
    for _ in 0..<3 { rig.driver.tell("late", of: 1) }
    #expect(rig.ids(of: "unsubscribe_events") == [2, 3])
    #expect(rig.driver.messages.last?["subscription"] == 1)
    rig.driver.refuse(3, code: "not_found")
    rig.driver.answer(1)
    for _ in 0..<3 { rig.driver.tell("late", of: 1) }
    #expect(rig.ids(of: "unsubscribe_events") == [2, 3])
    #expect(rig.events.isEmpty)
  }

  @Test func theEndOfASubscriptionIsNotRepeatedOnTheNextConnection() {
    rig.subscribe("ticks").cancel()
    rig.forget()
    rig.reconnect()
    #expect(rig.driver.messageTypes == ["auth"])
  }

  @Test func aSubscriptionWhoseConnectionBrokeNeedsNoEnd() {
    let ticks = rig.subscribe("ticks")
    rig.driver.answer()
    rig.driver.endConnection()
    ticks.cancel()
    rig.forget()
    rig.client.networkChanged()
    rig.driver.acceptConnection()
    #expect(rig.driver.messageTypes == ["auth"])
  }

  @Test func aSubscriptionEndsWithItsValue() {
    do {
      let ticks = rig.subscribe("ticks")
      rig.driver.answer()
      _ = ticks.id
    }
    #expect(rig.driver.messageTypes == ["ticks", "unsubscribe_events"])
  }

  @Test func aSubscriptionThatCancelsItselfIsNotToldTheRestOfTheFrame() {
    var events: [JSON] = []
    var id: RequestID?
    let client = rig.client
    id = client.subscribe(RawSubscription("ticks")) { event in
      if case .success(let event) = event { events.append(event) }
      if let id { client.cancel(id) }
    }.detach()
    rig.driver.say([
      ["id": 1, "type": "result", "success": true, "result": nil],
      ["id": 1, "type": "event", "event": 1],
      ["id": 1, "type": "event", "event": 2],
    ])
    #expect(events == [1])
  }

  @Test func aCompletionMayCancelAnotherRequestOfTheSameFrame() {
    var second: RequestID?
    let client = rig.client
    client.send(RawRequest("first")) { _ in second.map { client.cancel($0) } }
    second = rig.send("second")
    rig.driver.say([
      ["id": 1, "type": "result", "success": true, "result": nil],
      ["id": 2, "type": "result", "success": true, "result": nil],
    ])
    #expect(rig.endings.isEmpty)
  }

  @Test func handlersAreLetGoAtTheEndAndAtTheCancellation() {
    var isAlive: [() -> Bool] = []
    func watched() -> Canary {
      let canary = Canary()
      isAlive.append { [weak canary] in canary != nil }
      return canary
    }
    func send() -> RequestID {
      let canary = watched()
      return rig.client.send(RawRequest("get_config")) { _ in canary.sing() }
    }
    func subscribe() -> RequestID {
      let canary = watched()
      return rig.client.subscribe(RawSubscription("ticks")) { _ in canary.sing() }.detach()
    }
    func call() -> RequestID {
      let canary = watched()
      return rig.client.send(RawRESTRequest(.get, "config")) { _ in canary.sing() }
    }
    _ = send()
    rig.driver.answer()
    let ids = [send(), subscribe(), call()]
    #expect(isAlive.map { $0() } == [false, true, true, true])
    for id in ids { rig.client.cancel(id) }
    #expect(isAlive.map { $0() } == [false, false, false, false])
  }

  private final class Canary {
    func sing() {}
  }
}
