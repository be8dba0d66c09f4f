public import Bytes

/// Keeps the access token that goes with every call: gets it with the refresh token, for several
/// askers at a time with one call, and gets the next before it ends.
///
/// A rejected credential is never sent again: Home Assistant counts rejections and may ban the
/// address. An access token is wanted when something is to be said, so nothing here waits for a
/// deadline, and a board that sleeps is not woken for it.
public struct AccessTokens: Sendable {
  /// So long before its end an access token is no longer given away.
  public static let renewalMargin: Duration = .seconds(60)
  /// From a call that failed to the next, the first time; then it doubles, with jitter.
  public static let firstRetryDelay: Duration = .seconds(5)
  /// The longest wait from a call that failed to the next.
  public static let longestRetryDelay: Duration = .seconds(120)
  /// The shortest wait after a call without an answer, where an access token was refused and none
  /// was accepted since: the credential may be revoked, and Home Assistant counts each call with it
  /// whether or not its answer is heard.
  public static let doubtedRetryDelay: Duration = .seconds(600)
  /// After what only a person can mend, such as the login of a proxy, the first time; then it
  /// doubles, with jitter.
  static let firstRefusalDelay: Duration = .seconds(60)
  /// The longest of these, and that after a ban.
  public static let longestRefusalDelay: Duration = .seconds(3600)

  /// What an asker does.
  public enum Step: Equatable, Sendable {
    /// Use this access token.
    case use([UInt8])
    /// Make this call, and tell `answerReceived` or `connectionFailed`. What that returns is for
    /// all who asked meanwhile.
    case send(AuthCall)
    /// The call is on its way already.
    case wait
    /// There is none now. The credential is not sent before `until`.
    case unavailable(Problem, until: Instant)
    /// Not until a person logs in again; the fingerprint of the credential is to be kept.
    case rejected
  }

  /// Why there is no access token now.
  public enum Problem: Error, Equatable, Sendable {
    /// Held in a box: the other problems are small, and this is copied with them.
    indirect case noConnection(InlineText)
    /// An answer that says nothing about the credential.
    case server(ServerRefusal)
  }

  private enum State {
    case idle
    case refreshing
    case waiting(Problem, until: Instant)
    case rejected
  }

  /// What access tokens are got with.
  public let credential: Credential
  private var state = State.idle
  private var current: AccessToken?
  /// The refused token was replaced, and no token has been accepted since.
  private var isReplaced = false
  private var backOff: BackOff
  /// Of refusals that say nothing of the token, such as the login of a proxy.
  private var refusals: BackOff

  /// - Parameters:
  ///   - credential: to get access tokens with.
  ///   - current: the access token that the login brought, or nil.
  ///   - rejected: the tokens that were rejected, as they were kept.
  ///   - seed: where the jitter of the waits starts.
  ///   - now: when that is asked of `rejected`.
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
    if rejected.contains(fingerprint: credential.fingerprint, now: now) { state = .rejected }
  }

  /// The session or a call needs an access token.
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

  /// The server did not accept `token` (`auth_invalid`, 401), and its asker needs another one.
  ///
  /// A refresh token is good for one more. Where that is not accepted either, or the token was a
  /// long-lived one, the credential is rejected.
  public mutating func tokenRefused(_ token: [UInt8], now: Instant) -> Step {
    guard case .refreshToken = credential else {
      state = .rejected
      return .rejected
    }
    if let current, current.bytes.span.elementsEqual(token.span) {
      self.current = nil
      guard !isReplaced else {
        state = .rejected
        return .rejected
      }
      isReplaced = true
    }
    return tokenWanted(now: now)
  }

  /// Whether the credential was rejected; its fingerprint is to be kept then.
  public var isRejected: Bool { if case .rejected = state { true } else { false } }

  /// The server accepted the token that was given last.
  public mutating func tokenAccepted() { isReplaced = false }

  /// The network is another one: a call that failed may work now.
  public mutating func networkChanged() {
    backOff.succeeded()
    guard case .waiting(let problem, _) = state, !isReplaced else { return }
    // Which a person lifts, on the server.
    if problem != .server(.banned) { state = .idle }
  }

  /// The call of `.send` was answered.
  ///
  /// - Parameters:
  ///   - head: of the answer.
  ///   - body: as it came.
  ///   - now: the moment of now.
  /// - Returns: the step for all who asked meanwhile.
  public mutating func answerReceived(_ head: AnswerHead, body: Span<UInt8>, now: Instant) -> Step {
    // A token was refused for the second time while the call was under way.
    guard !isRejected else { return .rejected }
    switch TokenAnswer.read(head, body: body, now: now) {
    case .granted(let token, _):
      state = .idle
      current = token
      backOff.succeeded()
      refusals.succeeded()
      return .use(token.bytes)
    case .rejected:
      state = .rejected
      return .rejected
    case .denied:
      return refused(.forbidden(status: head.status), now: now)
    case .server(let refusal) where refusal.isLasting: return refused(refusal, now: now)
    case .server(let refusal): return wait(backOff.failed(), for: .server(refusal), now: now)
    }
  }

  /// The call of `.send` got no answer.
  ///
  /// - Parameters:
  ///   - reason: in the transport's words.
  ///   - now: the moment of now.
  /// - Returns: the step for all who asked meanwhile.
  public mutating func connectionFailed(_ reason: InlineText, now: Instant) -> Step {
    guard !isRejected else { return .rejected }
    let delay = backOff.failed()
    return wait(
      isReplaced ? max(delay, Self.doubtedRetryDelay) : delay, for: .noConnection(reason), now: now)
  }

  private mutating func refused(_ refusal: ServerRefusal, now: Instant) -> Step {
    var delay = refusal == .banned ? Self.longestRefusalDelay : refusals.failed()
    if isReplaced { delay = max(delay, Self.doubtedRetryDelay) }
    return wait(delay, for: .server(refusal), now: now)
  }

  private mutating func wait(_ delay: Duration, for problem: Problem, now: Instant) -> Step {
    state = .waiting(problem, until: now + delay)
    return .unavailable(problem, until: now + delay)
  }
}

extension AccessTokens.Problem {
  /// Why there is no token, in English, for a log and for `RequestError`.
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
    }
  }
}
