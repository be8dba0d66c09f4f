import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

/// Connecting and disconnecting, and what is told of it.
@Suite struct ClientConnectionTests {
  @Test func aNewClientDoesNothing() {
    let rig = ClientRig()
    rig.driver.advance(by: .seconds(3600))
    #expect(rig.client.state == .down(.idle))
    #expect(rig.client.deadline == nil)
    #expect(rig.driver.deeds.isEmpty)
    #expect(rig.states.isEmpty)
  }

  @Test func aServerWithoutAVersionIsReadyAllTheSame() {
    let rig = ClientRig(isConnecting: true)
    rig.driver.showToken()
    rig.driver.say(["type": "auth_ok"])
    #expect(rig.client.state == .ready(ServerVersion("unknown")))
  }

  @Test func connectingGoesThroughItsStatesOnceHoweverOftenItIsAskedFor() {
    let rig = ClientRig(isConnecting: true)
    rig.driver.removeDeeds()
    rig.client.connect()
    rig.driver.openConnection()
    rig.client.connect()
    rig.driver.giveToken()
    rig.client.connect()
    rig.driver.say(["type": "auth_ok", "ha_version": "2026.6.0"])
    rig.client.connect()
    #expect(rig.client.state == .ready(ServerVersion("2026.6.0")))
    #expect(rig.driver.deeds == [.sentText(["type": "auth", "access_token": "token"])])
    #expect(rig.states.map(\.word) == ["connecting", "authenticating", "ready"])
  }

  @Test func disconnectingGoesAwayAndStaysAway() {
    let rig = ClientRig(isReady: true)
    rig.client.disconnect()
    #expect(rig.driver.deeds == [.closedSocket(code: 1001)])
    #expect(rig.states == [.down(.idle)])
    rig.client.disconnect()
    rig.client.networkChanged()
    rig.driver.advance(by: .seconds(3600))
    #expect(rig.driver.deeds.count == 1)
    #expect(rig.states.count == 1)
  }

  @Test func disconnectingEndsTheWaitForAnotherAttempt() {
    let rig = ClientRig(isReady: true)
    rig.driver.endConnection()
    rig.client.disconnect()
    rig.driver.advance(by: .seconds(60))
    #expect(rig.driver.deeds.isEmpty)
    #expect(rig.client.state == .down(.idle))
  }

  @Test func aSocketThatDoesNotOpenInTimeIsGivenUp() {
    let rig = ClientRig(isConnecting: true)
    rig.driver.advance(by: .milliseconds(9_999))
    #expect(rig.client.state == .connecting)
    rig.driver.removeDeeds()
    rig.driver.advance(by: .milliseconds(1))
    #expect(rig.driver.deeds == [.closedSocket(code: 1001)])
    #expect(rig.client.state.cause == .connectTimeout)
  }

  @Test(
    arguments: [
      .unreachable("Connection refused"), .closed(code: nil), .closed(code: 1009),
      .refused(.server(.moved(to: [UInt8]("https://home.example".utf8)))),
      .violation(.maskedFrame),
    ] as [ConnectionFailure])
  func whyThereIsNoConnectionIsTold(cause: ConnectionFailure) {
    let rig = ClientRig(isConnecting: true)
    rig.driver.endConnection(cause)
    #expect(rig.states.map(\.word) == ["connecting", "retrying"])
    #expect(rig.client.state.cause == cause)
  }

  @Test func whatADriverTellsTooLateIsNothing() {
    let rig = ClientRig(isReady: true)
    rig.client.disconnect()
    rig.forget()
    rig.client.socketClosed(.violation(.maskedFrame))
    rig.client.socketOpened()
    rig.client.tokenFetched(.token([]))
    rig.client.received([UInt8]("{\"type\":\"auth_ok\"}".utf8).span)
    rig.client.deadlineReached()
    #expect(rig.driver.deeds.isEmpty)
    #expect(rig.states.isEmpty)
  }
}

/// Those who watch the state.
@Suite struct ClientObservationTests {
  @Test func anObserverThatEndedIsToldNothing() {
    let rig = ClientRig()
    var count = 0
    let observation = rig.client.observe { _ in count += 1 }
    rig.client.connect()
    observation.cancel()
    rig.driver.openConnection()
    #expect(count == 1)
  }

  @Test func anObserverThatAnotherOneEndsIsNotToldTheSameChange() {
    let rig = ClientRig()
    var second: Observation?
    var count = 0
    rig.client.observe { _ in second = nil }.detach()
    second = rig.client.observe { _ in count += 1 }
    rig.client.connect()
    let isOver = second == nil
    #expect(isOver)
    #expect(count == 0)
  }

  @Test func anObserverMayEndTheConnectionBeforeAnythingIsSentOverIt() {
    let rig = ClientRig(policy: SessionPolicy())
    let client = rig.client
    client.observe { [unowned client] in if $0.word == "ready" { client.disconnect() } }.detach()
    rig.send("get_config")
    rig.driver.acceptConnection()
    #expect(rig.driver.messageTypes == ["auth"])
    #expect(rig.driver.deeds.last == .closedSocket(code: 1001))
  }

  @Test func anObserverMayConnectAgainWhileItIsTold() {
    let rig = ClientRig()
    let client = rig.client
    client.observe { [unowned client] in if $0.word == "idle" { client.connect() } }.detach()
    rig.connect()
    client.disconnect()
    #expect(
      rig.driver.deeds == [.closedSocket(code: 1001), .fetchedToken(.connect), .openedSocket])
    #expect(rig.states.map(\.word) == ["idle", "connecting"])
  }
}
