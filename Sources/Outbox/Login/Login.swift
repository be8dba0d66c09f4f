import Bytes
import HomeAssistant

/// Gets a missing registration, and the tokens for it and for the WebSocket.
///
/// A token comes from the file in the configuration, or from the credential of the pairing, which
/// also brings those of the WebSocket: see `AccessTokens`.
///
/// Invariants:
/// 1. No token is sent if the rule for secrets does not allow it, or while the rejected tokens are
///    unknown.
/// 2. A registration, and a token for it, is requested only if the answer can be written to the
///    disk: otherwise each start would make a new registration, and Home Assistant would delete the
///    entities of the one before.
/// 3. A rejected token, and the credential of its origin, is sent again only if the rejecting
///    server did not prove its identity, and not before `RejectedTokens` allows it.
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
    case keep(rejectedFingerprint: [UInt8])
    /// Delete a stored rejection: the credential is valid.
    case forget(rejectedFingerprint: [UInt8])
    indirect case registered(Registration)
    case failed(Enrollment.Problem)
    /// Report that the state directory cannot be used.
    case postponed
  }

  /// State of the registration as an asker for a token.
  enum Registering: Equatable {
    case resting
    case awaitingList
    case awaitingFile
    case awaitingRenewal
    case callDue(token: [UInt8])
    case callUnderWay
  }

  /// State of the WebSocket as an asker for a token.
  enum Connecting {
    case resting
    /// `refused` is a token that Home Assistant rejected over the WebSocket.
    case awaitingList(refused: [UInt8]?)
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
  /// Whether the server proves its identity, so that its rejection is permanent.
  let isServerKnown: Bool
  let tokenSeed: UInt64
  private var random: SplitMix64
  /// Whether tokens may be sent in the present network.
  var isAllowed: Bool
  var now: Instant
  /// Rejected tokens; nil until they are known.
  var rejected: RejectedTokens?
  /// Access tokens; nil without a credential, and until the rejected tokens are known.
  var tokens: AccessTokens?
  /// Enrollment; nil while there is a usable registration.
  private var enrollment: Enrollment?
  var registering = Registering.resting
  var connecting = Connecting.resting
  var renewal = Renewal.none
  /// Problem of the last enrollment; nil after a success.
  private(set) var problem: Enrollment.Problem?
  /// Due actions in their order. A steady cycle has none.
  var actions: [Action] = []

  init(
    credential: Credential?, readsFile: Bool, acceptsPlain: Bool, isServerKnown: Bool,
    isAllowed: Bool, seed: UInt64, now: Instant
  ) {
    random = SplitMix64(seed: seed)
    tokenSeed = random.next()
    self.credential = credential
    self.readsFile = readsFile
    self.acceptsPlain = acceptsPlain
    self.isServerKnown = isServerKnown
    self.isAllowed = isAllowed
    self.now = now
  }

  var isEnrolling: Bool { enrollment != nil }

  var deadline: Instant? { enrollment?.deadline }

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

  /// Begins an enrollment.
  mutating func registrationWanted(now: Instant) {
    self.now = now
    enrollment = Enrollment(
      acceptsPlain: acceptsPlain, isServerKnown: isServerKnown, seed: random.next(), now: now)
  }

  /// Ends the enrollment, because there is a registration.
  mutating func registrationFound() {
    enrollment = nil
    registering = .resting
  }

  mutating func deadlineReached(now: Instant) {
    self.now = now
    enrollment?.deadlineReached(now: now)
  }

  mutating func cycleDue(now: Instant) {
    self.now = now
    enrollment?.cycleDue(now: now)
  }

  private mutating func perform(_ action: Enrollment.Action) -> Action? {
    switch action {
    case .tell(let problem):
      if case .tokenRejected(let fingerprint) = problem { tokenRejected(fingerprint) }
      self.problem = problem
      return .failed(problem)
    case .readToken where isAllowed:
      readList()
      registering = .awaitingList
      serve()
    case .register(let token) where isAllowed: registering = .callDue(token: token)
    case .readToken, .register: enrollment?.tokenWithheld(now: now)
    }
    return nil
  }

  mutating func tokenFound(_ token: Result<[UInt8], Enrollment.TokenFlaw>) {
    registering = .resting
    guard let rejected else { return }
    enrollment?.rejectedTokensRead(rejected)
    enrollment?.tokenRead(token, now: now)
  }

  mutating func postpone() {
    registering = .resting
    enrollment?.stateNotUsable(now: now)
    actions.append(.postponed)
  }

  // MARK: Where tokens may be sent

  static let withheld: Text = "no token may be sent from here"

  /// Handles the board's arrival or departure: a call with a token ends if it is not allowed.
  mutating func presenceChanged(isAllowed: Bool, now: Instant) {
    self.now = now
    let wasAllowed = self.isAllowed
    self.isAllowed = isAllowed
    if isAllowed {
      if !wasAllowed { tokens?.networkChanged() }
      enrollment?.cycleDue(now: now)
    } else if wasAllowed {
      withhold()
    }
  }

  private mutating func withhold() {
    if isCallUnderWay { actions.append(.cancelCall) }
    if isRenewing {
      renewal = .none
      _ = tokens?.connectionFailed(InlineText("the board left the network"), now: now)
    }
    if registering != .resting {
      registering = .resting
      enrollment?.tokenWithheld(now: now)
    }
    giveToWebSocket(.unavailable(Self.withheld))
  }

  // MARK: Calls

  var isRenewing: Bool { if case .none = renewal { false } else { true } }

  private var isCallUnderWay: Bool {
    if case .underWay = renewal { true } else { registering == .callUnderWay }
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
    registering = .callUnderWay
    return .register(token: token)
  }

  mutating func answered(_ head: AnswerHead, _ body: borrowing ByteBuffer, now: Instant) {
    self.now = now
    if case .underWay = renewal {
      renewal = .none
      if let step = tokens?.answerReceived(head, body: body.bytes, now: now) { take(step) }
    } else if registering == .callUnderWay {
      registering = .resting
      registrationAnswered(RegistrationAnswer.read(head, body: body))
    }
  }

  private mutating func registrationAnswered(_ answer: RegistrationAnswer) {
    let fingerprint = enrollment?.shownFingerprint
    guard let made = enrollment?.answerReceived(answer, now: now) else { return }
    problem = nil
    actions.append(.registered(made))
    if let fingerprint { accepted(fingerprint: fingerprint) }
  }

  mutating func connectionFailed(_ reason: InlineText, now: Instant) {
    self.now = now
    if case .underWay = renewal {
      renewal = .none
      if let step = tokens?.connectionFailed(reason, now: now) { take(step) }
    } else if registering == .callUnderWay {
      registering = .resting
      enrollment?.connectionFailed(reason, now: now)
    }
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
      guard let action = enrollment?.nextAction() else { return nextCall() }
      if let action = perform(action) { return action }
    }
    return actions.removeFirst()
  }
}
