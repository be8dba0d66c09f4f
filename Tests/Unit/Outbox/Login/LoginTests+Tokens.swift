import Bytes
import HomeAssistant
import Testing

@testable import Outbox

/// Who gets a token, from where, and when none is given.
extension LoginTests {
  static let refresh = Credential.refreshToken([1], clientID: [2])
  static let longLived = Credential.accessToken([3])
  private static let withheld = Done.webSocket(.unavailable("no token may be sent from here"))
  static let refused = Done.webSocket(.rejected("the credential was refused; log in again"))
  static let access = [UInt8]("access".utf8)

  mutating func use(
    _ credential: Credential?, readsFile: Bool = false, isServerKnown: Bool = true,
    isAllowed: Bool = true, isListRead: Bool = true
  ) {
    login = Self.login(
      credential, readsFile: readsFile, isServerKnown: isServerKnown, isAllowed: isAllowed)
    if isListRead { knowRejected() }
  }

  /// The list is read, and nothing waits for it.
  mutating func knowRejected(_ credentials: Credential...) {
    var rejected = RejectedTokens()
    for credential in credentials { rejected.insert(fingerprint: credential.fingerprint) }
    login.rejectedTokensRead(rejected, now: now)
    _ = done()
  }

  mutating func webSocketWants(
    refused: [UInt8]? = nil, _ verdict: TokenVerdict = .invalid
  ) -> [Done] {
    login.webSocketWantsToken(refused: refused.map { RefusedToken($0, verdict) }, now: now)
    return done()
  }

  mutating func renewed() -> [Done] { answer(200, UplinkRig.accessToken) }

  // MARK: The rejected tokens

  /// Invariant 1.
  @Test mutating func theListIsReadOnceForAllWhoAsk() {
    use(Self.refresh, isListRead: false)
    #expect(begin() == [.readRejected])
    #expect(webSocketWants() == [])
    login.rejectedTokensRead(RejectedTokens(), now: now)
    #expect(done() == [.renew(ifWritable: true)])
    #expect(webSocketWants() == [])
    #expect(renewed() == [.webSocket(.token(Self.access)), .register(Self.access)])
  }

  @Test mutating func withoutTheListNoTokenIsGiven() {
    use(Self.refresh, isListRead: false)
    _ = begin()
    _ = webSocketWants()
    login.rejectedTokensRead(nil, now: now)
    let unavailable = Done.webSocket(.unavailable("the state directory cannot be used"))
    #expect(done() == [.postponed, unavailable])
    #expect(webSocketWants() == [.readRejected], "it is tried again")
  }

  @Test(arguments: [refresh, longLived])
  mutating func aCredentialThatWasRejectedIsNeverSent(credential: Credential) {
    use(credential, isListRead: false)
    knowRejected(credential)
    #expect(login.isCredentialRejected)
    #expect(begin() == [.failed(.noToken(.credentialRejected))], "it is kept already")
    #expect(webSocketWants() == [Self.refused])
    now = now + .seconds(10 * 365 * 24 * 3600)
    #expect(webSocketWants() == [Self.refused])
  }

  // MARK: The registration

  @Test mutating func aFileIsReadAndItsTokenSent() {
    use(Self.refresh, readsFile: true)
    #expect(begin() == [.readFile])
    login.tokenFileRead(.success([7]))
    #expect(done() == [.register([7])])
    login.tokenFileRead(.success([8]))
    #expect(done() == [], "it was answered")
  }

  @Test mutating func aFlawOfTheFileIsToldAsItIs() {
    use(nil, readsFile: true)
    _ = begin()
    login.tokenFileRead(.failure(.empty))
    #expect(done() == [.failed(.noToken(.empty))])
  }

  @Test mutating func withoutAFileAndALoginThereIsNone() {
    use(nil)
    #expect(begin() == [.failed(.noToken(.noFileNamed))])
    #expect(webSocketWants() == [.webSocket(.rejected("there is nothing to log in with"))])
  }

  /// A refresh token that is rejected must be kept in mind.
  @Test mutating func aRefreshTokenIsSentOnlyWhereARejectionCouldBeKept() {
    use(Self.refresh)
    #expect(begin() == [.renew(ifWritable: true)])
    login.callNotMade(now: now)
    #expect(done() == [.postponed])
    #expect(begin() == [.renew(ifWritable: true)], "it was not sent, and waits for nothing")
    #expect(renewed() == [.register(Self.access)])
  }

