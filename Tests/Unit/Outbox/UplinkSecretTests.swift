import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

/// Where the board is when a request with a token would go, and which request that is.
@Suite struct UplinkSecretTests {
  enum Kind: CaseIterable {
    /// A long-lived token, from a file, goes with the registration.
    case tokenFile
    /// A refresh token, and then the access token that it brings.
    case refreshToken
  }

  private func rig(
    _ kind: Kind, webSocket: Uplink.Settings.WebSocket? = nil, rejected: RejectedTokens = .init()
  ) -> UplinkRig {
    UplinkRig(
      .init(
        refreshToken: kind == .refreshToken ? "refresh" : nil, knowsHome: true,
        webSocket: webSocket, rejected: rejected))
  }

  /// One that is at home when it asks for its registration.
  private func rigAtHome(
    _ kind: Kind, webSocket: Uplink.Settings.WebSocket? = nil
  ) -> UplinkRig {
    let rig = rig(kind, webSocket: webSocket)
    rig.arrive(atHome: true)
    rig.wait(.seconds(1))
    return rig
  }

  /// Answers whatever is asked as Home Assistant does.
  private func register(_ rig: UplinkRig) {
    if case .token = rig.calls.last { rig.answer(200, UplinkRig.accessToken) }
    rig.answer(201, UplinkRig.registered)
  }

  /// Ten cycles, and each deadline between them, bring no further request on its way.
  private func expectSilence(of rig: UplinkRig, _ location: SourceLocation = #_sourceLocation) {
    let count = rig.calls.count
    for _ in 0..<10 {
      rig.wait(.seconds(30))
      rig.cycle()
    }
    #expect(rig.calls.count == count, sourceLocation: location)
  }

  /// What is not known is not home.
  @Test(arguments: Kind.allCases)
  func beforeItIsKnownWhereTheBoardIsNoneIsSent(kind: Kind) {
    expectSilence(of: rig(kind))
  }

  @Test(arguments: Kind.allCases)
  func awayNoneIsSentHoweverOftenItIsTriedAndBackHomeItRegistersAtOnce(kind: Kind) {
    let rig = rig(kind)
    rig.arrive(atHome: false)
    expectSilence(of: rig)
    #expect(rig.problems == [.noToken(.withheld)])
    // It was looked at a moment ago; a line that flaps does not have it read each time.
    rig.wait(Enrollment.shortestTokenCheckDelay)
    rig.arrive(atHome: true)
    register(rig)
    #expect(rig.registrations.count == 1)
  }

  @Test(arguments: Kind.allCases)
  func leavingInTheMiddleOfTheFirstRequestTakesItBack(kind: Kind) {
    let rig = rigAtHome(kind)
    #expect(rig.calls.count == 1)
    rig.arrive(atHome: false)
    #expect(rig.cancelled == [.login])
    expectSilence(of: rig)
  }

  @Test func leavingBetweenTheTwoRequestsSendsTheFirstOnly() {
    let rig = rigAtHome(.refreshToken)
    // The access token comes in the turn in which the board leaves, and is not used.
    rig.uplink.placeChanged(.elsewhere(UplinkRig.interface), now: rig.now)
    rig.answer(200, UplinkRig.accessToken)
    #expect(rig.calls.count == 1)
    expectSilence(of: rig)
  }

  @Test func leavingInTheMiddleOfTheRegistrationTakesItBack() {
    let rig = rigAtHome(.refreshToken)
    rig.answer(200, UplinkRig.accessToken)
    #expect(rig.calls.count == 2)
    rig.arrive(atHome: false)
    #expect(rig.cancelled == [.login])
    expectSilence(of: rig)
    #expect(rig.registrations.isEmpty)
  }

  @Test(arguments: Kind.allCases)
  func aRetryIsARequestLikeTheFirstOne(kind: Kind) {
    let rig = rigAtHome(kind)
    rig.answer(503)
    rig.arrive(atHome: false)
    expectSilence(of: rig)
  }

  /// Home Assistant would refuse each further access token of that login, and count it.
  @Test func aLoginWhoseAccessTokenWasRefusedIsNeverSentAgain() {
    let first = rigAtHome(.refreshToken)
    first.answer(200, UplinkRig.accessToken)
    first.answer(401)
    expectSilence(of: first)
    // Nor after a restart.
    let second = rig(.refreshToken, rejected: first.rejected)
    second.arrive(atHome: true)
    expectSilence(of: second)
    #expect(second.problems == [.noToken(.credentialRejected)])
  }

  // MARK: The WebSocket

