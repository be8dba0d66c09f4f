import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

/// When it connects again, and when it sees that it must.
@Suite struct ClientReconnectionTests {
  /// The waits of a client whose every attempt fails, in seconds, and their jitter.
  private func waits(_ count: Int, policy: SessionPolicy, seed: UInt64) -> [Double] {
    let driver = ScriptedDriver()
    let client = driver.makeClient(policy: policy, seed: seed)
    client.connect()
    return (1...count).map { attempt in
      driver.endConnection(.unreachable("no route"))
      guard case .down(.retrying(attempt, let at, .unreachable("no route"))) = client.state else {
        return -1
      }
      let wait = at - driver.now
      driver.advance(by: wait)
      return Double(wait.nanoseconds) / 1e9
    }
  }

  private func expectWaits(_ least: [Double], of policy: SessionPolicy) {
    var firsts: Set<Double> = []
    for seed in UInt64(0)..<200 {
      let waits = waits(least.count, policy: policy, seed: seed)
      for (wait, least) in zip(waits, least) {
        #expect((least...least + max(1, least / 5)).contains(wait))
      }
      firsts.insert(waits[0])
    }
    #expect(firsts.count > 190)
  }

  @Test func theWaitsGrowAndEachHasItsJitter() {
    expectWaits([0, 5, 10, 10, 15, 15, 15], of: SessionPolicy())
  }

  @Test func anUnattendedClientWaitsLongerAndLonger() {
    expectWaits([0, 5, 20, 80, 300, 300, 300], of: .unattended)
  }

  /// Home Assistant has banned the address, or a proxy before it refuses the client.
  @Test(arguments: [SessionPolicy(), .unattended])
  func aClientThatMayNotConnectWaitsForAnHourEachTime(policy: SessionPolicy) throws {
    let rig = ClientRig(policy: policy)
    rig.client.connect()
    for attempt in 1...10 {
      try #require(rig.driver.socket == .opening)
      rig.driver.endConnection(.refused(.server(.banned)))
      #expect(rig.client.state.attempt == attempt)
      rig.forget()
      rig.driver.advance(by: .seconds(3600) + .nanoseconds(-1))
      #expect(rig.driver.deeds.isEmpty)
      rig.driver.advanceToDeadline()
      #expect(rig.driver.deeds.count { $0 == .openedSocket } == 1)
    }
    rig.driver.endConnection(.refused(.server(.notFound)))
    rig.forget()
    rig.driver.advance(by: .seconds(360))
    #expect(rig.driver.deeds.contains(.openedSocket), "any other refusal is waited for as before")
  }

  @Test func aConnectionThatIsAcceptedAndDroppedIsNotTriedFasterAndFaster() {
    let rig = ClientRig()
    rig.connect()
    for attempt in 1...6 {
      rig.driver.endConnection()
      #expect(rig.client.state.attempt == attempt)
      rig.driver.advanceToDeadline()
      rig.driver.acceptConnection()
    }
  }

  @Test func aConnectionThatLastedStartsTheWaitsAgain() {
    let rig = ClientRig(isReady: true)
    for _ in 0..<3 {
      rig.driver.endConnection()
      rig.driver.advanceToDeadline()
      rig.driver.acceptConnection()
    }
    rig.driver.advance(by: .seconds(30))
    rig.driver.endConnection()
    #expect(rig.client.state.attempt == 1)
  }

  @Test(arguments: [ConnectionFailure.closed(code: 1006), .refused(.server(.banned))])
  func connectingByHandDoesNotWaitAndStartsTheWaitsAgain(cause: ConnectionFailure) {
    let rig = ClientRig(isConnecting: true)
    for _ in 0..<3 {
      rig.driver.endConnection(cause)
      rig.driver.advanceToDeadline()
    }
    rig.driver.endConnection(cause)
    rig.forget()
    rig.client.connect()
    #expect(rig.driver.deeds == [.fetchedToken(.connect), .openedSocket])
    rig.driver.endConnection(cause)
    #expect(rig.client.state.attempt == 1)
  }

  @Test func anotherNetworkEndsTheWaitAndNothingElse() {
    let rig = ClientRig(isConnecting: true)
    for _ in 0..<3 {
      rig.driver.endConnection()
      rig.driver.advanceToDeadline()
    }
    rig.driver.endConnection()
    rig.forget()
    rig.client.networkChanged()
    #expect(rig.driver.deeds == [.fetchedToken(.connect), .openedSocket])
    rig.client.networkChanged()
    #expect(rig.driver.deeds.count == 2)
    rig.driver.endConnection()
    #expect(rig.client.state.attempt == 5)
  }

  @Test func aRequestDoesNotHurryTheNextAttempt() {
    let rig = ClientRig(isReady: true)
    rig.driver.endConnection()
    for _ in 0..<20 { rig.send("get_config") }
    #expect(rig.driver.deeds.isEmpty)
    #expect(rig.client.state.attempt == 1)
  }
}

/// Pings, which find out that a connection is dead.
@Suite struct ClientKeepAliveTests {
  private let rig = ClientRig(isReady: true)

