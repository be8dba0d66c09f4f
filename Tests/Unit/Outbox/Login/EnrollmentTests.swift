import Bytes
import Testing

@testable import HomeAssistant
@testable import Outbox

@Suite struct EnrollmentTests {
  private var now = Instant(nanoseconds: 0)
  private var enrollment: Enrollment
  private var problems: [Enrollment.Problem] = []

  init() { enrollment = Self.fresh() }

  private static func fresh(rejected: [UInt8]? = nil, isServerKnown: Bool = true) -> Enrollment {
    var tokens = RejectedTokens()
    if let rejected { tokens.insert(fingerprint: rejected) }
    var enrollment = Enrollment(
      isServerKnown: isServerKnown, seed: 3, now: Instant(nanoseconds: 0))
    enrollment.rejectedTokensRead(tokens)
    return enrollment
  }

  private let secret = [UInt8]("a token")

  // MARK: The token

  @Test mutating func theFirstAttemptIsDueAtOnce() {
    #expect(enrollment.deadline == now)
    enrollment.deadlineReached(now: now)
    #expect(nextAction() == .readToken)
    #expect(enrollment.deadline == nil)
    // Waking again does not read it twice.
    enrollment.deadlineReached(now: now)
    #expect(nextAction() == nil)
    #expect(read(secret) == .register(token: secret))
  }

  @Test mutating func aRegistrationIsHandedOverAsItCame() throws {
    try attempt(secret)
    let registration = try #require(try answered(.registered(try Self.registration())))
    #expect(registration.webhookID == [UInt8]("0f33"))
    #expect(problems.isEmpty)
  }

  @Test(arguments: [.empty, .notAToken, .unreadable(errno: 2)] as [Enrollment.TokenFlaw])
  mutating func withoutATokenTheFileIsLookedAtAgain(flaw: Enrollment.TokenFlaw) throws {
    for _ in 0..<3 {
      try wake()
      #expect(read(.failure(flaw)) == nil)
      #expect(wait() == Enrollment.tokenCheckDelay)
    }
    #expect(problems == [.noToken(flaw)])
    try attempt(secret)
  }

  @Test(arguments: [false, true])
  mutating func aTokenThatMayNotGoIsLookedAtAgainAtHome(isUnderWay: Bool) throws {
    if isUnderWay { try attempt(secret) }
    enrollment.tokenWithheld(now: now)
    #expect(nextAction() == nil)
    #expect(problems == [.noToken(.withheld)])
    now = now + Enrollment.shortestTokenCheckDelay
    enrollment.cycleDue(now: now)
    #expect(nextAction() == .readToken)
    #expect(read(secret) == .register(token: secret))
  }

  @Test mutating func eachFlawOfATokenFileIsTold() throws {
    for flaw in [.empty, .notAToken, .notAToken, .tooLarge] as [Enrollment.TokenFlaw] {
      try wake()
      #expect(read(.failure(flaw)) == nil)
    }
    #expect(problems == [.noToken(.empty), .noToken(.notAToken), .noToken(.tooLarge)])
  }

  @Test mutating func aRejectedTokenIsNeverSentAgain() throws {
    try attempt(secret)
    #expect(try answered(.tokenRejected) == nil)
    for _ in 0..<100 {
      try wake()
      #expect(read(secret) == nil)
      #expect(enrollment.deadline != nil)
    }
    #expect(problems.count == 1)
  }

  @Test mutating func aRejectedTokenIsNotSentAgainAfterARestartEither() throws {
    try attempt(secret)
    #expect(try answered(.tokenRejected) == nil)
    guard case .tokenRejected(let kept)? = problems.first else {
      Issue.record("the rejection was not told")
      return
    }
    #expect(!kept.starts(with: secret), "what is kept does not give the token away")
    enrollment = Self.fresh(rejected: kept)
    problems = []
    for _ in 0..<3 {
      try wake()
      #expect(read(secret) == nil)
    }
    #expect(problems == [.tokenRejected(fingerprint: kept)])
  }

  @Test mutating func aNewTokenInTheFileIsTried() throws {
    try attempt(secret)
    #expect(try answered(.tokenRejected) == nil)
    try wake()
    #expect(read(secret) == nil)
    try attempt([UInt8]("another token"))
    #expect(try answered(.registered(try Self.registration())) != nil)
  }

