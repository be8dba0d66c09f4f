public import Bytes

/// Source of the access token of every call: gets it with the refresh token, with one call for all
/// requests that wait, and gets the next before it expires.
///
/// A rejected credential is never sent again: Home Assistant counts rejections and may ban the
/// address. The caller asks for a token when it has a message to send, so nothing here waits for a
/// deadline or wakes a sleeping board.
public struct AccessTokens: Sendable {
  /// Time before its expiry from which an access token is no longer used.
  public static let renewalMargin: Duration = .seconds(60)
  /// Delay after the first failed call; it doubles, with jitter.
  public static let firstRetryDelay: Duration = .seconds(5)
  /// Longest delay after a failed call.
  public static let longestRetryDelay: Duration = .seconds(120)
  /// Shortest delay after a call without an answer, if an access token was refused and none was
  /// accepted since: the credential may be revoked, and Home Assistant counts each call with it
  /// even if its answer is lost.
  public static let doubtedRetryDelay: Duration = .seconds(600)
  /// Delay after the first failure that only a person can fix, such as the login of a proxy; it
  /// doubles, with jitter.
  static let firstRefusalDelay: Duration = .seconds(60)
  /// Longest of these delays, and the delay after a ban.
  public static let longestRefusalDelay: Duration = .seconds(3600)

  /// Next step of a caller that needs a token.
  public enum Step: Equatable, Sendable {
    /// Use this access token.
    case use([UInt8])
    /// Make this call, then call `answerReceived` or `connectionFailed`. Their result is for all
    /// callers that wait.
    case send(AuthCall)
    /// Wait: the call is under way.
    case wait
    /// No token for now. The credential is not sent before `until`.
    case unavailable(Problem, until: Instant)
    /// No token until a person logs in again; the caller stores the fingerprint of the credential.
    case rejected
  }

  /// Reason that there is no access token now.
  public enum Problem: Error, Equatable, Sendable {
    /// Boxed: the other problems are small, and are copied with this one.
    indirect case noConnection(InlineText)
    /// An answer without a verdict on the credential.
    case server(ServerRefusal)
    /// Home Assistant knows the login, but denies it from this place, in these words: its user may
    /// log in only in the local network, or is not active. It counts each attempt, and may ban the
    /// address; the caller stores the fingerprint of the credential, not as a final rejection.
    indirect case denied(InlineText)
  }

  private enum State {
    case idle
    case refreshing
    case waiting(Problem, until: Instant)
    case rejected(isFinal: Bool)
  }

  /// Credential for which access tokens are issued.
  public let credential: Credential
  private var state = State.idle
  private var current: AccessToken?
  /// Whether a refused token was replaced and none was accepted since.
  private var isReplaced = false
  private var backOff: BackOff
  /// Delays of refusals without a verdict on the token, such as the login of a proxy.
  private var refusals: BackOff
  /// Number of denials and rejections since the server accepted the credential.
  private var denialCount: Int

  /// Creates the source; `current` is the access token of the login, and `seed` that of the jitter
  /// of the waits.
  public init(
    credential: Credential, current: AccessToken? = nil, rejected: RejectedTokens, seed: UInt64,
    now: Instant = Instant(nanoseconds: 0)
  ) {
    self.credential = credential
    self.current = current
    backOff = BackOff(
      first: Self.firstRetryDelay, longest: Self.longestRetryDelay, seed: seed)
    refusals = BackOff(
      first: Self.firstRefusalDelay, longest: Self.longestRefusalDelay, seed: seed &+ 1)
    denialCount = rejected.count(of: credential.fingerprint)
    if rejected.contains(fingerprint: credential.fingerprint, now: now) {
      // It is stored already.
      state = .rejected(isFinal: false)
    }
  }

  /// Returns the next step of a session or a call that needs an access token.
  public mutating func tokenWanted(now: Instant) -> Step {
    switch state {
    case .rejected: return .rejected
    case .refreshing: return .wait
    case .waiting(let problem, let until) where now < until:
      return .unavailable(problem, until: until)
    case .idle, .waiting: break
    }
    switch credential {
    case .accessToken(let token): return .use(token)
    case .refreshToken(let token, let clientID):
      if let current, now + Self.renewalMargin < current.expiresAt { return .use(current.bytes) }
      state = .refreshing
      return .send(.refresh(token: token, clientID: clientID))
    }
  }

  /// Reports that the server refused a token (`auth_invalid`, 401), and returns the next step.
  ///
  /// A refresh token is used once more. If its new token is refused too, or the token was a
  /// long-lived one, the credential counts as rejected, unless it is only denied from here.
  public mutating func tokenRefused(_ refused: RefusedToken, now: Instant) -> Step {
    let token = refused.bytes
    if case .denied(let words) = refused.verdict, !isRejected, isCurrent(token) {
      return denied(words, now: now)
    }
    guard canReplace(token) else {
      if !isRejected { state = .rejected(isFinal: refused.verdict == .invalid) }
      return .rejected
    }
    if isCurrent(token) {
      current = nil
      isReplaced = true
    }
    return tokenWanted(now: now)
  }