  @Test func aConnectionIsPingedAMinuteAfterEachAnswer() {
    rig.driver.advance(by: .milliseconds(59_999))
    #expect(rig.driver.deeds.isEmpty)
    rig.driver.advance(by: .milliseconds(1))
    #expect(rig.driver.messages == [["id": 1, "type": "ping"]])
    #expect(rig.client.latency == nil)
    rig.driver.advance(by: .milliseconds(250))
    rig.driver.pong()
    #expect(rig.client.latency == .milliseconds(250))
    rig.driver.advance(by: .seconds(60))
    #expect(rig.ids(of: "ping") == [1, 2])
  }

  @Test func aPingWithoutAnAnswerEndsTheConnection() {
    rig.driver.advance(by: .seconds(89))
    #expect(rig.states.isEmpty)
    rig.driver.advance(by: .seconds(1))
    #expect(rig.client.state.cause == .unanswered)
    #expect(rig.driver.deeds.last == .closedSocket(code: 1001))
    #expect(rig.driver.deeds.count == 2)
  }

  @Test func aRefusedPingIsAnAnswerToo() {
    rig.driver.advance(by: .seconds(60))
    rig.driver.refuse(code: "unknown_error")
    rig.driver.advance(by: .seconds(59))
    #expect(rig.states.isEmpty)
  }

  @Test func thePongOfAnotherPingIsNoAnswer() {
    rig.driver.advance(by: .seconds(60))
    rig.driver.pong(77)
    rig.driver.advance(by: .seconds(30))
    #expect(rig.client.state.cause == .unanswered)
  }

  @Test(arguments: [true, false])
  func aConnectionIsAliveAsLongAsSomethingArrives(isWhole: Bool) {
    rig.driver.advance(by: .seconds(60))
    for _ in 0..<50 {
      rig.driver.advance(by: .seconds(29))
      if isWhole { rig.driver.tell(1, of: 77) } else { rig.driver.sayPart() }
    }
    #expect(rig.states.isEmpty)
    // Home Assistant wants to see signs of life, too.
    #expect(rig.ids(of: "ping").count == 1 + 50 * 29 / 60)
    rig.driver.pong(rig.driver.messageID(ofType: "ping"))
    #expect(rig.client.latency == .seconds(50 * 29 % 60))
    rig.forget()
    rig.driver.advance(by: .seconds(60))
    #expect(rig.ids(of: "ping").count == 1)
    rig.driver.advance(by: .seconds(10))
    if isWhole { rig.driver.tell(1, of: 77) } else { rig.driver.sayPart() }
    rig.driver.advance(by: .seconds(29))
    #expect(rig.states.isEmpty)
    rig.driver.advance(by: .seconds(1))
    #expect(rig.client.state.cause == .unanswered)
  }

  @Test func aLongMessageDelaysTheAnswersBehindIt() {
    rig.send("get_config")
    for _ in 0..<200 {
      rig.driver.advance(by: .seconds(1))
      rig.driver.sayPart()
    }
    #expect(rig.endings.isEmpty)
    rig.driver.pong(rig.driver.messageID(ofType: "ping"))
    rig.driver.advance(by: .milliseconds(59_999))
    #expect(rig.endings.isEmpty)
    rig.driver.advance(by: .milliseconds(1))
    #expect(rig.endings == ["get_config: expired"])
  }

  /// What comes whole delays nothing: Home Assistant has not answered.
  @Test func eventsDoNotDelayAnswers() {
    rig.send("get_config")
    for _ in 0..<60 {
      rig.driver.tell(1, of: 77)
      rig.driver.advance(by: .seconds(1))
    }
    #expect(rig.endings == ["get_config: expired"])
  }

  @Test func aPingIsNeverRepeatedOnTheNextConnection() {
    rig.driver.advance(by: .seconds(60))
    rig.forget()
    rig.reconnect()
    #expect(rig.driver.messageTypes == ["auth"])
    rig.driver.advance(by: .seconds(59))
    #expect(rig.driver.messageTypes == ["auth"])
  }

  @Test func aMachineThatSleptDoesNotPingADeadConnection() {
    rig.driver.sleep(for: .seconds(60 + 299))
    #expect(rig.driver.messageTypes == ["ping"], "a little late is not too late")
    rig.driver.pong()
    rig.forget()
    rig.driver.sleep(for: .seconds(60 + 301))
    #expect(rig.client.state.cause == .slept)
    #expect(rig.driver.deeds == [.closedSocket(code: 1001)])
  }

  @Test func anotherNetworkMakesAConnectionShowThatItStands() {
    rig.driver.advance(by: .seconds(20))
    rig.client.networkChanged()
    rig.driver.advance(by: .zero)
    #expect(rig.driver.messageTypes == ["ping"])
    rig.client.networkChanged()
    rig.driver.advance(by: .zero)
    #expect(rig.driver.messageTypes == ["ping"])
    rig.driver.pong()
    rig.driver.advance(by: .seconds(59))
    #expect(rig.driver.messageTypes == ["ping"])
  }
}
