import Bytes
import HomeAssistant
import Testing

@testable import Outbox

/// What comes before a registration is asked for, and what ends the asking.
@Suite struct RegistrarTests {
  /// An action, as far as it can be compared.
  private enum Done: Equatable {
    case readRejected, readFile, probe, register([UInt8]), renew, cancel, postponed
    case keepRejection([UInt8])
    case forgetRejection([UInt8])
    case webSocket(TokenResult)
    case registered([UInt8])
    case failed(Enrollment.Problem)

    init(_ action: Registrar.Action) {
      self =
        switch action {
        case .readRejectedTokens: .readRejected
        case .readTokenFile: .readFile
        case .probeState: .probe
        case .send(.registration(let token)): .register(token)
        case .send: .renew
        case .cancel: .cancel
        case .keepRejection(let fingerprint): .keepRejection(fingerprint)
        case .forgetRejection(let fingerprint): .forgetRejection(fingerprint)
        case .giveToWebSocket(let result): .webSocket(result)
        case .registered(let registration): .registered(registration.webhookID)
        case .failed(let problem): .failed(problem)
        case .postponed: .postponed
        }
    }
  }

  private static let token = [UInt8]("long-lived".utf8)
  private static let fingerprint = RejectedTokens.fingerprint(of: token)

  private var registrar: Registrar
  private var now = Instant(nanoseconds: 0)

  init() { registrar = Self.registrar(.accessToken(Self.token), readsFile: true) }

  private static func registrar(
    _ credential: Credential?, readsFile: Bool, isServerKnown: Bool = true,
    isAllowed: Bool = true
  ) -> Registrar {
    Registrar(
      credential: credential, readsFile: readsFile, acceptsPlain: false,
      isServerKnown: isServerKnown, isAllowed: isAllowed, seed: 1, now: Instant(nanoseconds: 0))
  }

  private mutating func done() -> [Done] {
    var done: [Done] = []
    while let action = registrar.nextAction() { done.append(Done(action)) }
    return done
  }

  private mutating func begin() -> [Done] {
    registrar.registrationWanted(now: now)
    registrar.deadlineReached(now: now)
    return done()
  }

  /// Up to the question whether a registration can be kept.
  private mutating func findToken() -> [Done] {
    var all = begin()
    registrar.rejectedTokensRead(RejectedTokens(), now: now)
    all += done()
    registrar.tokenFileRead(.success(Self.token))
    return all + done()
  }

  /// Up to the request.
  private mutating func ask() -> [Done] {
    let all = findToken()
    registrar.stateProbed(true, now: now)
    return all + done()
  }

  private mutating func answer(_ status: Int, _ text: String? = nil) -> [Done] {
    let text = text ?? (status == 401 ? "401: Unauthorized" : "")
    var body = ByteBuffer(capacity: 4096)
    body.append([UInt8](text.utf8))
    registrar.answered(AnswerHead(status: status), body, now: now)
    return done()
  }

  // MARK: Before the request

  @Test mutating func itIsAskedForOnlyAfterTheListTheTokenAndTheDiskWereLookedAt() {
    #expect(ask() == [.readRejected, .readFile, .probe, .register(Self.token)])
    #expect(registrar.isEnrolling)
    #expect(answer(201, UplinkRig.registered) == [.registered([UInt8]("made".utf8))])
    #expect(registrar.problem == nil)
  }

  /// Home Assistant would throw away the entities of the one before, at every start.
  @Test mutating func whereItCannotBeKeptItIsNotAskedFor() {
    #expect(findToken().last == .probe)
    registrar.stateProbed(false, now: now)
    #expect(done() == [.postponed])
    now = now + .seconds(3600)
    registrar.deadlineReached(now: now)
    #expect(done() == [.readFile], "it is looked at again, the list is known")
  }

  @Test mutating func whereTheRejectedTokensCannotBeReadNoneIsSent() {
    #expect(begin() == [.readRejected])
    registrar.rejectedTokensRead(nil, now: now)
    #expect(done() == [.postponed])
  }

  @Test mutating func aTokenThatWasRejectedOnceIsNotSentAgain() {
    _ = begin()
    var rejected = RejectedTokens()
    rejected.insert(fingerprint: Self.fingerprint)
    registrar.rejectedTokensRead(rejected, now: now)
    _ = done()
    registrar.tokenFileRead(.success(Self.token))
    let problem = Enrollment.Problem.tokenRejected(fingerprint: Self.fingerprint)
    #expect(done().contains(.failed(problem)))
    #expect(registrar.problem == problem)
  }

  /// What the disk says late is for no registration any more.
  @Test mutating func aProbeThatIsAnsweredAfterARegistrationWasFoundSendsNothing() {
    _ = findToken()
    registrar.registrationFound()
    registrar.stateProbed(true, now: now)
    #expect(done() == [])
    #expect(!registrar.isEnrolling && registrar.deadline == nil)
  }

  // MARK: The answer

