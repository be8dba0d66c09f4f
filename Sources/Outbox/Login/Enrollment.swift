public import Bytes
public import HomeAssistant

/// State machine that gets a registration, with one attempt for each token.
///
/// The caller passes events and then calls `nextAction` until it is nil. `deadlineReached` is due
/// at `deadline`.
///
/// Home Assistant counts rejected tokens and may ban the address permanently, including webhooks.
/// So the fingerprint of a rejected token is stored, also across a restart, and `RejectedTokens`
/// decides whether and when it may be sent again.
///
/// Invariants:
/// 1. No token is used before the rejected ones are read, and no token that they forbid.
/// 2. A token is used for one request, whose answer is then awaited.
/// 3. Events come in their order, before the due action, and are never dropped.
/// 4. An action that was not returned yet is dropped if no token may be sent, or if the state
///    directory cannot be used.
public struct Enrollment: Sendable {
  public static let firstRetryDelay: Duration = .seconds(5)
  public static let longestRetryDelay: Duration = .seconds(120)
  /// Maximum interval for reading a file without a usable token again.
  public static let tokenCheckDelay: Duration = .seconds(60)
  /// Minimum interval of reading the file, for a line that often starts cycles.
  public static let shortestTokenCheckDelay: Duration = .seconds(1)

  /// Delay if Home Assistant registers without a key, or rejects the request. Each attempt may add
  /// a device there.
  public static let refusalDelay: Duration = .seconds(3600)
  /// Delays after the address was refused, possibly by a network or a proxy: they grow from the
  /// first to the longest, with a few attempts a day without an end.
  public static let firstRefusalDelay: Duration = .seconds(60)
  public static let longestRefusalDelay: Duration = .seconds(8 * 3600)

  public enum Action: Equatable, Sendable {
    /// Read the token, and report it to `tokenRead`.
    case readToken
    /// Send the registration with this token.
    case register(token: [UInt8])
    /// Report the problem to the user; the fingerprint of a rejected token must be stored.
    case tell(Problem)
  }

  /// Reason why there is no token.
  public enum TokenFlaw: Error, Equatable {
    case noFileNamed
    case unreadable(errno: Int32)
    case empty
    case tooLarge
    /// The file contains a character that no token has, such as a space or a line end.
    case notAToken
    /// The file begins with U+FEFF, which an editor inserted.
    case hasByteOrderMark
    /// The credential of the pairing was rejected; it is not sent again.
    case credentialRejected
    /// The token must not be sent from the present network: see `SecretRule`.
    case withheld
    /// The credential of the pairing brings no access token at present.
    case notRenewed(AccessTokens.Problem)
  }

  public enum Problem: Equatable, Sendable {
    /// There is no usable token.
    case noToken(TokenFlaw)
    /// Home Assistant, or a server in its place, rejected the token; `fingerprint` must be stored.
    case tokenRejected(fingerprint: [UInt8])
    /// The connection failed. Indirect: the other problems are small, and copies include this one.
    indirect case noConnection(InlineText)
    case server(ServerRefusal)
    case requestRejected
    case withoutEncryption
  }

  private enum State {
    case waiting(until: Instant)
    /// Waiting for a change by a person on this board; a check costs no request.
    case waitingForChange(until: Instant)
    case tokenDue
    case readingToken
    case registrationDue(token: [UInt8], fingerprint: [UInt8])
    case awaitingAnswer(fingerprint: [UInt8])
  }

  private var state: State
  private let acceptsPlain: Bool
  /// Whether the server proves its identity.
  private let isServerKnown: Bool
  /// Rejected tokens; nil until they are read.
  private var rejected: RejectedTokens?
  private var backOff: BackOff
  private var refusalBackOff: BackOff
  /// Last reported problem, which is not repeated.
  private var problem: Problem?
  private var tellings = Queue<Problem>()

  /// - Parameters:
  ///   - acceptsPlain: whether a registration without a key is accepted.
  ///   - isServerKnown: whether the server proves its identity, so that its rejection is permanent.
  ///   - seed: start of the jitter of the delays.
  ///   - now: time of the first attempt.
  public init(
    acceptsPlain: Bool = false, isServerKnown: Bool = false, seed: UInt64, now: Instant
  ) {
    self.acceptsPlain = acceptsPlain
    self.isServerKnown = isServerKnown
    refusalBackOff = BackOff(
      first: Self.firstRefusalDelay, longest: Self.longestRefusalDelay, seed: seed)
    backOff = BackOff(
      first: Self.firstRetryDelay, longest: Self.longestRetryDelay, seed: seed)
    state = .waiting(until: now)
  }

  public var deadline: Instant? {
    switch state {
    case .waiting(let until), .waitingForChange(let until): until
    case .tokenDue, .readingToken, .registrationDue, .awaitingAnswer: nil
    }
  }