  @Test mutating func aNewTokenInTheFileIsTriedWithTheNextCycle() throws {
    try attempt(secret)
    #expect(try answered(.tokenRejected) == nil)
    // An urgent line may start cycles much faster than a file is worth reading.
    #expect(cycle(after: .milliseconds(999)) == nil)
    #expect(cycle(after: .milliseconds(1)) == .readToken)
    #expect(cycle(after: .seconds(5)) == nil, "it is being read")
    #expect(read(secret) == nil)
    #expect(cycle(after: .seconds(5)) == .readToken)
    #expect(read([UInt8]("another token")) == .register(token: [UInt8]("another token")))
    #expect(cycle(after: .seconds(5)) == nil)
  }

  @Test mutating func aCycleDoesNotHurryARetry() throws {
    try attempt(secret)
    #expect(try answered(.server(.unavailable(status: 503))) == nil)
    #expect(cycle(after: .seconds(2)) == nil)
  }

  @Test mutating func eachTokenThatIsRejectedIsTold() throws {
    try attempt([UInt8]("one"))
    _ = try answered(.tokenRejected)
    try attempt([UInt8]("two"))
    _ = try answered(.tokenRejected)
    #expect(problems.count == 2)
  }

  private mutating func cycle(after wait: Duration) -> Enrollment.Action? {
    now = now + wait
    enrollment.cycleDue(now: now)
    return nextAction()
  }

  // MARK: Failures

  @Test(
    arguments: [
      .withoutEncryption(try registration(.plain)), .requestRejected,
    ] as [RegistrationAnswer])
  mutating func whatOnlyAPersonCanMendIsNotAskedForEveryMinute(answer: RegistrationAnswer) throws {
    try attempt(secret)
    #expect(try answered(answer) == nil)
    #expect(wait() == .seconds(3600))
    try attempt(secret)
  }

  /// At most a few times a day, and for ever.
  @Test(arguments: [.banned, .forbidden(status: 401)] as [ServerRefusal])
  mutating func aRefusalOfTheAddressIsTriedAgainEverMoreRarely(refusal: ServerRefusal) throws {
    var step = Enrollment.firstRefusalDelay
    for _ in 0..<14 {
      try attempt(secret)
      _ = try answered(.server(refusal))
      #expect(wait() > step * 0.7 && wait() <= step)
      step = min(step * 2, .seconds(8 * 3600))
    }
    #expect(problems == [.server(refusal)])
  }

  /// As to what a portal said in the place of Home Assistant.
  @Test mutating func overPlainHTTPARejectedTokenIsSentAgainAfterAWhile() throws {
    enrollment = Self.fresh(isServerKnown: false)
    for longest in RejectedTokens.waits {
      try attempt(secret)
      #expect(try answered(.tokenRejected) == nil)
      let rejectedAt = now
      repeat {
        try wake()
        if now - rejectedAt < longest { #expect(read(secret) == nil) }
      } while now - rejectedAt < longest
      #expect(read(secret) == .register(token: secret))
      _ = enrollment.answerReceived(.server(.notFound), now: now)
      _ = nextAction()
    }
  }

  @Test(
    arguments: [
      (.withoutEncryption(try registration(.plain)), .withoutEncryption),
      (.requestRejected, .requestRejected),
      (.server(.banned), .server(.banned)),
      (.server(.untrustedProxy), .server(.untrustedProxy)),
      (.server(.notFound), .server(.notFound)),
      (.server(.unavailable(status: 503)), .server(.unavailable(status: 503))),
      (.server(.notHomeAssistant(status: 200)), .server(.notHomeAssistant(status: 200))),
    ] as [(RegistrationAnswer, Enrollment.Problem)])
  mutating func everyFailureIsToldOnceAndTriedAgainLater(
    answer: RegistrationAnswer, problem: Enrollment.Problem
  ) throws {
    for _ in 0..<3 {
      try attempt(secret)
      #expect(try answered(answer) == nil)
      #expect(wait() > .zero)
    }
    #expect(problems == [problem])
  }

  @Test mutating func theWaitsOfALastingFailureDoubleUpToTheLongest() throws {
    var step = Enrollment.firstRetryDelay
    for _ in 0..<10 {
      try attempt(secret)
      connectionFailed("Couldn't connect to server")
      #expect(wait() > step * 0.75 && wait() <= step)
      step = min(step * 2, Enrollment.longestRetryDelay)
    }
    #expect(problems == [.noConnection(InlineText("Couldn't connect to server"))])
  }

  @Test mutating func anotherProblemIsToldToo() throws {
    try attempt(secret)
    connectionFailed("Couldn't connect to server")
    try attempt(secret)
    _ = try answered(.server(.notFound))
    try attempt(secret)
    _ = try answered(.server(.notFound))
    #expect(
      problems == [.noConnection(InlineText("Couldn't connect to server")), .server(.notFound)])
  }

