import Bytes
import HomeAssistant
import Testing

@testable import Outbox

/// Who gets a token, from where, and when none is given.
@Suite struct TokenSourceTests {
  /// An action, as far as it can be compared.
  enum Done: Equatable {
    case readRejected, readFile, probe, renew, cancelRenewal
    case keepRejection([UInt8])
    case forgetRejection([UInt8])
    case registration(TokenSource.Answer)
    case webSocket(TokenResult)

    init(_ action: TokenSource.Action) {
      self =
        switch action {
        case .readRejectedTokens: .readRejected
        case .readFile: .readFile
        case .probeState: .probe
        case .renew: .renew
        case .cancelRenewal: .cancelRenewal
        case .keepRejection(let fingerprint): .keepRejection(fingerprint)
        case .forgetRejection(let fingerprint): .forgetRejection(fingerprint)
        case .giveToRegistration(let answer): .registration(answer)
        case .giveToWebSocket(let result): .webSocket(result)
        }
    }
  }

  private static let refresh = Credential.refreshToken([1], clientID: [2])
  static let longLived = Credential.accessToken([3])
  private static let withheld = Done.webSocket(.unavailable("no token may be sent from here"))
  static let refused = Done.webSocket(
    .rejected("the credential was refused; log in again"))
  private static let access = [UInt8]("access".utf8)
  private static let granted =
    #"{"access_token":"access","token_type":"Bearer","expires_in":1800}"#

  var source = TokenSource(
    Self.refresh, readsFile: false, isServerKnown: true, isAllowed: true, seed: 1)
  var now = Instant(nanoseconds: 0)

  mutating func done() -> [Done] {
    var done: [Done] = []
    while let action = source.nextAction() { done.append(Done(action)) }
    return done
  }

  mutating func use(
    _ credential: Credential?, readsFile: Bool = false, isServerKnown: Bool = true,
    isAllowed: Bool = true
  ) {
    source = TokenSource(
      credential, readsFile: readsFile, isServerKnown: isServerKnown, isAllowed: isAllowed, seed: 1)
  }

  /// The list is read, and nothing waits for it.
  mutating func knowRejected(_ credentials: Credential...) {
    var rejected = RejectedTokens()
    for credential in credentials { rejected.insert(fingerprint: credential.fingerprint) }
    source.rejectedTokensRead(rejected, now: now)
    _ = done()
  }

  private mutating func registrationWants() -> [Done] {
    source.wantedByRegistration(now: now)
    return done()
  }

  mutating func webSocketWants(refused: [UInt8]? = nil) -> [Done] {
    source.wantedByWebSocket(refused: refused, now: now)
    return done()
  }

  private mutating func probed(_ isWritable: Bool = true) -> [Done] {
    source.stateProbed(isWritable, now: now)
    return done()
  }

  private mutating func renewed(_ status: Int = 200, _ body: String = Self.granted) -> [Done] {
    let body = [UInt8](body.utf8)
    source.renewed(AnswerHead(status: status), body: body.span, now: now)
    return done()
  }

  // MARK: The rejected tokens

  /// Invariant 1.
  @Test mutating func theListIsReadOnceForAllWhoAsk() {
    let first = registrationWants()
    #expect(first == [.readRejected])
    let second = webSocketWants()
    #expect(second == [])
    source.rejectedTokensRead(RejectedTokens(), now: now)
    let served = done()
    #expect(served == [.probe, .renew])
    let third = webSocketWants()
    #expect(third == [])
  }