  /// Whether a rejection can be kept was looked at with the list.
  @Test mutating func aRenewalThatWaitsForTheDiskGoesForTheWebSocketAlone() {
    use(Self.refresh, isListRead: false)
    _ = begin()
    _ = webSocketWants()
    knowRejected()
    login.callNotMade(now: now)
    #expect(done() == [.postponed, .renew(ifWritable: false)])
    #expect(renewed() == [.webSocket(.token(Self.access))])
  }

  @Test mutating func aRegistrationThatDoesNotWaitAnyMoreGetsNothing() {
    use(Self.refresh)
    _ = begin()
    login.registrationFound()
    #expect(renewed() == [])
  }

  // MARK: The WebSocket

  @Test mutating func aLongLivedTokenIsGivenAtOnce() {
    use(Self.longLived)
    #expect(webSocketWants() == [.webSocket(.token([3]))])
  }

  @Test mutating func oneRenewalIsForAllWhoAsked() {
    use(Self.refresh)
    #expect(webSocketWants() == [.renew(ifWritable: false)])
    #expect(begin() == [], "one is under way")
    #expect(renewed() == [.webSocket(.token(Self.access)), .register(Self.access)])
    #expect(webSocketWants() == [.webSocket(.token(Self.access))], "it is good for a while")
  }

  /// Each rejection counts towards a ban of the address.
  @Test mutating func aRenewalThatWaitsIsNotMadeWithACredentialThatWasRejectedMeanwhile() {
    use(Self.refresh)
    _ = begin()
    #expect(renewed() == [.register(Self.access)])
    #expect(webSocketWants(refused: Self.access) == [], "the registration is under way")
    let done = answer(401)
    #expect(done.contains(Self.refused))
    #expect(!done.contains(.renew(ifWritable: false)))
  }

  /// Invariant 4.
  @Test mutating func aWishIsAnsweredOnce() {
    use(Self.refresh)
    _ = webSocketWants()
    _ = webSocketWants()
    #expect(renewed() == [.webSocket(.token(Self.access))])
    #expect(renewed() == [])
  }

