import Bytes
import HomeAssistant

/// Where the agent's tokens come from: the file that the configuration names, or what pairing kept.
/// Of the latter access tokens are made, one for all who ask.
///
/// Invariants:
/// 1. No token is given before it is known which tokens were rejected.
/// 2. At most one renewal is under way, and none while tokens may not be sent.
/// 3. Each wish is answered once; a later wish of the same asker takes the place of an earlier one.
/// 4. A rejected credential is shown again only where the server that rejected it did not prove who
///    it is, and not before `RejectedTokens` allows it.
struct TokenSource {
  enum Answer: Equatable {
    case token([UInt8])
    case flaw(Enrollment.TokenFlaw)
    /// It is not known which tokens were rejected, or a rejection could not be kept.
    case stateNotUsable
  }

  enum Action {
    /// Tell `rejectedTokensRead`.
    case readRejectedTokens
    /// Tell `fileRead`.
    case readFile
    /// Tell `stateProbed`.
    case probeState
    /// Tell `renewed` or `renewalFailed`.
    indirect case renew(AuthCall)
    case cancelRenewal
    case keepRejection(fingerprint: [UInt8])
    /// The credential is good, whatever was kept of it.
    case forgetRejection(fingerprint: [UInt8])
    indirect case giveToRegistration(Answer)
    indirect case giveToWebSocket(TokenResult)
  }

  /// How far the wish of the registration has come.
  private enum Wish { case none, listing, reading, probing, renewing }

  private let credential: Credential?
  /// Whether the registration takes its token from a file.
  private let readsFile: Bool
  /// Whether the server proves who it is, so that it rejects for good.
  private let isServerKnown: Bool
  private let seed: UInt64
  /// Nil until it is known which tokens were rejected.
  private var tokens: AccessTokens?
  private(set) var rejected: RejectedTokens?
  private var isReadingList = false
  private var registration = Wish.none
  private var isWebSocketWaiting = false
  /// The token that Home Assistant refused over the WebSocket.
  private var refused: [UInt8]?
  private var isRenewing = false
  /// Whether tokens may be sent from where the board is.
  private var isAllowed: Bool
  /// In their order. Nothing of it happens in a steady cycle.
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

  /// Whether the credential was rejected.
  var isRejected: Bool { tokens?.isRejected == true }
  /// Whether the credential was rejected a while ago, by a server that did not prove who it is.
  func isRetryDue(now: Instant) -> Bool {
    guard isRejected, let credential, let rejected else { return false }
    return !rejected.contains(fingerprint: credential.fingerprint, now: now)
  }
  /// Whether there is a credential, and another token may be had from it.
  var mayGiveToken: Bool { credential != nil && !isRejected }

  // MARK: Wishes

  /// The registration needs a token.
  mutating func wantedByRegistration(now: Instant) {
    registration = .listing
    serve(now: now)
  }

  /// The registration does not wait any more.
  mutating func registrationEnded() { registration = .none }

  /// The WebSocket needs a token; `refused` is the one that Home Assistant did not accept.
  mutating func wantedByWebSocket(refused: [UInt8]?, now: Instant) {
    isWebSocketWaiting = true
    self.refused = refused
    guard isAllowed else { return giveToWebSocket(.unavailable(Self.withheld)) }
    serve(now: now)
  }

  private static let withheld: Text = "no token may be sent from here"

  /// The board came home or left.
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

  /// Home Assistant accepted the token over the WebSocket.
  mutating func accepted() {
    tokens?.tokenAccepted()
    if let credential { accepted(fingerprint: credential.fingerprint) }
  }

  /// Home Assistant accepted the token with this fingerprint.
  mutating func accepted(fingerprint: [UInt8]) {
    guard rejected?.remove(fingerprint: fingerprint) == true else { return }
    actions.append(.forgetRejection(fingerprint: fingerprint))
  }

  // MARK: What is found

  /// The tokens that were rejected; nil where they cannot be read.
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

  /// What the file holds.
  mutating func fileRead(_ token: Result<[UInt8], Enrollment.TokenFlaw>) {
    guard registration == .reading else { return }
    switch token {
    case .success(let token): giveToRegistration(.token(token))
    case .failure(let flaw): giveToRegistration(.flaw(flaw))
    }
  }

  /// Whether a rejection could be kept.
  mutating func stateProbed(_ isWritable: Bool, now: Instant) {
    guard registration == .probing else { return }
    guard isWritable else { return giveToRegistration(.stateNotUsable) }
    registration = .renewing
    if let step = tokens?.tokenWanted(now: now) { take(step, now: now) }
  }

  // MARK: The renewal

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
      // A refresh token that is rejected must be kept in mind.
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

  /// It is for all who wait.
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

  /// The registration's token was rejected: what the credential gives would be rejected as well.
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
