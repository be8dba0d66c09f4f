import Bytes
import HomeAssistant

/// Gets a missing registration, and the tokens for it and for the WebSocket.
///
/// Invariants:
/// 1. No token is sent if the rule for secrets does not allow it, or while the rejected tokens are
///    unknown.
/// 2. A registration is requested only if it could be written to the disk: otherwise each start
///    would make a new one, and Home Assistant would delete the entities of the one before.
/// 3. A rejected token, and the credential of its origin, is sent again only if `RejectedTokens`
///    allows it.
struct Registrar {
  enum Action {
    case readRejectedTokens
    case readTokenFile
    /// Check whether the state directory can be written, and report to `stateProbed`.
    case probeState
    case send(Uplink.Call)
    case cancel
    case keepRejection(fingerprint: [UInt8])
    case forgetRejection(fingerprint: [UInt8])
    indirect case giveToWebSocket(TokenResult)
    indirect case registered(Registration)
    case failed(Enrollment.Problem)
    /// Report that the state directory cannot be used.
    case postponed
  }

  private enum Probing {
    case none
    case forToken
    case forRegistration(token: [UInt8])
  }

  private let acceptsPlain: Bool
  private let isServerKnown: Bool
  /// Enrollment; nil while there is a usable registration.
  private var enrollment: Enrollment?
  private var tokens: TokenSource
  private var channel = LoginChannel()
  private var probing = Probing.none
  private var isAllowed: Bool
  private var made: Registration?
  private var isPostponed = false
  private var random: SplitMix64
  private var now: Instant
  /// Problem of the last attempt; nil after a success.
  private(set) var problem: Enrollment.Problem?

  init(
    credential: Credential?, readsFile: Bool, acceptsPlain: Bool, isServerKnown: Bool,
    isAllowed: Bool, seed: UInt64, now: Instant
  ) {
    var random = SplitMix64(seed: seed)
    tokens = TokenSource(
      credential, readsFile: readsFile, isServerKnown: isServerKnown, isAllowed: isAllowed,
      seed: random.next())
    self.random = random
    self.acceptsPlain = acceptsPlain
    self.isServerKnown = isServerKnown
    self.isAllowed = isAllowed
    self.now = now
  }

  var isEnrolling: Bool { enrollment != nil }

