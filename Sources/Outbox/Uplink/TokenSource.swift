import Bytes
import HomeAssistant

/// Source of the agent's tokens: the file in the configuration, or the credential of the pairing,
/// from which access tokens are made, one for all requesters.
///
/// Invariants:
/// 1. No token is returned before the rejected tokens are known.
/// 2. At most one renewal is in progress, and none while tokens must not be sent.
/// 3. Each request is answered once; a later request of the same requester replaces an earlier one.
/// 4. A rejected credential is sent again only if the rejecting server did not prove its identity,
///    and not before `RejectedTokens` allows it.
struct TokenSource {
  enum Answer: Equatable {
    case token([UInt8])
    case flaw(Enrollment.TokenFlaw)
    /// The rejected tokens are unknown, or a rejection could not be stored.
    case stateNotUsable
  }

  enum Action {
    /// Read the rejected tokens, and report to `rejectedTokensRead`.
    case readRejectedTokens
    /// Read the file, and report to `fileRead`.
    case readFile
    /// Check the state directory, and report to `stateProbed`.
    case probeState
    /// Send the renewal, and report to `renewed` or `renewalFailed`.
    indirect case renew(AuthCall)
    case cancelRenewal
    case keepRejection(fingerprint: [UInt8])
    /// Delete a stored rejection: the credential is valid.
    case forgetRejection(fingerprint: [UInt8])
    indirect case giveToRegistration(Answer)
    indirect case giveToWebSocket(TokenResult)
  }

  /// Progress of the registration's request.
  private enum Wish { case none, listing, reading, probing, renewing }

  private let credential: Credential?
  /// Whether the registration uses a token from a file.
  private let readsFile: Bool
  /// Whether the server proves its identity, so that its rejection is permanent.
  private let isServerKnown: Bool
  private let seed: UInt64
  /// Access tokens; nil until the rejected tokens are known.
  private var tokens: AccessTokens?
  private(set) var rejected: RejectedTokens?
  private var isReadingList = false
  private var registration = Wish.none
  private var isWebSocketWaiting = false
  /// Token that Home Assistant rejected over the WebSocket.
  private var refused: [UInt8]?
  private var isRenewing = false
  /// Whether tokens may be sent in the present network.
  private var isAllowed: Bool
  /// Due actions in their order. A steady cycle has none.
  private var actions: [Action] = []

  init(
    _ credential: Credential?, readsFile: Bool, isServerKnown: Bool, isAllowed: Bool, seed: UInt64
  ) {
    self.credential = credential
    self.readsFile = readsFile
    self.isServerKnown = isServerKnown
    self.isAllowed = isAllowed
    self.seed = seed
  }

  mutating func nextAction() -> Action? { actions.isEmpty ? nil : actions.removeFirst() }

  var isRejected: Bool { tokens?.isRejected == true }
  /// Whether a rejected credential may be tried again: its server did not prove its identity.
  func isRetryDue(now: Instant) -> Bool {
    guard isRejected, let credential, let rejected else { return false }
    return !rejected.contains(fingerprint: credential.fingerprint, now: now)
  }
  /// Whether there is a credential that may bring another token.
  var mayGiveToken: Bool { credential != nil && !isRejected }

  // MARK: Requests

  /// Requests a token for the registration.
  mutating func wantedByRegistration(now: Instant) {
    registration = .listing
    serve(now: now)
  }

  /// Cancels the registration's request.
  mutating func registrationEnded() { registration = .none }

  /// Requests a token for the WebSocket; `refused` is one that Home Assistant rejected.
  mutating func wantedByWebSocket(refused: [UInt8]?, now: Instant) {
    isWebSocketWaiting = true
    self.refused = refused
    guard isAllowed else { return giveToWebSocket(.unavailable(Self.withheld)) }
    serve(now: now)
  }

  private static let withheld: Text = "no token may be sent from here"

  /// Handles the board's arrival or departure.
  mutating func setAllowed(_ isAllowed: Bool, now: Instant) {
    guard isAllowed != self.isAllowed else { return }
    self.isAllowed = isAllowed
    if isAllowed {
      tokens?.networkChanged()
      return
    }
    if isRenewing {
      isRenewing = false
      actions.append(.cancelRenewal)
      _ = tokens?.connectionFailed(InlineText("the board left the network"), now: now)
    }
    if registration != .none { giveToRegistration(.flaw(.withheld)) }
    giveToWebSocket(.unavailable(Self.withheld))
  }

  /// Records that Home Assistant accepted the token over the WebSocket.
  mutating func accepted() {
    tokens?.tokenAccepted()
    if let credential { accepted(fingerprint: credential.fingerprint) }
  }

  /// Records that Home Assistant accepted the token with this fingerprint.
  mutating func accepted(fingerprint: [UInt8]) {
    guard rejected?.remove(fingerprint: fingerprint) == true else { return }
    actions.append(.forgetRejection(fingerprint: fingerprint))
  }

  // MARK: Results

