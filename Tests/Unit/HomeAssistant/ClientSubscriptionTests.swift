import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

/// Subscriptions and their events, and how they outlive connections.
@Suite struct ClientSubscriptionTests {
  private let rig = ClientRig(isReady: true)

  @Test func itIsStartedOnceAndThenToldItsEventsInOrder() {
    rig.subscribe("ticks").detach()
    rig.driver.answer()
    for number in 1...3 { rig.driver.tell(.id(number)) }
    #expect(rig.starts == [.success(NoContent())])
    #expect(rig.events == [.success(1), .success(2), .success(3)])
  }

  @Test func anEventBeforeTheConfirmationIsToldToo() {
    rig.subscribe("ticks").detach()
    rig.driver.tell(1)
    #expect(rig.events == [.success(1)])
  }

  @Test func anEventThatDoesNotDecodeIsToldAsThatAndIsNotTheEnd() {
    var events: [Result<Bool, RequestError>] = []
    rig.client.subscribe(Flags()) { events.append($0) }.detach()
    rig.driver.answer()
    rig.driver.tell("no flag")
    rig.driver.tell(true)
    #expect(
      events == [
        .failure(.decoding(.wrongKind(key: "root", expected: .boolean, found: .string))),
        .success(true),
      ])
  }

  @Test func itIsMadeAgainHoweverOldItIs() {
    rig.subscribe("ticks").detach()
    rig.driver.answer()
    for _ in 0..<500 {
      rig.driver.advance(by: .seconds(60))
      rig.driver.pong()
    }
    for count in 2...4 {
      rig.reconnect()
      #expect(rig.ids(of: "ticks").count == count)
      rig.driver.answer()
      rig.driver.tell(.id(count))
    }
    #expect(rig.starts.count == 4)
    #expect(rig.events == [.success(2), .success(3), .success(4)])
  }

  @Test func aRunIsNotMadeAgainAndItsEndIsTold() {
    rig.subscribe("assist_pipeline/run", isResubscribed: false).detach()
    rig.driver.answer()
    rig.driver.endConnection()
    #expect(rig.starts == [.success(NoContent()), .failure(.disconnected)])
    rig.client.networkChanged()
    rig.driver.acceptConnection()
    #expect(rig.ids(of: "assist_pipeline/run").count == 1)
  }

  @Test func aRunThatWaitedTooLongIsNotBegun() {
    let rig = ClientRig(isConnecting: true)
    rig.driver.giveToken(.unavailable("not yet"))
    rig.subscribe("assist_pipeline/run", isResubscribed: false).detach()
    for _ in 0..<20 {
      rig.driver.advance(by: .seconds(4))
      rig.driver.giveToken(.unavailable("not yet"))
    }
    #expect(rig.starts == [.failure(.expired)])
    rig.client.connect()
    rig.driver.acceptConnection()
    #expect(rig.ids(of: "assist_pipeline/run").isEmpty)
  }

  @Test func aRefusedRunIsOver() {
    rig.subscribe("assist_pipeline/run", isResubscribed: false).detach()
    rig.driver.refuse(code: "pipeline-not-found")
    #expect(rig.starts == [.failure(.server(code: "pipeline-not-found", message: ""))])
    rig.driver.advance(by: .seconds(59))
    rig.reconnect()
    #expect(rig.driver.messageTypes == ["assist_pipeline/run", "auth"])
  }

  @Test func anUnknownSubscriptionIsEndedOnceForAllItsEvents() {
    for _ in 0..<3 { rig.driver.tell(1, of: 77) }
    #expect(
      rig.driver.messages == [["id": 1, "type": "unsubscribe_events", "subscription": 77]])
  }

  @Test func itLivesOnWithoutItsValueWhereItIsDetached() {
    let id = rig.subscribe("ticks").detach()
    rig.driver.answer()
    rig.driver.tell(1)
    rig.client.cancel(id)
    rig.driver.tell(2, of: 1)
    #expect(rig.events == [.success(1)])
    #expect(rig.driver.messageTypes == ["ticks", "unsubscribe_events"])
  }
}

/// Subscriptions that Home Assistant refuses at first.
@Suite struct ClientRefusedSubscriptionTests {
  private static let watches: [JSON] = [
    ["id": 2, "type": "subscribe_events", "event_type": "component_loaded"],
    ["id": 3, "type": "subscribe_events", "event_type": "core_config_updated"],
  ]

  private func refused(_ code: Text = "unknown_command") -> (ClientRig, RequestID) {
    let rig = ClientRig(isReady: true)
    let channel = rig.subscribe("push").detach()
    rig.driver.refuse(code: code)
    return (rig, channel)
  }

  @Test func aRefusalIsToldAndTriedAgainOnce() {
    let (rig, _) = refused()
    #expect(rig.starts == [.failure(.server(code: "unknown_command", message: ""))])
    #expect(rig.driver.messages.last == .array(Self.watches))
    rig.driver.advance(by: .milliseconds(4_999))
    #expect(rig.ids(of: "push") == [1])
    rig.driver.advance(by: .milliseconds(1))
    #expect(rig.ids(of: "push") == [1, 4])
    rig.driver.refuse(code: "unknown_command")
    rig.driver.advance(by: .seconds(45))
    #expect(rig.ids(of: "push") == [1, 4])
  }

