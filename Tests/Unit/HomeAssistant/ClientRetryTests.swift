import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

/// What becomes of requests that meet no connection, or lose it.
@Suite struct ClientRetryTests {
  private let rig = ClientRig(isReady: true)

  /// It would come again on the next connection.
  @Test func whatMayHaveATooLargeAnswerIsNotSentAgain() {
    rig.subscribe("ticks").detach()
    rig.subscribe("all").detach()
    rig.driver.answer(1)
    rig.send("get_states", retry: .always)
    rig.send("get_config")
    rig.subscribe("run", isResubscribed: false).detach()
    rig.forget()
    rig.driver.endConnection(.violation(.messageTooLong))
    #expect(rig.endings == ["get_states: tooLarge", "get_config: tooLarge"])
    let success = Result<NoContent, RequestError>.success(NoContent())
    #expect(rig.starts == [success, .failure(.tooLarge), .failure(.tooLarge)])
    rig.send("get_panels", retry: .always)
    rig.client.networkChanged()
    rig.driver.acceptConnection()
    #expect(rig.driver.messageTypes == ["auth", "ticks", "all", "get_panels"])
    rig.driver.endConnection(.violation(.invalidUTF8))
    #expect(rig.endings.count == 2 && rig.starts.count == 3)
  }

  private static let moment = Duration.nanoseconds(1)

  @Test func aRequestWithoutAnAnswerIsSentAgainUnderAnotherNumber() {
    rig.send("get_config")
    rig.driver.advance(by: .seconds(9))
    rig.reconnect()
    #expect(rig.ids(of: "get_config") == [1, 2])
    rig.driver.answer(1, with: "late")
    #expect(rig.endings.isEmpty)
    rig.driver.answer(2, with: "now")
    #expect(rig.endings == ["get_config: \"now\""])
  }

  @Test func aRequestThatMustNotBeRepeatedEndsWithItsConnection() {
    rig.send("unlock", retry: .never)
    rig.driver.endConnection()
    #expect(rig.endings == ["unlock: disconnected"])
    rig.client.networkChanged()
    rig.driver.acceptConnection()
    #expect(rig.ids(of: "unlock") == [1])
  }

  @Test func aRequestThatMustNotBeRepeatedWaitsForItsFirstConnection() {
    let rig = ClientRig()
    rig.send("unlock", retry: .never)
    for _ in 0..<3 {
      rig.driver.endConnection(.unreachable("no route"))
      rig.driver.advanceToDeadline()
    }
    rig.driver.acceptConnection()
    rig.driver.answer(with: 5)
    #expect(rig.ids(of: "unlock") == [1])
    #expect(rig.endings == ["unlock: 5"])
  }

  @Test func itDoesNotWaitForEverThough() {
    let rig = ClientRig(policy: .patientlyOffline)
    rig.send("unlock", retry: .never)
    rig.driver.advance(by: .seconds(60) - Self.moment)
    #expect(rig.endings.isEmpty)
    rig.driver.advance(by: Self.moment)
    #expect(rig.endings == ["unlock: expired"])
  }

  @Test(
    arguments: [
      .zero, .milliseconds(500), .seconds(10), .seconds(120), .seconds(7200),
    ] as [Duration])
  func aRequestIsWantedUpToItsAgeAndNotAMomentLonger(age: Duration) {
    let rig = ClientRig(policy: .patientlyOffline)
    rig.driver.advance(by: .seconds(1000))
    rig.send("get_config", retry: .within(age))
    rig.driver.advance(by: age)
    #expect(rig.endings.isEmpty)
    rig.driver.advance(by: Self.moment)
    #expect(rig.endings == ["get_config: expired"])
    #expect(rig.client.deadline == nil)
    rig.connect()
    #expect(rig.driver.messages.isEmpty)
  }

  @Test func tenSecondsAreWhatARequestWaitsUnlessItSaysSo() {
    let rig = ClientRig(policy: .patientlyOffline)
    rig.client.send(Plain()) { #expect($0 == .failure(.expired)) }
    rig.driver.advance(by: .seconds(10))
    #expect(rig.client.deadline == rig.driver.now + Self.moment)
    rig.driver.advance(by: Self.moment)
    #expect(rig.client.deadline == nil)
  }

  @Test func theAgeCountsFromTheWishAndNotFromTheLastAttempt() {
    rig.send("young")
    rig.driver.advance(by: .seconds(4))
    rig.reconnect()
    rig.driver.advance(by: .seconds(4))
    rig.reconnect()
    #expect(rig.ids(of: "young").count == 3)
    rig.driver.advance(by: .seconds(4))
    rig.driver.endConnection()
    #expect(rig.endings == ["young: expired"])
  }

  @Test func aRequestWithoutALimitIsNeverTooOld() {
    let rig = ClientRig(policy: .patientlyOffline)
    rig.send("get_config", retry: .always)
    rig.driver.advance(by: .seconds(1_000_000))
    rig.client.connect()
    rig.driver.acceptConnection()
    rig.driver.answer(with: 5)
    #expect(rig.endings == ["get_config: 5"])
  }

  @Test func aLossSortsTheRequestsByTheirAge() {
    rig.send("old")
    rig.send("old_and_patient", retry: .always)
    rig.send("old_and_slow", retry: .within(.seconds(60)))
    rig.driver.advance(by: .seconds(11))
    rig.send("new")
    rig.forget()
    rig.reconnect()
    #expect(rig.endings == ["old: expired"])
    #expect(rig.driver.messageTypes == ["auth", "old_and_patient", "old_and_slow", "new"])
  }

  @Test func anAnswerThatDoesNotComeInTimeIsAnExpiry() {
    rig.send("slow", retry: .always)
    rig.driver.advance(by: .seconds(30))
    rig.send("slower", retry: .always)
    rig.driver.advance(by: .seconds(30) - Self.moment)
    #expect(rig.endings.isEmpty)
    rig.driver.advance(by: Self.moment)
    #expect(rig.endings == ["slow: expired"])
    rig.driver.answer(1, with: "late")
    #expect(rig.endings.count == 1)
    rig.driver.answer(2, with: 5)
    #expect(rig.endings == ["slow: expired", "slower: 5"])
  }

  @Test func disconnectingKeepsWhatIsStillWanted() {
    rig.send("kept")
    rig.send("lost", retry: .never)
    rig.client.disconnect()
    #expect(rig.endings == ["lost: disconnected"])
    rig.client.connect()
    rig.driver.acceptConnection()
    rig.driver.answer(with: 5)
    #expect(rig.endings == ["lost: disconnected", "kept: 5"])
  }

  private struct Plain: Request {
    let command: Text = "plain"
  }
}

extension SessionPolicy {
  /// Does not connect by itself, so that time passes without attempts.
  fileprivate static var patientlyOffline: SessionPolicy {
    var policy = ClientRig.plain
    policy.connectsAutomatically = false
    return policy
  }
}
