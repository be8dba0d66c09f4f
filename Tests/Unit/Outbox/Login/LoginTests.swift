import Bytes
import HomeAssistant
import Testing

@testable import Outbox

/// What comes before a registration is asked for, and what ends the asking.
@Suite struct LoginTests {
  /// An action, as far as it can be compared.
  enum Done: Equatable {
    case readRejected, readFile, register([UInt8]), renew(ifWritable: Bool), cancel, postponed
    case keep([UInt8], isForGood: Bool = true)
    case forget([UInt8])
    case webSocket(TokenResult)
    case registered([UInt8])
    case failed(Enrollment.Problem)

    init(_ action: Login.Action) {
      self =
        switch action {
        case .readRejectedTokens: .readRejected
        case .readTokenFile: .readFile
        case .register(let token): .register(token)
        case .renew(_, let ifWritable): .renew(ifWritable: ifWritable)
        case .cancelCall: .cancel
        case .giveToWebSocket(let result): .webSocket(result)
        case .keep(let fingerprint, let isForGood): .keep(fingerprint, isForGood: isForGood)
        case .forget(let fingerprint): .forget(fingerprint)
        case .registered(let registration): .registered(registration.webhookID)
        case .failed(let problem): .failed(problem)
        case .postponed: .postponed
        }
    }
  }

  static let token = [UInt8]("long-lived".utf8)
  private static let fingerprint = RejectedTokens.fingerprint(of: token)

  var login: Login
  var now = Instant(nanoseconds: 0)

  init() { login = Self.login(.accessToken(Self.token), readsFile: true) }

  static func login(
    _ credential: Credential?, readsFile: Bool, isServerKnown: Bool = true,
    isAllowed: Bool = true
  ) -> Login {
    Login(
      credential: credential, readsFile: readsFile, acceptsPlain: false,
      isServerKnown: isServerKnown, isAllowed: isAllowed, seed: 1, now: Instant(nanoseconds: 0))
  }

  mutating func done() -> [Done] {
    var done: [Done] = []
    while let action = login.nextAction() { done.append(Done(action)) }
    return done
  }

  mutating func begin() -> [Done] {
    login.registrationWanted(now: now)
    login.deadlineReached(now: now)
    return done()
  }

  /// Up to the request.
  mutating func ask() -> [Done] {
    var all = begin()
    login.rejectedTokensRead(RejectedTokens(), now: now)
    all += done()
    login.tokenFileRead(.success(Self.token))
    return all + done()
  }

  mutating func answer(_ status: Int, _ text: String? = nil) -> [Done] {
    let text = text ?? (status == 401 ? "401: Unauthorized" : "")
    var body = ByteBuffer(capacity: 4096)
    body.append([UInt8](text.utf8))
    login.answered(AnswerHead(status: status), body, now: now)
    return done()
  }

  // MARK: Before the request

  @Test mutating func itIsAskedForOnlyAfterTheListAndTheTokenWereLookedAt() {
    #expect(ask() == [.readRejected, .readFile, .register(Self.token)])
    #expect(login.isEnrolling)
    #expect(answer(201, UplinkRig.registered) == [.registered([UInt8]("made".utf8))])
    #expect(login.problem == nil)
  }

  /// Home Assistant would throw away the entities of the one before, at every start.
  @Test mutating func whereItCannotBeKeptItIsNotAskedFor() {
    _ = ask()
    login.callNotMade(now: now)
    #expect(done() == [.postponed])
    #expect(answer(201, UplinkRig.registered) == [], "nothing was asked")
    now = now + .seconds(3600)
    login.deadlineReached(now: now)
    #expect(done() == [.readFile], "it is looked at again, the list is known")
  }

  @Test mutating func aTokenThatWasRejectedOnceIsNotSentAgain() {
    _ = begin()
    knowRejected(.accessToken(Self.token))
    login.tokenFileRead(.success(Self.token))
    let problem = Enrollment.Problem.tokenRejected(fingerprint: Self.fingerprint)
    #expect(done().contains(.failed(problem)))
    #expect(login.problem == problem)
  }

  @Test mutating func aTokenThatIsReadAfterARegistrationWasFoundIsNotSent() {
    _ = begin()
    knowRejected()
    login.registrationFound()
    login.tokenFileRead(.success(Self.token))
    #expect(done() == [])
    #expect(!login.isEnrolling && login.deadline == nil)
  }

  // MARK: The answer

  @Test mutating func aRejectedTokenIsKeptInMindForWhoeverHasTheSame() {
    _ = ask()
    let problem = Enrollment.Problem.tokenRejected(fingerprint: Self.fingerprint)
    #expect(answer(401) == [.failed(problem), .keep(Self.fingerprint, isForGood: false)])
    #expect(login.isCredentialRejected && !login.mayReplaceToken)
    login.webSocketWantsToken(refused: nil, now: now)
    #expect(done() == [.webSocket(.rejected("the credential was refused; log in again"))])
  }