  @Test mutating func aRejectedTokenIsKeptInMindForWhoeverHasTheSame() {
    _ = ask()
    let problem = Enrollment.Problem.tokenRejected(fingerprint: Self.fingerprint)
    #expect(answer(401) == [.failed(problem), .keepRejection(Self.fingerprint)])
    #expect(registrar.isCredentialRejected && !registrar.mayReplaceToken)
    registrar.webSocketWantsToken(refused: nil, now: now)
    #expect(
      done() == [.webSocket(.rejected("the credential was refused; log in again"))])
  }

  @Test mutating func aRejectedTokenOfTheFileIsNoneOfTheCredentialsFault() {
    registrar = Self.registrar(.accessToken([9]), readsFile: true)
    _ = ask()
    #expect(answer(401) == [.failed(.tokenRejected(fingerprint: Self.fingerprint))])
    #expect(!registrar.isCredentialRejected && registrar.mayReplaceToken)
  }

  /// A hotel's page may have refused it: a home that is reached later is shown it again.
  @Test mutating func overPlainHTTPARejectedTokenIsTriedAgainAndWhatIsKeptOfItForgotten() {
    registrar = Self.registrar(.accessToken([9]), readsFile: true, isServerKnown: false)
    _ = ask()
    #expect(answer(401) == [.failed(.tokenRejected(fingerprint: Self.fingerprint))])
    now = now + RejectedTokens.waits[0]
    registrar.deadlineReached(now: now)
    #expect(done() == [.readFile])
    registrar.tokenFileRead(.success(Self.token))
    #expect(done() == [.probe])
    registrar.stateProbed(true, now: now)
    #expect(done() == [.register(Self.token)])
    #expect(
      answer(201, UplinkRig.registered)
        == [.registered([UInt8]("made".utf8)), .forgetRejection(Self.fingerprint)])
  }

  /// Else it is shown each minute after the first wait, until Home Assistant bans the board.
  @Test mutating func eachRejectionMakesTheWaitForTheNextShowingLonger() {
    registrar = Self.registrar(.accessToken([9]), readsFile: true, isServerKnown: false)
    _ = ask()
    let rejected = Done.failed(.tokenRejected(fingerprint: Self.fingerprint))
    #expect(answer(401) == [rejected])
    for wait in RejectedTokens.waits {
      now = now + wait
      registrar.deadlineReached(now: now)
      _ = done()
      registrar.tokenFileRead(.success(Self.token))
      #expect(done() == [.probe])
      registrar.stateProbed(true, now: now)
      #expect(done() == [.register(Self.token)])
      #expect(answer(401) == [rejected])
      now = now + .seconds(60)
      registrar.deadlineReached(now: now)
      #expect(done() == [.readFile])
      registrar.tokenFileRead(.success(Self.token))
      #expect(done() == [], "it is not shown a minute later")
    }
  }

  /// A proxy that wants a login of its own has not looked at the token.
  @Test mutating func aProxyThatWantsALoginOfItsOwnRejectsNoToken() throws {
    _ = ask()
    let page = "<html><h1>401 Authorization Required</h1></html>"
    #expect(answer(401, page) == [.failed(.server(.forbidden(status: 401)))])
    #expect(!registrar.isCredentialRejected)
    now = try #require(registrar.deadline)
    registrar.deadlineReached(now: now)
    #expect(done() == [.readFile])
    registrar.tokenFileRead(.success(Self.token))
    #expect(done() == [.probe])
  }

  @Test mutating func withoutAnAnswerItIsAskedForAgainFromTheToken() throws {
    _ = ask()
    let reason = InlineText("no answer")
    registrar.connectionFailed(reason, now: now)
    #expect(done() == [.failed(.noConnection(reason))])
    #expect(registrar.problem == .noConnection(reason))
    now = try #require(registrar.deadline)
    registrar.deadlineReached(now: now)
    #expect(done() == [.readFile])
  }

  @Test mutating func anAnswerToNothingIsNone() {
    _ = begin()
    #expect(answer(201, UplinkRig.registered) == [])
    registrar.connectionFailed(InlineText("late"), now: now)
    #expect(done() == [])
  }

  // MARK: Where tokens may go

  @Test mutating func awayTheRequestUnderWayIsEndedBeforeAllElse() {
    _ = ask()
    registrar.presenceChanged(isAllowed: false, now: now)
    #expect(done() == [.cancel, .failed(.noToken(.withheld))])
    #expect(answer(201, UplinkRig.registered) == [], "its answer comes too late")
    #expect(!registrar.mayReplaceToken)
  }

  @Test mutating func awayNoTokenIsEvenReadAndBackHomeItIsAtOnce() {
    registrar = Self.registrar(.accessToken(Self.token), readsFile: true, isAllowed: false)
    #expect(begin() == [.failed(.noToken(.withheld))])
    now = now + Enrollment.shortestTokenCheckDelay
    registrar.presenceChanged(isAllowed: true, now: now)
    #expect(done() == [.readRejected])
  }

  /// Both are logins, and one request shows a token at a time.
  @Test mutating func theRegistrationWaitsForARenewalThatIsUnderWay() {
    registrar = Self.registrar(.refreshToken([1], clientID: [2]), readsFile: true)
    registrar.rejectedTokensRead(RejectedTokens(), now: now)
    registrar.webSocketWantsToken(refused: nil, now: now)
    #expect(done() == [.renew])
    #expect(begin() == [.readFile])
    registrar.tokenFileRead(.success(Self.token))
    #expect(done() == [.probe])
    registrar.stateProbed(true, now: now)
    #expect(done() == [])
    #expect(
      answer(200, UplinkRig.accessToken)
        == [.webSocket(.token([UInt8]("access".utf8))), .register(Self.token)])
  }
}