  var deadline: Instant? { enrollment?.deadline }

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
    probing = .none
    tokens.registrationEnded()
  }

  mutating func deadlineReached(now: Instant) {
    self.now = now
    enrollment?.deadlineReached(now: now)
  }

  mutating func cycleDue(now: Instant) {
    self.now = now
    enrollment?.cycleDue(now: now)
  }

  /// Handles the board's arrival or departure: a request with a token ends if it is not allowed.
  mutating func presenceChanged(isAllowed: Bool, now: Instant) {
    self.now = now
    self.isAllowed = isAllowed
    tokens.setAllowed(isAllowed, now: now)
    if isAllowed { return cycleDue(now: now) }
    guard let isUnderWay = channel.cancel(.registration) else { return }
    isCancelling = isUnderWay
    enrollment?.tokenWithheld(now: now)
  }

  /// Whether a request must be ended before another one begins.
  private var isCancelling = false

  /// Handles the check whether the state directory can be written.
  mutating func stateProbed(_ isWritable: Bool, now: Instant) {
    self.now = now
    let purpose = probing
    probing = .none
    switch purpose {
    case .none: break
    case .forToken: tokens.stateProbed(isWritable, now: now)
    case .forRegistration(let token):
      if isWritable { channel.register(with: token) } else { postpone() }
    }
  }

  private mutating func postpone() {
    enrollment?.stateNotUsable(now: now)
    isPostponed = true
  }

  // MARK: Tokens

  mutating func rejectedTokensRead(_ rejected: RejectedTokens?, now: Instant) {
    self.now = now
    tokens.rejectedTokensRead(rejected, now: now)
  }

  mutating func tokenFileRead(_ token: Result<[UInt8], Enrollment.TokenFlaw>) {
    tokens.fileRead(token)
  }

  mutating func webSocketWantsToken(refused: [UInt8]?, now: Instant) {
    self.now = now
    tokens.wantedByWebSocket(refused: refused, now: now)
  }

  /// Records that Home Assistant accepted the WebSocket's token.
  mutating func webSocketAccepted() { tokens.accepted() }

  var isCredentialRejected: Bool { tokens.isRejected }

  /// Whether a rejected credential may be sent again to a proven home.
  func isLoginRetryDue(now: Instant) -> Bool { isAllowed && tokens.isRetryDue(now: now) }

  /// Whether the WebSocket may be connected with another token after a rejection.
  var mayReplaceToken: Bool { isAllowed && tokens.mayGiveToken }

  // MARK: Answers

  mutating func answered(_ head: AnswerHead, _ body: borrowing ByteBuffer, now: Instant) {
    self.now = now
    switch channel.ended() {
    case nil: break
    case .renewal: tokens.renewed(head, body: body.bytes, now: now)
    case .registration:
      let fingerprint = enrollment?.shownFingerprint
      made = enrollment?.answerReceived(RegistrationAnswer.read(head, body: body), now: now)
      if made != nil, let fingerprint { tokens.accepted(fingerprint: fingerprint) }
    }
  }

  mutating func connectionFailed(_ reason: InlineText, now: Instant) {
    self.now = now
    switch channel.ended() {
    case nil: break
    case .renewal: tokens.renewalFailed(reason, now: now)
    case .registration: enrollment?.connectionFailed(reason, now: now)
    }
  }

  // MARK: Actions

  mutating func nextAction() -> Action? {
    while true {
      if isCancelling {
        isCancelling = false
        return .cancel
      }
      if let registration = made.take() {
        problem = nil
        return .registered(registration)
      }
      if isPostponed {
        isPostponed = false
        return .postponed
      }
      if let action = tokens.nextAction() {
        if let action = perform(action) { return action }
        continue
      }
      if let action = enrollment?.nextAction() {
        if let action = perform(action) { return action }
        continue
      }
      return isAllowed ? channel.nextCall().map { .send($0) } : nil
    }
  }

  private mutating func perform(_ action: TokenSource.Action) -> Action? {
    switch action {
    case .readRejectedTokens: return .readRejectedTokens
    case .readFile: return .readTokenFile
    case .probeState:
      probing = .forToken
      return .probeState
    case .renew(let call): channel.renew(call)
    case .cancelRenewal: return channel.cancel(.renewal) == true ? .cancel : nil
    case .keepRejection(let fingerprint): return .keepRejection(fingerprint: fingerprint)
    case .forgetRejection(let fingerprint): return .forgetRejection(fingerprint: fingerprint)
    case .giveToWebSocket(let result): return .giveToWebSocket(result)
    case .giveToRegistration(.stateNotUsable): postpone()
    case .giveToRegistration(.flaw(.withheld)): enrollment?.tokenWithheld(now: now)
    case .giveToRegistration(.flaw(let flaw)): tokenFound(.failure(flaw))
    case .giveToRegistration(.token(let token)): tokenFound(.success(token))
    }
    return nil
  }

  private mutating func tokenFound(_ token: Result<[UInt8], Enrollment.TokenFlaw>) {
    guard let rejected = tokens.rejected else { return }
    enrollment?.rejectedTokensRead(rejected)
    enrollment?.tokenRead(token, now: now)
  }

  private mutating func perform(_ action: Enrollment.Action) -> Action? {
    switch action {
    case .tell(let problem):
      if case .tokenRejected(let fingerprint) = problem {
        tokens.registrationTokenRejected(fingerprint: fingerprint, now: now)
      }
      self.problem = problem
      return .failed(problem)
    case .readToken where isAllowed: tokens.wantedByRegistration(now: now)
    case .register(let token) where isAllowed:
      probing = .forRegistration(token: token)
      return .probeState
    case .readToken, .register: enrollment?.tokenWithheld(now: now)
    }
    return nil
  }
}
