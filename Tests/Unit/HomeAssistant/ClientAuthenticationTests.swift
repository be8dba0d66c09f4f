import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

/// The login over the socket, and what a refused token ends.
@Suite struct ClientAuthenticationTests {
  private static let authentication: ScriptedDriver.Deed =
    .sentText(["type": "auth", "access_token": "token"])

  /// How long it takes, deadline by deadline.
  private func seconds(_ rig: ClientRig, until isReached: () -> Bool) -> Int64 {
    let start = rig.driver.now
    for _ in 0..<100 where !isReached() { rig.driver.advanceToDeadline() }
    return (rig.driver.now - start).components.seconds
  }

  @Test func theTokenGoesOutAsSoonAsThereAreBothItAndASocket() {
    let early = ClientRig()
    early.client.connect()
    early.forget()
    early.driver.giveToken()
    #expect(early.driver.deeds.isEmpty)
    early.driver.openConnection()
    #expect(early.driver.deeds == [Self.authentication])

    let late = ClientRig()
    late.client.connect()
    late.driver.openConnection()
    late.driver.say(["type": "auth_required", "ha_version": "2025.4.4"])
    late.forget()
    late.driver.giveToken()
    #expect(late.driver.deeds == [Self.authentication])
  }

  @Test func aSecondTokenIsIgnored() {
    let rig = ClientRig(isConnecting: true)
    rig.driver.openConnection()
    rig.driver.giveToken("one")
    rig.driver.giveToken("two")
    rig.driver.giveToken(.rejected("no"))
    #expect(rig.driver.messages == [["type": "auth", "access_token": "one"]])
    #expect(rig.client.state == .authenticating)
  }

  @Test func nothingIsSentBeforeTheTokenIsAccepted() {
    let rig = ClientRig()
    rig.send("get_config")
    rig.driver.showToken()
    rig.driver.say(["type": "auth_required", "ha_version": "2025.4.4"])
    #expect(rig.driver.messageTypes == ["auth"])
    rig.driver.say(["type": "auth_ok", "ha_version": "2025.4.4"])
    #expect(rig.driver.messageTypes == ["auth", "get_config"])
  }

  @Test func aTokenThatCannotBeHadNowIsAskedForAgain() {
    let rig = ClientRig(isConnecting: true)
    rig.driver.giveToken(.unavailable("the card is read"))
    #expect(rig.client.state.cause == .noToken("the card is read"))
    #expect(rig.driver.deeds.last == .closedSocket(code: 1001))
    rig.forget()
    rig.driver.advance(by: .seconds(1))
    #expect(rig.driver.deeds == [.fetchedToken(.connect), .openedSocket])
  }

  @Test func aServerThatSaysNothingToTheTokenIsLeft() {
    let rig = ClientRig(isConnecting: true)
    rig.driver.showToken()
    rig.driver.advance(by: .seconds(10))
    #expect(rig.client.state.cause == .authenticationTimeout)
    #expect(rig.driver.deeds.last == .closedSocket(code: 1001))
  }

  /// Home Assistant may have refused it, and counts that.
  @Test func aLoginThatGotNoVerdictHasMoreTimeAndComesLaterTheNextTimes() {
    let rig = ClientRig(isConnecting: true)
    var timeouts: [Int64] = []
    var waits: [Int64] = []
    for _ in 0..<5 {
      rig.driver.showToken()
      timeouts.append(seconds(rig) { rig.client.state != .authenticating })
      waits.append(seconds(rig) { rig.client.state == .connecting })
    }
    #expect(timeouts == [10, 20, 40, 80, 80])
    for (wait, least) in zip(waits, [0, 60, 600, 3600, 3600] as [Int64]) {
      #expect((least...least + least / 5 + 16).contains(wait))
    }
  }

  @Test(arguments: [true, false])
  func aVerdictOnATokenGivesTheNextOneTheUsualTime(isAccepted: Bool) {
    let rig = ClientRig(isConnecting: true)
    rig.driver.showToken()
    rig.driver.endConnection()
    rig.driver.advance(by: .seconds(2))
    rig.driver.showToken()
    rig.driver.say(
      isAccepted
        ? ["type": "auth_ok", "ha_version": "2025.4.4"]
        : ["type": "auth_invalid", "message": "no"])
    if isAccepted { rig.driver.endConnection() }
    rig.client.connect()
    rig.driver.showToken()
    #expect(seconds(rig) { rig.client.state != .authenticating } == 10)
  }