  /// Whether another access token takes the place of this one if the server refuses it; otherwise
  /// the credential counts as rejected.
  public func canReplace(_ token: [UInt8]) -> Bool {
    guard case .refreshToken = credential else { return false }
    return !isReplaced || !isCurrent(token)
  }

  /// Whether this is the token that callers get.
  private func isCurrent(_ token: [UInt8]) -> Bool {
    guard case .refreshToken = credential else { return true }
    return current?.bytes.span.elementsEqual(token.span) == true
  }

  /// Whether the credential was rejected; the caller then stores its fingerprint.
  public var isRejected: Bool { if case .rejected = state { true } else { false } }

  /// Whether the rejection is a verdict on the credential, which is final if TLS authenticated the
  /// server. A 401 is not: Home Assistant also answers so if the user may not log in from here.
  public var isRejectionFinal: Bool {
    if case .rejected(isFinal: true) = state { true } else { false }
  }

  /// Problem that Home Assistant denies the login in the present network; nil if it does not.
  public var denial: Problem? {
    guard case .waiting(let problem, _) = state, case .denied = problem else { return nil }
    return problem
  }

  /// Reports that the server accepted the last token.
  public mutating func tokenAccepted() {
    isReplaced = false
    denialCount = 0
  }

  /// Handles a change of network: a call that failed may work now, and a denied login may be
  /// accepted.
  public mutating func networkChanged() {
    backOff.succeeded()
    guard case .waiting(let problem, _) = state, !isReplaced else { return }
    // Only a person lifts a ban, on the server.
    if problem != .server(.banned) { state = .idle }
  }

  /// Reports the answer to the call of `.send`, with its unchanged body. Returns the next step of
  /// all callers that wait.
  public mutating func answerReceived(_ head: AnswerHead, body: Span<UInt8>, now: Instant) -> Step {
    // A token was refused for the second time while the call was under way.
    guard !isRejected else { return .rejected }
    switch TokenAnswer.read(head, body: body, now: now) {
    case .granted(let token, _):
      state = .idle
      current = token
      backOff.succeeded()
      refusals.succeeded()
      denialCount = 0
      return .use(token.bytes)
    case .rejected:
      state = .rejected(isFinal: true)
      return .rejected
    case .denied(let words): return denied(InlineText(words.bytes.span), now: now)
    case .server(let refusal) where refusal.isLasting: return refused(refusal, now: now)
    case .server(let refusal): return wait(backOff.failed(), for: .server(refusal), now: now)
    }
  }

  /// Reports that the call of `.send` got no answer, for this reason of the transport. Returns the
  /// next step of all callers that wait.
  public mutating func connectionFailed(_ reason: InlineText, now: Instant) -> Step {
    guard !isRejected else { return .rejected }
    let delay = backOff.failed()
    return wait(
      isReplaced ? max(delay, Self.doubtedRetryDelay) : delay, for: .noConnection(reason), now: now)
  }

  /// Reports that the call of `.send` was not made: the next caller that needs a token makes it.
  public mutating func callNotMade() { if case .refreshing = state { state = .idle } }

  private mutating func refused(_ refusal: ServerRefusal, now: Instant) -> Step {
    var delay = refusal == .banned ? Self.longestRefusalDelay : refusals.failed()
    if isReplaced { delay = max(delay, Self.doubtedRetryDelay) }
    return wait(delay, for: .server(refusal), now: now)
  }

  private mutating func denied(_ words: InlineText, now: Instant) -> Step {
    // A login that is denied is known: it was not revoked.
    isReplaced = false
    denialCount += 1
    return wait(RejectedTokens.wait(after: denialCount), for: .denied(words), now: now)
  }

  private mutating func wait(_ delay: Duration, for problem: Problem, now: Instant) -> Step {
    state = .waiting(problem, until: now + delay)
    return .unavailable(problem, until: now + delay)
  }
}

extension AccessTokens.Problem {
  /// Reason that there is no token, in English, for a log and for `RequestError`.
  public var words: Text {
    switch self {
    case .noConnection(let words): Text(words.bytes)
    case .server(.banned):
      "Home Assistant refuses this address; is it in its ip_bans.yaml?"
    case .server(.forbidden):
      "Home Assistant, or a proxy before it, gives no access token from here"
    case .server(.untrustedProxy): "http.trusted_proxies of Home Assistant lacks its proxy"
    case .server(.notFound), .server(.unavailable):
      "Home Assistant is not available for an access token"
    case .server: "what answered for an access token is not Home Assistant"
    case .denied(let words):
      "Home Assistant denies this login from here: " + Text(words.bytes)
        + "; allow its user to log in from outside the local network, or use another user"
    }
  }
}
