import Bytes
import HomeAssistant

/// Gets a missing registration, and the tokens for it and for the WebSocket.
///
/// A token comes from the file in the configuration, or from the credential of the pairing, which
/// also brings those of the WebSocket: see `AccessTokens`.
///
/// Home Assistant counts rejected tokens and may ban the address permanently, including webhooks.
/// So the fingerprint of a rejected token is stored, also across a restart, and `RejectedTokens`
/// decides whether and when it may be sent again.
///
/// Invariants:
/// 1. No token is sent if the rule for secrets does not allow it, or while the rejected tokens are
///    unknown.
/// 2. A registration, and a token for it, is requested only if the answer can be written to the
///    disk: otherwise each start would make a new registration, and Home Assistant would delete the
///    entities of the one before.
/// 3. A rejected token, and the credential of its origin, is sent again only if the rejecting
///    server did not prove its identity or gave no verdict on the token, and not before
///    `RejectedTokens` allows it. A denied one is also sent in another network.
/// 4. Each request for a token is answered once; a later one of the same asker replaces it.
/// 5. At most one call is in progress.
struct Login {
  enum Action {
    case readRejectedTokens
    case readTokenFile
    /// Make the call. If `ifWritable`, report `callNotMade` if its result could not be written.
    indirect case renew(AuthCall, ifWritable: Bool)
    /// Make the call, or report `callNotMade` if its result could not be written.
    case register(token: [UInt8])
    case cancelCall
    indirect case giveToWebSocket(TokenResult)
    case keep(rejectedFingerprint: [UInt8], isForGood: Bool)
    /// Delete a stored rejection: the credential is valid.
    case forget(rejectedFingerprint: [UInt8])
    indirect case registered(Registration)
    case failed(Enrollment.Problem)
    /// Report that the state directory cannot be used.
    case postponed
  }

  /// State of the registration.
  enum Registering: Equatable {
    /// There is a usable registration.
    case over
    case waiting(until: Instant)
    /// Waiting for a change by a person on this board, or for the board to come home; a check costs
    /// no request.
    case waitingForChange(until: Instant)
    case tokenDue
    case awaitingList
    case awaitingFile
    case awaitingRenewal
    case callDue(token: [UInt8])
    case callUnderWay(fingerprint: [UInt8])
    /// The new registration is in the actions.
    case answered
  }

  /// State of the WebSocket as an asker for a token.
  enum Connecting {
    case resting
    /// `refused` is a token that Home Assistant rejected over the WebSocket.
    case awaitingList(refused: RefusedToken?)
    case awaitingRenewal
  }

  /// Call that renews an access token, for all askers.
  enum Renewal {
    case none
    case due(AuthCall)
    case underWay(AuthCall)
  }

  let credential: Credential?
  /// Whether the registration uses a token from a file.
  let readsFile: Bool
  private let acceptsPlain: Bool
  /// Whether the server proves its identity, so that its verdict on a credential is final.
  let isServerKnown: Bool
  let tokenSeed: UInt64
  /// Whether tokens may be sent in the present network.
  var isAllowed: Bool
  var now: Instant
  /// Rejected tokens; nil until they are known.
  var rejected: RejectedTokens?
  /// Access tokens; nil without a credential, and until the rejected tokens are known.
  var tokens: AccessTokens?
  private var backOff: BackOff
  private var refusalBackOff: BackOff
  var registering = Registering.over
  var connecting = Connecting.resting
  var renewal = Renewal.none
  /// Problem of the last registration; nil after a success.
  private(set) var problem: Enrollment.Problem?
  /// Last reported problem of this registration, which is not repeated.
  private var told: Enrollment.Problem?
  /// Due actions in their order. A steady cycle has none.
  var actions: [Action] = []

  init(
    credential: Credential?, readsFile: Bool, acceptsPlain: Bool, isServerKnown: Bool,
    isAllowed: Bool, seed: UInt64, now: Instant
  ) {
    var random = SplitMix64(seed: seed)
    tokenSeed = random.next()
    let retrySeed = random.next()
    backOff = BackOff(
      first: Enrollment.firstRetryDelay, longest: Enrollment.longestRetryDelay, seed: retrySeed)
    refusalBackOff = BackOff(
      first: Enrollment.firstRefusalDelay, longest: Enrollment.longestRefusalDelay,
      seed: retrySeed)
    self.credential = credential
    self.readsFile = readsFile
    self.acceptsPlain = acceptsPlain
    self.isServerKnown = isServerKnown
    self.isAllowed = isAllowed
    self.now = now
  }