  @Test mutating func anAnswerToNoMessageIsLeftAlone() throws {
    #expect(try answered(.tokenRejected) == nil)
    connectionFailed("Timeout was reached")
    #expect(enrollment.deadline == now && problems.isEmpty)
  }

  @Test mutating func whereTheStateCannotBeUsedNoRegistrationIsMade() throws {
    try wake()
    enrollment.stateNotUsable(now: now)
    #expect(wait() == Enrollment.tokenCheckDelay)
    try attempt(secret)
  }

  // MARK: What was not taken yet

  /// The board leaves while the token is on its way to be sent.
  @Test(arguments: [false, true])
  mutating func aTokenThatWasNotGivenYetIsWithheldWithTheOthers(isRead: Bool) throws {
    enrollment.deadlineReached(now: now)
    if isRead {
      #expect(nextAction() == .readToken)
      enrollment.tokenRead(.success(secret), now: now)
    }
    enrollment.tokenWithheld(now: now)
    #expect(nextAction() == nil)
    #expect(problems == [.noToken(.withheld)])
    try attempt(secret)
  }

  @Test mutating func aTokenThatIsReadTooLateIsNotSent() throws {
    try wake()
    enrollment.tokenWithheld(now: now)
    #expect(read(secret) == nil)
    #expect(wait() == Enrollment.tokenCheckDelay)
  }

  @Test mutating func eachProblemIsToldInItsOrderHoweverLateItIsTaken() throws {
    try attempt(secret)
    #expect(enrollment.answerReceived(.tokenRejected, now: now) == nil)
    now = now + Enrollment.tokenCheckDelay
    enrollment.tokenWithheld(now: now)
    #expect(nextAction() == nil)
    #expect(
      problems == [
        .tokenRejected(fingerprint: RejectedTokens.fingerprint(of: secret)), .noToken(.withheld),
      ])
  }

  // MARK: Tools

  private func wait() -> Duration {
    enrollment.deadline.map { $0 - now } ?? .zero
  }

  private mutating func wake() throws {
    now = max(now, try #require(enrollment.deadline, "there is no next attempt"))
    enrollment.deadlineReached(now: now)
    #expect(nextAction() == .readToken)
  }

  /// Takes what is told, and returns what is to be done.
  private mutating func nextAction() -> Enrollment.Action? {
    while let action = enrollment.nextAction() {
      guard case .tell(let problem) = action else { return action }
      problems.append(problem)
    }
    return nil
  }

  private mutating func read(_ token: [UInt8]) -> Enrollment.Action? { read(.success(token)) }

  private mutating func read(
    _ result: Result<[UInt8], Enrollment.TokenFlaw>
  ) -> Enrollment.Action? {
    enrollment.tokenRead(result, now: now)
    return nextAction()
  }

  private mutating func attempt(_ token: [UInt8]) throws {
    try wake()
    #expect(read(token) == .register(token: token))
  }

  private mutating func answered(_ answer: RegistrationAnswer) throws -> Registration? {
    let registration = enrollment.answerReceived(answer, now: now)
    #expect(nextAction() == nil)
    return registration
  }

  private mutating func connectionFailed(_ reason: StaticString) {
    enrollment.connectionFailed(InlineText(reason), now: now)
    #expect(nextAction() == nil)
  }

  private static func registration() throws -> Registration {
    let digits = [UInt8](repeating: UInt8(ascii: "a"), count: 64)
    let key = SecretKey(hexadecimal: digits.span)
    return try registration(.sealed(try #require(key)))
  }

  private static func registration(
    _ protection: Registration.Protection
  ) throws -> Registration {
    try #require(Registration(webhookID: [UInt8]("0f33"), protection: protection))
  }
}