  /// It may have the same token at hand, and its connection is not open yet.
  @Test(arguments: Kind.allCases)
  func aTokenThatTheRegistrationShowedInVainIsTakenFromTheWebSocket(kind: Kind) {
    let rig = rigAtHome(kind, webSocket: .messages)
    if kind == .refreshToken { rig.answer(200, UplinkRig.accessToken) }
    #expect(rig.isWebSocketAllowed == true)
    rig.answer(401)
    #expect(rig.isWebSocketAllowed == false)
  }

  /// That is another token.
  @Test func theWebSocketKeepsATokenThatTheFileDoesNotHave() {
    let rig = rig(.tokenFile, webSocket: .messages)
    rig.tokenFile = .success([UInt8]("another".utf8))
    rig.arrive(atHome: true)
    rig.wait(.seconds(1))
    rig.answer(401)
    #expect(rig.problems.count == 1)
    #expect(rig.isWebSocketAllowed == true)
  }

  /// Over plain HTTP another machine put `auth_invalid` in the place of `auth_ok`, or the home was
  /// restored meanwhile: what a home says that proves itself now counts for more.
  @Test func aHomeThatProvesItselfIsShownARejectedLoginAgainEverMoreRarely() {
    let rig = UplinkRig.proven(.init(webSocket: .notifications))
    let token = TokenResult.token([UInt8]("long-lived".utf8))
    rig.event { $0.webSocketWantsToken(refused: nil, now: $1) }
    #expect(rig.tokensForWebSocket == [token])
    for (count, wait) in RejectedTokens.waits.enumerated() {
      reject(rig)
      #expect(rig.connectCount == 2 * count + 1, "another token is asked for")
      let rejectedAt = rig.now
      while rig.now - rejectedAt < wait {
        #expect(rig.connectCount == 2 * count + 1)
        rig.wait(.nanoseconds(wait.nanoseconds / 24))
        rig.cycle()
        rig.prove()
      }
      #expect(rig.connectCount == 2 * count + 2)
      rig.event { $0.webSocketWantsToken(refused: nil, now: $1) }
      #expect(rig.tokensForWebSocket.last == token)
    }
    #expect(!rig.rejected.isEmpty)
    rig.event { $0.webSocketChanged(.ready(.unknown), now: $1) }
    #expect(rig.rejected.isEmpty)
  }

  /// As a driver does it: the token that was refused is named with the wish for another one.
  private func reject(_ rig: UplinkRig) {
    rig.event { $0.webSocketChanged(.down(.rejected("Invalid access token")), now: $1) }
    let refused = RefusedToken([UInt8]("long-lived".utf8), .invalid)
    rig.event { $0.webSocketWantsToken(refused: refused, now: $1) }
    guard case .rejected(let words)? = rig.tokensForWebSocket.last else {
      Issue.record("\(rig.tokensForWebSocket)")
      return
    }
    rig.event { $0.webSocketChanged(.down(.rejected(words)), now: $1) }
  }

  /// TLS proves who says it.
  @Test func overTLSARejectedLoginIsNeverShownAgain() {
    let rig = UplinkRig.proven(
      .init(url: "https://127.0.0.1:1", webSocket: .notifications))
    rig.event { $0.webSocketWantsToken(refused: nil, now: $1) }
    reject(rig)
    let count = rig.connectCount
    for _ in 0..<48 {
      rig.wait(.seconds(3600))
      rig.cycle()
      rig.prove()
    }
    #expect(rig.connectCount == count)
  }