  /// Returns the next action; nil until the next event.
  public mutating func nextAction() -> Action? {
    if let problem = tellings.takeFirst() { return .tell(problem) }
    switch state {
    case .tokenDue:
      state = .readingToken
      return .readToken
    case .registrationDue(let token, let fingerprint):
      state = .awaitingAnswer(fingerprint: fingerprint)
      return .register(token: token)
    case .waiting, .waitingForChange, .readingToken, .awaitingAnswer: return nil
    }
  }

  public mutating func deadlineReached(now: Instant) {
    if let deadline, now >= deadline { state = .tokenDue }
  }

  /// Checks the token again in a cycle: a person may have written a new token, or made room.
  public mutating func cycleDue(now: Instant) {
    guard case .waitingForChange(let until) = state,
      until - now <= Self.tokenCheckDelay - Self.shortestTokenCheckDelay
    else { return }
    state = .tokenDue
  }

  /// Stores the list of rejected tokens. Must be called before the first token is read.
  public mutating func rejectedTokensRead(_ rejected: RejectedTokens) { self.rejected = rejected }

  /// Handles an unusable state directory, which prevents a registration.
  public mutating func stateNotUsable(now: Instant) {
    state = .waitingForChange(until: now + Self.tokenCheckDelay)
  }

  /// Handles a network in which no token may be sent. It is checked again like a file that a person
  /// must change, because the board may come home.
  public mutating func tokenWithheld(now: Instant) {
    waitForToken(.noToken(.withheld), now: now)
  }

  /// Handles the token, or the reason of its absence.
  public mutating func tokenRead(_ result: Result<[UInt8], TokenFlaw>, now: Instant) {
    guard case .readingToken = state else { return }
    guard let rejected else { preconditionFailure("any token may be a rejected one") }
    let token: [UInt8]
    switch result {
    case .success(let read): token = read
    case .failure(let flaw):
      return waitForToken(.noToken(flaw), now: now)
    }
    let fingerprint = RejectedTokens.fingerprint(of: token)
    guard !rejected.contains(fingerprint: fingerprint, now: now) else {
      return waitForToken(.tokenRejected(fingerprint: fingerprint), now: now)
    }
    state = .registrationDue(token: token, fingerprint: fingerprint)
  }

  /// Fingerprint of the token in the present request.
  var shownFingerprint: [UInt8]? {
    guard case .awaitingAnswer(let fingerprint) = state else { return nil }
    return fingerprint
  }

  /// Handles the answer. Returns the registration if it was successful.
  public mutating func answerReceived(
    _ answer: RegistrationAnswer, now: Instant
  ) -> Registration? {
    guard case .awaitingAnswer(let fingerprint) = state else { return nil }
    let problem: Problem
    switch answer {
    case .registered(let registration): return registration
    case .withoutEncryption(let registration) where acceptsPlain: return registration
    case .tokenRejected:
      rejected?.insert(fingerprint: fingerprint, isForGood: isServerKnown, now: now)
      // Each rejection makes the next delay longer, so each is reported and stored.
      self.problem = nil
      waitForToken(.tokenRejected(fingerprint: fingerprint), now: now)
      return nil
    case .withoutEncryption: problem = .withoutEncryption
    case .requestRejected: problem = .requestRejected
    case .server(let refusal): problem = .server(refusal)
    }
    wait(delay(after: problem), for: problem, now: now)
    return nil
  }

  public mutating func connectionFailed(_ reason: InlineText, now: Instant) {
    guard case .awaitingAnswer = state else { return }
    wait(backOff.failed(), for: .noConnection(reason), now: now)
  }

  private mutating func delay(after problem: Problem) -> Duration {
    switch problem {
    case .withoutEncryption, .requestRejected: Self.refusalDelay
    case .server(let refusal) where refusal.isLasting: refusalBackOff.failed()
    default: backOff.failed()
    }
  }

  private mutating func waitForToken(_ problem: Problem, now: Instant) {
    state = .waitingForChange(until: now + Self.tokenCheckDelay)
    tell(problem)
  }

  private mutating func wait(_ delay: Duration, for problem: Problem, now: Instant) {
    state = .waiting(until: now + delay)
    tell(problem)
  }

  private mutating func tell(_ problem: Problem) {
    if problem != self.problem { tellings.append(problem) }
    self.problem = problem
  }
}

extension Enrollment.Problem {
  /// Whether the problem does not end soon without an action.
  public var isLasting: Bool {
    switch self {
    case .noToken, .tokenRejected: true
    case .noConnection: false
    case .server(let refusal): refusal.isLasting
    case .withoutEncryption, .requestRejected: true
    }
  }
}
