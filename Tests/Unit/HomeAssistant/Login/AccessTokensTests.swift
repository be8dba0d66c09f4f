import Bytes
import Testing

@testable import HomeAssistant

@Suite struct AccessTokensTests {
  private var now = Instant(nanoseconds: 0)
  private var tokens = Self.keeper()

  private static let credential = Credential.refreshToken(
    [UInt8]("ref/resh"), clientID: [UInt8]("http://ha/"))

  private static func keeper(
    _ credential: Credential = credential, rejected: RejectedTokens = RejectedTokens()
  ) -> AccessTokens {
    AccessTokens(credential: credential, rejected: rejected, seed: 3)
  }

  // MARK: Getting one

  @Test mutating func theRefreshTokenIsGoodForAccessTokens() throws {
    let call = try sent(tokens.tokenWanted(now: now))
    #expect(call.path == [UInt8]("/auth/token") && call.encoding == .form)
    #expect(
      String(decoding: call.body, as: UTF8.self)
        == "grant_type=refresh_token&refresh_token=ref%2Fresh&client_id=http%3A%2F%2Fha%2F")
    #expect(answered("one") == .use([UInt8]("one")))
    #expect(tokens.tokenWanted(now: now) == .use([UInt8]("one")))
  }

  @Test mutating func aTokenIsRenewedAMinuteBeforeItEnds() throws {
    try get("one", lifetime: 1800)
    now = now + .seconds(1739)
    #expect(tokens.tokenWanted(now: now) == .use([UInt8]("one")))
    now = now + .seconds(1)
    _ = try sent(tokens.tokenWanted(now: now))
    #expect(answered("two") == .use([UInt8]("two")))
  }

  @Test mutating func aTokenThatLivesShortlyIsUsedAllTheSame() throws {
    // Each asker gets the one that was made for it, and no call is made before one asks.
    try get("one", lifetime: 30)
    try get("two", lifetime: 30)
  }

  @Test func theTokenOfTheLoginIsUsedFirst() {
    let current = AccessToken(bytes: [UInt8]("new"), lifetime: .seconds(1800), now: now)
    var tokens = AccessTokens(
      credential: Self.credential, current: current, rejected: RejectedTokens(), seed: 1)
    #expect(tokens.tokenWanted(now: now) == .use([UInt8]("new")))
  }

  // MARK: Rejections

  @Test(arguments: [
    (400, #"{"error":"invalid_grant"}"#), (400, #"{"error":"invalid_request"}"#),
  ])
  mutating func aRejectedRefreshTokenIsNeverSentAgain(status: Int, body: String) throws {
    _ = try sent(tokens.tokenWanted(now: now))
    #expect(answer(status, body) == .rejected && tokens.isRejectionFinal)
    for _ in 0..<100 {
      now = now + .seconds(3600)
      tokens.networkChanged()
      #expect(tokens.tokenWanted(now: now) == .rejected)
    }
    // Nor after a restart.
    var kept = RejectedTokens()
    kept.insert(fingerprint: tokens.credential.fingerprint)
    var file = ByteBuffer(capacity: RejectedTokens.fileByteCountMax)
    kept.writeFile(into: &file)
    tokens = Self.keeper(rejected: try RejectedTokens(file: file.bytes))
    #expect(tokens.tokenWanted(now: now) == .rejected)
  }

  @Test mutating func anAccessTokenThatIsRefusedIsReplacedOnce() throws {
    try get("one")
    _ = try sent(tokens.tokenRefused(Self.refused("one"), now: now))
    #expect(answered("two") == .use([UInt8]("two")))
    #expect(tokens.tokenRefused(Self.refused("two"), now: now) == .rejected)
    #expect(tokens.tokenWanted(now: now) == .rejected)
  }

  @Test mutating func twoAskersWithTheSameRefusedTokenCostOneReplacement() throws {
    try get("one")
    _ = try sent(tokens.tokenRefused(Self.refused("one"), now: now))
    #expect(tokens.tokenRefused(Self.refused("one"), now: now) == .wait)
    #expect(answered("two") == .use([UInt8]("two")))
    #expect(tokens.tokenRefused(Self.refused("one"), now: now) == .use([UInt8]("two")))
  }

  /// The last one had nearly come to its end, and the next is on its way already.
  @Test(arguments: [true, false])
  mutating func aSecondRefusalWhileTheNextTokenIsFetchedIsTheEnd(isAnswered: Bool) throws {
    try get("one", lifetime: 1800)
    _ = try sent(tokens.tokenRefused(Self.refused("one"), now: now))
    #expect(answered("two") == .use([UInt8]("two")))
    now = now + .seconds(1790)
    _ = try sent(tokens.tokenWanted(now: now))
    #expect(tokens.tokenRefused(Self.refused("two"), now: now) == .rejected)
    let step =
      isAnswered ? answered("three") : tokens.connectionFailed(InlineText("no route"), now: now)
    #expect(step == .rejected)
    #expect(tokens.tokenWanted(now: now) == .rejected)
  }

  @Test func aLongLivedTokenThatIsRefusedIsNeverSentAgain() throws {
    var tokens = Self.keeper(try #require(Credential(accessToken: [UInt8]("llat"))))
    #expect(tokens.tokenRefused(Self.refused("llat"), now: now) == .rejected)
    #expect(tokens.tokenWanted(now: now) == .rejected)
  }

  // MARK: Failures

  @Test mutating func aNetworkThatFailsIsNotAskedInALoop() throws {
    let reason = InlineText("Couldn't connect to server")
    var step = AccessTokens.firstRetryDelay
    for _ in 0..<8 {
      _ = try sent(tokens.tokenWanted(now: now))
      let (problem, until) = try unavailable(tokens.connectionFailed(reason, now: now))
      #expect(problem == .noConnection(reason))
      #expect(until - now > step * 0.7 && until - now <= step)
      step = min(step * 2, AccessTokens.longestRetryDelay)
      now = until + .nanoseconds(-1)
      #expect(
        tokens.tokenWanted(now: now) == .unavailable(.noConnection(reason), until: until))
      now = until
    }
  }

  /// Home Assistant counts each call with a revoked token, heard or not, and may ban the address.
  @Test mutating func aCredentialInDoubtIsSentSeldomWhereNoAnswerComes() throws {
    try get("one")
    _ = try sent(tokens.tokenRefused(Self.refused("one"), now: now))
    let reason = InlineText("no answer")
    #expect(
      tokens.connectionFailed(reason, now: now)
        == .unavailable(.noConnection(reason), until: now + AccessTokens.doubtedRetryDelay))
    // Another network is no reason to doubt it less.
    tokens.networkChanged()
    now = now + (AccessTokens.doubtedRetryDelay - .nanoseconds(1))
    #expect(
      tokens.tokenWanted(now: now)
        == .unavailable(.noConnection(reason), until: now + .nanoseconds(1)))
    now = now + .nanoseconds(1)
    try get("two")
    tokens.tokenAccepted()
    now = now + .seconds(1800)
    _ = try sent(tokens.tokenWanted(now: now))
    let (_, until) = try unavailable(tokens.connectionFailed(reason, now: now))
    #expect(until - now <= AccessTokens.firstRetryDelay * 2)
  }

  @Test mutating func aCallThatWasNotMadeIsTheNextOnes() throws {
    _ = try sent(tokens.tokenWanted(now: now))
    #expect(tokens.tokenWanted(now: now) == .wait)
    tokens.callNotMade()
    try get("one")
    tokens.callNotMade()
    #expect(tokens.tokenWanted(now: now) == .use([UInt8]("one")))
  }

  @Test mutating func anotherNetworkIsTriedAtOnce() throws {
    _ = try sent(tokens.tokenWanted(now: now))
    _ = tokens.connectionFailed(InlineText("no route"), now: now)
    tokens.networkChanged()
    try get("one")
  }

  @Test(arguments: [
    (403, "403: Forbidden", AccessTokens.Problem.server(.banned), 3600),
    (503, "", .server(.unavailable(status: 503)), 5), (404, "", .server(.notFound), 5),
    (400, "400: Bad Request", .server(.untrustedProxy), 5),
    // A proxy that has an account for each.
    (401, #"{"error":"invalid_client"}"#, .server(.forbidden(status: 401)), 60),
    (400, #"{"error":"invalid_token"}"#, .server(.notHomeAssistant(status: 400)), 5),
    (200, "<html>hotel</html>", .server(.notHomeAssistant(status: 200)), 5),
    (200, #"{"access_token":"","expires_in":1800}"#, .server(.notHomeAssistant(status: 200)), 5),
  ])
  mutating func whatSaysNothingAboutTheTokenDoesNotRejectIt(
    status: Int, body: String, problem: AccessTokens.Problem, seconds: Int64
  ) throws {
    _ = try sent(tokens.tokenWanted(now: now))
    let (found, until) = try unavailable(answer(status, body))
    #expect(found == problem)
    #expect(until - now <= .seconds(seconds))
    #expect(until - now >= .seconds(seconds) * 0.7)
    // A ban does not go away with the network's name, and the login of a proxy does.
    tokens.networkChanged()
    if problem == .server(.banned) {
      #expect(tokens.tokenWanted(now: now) == .unavailable(problem, until: until))
      now = until
    }
    try get("one")
  }

  // MARK: Verdicts

  private static func refused(_ token: String, _ verdict: TokenVerdict = .invalid) -> RefusedToken {
    RefusedToken([UInt8](token.utf8), verdict)
  }

  /// A 401 may also mean that the user may not log in from here.
  @Test(arguments: [TokenVerdict.invalid, .unexplained])
  func onlyAVerdictOnTheTokenIsFinal(verdict: TokenVerdict) throws {
    var tokens = Self.keeper(try #require(Credential(accessToken: [UInt8]("llat"))))
    #expect(!tokens.isRejectionFinal)
    #expect(tokens.tokenRefused(Self.refused("llat", verdict), now: now) == .rejected)
    #expect(tokens.isRejected && tokens.isRejectionFinal == (verdict == .invalid))
    _ = tokens.tokenRefused(Self.refused("llat"), now: now)
    #expect(tokens.isRejectionFinal == (verdict == .invalid))
  }

  @Test(arguments: [
    ("Invalid access token or password", TokenVerdict.invalid),
    ("User cannot authenticate remotely", localOnly), ("", .denied(InlineText(""))),
  ])
  func onlyTheWordsForABadTokenAreAVerdictOnIt(words: String, verdict: TokenVerdict) {
    #expect(TokenVerdict(authInvalid: Text(words)) == verdict)
  }

  private static let localOnly = TokenVerdict.denied(
    InlineText("User cannot authenticate remotely"))

  /// Also a long-lived token is good again at home.
  @Test(arguments: [true, false])
  mutating func aTokenThatIsDeniedIsSentAgainInAnotherNetwork(isLongLived: Bool) throws {
    if isLongLived {
      tokens = Self.keeper(try #require(Credential(accessToken: [UInt8]("one"))))
    } else {
      try get("one")
    }
    let step = tokens.tokenRefused(Self.refused("one", Self.localOnly), now: now)
    #expect(step == denied(until: now + RejectedTokens.waits[0]) && !tokens.isRejected)
    #expect(tokens.tokenWanted(now: now) == step)
    tokens.networkChanged()
    #expect(tokens.tokenWanted(now: now) == .use([UInt8]("one")))
    let second = tokens.tokenRefused(Self.refused("one", Self.localOnly), now: now)
    #expect(second == denied(until: now + RejectedTokens.waits[1]))
    now = now + RejectedTokens.waits[1]
    if isLongLived { #expect(tokens.tokenWanted(now: now) == .use([UInt8]("one"))) }
  }

  @Test mutating func aDenialOfATokenThatWasReplacedMeansNothing() throws {
    try get("one", lifetime: 30)
    try get("two")
    #expect(
      tokens.tokenRefused(Self.refused("one", Self.localOnly), now: now) == .use([UInt8]("two")))
  }

  // MARK: Denials

  private static let denial =
    #"{"error":"access_denied","error_description":"User cannot authenticate remotely"}"#

  /// Home Assistant counts each, and its count never falls by itself.
  @Test mutating func aUserWhoMayNotLogInFromHereIsTriedAsSeldomAsARejectedOne() throws {
    for wait in RejectedTokens.waits + [RejectedTokens.waits[2]] {
      _ = try sent(tokens.tokenWanted(now: now))
      #expect(answer(403, Self.denial) == denied(until: now + wait) && !tokens.isRejected)
      now = now + (wait - .nanoseconds(1))
      #expect(tokens.tokenWanted(now: now) == denied(until: now + .nanoseconds(1)))
      now = now + .nanoseconds(1)
    }
    try get("one")
    now = now + .seconds(1800)
    _ = try sent(tokens.tokenWanted(now: now))
    #expect(answer(403, Self.denial) == denied(until: now + RejectedTokens.waits[0]))
  }

  /// An access token was refused before: that Home Assistant knows the login outweighs it.
  @Test(arguments: [true, false])
  mutating func inAnotherNetworkADeniedLoginIsTriedAtOnce(isReplaced: Bool) throws {
    if isReplaced {
      try get("one")
      _ = try sent(tokens.tokenRefused(Self.refused("one"), now: now))
    } else {
      _ = try sent(tokens.tokenWanted(now: now))
    }
    _ = answer(403, Self.denial)
    #expect(tokens.denial != nil)
    tokens.networkChanged()
    #expect(tokens.denial == nil)
    try get("two")
  }

  @Test mutating func theWaitAfterADenialIsThatOfAllBeforeARestart() throws {
    var kept = RejectedTokens()
    kept.insert(fingerprint: Self.credential.fingerprint, isForGood: false)
    now = now + RejectedTokens.waits[0]
    tokens = AccessTokens(credential: Self.credential, rejected: kept, seed: 3, now: now)
    _ = try sent(tokens.tokenWanted(now: now))
    #expect(answer(403, Self.denial) == denied(until: now + RejectedTokens.waits[1]))
  }

  @Test mutating func aDenialIsToldInTheWordsOfHomeAssistant() throws {
    _ = try sent(tokens.tokenWanted(now: now))
    let (problem, _) = try unavailable(answer(403, Self.denial))
    #expect(problem.words.string.contains("from here: User cannot authenticate remotely"))
  }

  private func denied(until: Instant) -> AccessTokens.Step {
    .unavailable(.denied(InlineText("User cannot authenticate remotely")), until: until)
  }

  @Test mutating func aProxyThatStaysIsAskedSeldom() throws {
    var waits: [Duration] = []
    for _ in 0..<10 {
      _ = try sent(tokens.tokenWanted(now: now))
      let (_, until) = try unavailable(answer(401, "<html>log in</html>"))
      waits.append(until - now)
      now = until
    }
    #expect(waits[0] <= .seconds(60))
    #expect(waits[9] > AccessTokens.longestRefusalDelay * 0.7)
    try get("one")
    _ = tokens.tokenRefused(Self.refused("one"), now: now)
    let (_, until) = try unavailable(answer(401, "<html>log in</html>"))
    #expect(until - now >= AccessTokens.doubtedRetryDelay, "the token may be revoked")
  }

  // MARK: Tools

  private mutating func get(_ token: String, lifetime: Int = 1800) throws {
    _ = try sent(tokens.tokenWanted(now: now))
    #expect(answered(token, lifetime: lifetime) == .use([UInt8](token.utf8)))
  }

  private mutating func answered(_ token: String, lifetime: Int = 1800) -> AccessTokens.Step {
    answer(200, #"{"access_token":"\#(token)","token_type":"Bearer","expires_in":\#(lifetime)}"#)
  }

  private mutating func answer(_ status: Int, _ body: String) -> AccessTokens.Step {
    tokens.answerReceived(AnswerHead(status: status), body: [UInt8](body.utf8).span, now: now)
  }

  private func sent(_ step: AccessTokens.Step) throws -> AuthCall {
    guard case .send(let call) = step else { throw Unexpected(step: "\(step)") }
    return call
  }

  private func unavailable(
    _ step: AccessTokens.Step
  ) throws -> (problem: AccessTokens.Problem, until: Instant) {
    guard case .unavailable(let problem, let until) = step else {
      throw Unexpected(step: "\(step)")
    }
    return (problem, until)
  }

  private struct Unexpected: Error { let step: String }
}