  @Test mutating func aRenewalThatFailsIsToldToAllAndMayBeTriedLater() {
    use(Self.refresh)
    _ = webSocketWants()
    _ = begin()
    let reason = InlineText("no way")
    login.connectionFailed(reason, now: now)
    #expect(
      done() == [
        .webSocket(.unavailable("no way")),
        .failed(.noToken(.notRenewed(.noConnection(reason)))),
      ])
    #expect(!login.isCredentialRejected)
    now = now + AccessTokens.longestRetryDelay
    #expect(webSocketWants() == [.renew(ifWritable: false)])
  }

  @Test mutating func aRefreshTokenThatIsRejectedIsKeptAndToldToAll() {
    use(Self.refresh)
    _ = webSocketWants()
    _ = begin()
    #expect(
      answer(400, #"{"error":"invalid_grant"}"#) == [
        .keep(Self.refresh.fingerprint), Self.refused, .failed(.noToken(.credentialRejected)),
      ])
    #expect(login.isCredentialRejected)
  }

  @Test mutating func aRefusedTokenIsReplacedOnce() {
    use(Self.refresh)
    _ = webSocketWants()
    _ = renewed()
    #expect(webSocketWants(refused: Self.access) == [.renew(ifWritable: false)])
    _ = renewed()
    let rejected = webSocketWants(refused: Self.access)
    #expect(rejected == [.keep(Self.refresh.fingerprint), Self.refused])
  }

  @Test mutating func aTokenThatWasAcceptedMeanwhileMayBeReplacedAgain() {
    use(Self.refresh)
    _ = webSocketWants()
    _ = renewed()
    _ = webSocketWants(refused: Self.access)
    _ = renewed()
    login.webSocketAccepted()
    #expect(webSocketWants(refused: Self.access) == [.renew(ifWritable: false)])
  }

  /// Home Assistant refused it a moment ago.
  @Test mutating func whatWasRefusedToTheWebSocketIsNotSentWithTheRegistration() {
    use(Self.longLived, isListRead: false)
    _ = begin()
    _ = webSocketWants(refused: [3])
    login.rejectedTokensRead(RejectedTokens(), now: now)
    #expect(
      done() == [
        .keep(Self.longLived.fingerprint), Self.refused, .failed(.noToken(.credentialRejected)),
      ])
  }

  // MARK: Where tokens may be sent

  @Test mutating func fromWhereNoneMayBeSentNoneIsGiven() {
    use(Self.longLived, isAllowed: false)
    #expect(webSocketWants() == [Self.withheld])
    login.presenceChanged(isAllowed: true, now: now)
    #expect(done() == [], "it was answered")
    #expect(webSocketWants() == [.webSocket(.token([3]))])
  }

  @Test mutating func aBoardThatLeavesEndsTheRenewalAndAnswersAll() {
    use(Self.refresh)
    _ = webSocketWants()
    _ = begin()
    login.presenceChanged(isAllowed: false, now: now)
    #expect(done() == [.cancel, Self.withheld, .failed(.noToken(.withheld))])
    login.presenceChanged(isAllowed: false, now: now)
    #expect(done() == [])
  }

  @Test mutating func aBoardThatLeavesWhereNothingIsUnderWayEndsNothing() {
    use(Self.refresh)
    login.presenceChanged(isAllowed: false, now: now)
    #expect(done() == [])
    _ = webSocketWants()
    login.presenceChanged(isAllowed: true, now: now)
    #expect(webSocketWants() == [.renew(ifWritable: false)])
    _ = renewed()
    login.presenceChanged(isAllowed: false, now: now)
    #expect(done() == [], "the renewal was over")
  }

  /// The wait of the call that was ended is none of the new network's.
  @Test mutating func aBoardThatComesHomeRenewsAtOnce() {
    use(Self.refresh)
    _ = webSocketWants()
    login.presenceChanged(isAllowed: false, now: now)
    _ = done()
    login.presenceChanged(isAllowed: true, now: now)
    #expect(webSocketWants() == [.renew(ifWritable: false)])
  }

  @Test mutating func aRegistrationThatWaitsForItsFileIsToldToWait() {
    use(Self.refresh, readsFile: true)
    _ = begin()
    login.presenceChanged(isAllowed: false, now: now)
    #expect(done() == [.failed(.noToken(.withheld))])
    login.tokenFileRead(.success([7]))
    #expect(done() == [])
  }

  // MARK: What was rejected

  @Test mutating func whatTheCredentialGaveIsRejectedWithIt() {
    use(Self.refresh)
    _ = begin()
    _ = renewed()
    let fingerprint = RejectedTokens.fingerprint(of: Self.access)
    #expect(
      answer(401) == [
        .failed(.tokenRejected(fingerprint: fingerprint)),
        .keep(Self.refresh.fingerprint, isForGood: false),
      ])
    #expect(login.isCredentialRejected)
    #expect(login.rejected?.contains(fingerprint: fingerprint) == true)
    #expect(webSocketWants() == [Self.refused])
  }

  /// Each machine on the way can say over plain HTTP that a token is not valid.
  @Test mutating func overPlainHTTPARejectedCredentialIsShownAgainEverMoreRarely() {
    use(Self.longLived, isServerKnown: false)
    _ = webSocketWants()
    for wait in RejectedTokens.waits + [RejectedTokens.waits[2]] {
      let rejected = webSocketWants(refused: [3])
      #expect(rejected == [.keep(Self.longLived.fingerprint, isForGood: false), Self.refused])
      now = now + (wait - .nanoseconds(1))
      #expect(login.isCredentialRejected && !login.isRetryDue(now: now))
      #expect(webSocketWants() == [Self.refused])
      now = now + .nanoseconds(1)
      #expect(login.isRetryDue(now: now))
      #expect(webSocketWants() == [.webSocket(.token([3]))])
    }
  }

  @Test mutating func aCredentialThatIsAcceptedAfterAllIsRejectedNoMore() {
    use(Self.longLived, isServerKnown: false)
    _ = webSocketWants()
    _ = webSocketWants(refused: [3])
    now = now + RejectedTokens.waits[0]
    _ = webSocketWants()
    login.webSocketAccepted()
    #expect(done() == [.forget(Self.longLived.fingerprint)])
    login.webSocketAccepted()
    #expect(done() == [], "there is nothing to forget")
    _ = webSocketWants(refused: [3])
    now = now + RejectedTokens.waits[0]
    #expect(login.isRetryDue(now: now), "the next rejection is the first")
  }
}
