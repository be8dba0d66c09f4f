import Bytes
import HomeAssistant

// Tokens for the registration and for the WebSocket.

extension Login {
  // MARK: WebSocket

  /// Requests a token for the WebSocket; `refused` is one that Home Assistant rejected.
  mutating func webSocketWantsToken(refused: RefusedToken?, now: Instant) {
    self.now = now
    guard isAllowed else { return actions.append(.giveToWebSocket(.unavailable(Self.withheld))) }
    readList()
    connecting = .awaitingList(refused: refused)
    serve()
  }

  /// Records that Home Assistant accepted the WebSocket's token.
  mutating func webSocketAccepted() {
    tokens?.tokenAccepted()
    if let credential { forgetRejection(of: credential.fingerprint) }
  }

  mutating func giveToWebSocket(_ result: TokenResult) {
    if case .resting = connecting { return }
    connecting = .resting
    actions.append(.giveToWebSocket(result))
  }

  // MARK: Rejected tokens

  /// Reads the list, unless it is known, or awaited by an asker.
  mutating func readList() {
    guard rejected == nil, registering != .awaitingList else { return }
    if case .awaitingList = connecting { return }
    actions.append(.readRejectedTokens)
  }

  /// Handles the list of rejected tokens; nil if it cannot be read.
  mutating func rejectedTokensRead(_ rejected: RejectedTokens?, now: Instant) {
    self.now = now
    guard let rejected else {
      if registering == .awaitingList { postpone() }
      return giveToWebSocket(.unavailable("the state directory cannot be used"))
    }
    self.rejected = rejected
    makeTokens(rejected)
    serve()
  }

  private mutating func makeTokens(_ rejected: RejectedTokens) {
    tokens = credential.map {
      AccessTokens(credential: $0, rejected: rejected, seed: tokenSeed, now: now)
    }
  }

  /// Records the rejection of the registration's token, and of all tokens of its credential. It is
  /// not final: Home Assistant answers 401 also if the user may not log in from here.
  mutating func tokenRejected(_ fingerprint: [UInt8]) {
    insert(fingerprint, isForGood: false)
    if !readsFile || credential?.fingerprint == fingerprint {
      credentialRejected(isForGood: false)
    }
  }

  private mutating func credentialRejected(isForGood: Bool) {
    keepRejection(isForGood: isForGood)
    guard let rejected else { return }
    makeTokens(rejected)
    if case .due = renewal {
      renewal = .none
      giveToWebSocket(.rejected(Self.rejectedWords))
    }
  }

  /// Stores the rejection or the denial of the credential.
  private mutating func keepRejection(isForGood: Bool) {
    guard let credential else { return }
    insert(credential.fingerprint, isForGood: isForGood)
    actions.append(
      .keep(rejectedFingerprint: credential.fingerprint, isForGood: isForGood))
  }

  private mutating func insert(_ fingerprint: [UInt8], isForGood: Bool) {
    rejected?.insert(fingerprint: fingerprint, isForGood: isForGood, now: now)
  }

  mutating func forgetRejection(of fingerprint: [UInt8]) {
    guard rejected?.remove(fingerprint: fingerprint) == true else { return }
    actions.append(.forget(rejectedFingerprint: fingerprint))
  }

  // MARK: Tokens

  /// Serves the askers that wait for the list.
  mutating func serve() {
    guard let rejected else { return }
    if isRetryDue(now: now) { makeTokens(rejected) }
    // What was refused to the WebSocket is not sent with the registration.
    if case .awaitingList(let refused) = connecting { serveWebSocket(refused: refused) }
    if registering == .awaitingList { serveRegistration() }
  }

  private mutating func serveRegistration() {
    guard !readsFile else {
      registering = .awaitingFile
      return actions.append(.readTokenFile)
    }
    guard tokens != nil else { return tokenFound(.failure(.noFileNamed)) }
    guard !isCredentialRejected else { return tokenFound(.failure(.credentialRejected)) }
    registering = .awaitingRenewal
    if let step = tokens?.tokenWanted(now: now) { take(step) }
  }

  mutating func tokenFileRead(_ token: Result<[UInt8], Enrollment.TokenFlaw>) {
    if registering == .awaitingFile { tokenFound(token) }
  }

  private static let rejectedWords: Text = "the credential was refused; log in again"

  private mutating func serveWebSocket(refused: RefusedToken?) {
    guard tokens != nil else {
      return giveToWebSocket(.rejected("there is nothing to log in with"))
    }
    guard !isCredentialRejected else { return giveToWebSocket(.rejected(Self.rejectedWords)) }
    connecting = .awaitingRenewal
    let step =
      if let refused { tokens?.tokenRefused(refused, now: now) } else {
        tokens?.tokenWanted(now: now)
      }
    if let step { take(step) }
  }

  mutating func take(_ step: AccessTokens.Step) {
    switch step {
    case .send(let call): if !isRenewing { renewal = .due(call) }
    case .wait: break
    case .use(let token): answerAskers(.success(token), .token(token))
    case .unavailable(let problem, _):
      if case .denied = problem { denied() }
      answerAskers(.failure(.notRenewed(problem)), .unavailable(problem.words))
    case .rejected:
      credentialRejected(isForGood: isServerKnown && tokens?.isRejectionFinal == true)
      answerAskers(.failure(.credentialRejected), .rejected(Self.rejectedWords))
    }
  }

  /// Stores a denial once, so that it holds after a restart, too.
  private mutating func denied() {
    guard let credential, let rejected,
      !rejected.contains(fingerprint: credential.fingerprint, now: now)
    else { return }
    keepRejection(isForGood: false)
  }

  private mutating func answerAskers(
    _ token: Result<[UInt8], Enrollment.TokenFlaw>, _ result: TokenResult
  ) {
    if case .awaitingRenewal = connecting { giveToWebSocket(result) }
    if registering == .awaitingRenewal { tokenFound(token) }
  }
}
