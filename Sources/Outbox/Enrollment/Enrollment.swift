public import Bytes
public import HomeAssistant

/// Gets a registration, with a token that is tried once.
///
/// Events go in; then `nextAction` is asked until it is nil. `deadlineReached` is due at
/// `deadline`.
///
/// Home Assistant counts rejected tokens and may ban the address for ever, webhooks included. So
/// the fingerprint of a rejected token is kept, also over a restart, and `RejectedTokens` says
/// whether and when it may be sent again.
///
/// Invariants:
/// 1. No token is given before the rejected ones were read, and none that they forbid.
/// 2. A token is given for one request, whose answer is awaited from then on.
/// 3. What is told comes in its order, before the action that is due, and is never dropped.
/// 4. An action that was not given yet is dropped where no token may be sent and where the state
///    directory cannot be used.
public struct Enrollment: Sendable {
  public static let firstRetryDelay: Duration = .seconds(5)
  public static let longestRetryDelay: Duration = .seconds(120)
  /// How often at least a file without a usable token is looked at again.
  public static let tokenCheckDelay: Duration = .seconds(60)
  /// A line that keeps starting cycles does not have the file read each time.
  public static let shortestTokenCheckDelay: Duration = .seconds(1)

  /// How long the agent waits where Home Assistant registers without a key, or does not like the
  /// request. Each attempt may leave one more device there.
  public static let refusalDelay: Duration = .seconds(3600)
  /// The waits after a refusal of the address, which may be that of a network or a proxy: they grow
  /// from the first to the longest, and there is an attempt a few times a day for ever.
  public static let firstRefusalDelay: Duration = .seconds(60)
  public static let longestRefusalDelay: Duration = .seconds(8 * 3600)

  public enum Action: Equatable, Sendable {
    /// Read the token and tell `tokenRead`.
    case readToken
    /// Send the registration with this token.
    case register(token: [UInt8])
    /// Tell people; a rejected token's fingerprint is to be kept.
    case tell(Problem)
  }

  /// Why there is no token.
  public enum TokenFlaw: Error, Equatable {
    case noFileNamed
    case unreadable(errno: Int32)
    case empty
    case tooLarge
    /// It holds something that no token has, such as a space or a second line.
    case notAToken
    /// It begins with U+FEFF, which an editor put there.
    case hasByteOrderMark
    /// What pairing kept was rejected; it is not sent again.
    case credentialRejected
    /// It may not go to Home Assistant from where the board is now: see `SecretRule`.
    case withheld
    /// What pairing kept did not bring an access token, for the time being.
    case notRenewed(AccessTokens.Problem)
  }

  public enum Problem: Equatable, Sendable {
    /// There is no token that could be sent.
    case noToken(TokenFlaw)
    /// Home Assistant, or what answers in its place, does not accept the token; `fingerprint` is to
    /// be kept.
    case tokenRejected(fingerprint: [UInt8])
    /// Held in a box: the other problems are small, and this is copied with them.
    indirect case noConnection(InlineText)
    case server(ServerRefusal)
    case requestRejected
    case withoutEncryption
  }

  private enum State {
    case waiting(until: Instant)
    /// For a person to change something on this board; looking again costs no request.
    case waitingForChange(until: Instant)
    case tokenDue
    case readingToken
    case registrationDue(token: [UInt8], fingerprint: [UInt8])
    case awaitingAnswer(fingerprint: [UInt8])
  }

  private var state: State
  private let acceptsPlain: Bool
  /// Whether the server proves who it is.
  private let isServerKnown: Bool
  /// Nil until they were read.
  private var rejected: RejectedTokens?
  private var backOff: BackOff
  private var refusalBackOff: BackOff
  /// What was told last: the same is not told twice.
  private var problem: Problem?
  private var tellings = Queue<Problem>()

  /// - Parameters:
  ///   - acceptsPlain: whether a registration without a key is one.
  ///   - isServerKnown: whether the server proves who it is, so that it rejects a token for good.
  ///   - seed: where the jitter of the waits starts.
  ///   - now: when the first attempt is due.
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

  /// What is to be done next; nil where nothing is until the next event.
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

  /// A cycle is due, and the board is awake: a person may have written a new token, or made room.
  public mutating func cycleDue(now: Instant) {
    guard case .waitingForChange(let until) = state,
      until - now <= Self.tokenCheckDelay - Self.shortestTokenCheckDelay
    else { return }
    state = .tokenDue
  }

  /// Whether `rejectedTokensRead` was told.
  public var knowsRejectedTokens: Bool { rejected != nil }

  /// The tokens that were rejected, as they were kept. It is told before the first token is read.
  public mutating func rejectedTokensRead(_ rejected: RejectedTokens) { self.rejected = rejected }

  /// The registration could not be kept, or the rejected tokens could not be read: none is made.
  public mutating func stateNotUsable(now: Instant) {
    state = .waitingForChange(until: now + Self.tokenCheckDelay)
  }

  /// No token may be sent from where the board is now, or may be any more. It is looked at again
  /// like a file that a person has to change: the board may come home.
  public mutating func tokenWithheld(now: Instant) {
    waitForToken(.noToken(.withheld), now: now)
  }

  /// The token was read, or cannot be used.
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

  /// That of the token whose answer is awaited.
  var shownFingerprint: [UInt8]? {
    guard case .awaitingAnswer(let fingerprint) = state else { return nil }
    return fingerprint
  }

  /// Returns the registration once there is one.
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
      // Each rejection makes the next wait longer, so each is told and kept.
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
  /// Whether it does not go away by itself, and not soon either.
  public var isLasting: Bool {
    switch self {
    case .noToken, .tokenRejected: true
    case .noConnection: false
    case .server(let refusal): refusal.isLasting
    case .withoutEncryption, .requestRejected: true
    }
  }
}