  /// Handles the list of rejected tokens; nil if it cannot be read.
  mutating func rejectedTokensRead(_ rejected: RejectedTokens?, now: Instant) {
    isReadingList = false
    guard let rejected else {
      if registration != .none { giveToRegistration(.stateNotUsable) }
      return giveToWebSocket(.unavailable("the state directory cannot be used"))
    }
    self.rejected = rejected
    makeTokens(rejected, now: now)
    serve(now: now)
  }

  private mutating func makeTokens(_ rejected: RejectedTokens, now: Instant) {
    tokens = credential.map {
      AccessTokens(credential: $0, rejected: rejected, seed: seed, now: now)
    }
  }

  mutating func fileRead(_ token: Result<[UInt8], Enrollment.TokenFlaw>) {
    guard registration == .reading else { return }
    switch token {
    case .success(let token): giveToRegistration(.token(token))
    case .failure(let flaw): giveToRegistration(.flaw(flaw))
    }
  }

  /// Handles the check whether a rejection could be stored.
  mutating func stateProbed(_ isWritable: Bool, now: Instant) {
    guard registration == .probing else { return }
    guard isWritable else { return giveToRegistration(.stateNotUsable) }
    registration = .renewing
    if let step = tokens?.tokenWanted(now: now) { take(step, now: now) }
  }

  // MARK: Renewal

  mutating func renewed(_ head: AnswerHead, body: Span<UInt8>, now: Instant) {
    isRenewing = false
    if let step = tokens?.answerReceived(head, body: body, now: now) { take(step, now: now) }
  }

  mutating func renewalFailed(_ reason: InlineText, now: Instant) {
    isRenewing = false
    if let step = tokens?.connectionFailed(reason, now: now) { take(step, now: now) }
  }

  // MARK: Serving

  private mutating func serve(now: Instant) {
    guard let rejected else {
      if !isReadingList { actions.append(.readRejectedTokens) }
      isReadingList = true
      return
    }
    if isRetryDue(now: now) { makeTokens(rejected, now: now) }
    if registration == .listing { serveRegistration(now: now) }
    if isWebSocketWaiting { serveWebSocket(now: now) }
  }

  private mutating func serveRegistration(now: Instant) {
    if readsFile {
      registration = .reading
      actions.append(.readFile)
    } else if tokens == nil {
      giveToRegistration(.flaw(.noFileNamed))
    } else if isRejected {
      giveToRegistration(.flaw(.credentialRejected))
    } else {
      // A rejection of the refresh token must be stored, so check the disk first.
      registration = .probing
      actions.append(.probeState)
    }
  }

  private mutating func serveWebSocket(now: Instant) {
    guard tokens != nil else {
      return giveToWebSocket(.rejected("there is nothing to log in with"))
    }
    guard !isRejected else { return giveToWebSocket(.rejected(Self.refusedWords)) }
    let step =
      if let refused = refused.take() { tokens?.tokenRefused(refused, now: now) } else {
        tokens?.tokenWanted(now: now)
      }
    if let step { take(step, now: now) }
  }

  /// Answers all waiting requests.
  private mutating func take(_ step: AccessTokens.Step, now: Instant) {
    switch step {
    case .send(let call):
      isRenewing = true
      actions.append(.renew(call))
    case .wait: break
    case .use(let token):
      if registration == .renewing { giveToRegistration(.token(token)) }
      giveToWebSocket(.token(token))
    case .unavailable(let problem, _):
      if registration == .renewing { giveToRegistration(.flaw(.notRenewed(problem))) }
      giveToWebSocket(.unavailable(problem.words))
    case .rejected:
      keepRejection(now: now)
      if registration == .renewing { giveToRegistration(.flaw(.credentialRejected)) }
      giveToWebSocket(.rejected(Self.refusedWords))
    }
  }

  private static let refusedWords: Text = "the credential was refused; log in again"

  /// Records the rejection of the registration's token, and of all tokens of its credential.
  mutating func registrationTokenRejected(fingerprint: [UInt8], now: Instant) {
    insert(fingerprint, now: now)
    if !readsFile || credential?.fingerprint == fingerprint { keepRejection(now: now) }
  }

  private mutating func keepRejection(now: Instant) {
    guard let credential, rejected != nil else { return }
    insert(credential.fingerprint, now: now)
    if let rejected { makeTokens(rejected, now: now) }
    actions.append(.keepRejection(fingerprint: credential.fingerprint))
  }

  private mutating func insert(_ fingerprint: [UInt8], now: Instant) {
    rejected?.insert(fingerprint: fingerprint, isForGood: isServerKnown, now: now)
  }

  private mutating func giveToRegistration(_ answer: Answer) {
    registration = .none
    actions.append(.giveToRegistration(answer))
  }

  private mutating func giveToWebSocket(_ result: TokenResult) {
    guard isWebSocketWaiting else { return }
    isWebSocketWaiting = false
    actions.append(.giveToWebSocket(result))
  }
}