  @Test mutating func aRejectedTokenOfTheFileIsNoneOfTheCredentialsFault() {
    login = Self.login(.accessToken([9]), readsFile: true)
    _ = ask()
    #expect(answer(401) == [.failed(.tokenRejected(fingerprint: Self.fingerprint))])
    #expect(!login.isCredentialRejected && login.mayReplaceToken)
  }

  /// A hotel's page may have refused it: a home that is reached later is shown it again.
  @Test mutating func overPlainHTTPARejectedTokenIsTriedAgainAndWhatIsKeptOfItForgotten() throws {
    login = Self.login(.accessToken([9]), readsFile: true, isServerKnown: false)
    _ = ask()
    #expect(answer(401) == [.failed(.tokenRejected(fingerprint: Self.fingerprint))])
    now = now + RejectedTokens.waits[0]
    try attempt()
    #expect(
      answer(201, UplinkRig.registered)
        == [.registered([UInt8]("made".utf8)), .forget(Self.fingerprint)])
  }

  /// Else it is shown each minute after the first wait, until Home Assistant bans the board.
  @Test mutating func eachRejectionMakesTheWaitForTheNextShowingLonger() throws {
    login = Self.login(.accessToken([9]), readsFile: true, isServerKnown: false)
    _ = ask()
    let rejected = Done.failed(.tokenRejected(fingerprint: Self.fingerprint))
    #expect(answer(401) == [rejected])
    for wait in RejectedTokens.waits {
      now = now + wait
      try attempt()
      #expect(answer(401) == [rejected])
      #expect(try read(.success(Self.token)) == [], "it is not shown a minute later")
    }
  }

  /// A proxy that wants a login of its own has not looked at the token.
  @Test mutating func aProxyThatWantsALoginOfItsOwnRejectsNoToken() throws {
    _ = ask()
    let page = "<html><h1>401 Authorization Required</h1></html>"
    #expect(answer(401, page) == [.failed(.server(.forbidden(status: 401)))])
    #expect(!login.isCredentialRejected)
    try attempt()
  }

  @Test mutating func anAnswerToNothingIsNone() {
    _ = begin()
    #expect(answer(201, UplinkRig.registered) == [])
    login.connectionFailed(InlineText("late"), now: now)
    #expect(done() == [])
  }

  // MARK: Where tokens may go

  @Test mutating func awayTheRequestUnderWayIsEndedBeforeAllElse() {
    _ = ask()
    login.presenceChanged(isAllowed: false, now: now)
    #expect(done() == [.cancel, .failed(.noToken(.withheld))])
    #expect(answer(201, UplinkRig.registered) == [], "its answer comes too late")
    #expect(!login.mayReplaceToken)
  }

  @Test mutating func awayARequestThatWasNotTakenYetIsNotMade() {
    _ = begin()
    knowRejected()
    login.tokenFileRead(.success(Self.token))
    login.presenceChanged(isAllowed: false, now: now)
    #expect(done() == [.failed(.noToken(.withheld))])
  }

  @Test mutating func awayNoTokenIsEvenReadAndBackHomeItIsAtOnce() {
    login = Self.login(.accessToken(Self.token), readsFile: true, isAllowed: false)
    #expect(begin() == [.failed(.noToken(.withheld))])
    now = now + Enrollment.shortestTokenCheckDelay
    login.presenceChanged(isAllowed: true, now: now)
    #expect(done() == [.readRejected])
  }

  /// Both are logins, and one request shows a token at a time.
  @Test mutating func theRegistrationWaitsForARenewalThatIsUnderWay() {
    login = Self.login(.refreshToken([1], clientID: [2]), readsFile: true)
    login.rejectedTokensRead(RejectedTokens(), now: now)
    login.webSocketWantsToken(refused: nil, now: now)
    #expect(done() == [.renew(ifWritable: false)])
    #expect(begin() == [.readFile])
    login.tokenFileRead(.success(Self.token))
    #expect(done() == [])
    #expect(
      answer(200, UplinkRig.accessToken)
        == [.webSocket(.token([UInt8]("access".utf8))), .register(Self.token)])
  }

  @Test mutating func aRenewalWaitsForTheRegistrationThatIsUnderWay() {
    login = Self.login(.refreshToken([1], clientID: [2]), readsFile: true)
    _ = ask()
    login.webSocketWantsToken(refused: nil, now: now)
    #expect(done() == [])
    let reason = InlineText("no answer")
    login.connectionFailed(reason, now: now)
    #expect(done() == [.failed(.noConnection(reason)), .renew(ifWritable: false)])
  }

  @Test mutating func aRenewalThatWaitsIsGivenUpWithTheRegistrationThatIsUnderWay() {
    login = Self.login(.refreshToken([1], clientID: [2]), readsFile: true)
    _ = ask()
    login.webSocketWantsToken(refused: nil, now: now)
    login.presenceChanged(isAllowed: false, now: now)
    let withheld = Done.webSocket(.unavailable("no token may be sent from here"))
    #expect(done() == [.cancel, withheld, .failed(.noToken(.withheld))])
    now = now + Enrollment.shortestTokenCheckDelay
    login.presenceChanged(isAllowed: true, now: now)
    #expect(done() == [.readFile])
  }
}
