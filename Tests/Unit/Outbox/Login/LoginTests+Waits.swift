import Bytes
import Testing

@testable import HomeAssistant
@testable import Outbox

/// When a registration that failed is tried again, and how often its problem is reported.
extension LoginTests {
  private static let noConnection = InlineText("Couldn't connect to server")

  private func wait() -> Duration { login.deadline.map { $0 - now } ?? .zero }

  /// Waits for the next attempt, and reads the file.
  mutating func read(_ token: Result<[UInt8], Enrollment.TokenFlaw>) throws -> [Done] {
    if !login.isEnrolling {
      login.registrationWanted(now: now)
      login.rejectedTokensRead(RejectedTokens(), now: now)
    }
    now = max(now, try #require(login.deadline, "there is no next attempt"))
    login.deadlineReached(now: now)
    #expect(done() == [.readFile])
    login.tokenFileRead(token)
    return done()
  }

  mutating func attempt(_ token: [UInt8] = token) throws {
    #expect(try read(.success(token)) == [.register(token)])
  }

  /// What is done after the answer to an attempt.
  private mutating func answered(
    _ answer: RegistrationAnswer, token: [UInt8] = token
  ) throws -> [Done] {
    try attempt(token)
    login.registrationAnswered(answer, to: RejectedTokens.fingerprint(of: token))
    return done()
  }

  private mutating func unconnected() throws -> [Done] {
    try attempt()
    login.connectionFailed(Self.noConnection, now: now)
    return done()
  }

  private mutating func cycle(after wait: Duration) -> [Done] {
    now = now + wait
    login.cycleDue(now: now)
    return done()
  }

  private static func rejected(_ token: [UInt8]) -> Done {
    .failed(.tokenRejected(fingerprint: RejectedTokens.fingerprint(of: token)))
  }

  private static func plain() throws -> Registration {
    try #require(Registration(webhookID: [UInt8]("0f33"), protection: .plain))
  }

  // MARK: The token

  @Test mutating func aFileWithoutATokenIsReadAgainAndEachFlawReportedOnce() throws {
    let flaws: [Enrollment.TokenFlaw] = [.empty, .notAToken, .notAToken, .unreadable(errno: 2)]
    var told: [Done] = []
    for flaw in flaws {
      told += try read(.failure(flaw))
      #expect(wait() == Enrollment.tokenCheckDelay)
    }
    #expect(told == [flaws[0], flaws[1], flaws[3]].map { .failed(.noToken($0)) })
    try attempt()
  }

  @Test mutating func aRejectedTokenIsSentAgainAfterItsWaitAndAnotherAtOnce() throws {
    #expect(try answered(.tokenRejected).first == Self.rejected(Self.token))
    let end = now + RejectedTokens.waits[0]
    while now + Enrollment.tokenCheckDelay < end { #expect(try read(.success(Self.token)) == []) }
    #expect(try answered(.tokenRejected, token: [2]).first == Self.rejected([2]))
  }

  @Test mutating func aNewTokenInTheFileIsTriedWithTheNextCycle() throws {
    _ = try answered(.tokenRejected)
    // An urgent line may start cycles much faster than a file is worth reading.
    #expect(cycle(after: .milliseconds(999)) == [])
    #expect(cycle(after: .milliseconds(1)) == [.readFile])
    #expect(cycle(after: .seconds(5)) == [], "it is being read")
    login.tokenFileRead(.success(Self.token))
    #expect(done() == [])
    #expect(cycle(after: .seconds(5)) == [.readFile])
    login.tokenFileRead(.success([2]))
    #expect(done() == [.register([2])])
    #expect(cycle(after: .seconds(5)) == [])
  }

  @Test mutating func aCycleDoesNotHurryARetry() throws {
    _ = try answered(.server(.unavailable(status: 503)))
    #expect(cycle(after: .seconds(2)) == [])
  }

  // MARK: The answer

  @Test(arguments: [.withoutEncryption(try plain()), .requestRejected] as [RegistrationAnswer])
  mutating func whatOnlyAPersonCanMendIsNotAskedForEveryMinute(answer: RegistrationAnswer) throws {
    _ = try answered(answer)
    #expect(wait() == .seconds(3600))
    try attempt()
  }

  /// At most a few times a day, and for ever.
  @Test(arguments: [.banned, .forbidden(status: 401)] as [ServerRefusal])
  mutating func aRefusalOfTheAddressIsTriedAgainEverMoreRarely(refusal: ServerRefusal) throws {
    var step = Enrollment.firstRefusalDelay
    for _ in 0..<14 {
      _ = try answered(.server(refusal))
      #expect(wait() > step * 0.7 && wait() <= step)
      step = min(step * 2, .seconds(8 * 3600))
    }
  }

  @Test mutating func theWaitsOfALastingFailureDoubleUpToTheLongest() throws {
    var step = Enrollment.firstRetryDelay
    for _ in 0..<10 {
      _ = try unconnected()
      #expect(wait() > step * 0.75 && wait() <= step)
      step = min(step * 2, Enrollment.longestRetryDelay)
    }
    login.registrationWanted(now: now)
    _ = try unconnected()
    #expect(wait() <= Enrollment.firstRetryDelay, "the next registration begins with the first")
  }

  /// A board that starts has its first attempts before its network.
  @Test mutating func aLinkThatIsBackHurriesWhatHadNoConnectionAndNothingElse() throws {
    for _ in 0..<8 { _ = try unconnected() }
    #expect(wait() > Enrollment.firstRetryDelay)
    login.networkChanged(isOther: false, now: now)
    #expect(wait() <= Enrollment.firstRetryDelay)
    _ = try answered(.requestRejected)
    login.networkChanged(isOther: true, now: now)
    #expect(wait() == .seconds(3600))
  }

  @Test(
    arguments: [
      (.withoutEncryption(try plain()), .withoutEncryption),
      (.requestRejected, .requestRejected),
      (.server(.banned), .server(.banned)),
      (.server(.untrustedProxy), .server(.untrustedProxy)),
      (.server(.notFound), .server(.notFound)),
      (.server(.unavailable(status: 503)), .server(.unavailable(status: 503))),
      (.server(.notHomeAssistant(status: 200)), .server(.notHomeAssistant(status: 200))),
    ] as [(RegistrationAnswer, Enrollment.Problem)])
  mutating func everyFailureIsReportedOnceAndTriedAgainLater(
    answer: RegistrationAnswer, problem: Enrollment.Problem
  ) throws {
    #expect(try unconnected() == [.failed(.noConnection(Self.noConnection))])
    #expect(try answered(answer) == [.failed(problem)])
    #expect(wait() > .zero)
    #expect(try answered(answer) == [])
    #expect(login.problem == problem)
  }
}