  @Test(arguments: [2, 3] as [Int64])
  func itIsTriedAgainFiveSecondsAfterTheLastThingThatWasLoaded(watch: Int64) {
    let (rig, _) = refused()
    for _ in 0..<3 {
      rig.driver.advance(by: .seconds(4))
      rig.driver.tell(["event_type": "component_loaded"], of: watch)
    }
    #expect(rig.ids(of: "push") == [1])
    rig.driver.advance(by: .seconds(5))
    #expect(rig.ids(of: "push") == [1, 4])
    rig.driver.answer()
    rig.driver.tell("hello")
    #expect(rig.events == [.success("hello")])
  }

  @Test func onlyWhatWasRefusedIsTriedAgain() {
    let (rig, _) = refused()
    rig.subscribe("ticks").detach()
    rig.driver.answer()
    rig.driver.advance(by: .seconds(5))
    #expect(rig.ids(of: "ticks").count == 1)
    #expect(rig.ids(of: "push").count == 2)
  }

  @Test func twoRefusalsAreWatchedForOnce() {
    let (rig, _) = refused()
    rig.subscribe("other").detach()
    rig.driver.refuse(code: "unknown_command")
    let watches = rig.driver.messages.filter { $0 == .array(Self.watches) }
    #expect(watches.count == 1)
  }

  @Test func theWatchIsMadeAgainOnALaterConnection() {
    let (rig, _) = refused()
    rig.driver.advance(by: .seconds(40))
    rig.forget()
    rig.reconnect()
    rig.driver.refuse(code: "unknown_command")
    #expect(rig.driver.messages.count == 3)
    #expect(rig.driver.messages.last?.kind == .array)
    rig.driver.advance(by: .seconds(5))
    #expect(rig.ids(of: "push").count == 2)
  }

  @Test func aCancelledOneIsNotTriedAgain() {
    let (rig, channel) = refused()
    rig.forget()
    rig.client.cancel(channel)
    rig.driver.advance(by: .seconds(20))
    #expect(rig.driver.deeds.isEmpty)
  }

  @Test func oneThatIsNotConfirmedInTimeIsTriedAgainToo() {
    let rig = ClientRig(isReady: true)
    rig.subscribe("ticks").detach()
    rig.driver.advance(by: .seconds(60))
    #expect(rig.starts == [.failure(.expired)])
    rig.driver.advance(by: .seconds(5))
    #expect(rig.ids(of: "ticks").count == 2)
  }
}

/// Subscribing again on the same connection.
@Suite struct ClientResubscriptionTests {
  @Test func theOldOneTellsItsEventsUntilTheNewOneIsConfirmed() {
    let rig = ClientRig(isReady: true)
    let ticks = rig.subscribe("ticks")
    rig.driver.answer()
    ticks.resubscribe()
    #expect(rig.ids(of: "ticks") == [1, 2])
    rig.driver.tell("old", of: 1)
    rig.driver.answer(2)
    #expect(rig.driver.messages.last?["subscription"] == 1)
    rig.driver.tell("twice", of: 1)
    rig.driver.tell("new", of: 2)
    #expect(rig.events == [.success("old"), .success("new")])
    #expect(rig.ids(of: "unsubscribe_events") == [3])
    ticks.cancel()
  }

  @Test func askingTwiceSubscribesOnce() {
    let rig = ClientRig()
    let ticks = rig.subscribe("ticks")
    ticks.resubscribe()
    rig.driver.acceptConnection()
    ticks.resubscribe()
    rig.driver.answer()
    ticks.resubscribe()
    ticks.resubscribe()
    #expect(rig.ids(of: "ticks") == [1, 2])
    ticks.cancel()
  }

  @Test func cancellingMeanwhileEndsBoth() {
    let rig = ClientRig(isReady: true)
    let ticks = rig.subscribe("ticks")
    rig.driver.answer()
    ticks.resubscribe()
    rig.forget()
    ticks.cancel()
    #expect(rig.driver.messages.map { $0["subscription"] } == [1, 2])
  }

  @Test func aNewConnectionForgetsTheOldOne() {
    let rig = ClientRig(isReady: true)
    let ticks = rig.subscribe("ticks")
    rig.driver.answer()
    ticks.resubscribe()
    rig.forget()
    rig.reconnect()
    rig.driver.answer()
    #expect(rig.driver.messageTypes == ["auth", "ticks"])
    ticks.cancel()
  }

  @Test func oneThatWasRefusedIsTriedAtOnce() {
    let rig = ClientRig(isReady: true)
    let push = rig.subscribe("push")
    rig.driver.refuse(code: "unknown_command")
    push.resubscribe()
    #expect(rig.ids(of: "push").count == 2)
    push.cancel()
  }
}

private struct Flags: SubscriptionRequest {
  typealias Event = Bool
  let command: Text = "flags"
}