  @Test func anAttemptThatShowedNoTokenIsNoLoginWithoutAVerdict() {
    let rig = ClientRig(isConnecting: true)
    for _ in 0..<3 {
      rig.driver.openConnection()
      rig.driver.endConnection()
      _ = seconds(rig) { rig.client.state == .connecting }
    }
    rig.driver.showToken()
    #expect(seconds(rig) { rig.client.state != .authenticating } == 10)
  }

  @Test func aTokenThatNeverComesIsNotTheServersFault() {
    let rig = ClientRig(isConnecting: true)
    rig.driver.openConnection()
    rig.driver.advance(by: .seconds(10))
    #expect(rig.client.state.cause == .noToken("not in time"))
  }

  @Test func aRefusedTokenIsNeverTriedAgainByItself() {
    let rig = ClientRig.rejected()
    #expect(rig.client.state == .down(.rejected("Invalid access token or password")))
    #expect(rig.driver.deeds.last == .closedSocket(code: 1001))
    rig.forget()
    rig.send("get_config", retry: .always)
    rig.client.networkChanged()
    rig.client.disconnect()
    rig.send("get_services", retry: .always)
    rig.subscribe("ticks").detach()
    rig.driver.advance(by: .seconds(100_000))
    #expect(rig.driver.deeds.isEmpty)
    #expect(rig.client.state == .down(.rejected("Invalid access token or password")))
  }

  @Test func connectingAfterARefusalSaysThatAnotherTokenIsNeeded() {
    let rig = ClientRig.rejected()
    rig.send("get_config", retry: .always)
    rig.forget()
    rig.client.connect()
    #expect(rig.driver.deeds == [.fetchedToken(.afterRejection(.invalid)), .openedSocket])
    rig.driver.endConnection()
    rig.forget()
    rig.driver.advance(by: .seconds(1))
    #expect(rig.driver.deeds == [.fetchedToken(.afterRejection(.invalid)), .openedSocket])
    rig.driver.acceptConnection()
    #expect(rig.driver.messageTypes.last == "get_config")
    rig.driver.endConnection()
    rig.forget()
    rig.driver.advance(by: .seconds(10))
    #expect(rig.driver.deeds == [.fetchedToken(.connect), .openedSocket])
  }

  @Test func theVerdictOnATokenComesWithTheRequestForAnother() {
    let rig = ClientRig(isConnecting: true)
    rig.reject("User is local only")
    rig.forget()
    rig.client.connect()
    let denied = TokenVerdict.denied(InlineText("User is local only"))
    #expect(rig.driver.deeds == [.fetchedToken(.afterRejection(denied)), .openedSocket])
  }

  @Test func theGiverOfTokensMaySayThatThereIsNoMore() {
    let rig = ClientRig(isConnecting: true)
    rig.driver.giveToken(.rejected("log in again"))
    #expect(rig.client.state == .down(.rejected("log in again")))
    #expect(rig.client.deadline == nil)
  }

  @Test func aRefusalEndsTheRequestsThatCannotWaitForAnotherToken() {
    let rig = ClientRig()
    rig.send("kept", retry: .always)
    rig.send("short")
    rig.send("once", retry: .never)
    rig.subscribe("ticks").detach()
    rig.subscribe("run", isResubscribed: false).detach()
    rig.reject()
    rig.send("late")
    #expect(rig.endings == ["short: rejected", "once: rejected", "late: rejected"])
    #expect(rig.starts == [.failure(.rejected)])
    rig.forget()
    rig.client.connect()
    rig.driver.acceptConnection()
    #expect(rig.driver.messageTypes == ["auth", "kept", "ticks"])
  }
}

extension ClientRig {
  static func rejected() -> ClientRig {
    let rig = ClientRig(isConnecting: true)
    rig.reject()
    return rig
  }

  func reject(_ words: JSON = "Invalid access token or password") {
    driver.showToken()
    driver.say(["type": "auth_invalid", "message": words])
  }
}