  /// A user who may log in only in the local network, and a board that moves with its address.
  @Test func aLoginThatIsDeniedIsTriedAgainInAnotherNetworkAndNotBefore() {
    var setup = UplinkRig.Setup(
      refreshToken: "refresh", url: "https://127.0.0.1:1", webSocket: .messages)
    let rig = UplinkRig(setup)
    rig.arrive(atHome: false)
    rig.wait(.seconds(1))
    rig.answer(403, #"{"error":"access_denied"}"#)
    expectSilence(of: rig)
    // Nor does a restart bring an attempt.
    setup.rejected = rig.rejected
    let second = UplinkRig(setup)
    second.arrive(atHome: false)
    expectSilence(of: second)
    #expect(second.calls.isEmpty)

    rig.arrive(atHome: true)
    #expect(rig.rejected.isEmpty)
    rig.event { $0.webSocketWantsToken(refused: nil, now: $1) }
    #expect(rig.calls.count == 2)
  }

  /// A weak link comes and goes in one harbour; Home Assistant counts each attempt, and bans.
  @Test(arguments: [false, true])
  func aLinkThatIsBackInOneNetworkBringsNoAttemptWithADeniedLogin(hasWebSocket: Bool) {
    let rig = UplinkRig(
      .init(
        refreshToken: "refresh", url: "https://127.0.0.1:1",
        webSocket: hasWebSocket ? .messages : nil))
    let places = [UplinkRig.interface, NetworkInterface(index: 9, name: InlineText("wwan9"))]
      .map { NetworkPlace.elsewhere($0) }
    for (count, place) in zip(1..., places) {
      rig.event { $0.placeChanged(place, now: $1) }
      if hasWebSocket { rig.event { $0.webSocketWantsToken(refused: nil, now: $1) } }
      rig.wait(.seconds(600))
      rig.answer(403, #"{"error":"access_denied"}"#)
      for _ in 0..<3 {
        rig.event { $0.placeChanged(.none, now: $1) }
        rig.event { $0.placeChanged(place, now: $1) }
        rig.wait(.seconds(1))
        if hasWebSocket { rig.event { $0.webSocketWantsToken(refused: nil, now: $1) } }
      }
      #expect(rig.calls.count == count)
      #expect(!rig.rejected.isEmpty)
    }
  }

  /// Home Assistant says 401 also of a token whose user may not log in from outside.
  @Test(arguments: Kind.allCases)
  func overTLSATokenThatTheRegistrationShowedInVainIsShownAgainLater(kind: Kind) {
    let rig = UplinkRig(
      .init(
        refreshToken: kind == .refreshToken ? "refresh" : nil, url: "https://127.0.0.1:1"))
    rig.wait(.seconds(1))
    if kind == .refreshToken { rig.answer(200, UplinkRig.accessToken) }
    rig.answer(401)
    expectSilence(of: rig)
    #expect(!rig.rejected.isEmpty)
    rig.wait(RejectedTokens.waits[0])
    rig.cycle()
    register(rig)
    #expect(rig.registrations.count == 1)
  }

  /// The file could not be read at the start: a refusal for that is no reason to connect again.
  @Test func withoutACredentialTheWebSocketIsNotConnectedAgain() {
    let rig = UplinkRig(.init(hasCredential: false, webSocket: .messages))
    rig.event { $0.webSocketWantsToken(refused: nil, now: $1) }
    #expect(rig.tokensForWebSocket == [.rejected("there is nothing to log in with")])
    rig.event { $0.webSocketChanged(.down(.rejected("nothing to log in with")), now: $1) }
    #expect(rig.connectCount == 0)
  }

  @Test func awayTheWebSocketGetsNoTokenAndIsClosed() {
    let rig = rig(.refreshToken, webSocket: .messages)
    rig.arrive(atHome: true)
    #expect(rig.isWebSocketAllowed == true)
    rig.wait(.seconds(1))
    rig.event { $0.webSocketWantsToken(refused: nil, now: $1) }
    rig.arrive(atHome: false)
    #expect(rig.isWebSocketAllowed == false)
    #expect(rig.tokensForWebSocket == [.unavailable("no token may be sent from here")])
    rig.event { $0.webSocketWantsToken(refused: nil, now: $1) }
    #expect(rig.tokensForWebSocket.count == 2)
    #expect(rig.cancelled.contains(.login))
  }

  // MARK: A registration that is gone

  /// Home Assistant has said that the registration is gone.
  private func gone(_ setup: UplinkRig.Setup = .init()) -> UplinkRig {
    var setup = setup
    setup.isRegistered = true
    setup.registersAgainAfter = .zero
    let rig = UplinkRig(setup)
    // The kernel has not said in time where the board is.
    rig.wait(.seconds(10))
    rig.cycle()
    rig.answer(410)
    return rig
  }

  @Test func whereHomeIsNotNamedALostRegistrationIsMadeAnew() {
    #expect(gone().uplink.isRegistering)
  }

  /// The cloud said that the registration is gone, while this may be an attacker's network.
  @Test func inAForeignNetworkNoTokenGoesInPlainForANewRegistration() {
    let rig = gone(.init(knowsHome: true, hasCloudhook: true))
    #expect(!rig.uplink.isRegistering)
    rig.arrive(atHome: true)
    #expect(rig.uplink.isRegistering, "at home it may be made")
  }

  @Test func inAForeignNetworkATokenGoesOverTLS() {
    let rig = gone(.init(knowsHome: true, url: "https://127.0.0.1:1"))
    #expect(rig.uplink.isRegistering)
  }

  @Test func aMessageThatIsUnderWayInPlainEndsWhenTheBoardLeaves() {
    let rig = UplinkRig(.init(knowsHome: true, isRegistered: true))
    rig.arrive(atHome: true)
    rig.firstCycle()
    #expect(rig.calls.count == 1)
    rig.arrive(atHome: false)
    #expect(rig.cancelled == [.webhook])
    #expect(rig.uplink.delivery.outage.isUnderWay && rig.calls.count == 1)
  }
}