  // Inlined: a call would copy the login in each turn of the loop.

  @inline(__always)
  var isEnrolling: Bool { if case .over = registering { false } else { true } }

  @inline(__always)
  var deadline: Instant? {
    switch registering {
    case .waiting(let until), .waitingForChange(let until): until
    default: nil
    }
  }

  var isCredentialRejected: Bool { tokens?.isRejected == true }

  /// Whether a rejected credential may be sent again to a proven home: the server that rejected it
  /// did not prove its identity.
  func isRetryDue(now: Instant) -> Bool {
    guard isAllowed, isCredentialRejected, let credential, let rejected else { return false }
    return !rejected.contains(fingerprint: credential.fingerprint, now: now)
  }

  /// Whether the WebSocket may be connected with another token after a rejection.
  var mayReplaceToken: Bool { isAllowed && credential != nil && !isCredentialRejected }

  // MARK: Registration

  /// Begins a registration.
  mutating func registrationWanted(now: Instant) {
    self.now = now
    backOff.succeeded()
    refusalBackOff.succeeded()
    told = nil
    registering = .waiting(until: now)
  }

  /// Ends the registration, because there is one.
  mutating func registrationFound() { registering = .over }

  mutating func deadlineReached(now: Instant) {
    self.now = now
    if let deadline, now >= deadline { registering = .tokenDue }
  }

  /// Checks the token again in a cycle: a person may have written a new token, or made room.
  mutating func cycleDue(now: Instant) {
    self.now = now
    guard case .waitingForChange(let until) = registering,
      until - now <= Enrollment.tokenCheckDelay - Enrollment.shortestTokenCheckDelay
    else { return }
    registering = .tokenDue
  }

  private mutating func readToken() {
    guard isAllowed else { return tokenWithheld() }
    readList()
    registering = .awaitingList
    serve()
  }

  /// Handles the token, or the reason of its absence.
  mutating func tokenFound(_ token: Result<[UInt8], Enrollment.TokenFlaw>) {
    guard let rejected else { preconditionFailure("any token may be a rejected one") }
    switch token {
    case .failure(let flaw): waitForChange(.noToken(flaw))
    case .success(let token):
      let fingerprint = RejectedTokens.fingerprint(of: token)
      if let denial = tokens?.denial, credential?.fingerprint == fingerprint {
        waitForChange(.noToken(.notRenewed(denial)))
      } else if rejected.contains(fingerprint: fingerprint, now: now) {
        waitForChange(.tokenRejected(fingerprint: fingerprint))
      } else {
        registering = .callDue(token: token)
      }
    }
  }

  /// Handles a network in which no token may be sent. It is checked again like a file that a person
  /// must change, because the board may come home.
  private mutating func tokenWithheld() { waitForChange(.noToken(.withheld)) }

  /// Handles an unusable state directory, which prevents a registration.
  mutating func postpone() {
    if isEnrolling { registering = .waitingForChange(until: now + Enrollment.tokenCheckDelay) }
    actions.append(.postponed)
  }

  private mutating func waitForChange(_ problem: Enrollment.Problem) {
    registering = .waitingForChange(until: now + Enrollment.tokenCheckDelay)
    tell(problem)
  }

  private mutating func wait(_ delay: Duration, for problem: Enrollment.Problem) {
    registering = .waiting(until: now + delay)
    tell(problem)
  }

  private mutating func tell(_ problem: Enrollment.Problem) {
    guard problem != told else { return }
    told = problem
    self.problem = problem
    actions.append(.failed(problem))
    if case .tokenRejected(let fingerprint) = problem { tokenRejected(fingerprint) }
  }

  // MARK: Where tokens may be sent

  static let withheld: Text = "no token may be sent from here"

  /// Handles the board's arrival or departure: a call with a token ends if it is not allowed.
  mutating func presenceChanged(isAllowed: Bool, now: Instant) {
    self.now = now
    let wasAllowed = self.isAllowed
    self.isAllowed = isAllowed
    if isAllowed {
      // A denial ends in another network only.
      if !wasAllowed, tokens?.denial == nil { tokens?.networkChanged() }
      cycleDue(now: now)
    } else if wasAllowed {
      withhold()
    }
  }