  @Test mutating func withoutTheListNoTokenIsGiven() {
    _ = registrationWants()
    _ = webSocketWants()
    source.rejectedTokensRead(nil, now: now)
    let answered = done()
    #expect(
      answered == [
        .registration(.stateNotUsable),
        .webSocket(.unavailable("the state directory cannot be used")),
      ])
    let again = webSocketWants()
    #expect(again == [.readRejected], "it is tried again")
  }

  @Test(arguments: [refresh, longLived])
  mutating func aCredentialThatWasRejectedIsNeverSent(credential: Credential) {
    use(credential)
    knowRejected(credential)
    #expect(source.isRejected)
    let registration = registrationWants()
    #expect(
      registration == [.registration(.flaw(.credentialRejected))], "it is kept already")
    let webSocket = webSocketWants()
    #expect(webSocket == [Self.refused])
    now = now + .seconds(10 * 365 * 24 * 3600)
    let later = webSocketWants()
    #expect(later == [Self.refused])
  }

  // MARK: The registration

  @Test mutating func aFileIsReadAndItsTokenGiven() {
    use(Self.refresh, readsFile: true)
    knowRejected()
    let wanted = registrationWants()
    #expect(wanted == [.readFile])
    source.fileRead(.success([7]))
    let given = done()
    #expect(given == [.registration(.token([7]))])
    source.fileRead(.success([8]))
    let late = done()
    #expect(late == [], "it was answered")
  }

  @Test mutating func aFlawOfTheFileIsToldAsItIs() {
    use(nil, readsFile: true)
    knowRejected()
    _ = registrationWants()
    source.fileRead(.failure(.empty))
    let given = done()
    #expect(given == [.registration(.flaw(.empty))])
  }

  @Test mutating func withoutAFileAndALoginThereIsNone() {
    use(nil)
    knowRejected()
    let registration = registrationWants()
    #expect(registration == [.registration(.flaw(.noFileNamed))])
    let webSocket = webSocketWants()
    #expect(webSocket == [.webSocket(.rejected("there is nothing to log in with"))])
  }

  /// A refresh token that is rejected must be kept in mind.
  @Test mutating func aRefreshTokenIsSentOnlyWhereARejectionCouldBeKept() {
    knowRejected()
    let wanted = registrationWants()
    #expect(wanted == [.probe])
    let full = probed(false)
    #expect(full == [.registration(.stateNotUsable)])
    _ = registrationWants()
    let room = probed()
    #expect(room == [.renew])
    let given = renewed()
    #expect(given == [.registration(.token(Self.access))])
  }

  @Test mutating func aRegistrationThatDoesNotWaitAnyMoreGetsNothing() {
    knowRejected()
    _ = registrationWants()
    source.registrationEnded()
    let late = probed()
    #expect(late == [])
    _ = registrationWants()
    _ = probed()
    source.registrationEnded()
    let given = renewed()
    #expect(given == [])
  }

  // MARK: The WebSocket

  @Test mutating func aLongLivedTokenIsGivenAtOnce() {
    use(Self.longLived)
    knowRejected()
    let given = webSocketWants()
    #expect(given == [.webSocket(.token([3]))])
  }

  /// Invariant 2.
  @Test mutating func oneRenewalIsForAllWhoAsked() {
    knowRejected()
    let first = webSocketWants()
    #expect(first == [.renew])
    _ = registrationWants()
    let second = probed()
    #expect(second == [], "one is under way")
    let given = renewed()
    #expect(
      given == [.registration(.token(Self.access)), .webSocket(.token(Self.access))])
    let third = webSocketWants()
    #expect(third == [.webSocket(.token(Self.access))], "it is good for a while")
  }

  /// Invariant 3.
  @Test mutating func aWishIsAnsweredOnce() {
    knowRejected()
    _ = webSocketWants()
    _ = webSocketWants()
    let given = renewed()
    #expect(given == [.webSocket(.token(Self.access))])
    let late = renewed()
    #expect(late == [])
  }

  @Test mutating func aRenewalThatFailsIsToldToAllAndMayBeTriedLater() {
    knowRejected()
    _ = webSocketWants()
    _ = registrationWants()
    _ = probed()
    source.renewalFailed(InlineText("no way"), now: now)
    let given = done()
    #expect(
      given == [
        .registration(.flaw(.notRenewed(.noConnection(InlineText("no way"))))),
        .webSocket(.unavailable("no way")),
      ])
    #expect(!source.isRejected)
    now = now + AccessTokens.longestRetryDelay
    let later = webSocketWants()
    #expect(later == [.renew])
  }

  @Test mutating func aRefreshTokenThatIsRejectedIsKeptAndToldToAll() {
    knowRejected()
    _ = webSocketWants()
    _ = registrationWants()
    _ = probed()
    let given = renewed(400, #"{"error":"invalid_grant"}"#)
    #expect(
      given == [
        .keepRejection(Self.refresh.fingerprint), .registration(.flaw(.credentialRejected)),
        Self.refused,
      ])
    #expect(source.isRejected)
  }

  @Test mutating func aRefusedTokenIsReplacedOnce() {
    knowRejected()
    _ = webSocketWants()
    _ = renewed()
    let again = webSocketWants(refused: Self.access)
    #expect(again == [.renew])
    _ = renewed()
    let rejected = webSocketWants(refused: Self.access)
    #expect(rejected == [.keepRejection(Self.refresh.fingerprint), Self.refused])
  }

  @Test mutating func aTokenThatWasAcceptedMeanwhileMayBeReplacedAgain() {
    knowRejected()
    _ = webSocketWants()
    _ = renewed()
    _ = webSocketWants(refused: Self.access)
    _ = renewed()
    source.accepted()
    let again = webSocketWants(refused: Self.access)
    #expect(again == [.renew])
  }

  // MARK: Where tokens may be sent

  @Test mutating func fromWhereNoneMayBeSentNoneIsGiven() {
    use(Self.longLived, isAllowed: false)
    knowRejected()
    let given = webSocketWants()
    #expect(given == [Self.withheld])
    source.setAllowed(true, now: now)
    let unasked = done()
    #expect(unasked == [], "it was answered")
    let later = webSocketWants()
    #expect(later == [.webSocket(.token([3]))])
  }

  @Test mutating func aBoardThatLeavesEndsTheRenewalAndAnswersAll() {
    knowRejected()
    _ = webSocketWants()
    _ = registrationWants()
    _ = probed()
    source.setAllowed(false, now: now)
    let ended = done()
    #expect(ended == [.cancelRenewal, .registration(.flaw(.withheld)), Self.withheld])
    source.setAllowed(false, now: now)
    let again = done()
    #expect(again == [])
  }

  @Test mutating func aBoardThatLeavesWhereNothingIsUnderWayEndsNothing() {
    knowRejected()
    source.setAllowed(false, now: now)
    let ended = done()
    #expect(ended == [])
    _ = webSocketWants()
    source.setAllowed(true, now: now)
    let wanted = webSocketWants()
    #expect(wanted == [.renew])
    _ = renewed()
    source.setAllowed(false, now: now)
    let afterwards = done()
    #expect(afterwards == [], "the renewal was over")
  }

  /// The wait of the call that was ended is none of the new network's.
  @Test mutating func aBoardThatComesHomeRenewsAtOnce() {
    knowRejected()
    _ = webSocketWants()
    source.setAllowed(false, now: now)
    _ = done()
    source.setAllowed(true, now: now)
    let wanted = webSocketWants()
    #expect(wanted == [.renew])
  }

  @Test mutating func aRegistrationThatWaitsForItsFileIsToldToWait() {
    use(Self.refresh, readsFile: true)
    knowRejected()
    _ = registrationWants()
    source.setAllowed(false, now: now)
    let told = done()
    #expect(told == [.registration(.flaw(.withheld))])
    source.fileRead(.success([7]))
    let late = done()
    #expect(late == [])
  }

  // MARK: The token of the registration

  @Test mutating func whatTheCredentialGaveIsRejectedWithIt() {
    knowRejected()
    source.registrationTokenRejected(fingerprint: [9], now: now)
    let kept = done()
    #expect(kept == [.keepRejection(Self.refresh.fingerprint)])
    #expect(source.isRejected)
    #expect(source.rejected?.contains(fingerprint: [9]) == true)
  }

  @Test(arguments: [true, false])
  mutating func theCredentialIsNotToBlameForAnotherTokenOfAFile(isSame: Bool) {
    use(Self.longLived, readsFile: true)
    knowRejected()
    let fingerprint = isSame ? Self.longLived.fingerprint : [9]
    source.registrationTokenRejected(fingerprint: fingerprint, now: now)
    let kept = done()
    #expect(kept == (isSame ? [.keepRejection(Self.longLived.fingerprint)] : []))
    #expect(source.isRejected == isSame)
  }
}