  /// Handles a link that is back, or if `isOther`, another network: what was denied in the former
  /// one may be accepted.
  mutating func networkChanged(isOther: Bool, now: Instant) {
    self.now = now
    if tokens?.denial != nil {
      // A link that is back leads to the Home Assistant that counts each denial.
      guard isOther else { return }
      if let credential { forgetRejection(of: credential.fingerprint) }
    }
    tokens?.networkChanged()
    // A refusal keeps its delay.
    guard case .waiting(let until) = registering, case .noConnection? = problem else { return }
    backOff.succeeded()
    registering = .waiting(until: min(until, now + Enrollment.firstRetryDelay))
  }

  private mutating func withhold() {
    if isCallUnderWay { actions.append(.cancelCall) }
    if isRenewing {
      renewal = .none
      _ = tokens?.connectionFailed(InlineText("the board left the network"), now: now)
    }
    giveToWebSocket(.unavailable(Self.withheld))
    switch registering {
    case .over, .waiting, .waitingForChange, .answered: break
    default: tokenWithheld()
    }
  }

  // MARK: Calls

  var isRenewing: Bool { if case .none = renewal { false } else { true } }

  private var isCallUnderWay: Bool {
    if case .underWay = renewal { return true }
    if case .callUnderWay = registering { return true }
    return false
  }

  /// Returns the next call, if none is in progress. A renewal comes first, because the registration
  /// may need it.
  private mutating func nextCall() -> Action? {
    guard isAllowed, !isCallUnderWay else { return nil }
    if case .due(let call) = renewal {
      renewal = .underWay(call)
      return .renew(call, ifWritable: registering == .awaitingRenewal)
    }
    guard case .callDue(let token) = registering else { return nil }
    registering = .callUnderWay(fingerprint: RejectedTokens.fingerprint(of: token))
    return .register(token: token)
  }

  mutating func answered(_ head: AnswerHead, _ body: borrowing ByteBuffer, now: Instant) {
    self.now = now
    if case .underWay = renewal {
      renewal = .none
      if let step = tokens?.answerReceived(head, body: body.bytes, now: now) { take(step) }
    } else if case .callUnderWay(let fingerprint) = registering {
      registrationAnswered(RegistrationAnswer.read(head, body: body), to: fingerprint)
    }
  }

  /// Handles the answer to a registration with the token that has this fingerprint.
  mutating func registrationAnswered(_ answer: RegistrationAnswer, to fingerprint: [UInt8]) {
    switch answer {
    case .registered(let registration): registered(registration, with: fingerprint)
    case .withoutEncryption(let registration) where acceptsPlain:
      registered(registration, with: fingerprint)
    case .tokenRejected:
      // Each rejection makes the next delay longer, so each is reported and stored.
      told = nil
      waitForChange(.tokenRejected(fingerprint: fingerprint))
    case .withoutEncryption: wait(Enrollment.refusalDelay, for: .withoutEncryption)
    case .requestRejected: wait(Enrollment.refusalDelay, for: .requestRejected)
    case .server(let refusal):
      wait(
        refusal.isLasting ? refusalBackOff.failed() : backOff.failed(), for: .server(refusal))
    }
  }

  private mutating func registered(_ registration: Registration, with fingerprint: [UInt8]) {
    registering = .answered
    problem = nil
    actions.append(.registered(registration))
    forgetRejection(of: fingerprint)
  }

  mutating func connectionFailed(_ reason: InlineText, now: Instant) {
    self.now = now
    if case .underWay = renewal {
      renewal = .none
      if let step = tokens?.connectionFailed(reason, now: now) { take(step) }
    } else if case .callUnderWay = registering {
      wait(backOff.failed(), for: .noConnection(reason))
    }
  }

  /// Ends a call in transit whose answer cannot come; it counts as failed.
  mutating func connectionLost(_ reason: InlineText, now: Instant) {
    guard isCallUnderWay else { return }
    actions.append(.cancelCall)
    connectionFailed(reason, now: now)
  }

  /// Handles a call that was not made, because its result could not be written. The WebSocket needs
  /// no such check: writing worked when the rejected tokens were read.
  mutating func callNotMade(now: Instant) {
    self.now = now
    if case .underWay(let call) = renewal {
      if case .awaitingRenewal = connecting {
        renewal = .due(call)
      } else {
        renewal = .none
        tokens?.callNotMade()
      }
    }
    postpone()
  }

  // MARK: Actions

  mutating func nextAction() -> Action? {
    while actions.isEmpty {
      guard case .tokenDue = registering else { return nextCall() }
      readToken()
    }
    return actions.removeFirst()
  }
}
