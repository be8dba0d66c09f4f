import Bytes
import HomeAssistant
import LinuxIO

/// Receiver of the results of calls and token requests.
protocol CallQueueOwner: AnyObject {
  func tokenFetched(_ result: TokenResult)
  func callAnswered(
    _ id: RequestID, status: Int, mediaType: InlineText, body: borrowing ByteBuffer)
  func callFailed(_ id: RequestID, _ error: RequestError)
}

/// Sends calls to the REST API one after the other over one connection, each with an access token,
/// which it renews in between if necessary. It repeats a call only if the server rejected the
/// token: after any other failure the call may have had its effect.
///
/// Home Assistant answers a bad token and a user without the right in the same words. So before a
/// refused call rejects the credential, the token is tested with a call that every user may make.
@safe final class CallQueue {
  /// Maximum size of an answer: all states of a large home.
  static let responseByteCountMax = 16 << 20
  static let requestByteCountMax = 4 << 20

  /// Present use of the HTTP client.
  private enum Errand {
    case none
    case refresh
    case call(HTTPCall, token: [UInt8])
    /// Test of the token with which the server refused the call.
    case test(HTTPCall, token: [UInt8])
    /// The owner reads the last answer, so the buffer is not free for the next one.
    case reading
  }

  private let address: [UInt8]
  private let http: HTTPClient
  private var tokens: AccessTokens
  private var errand = Errand.none
  private var waiting: [HTTPCall] = []
  /// Token request to send before all waiting calls.
  private var wantedRefresh: AuthCall?
  private var isTokenWanted = false
  unowned(unsafe) var owner: (any CallQueueOwner)?

  init?(
    address: [UInt8], tokens: AccessTokens, settings: TransportSettings, loop: EventLoop,
    userAgent: [UInt8]
  ) {
    guard
      let http = HTTPClient(
        loop: loop, settings: settings, requestByteCountMax: Self.requestByteCountMax,
        responseByteCountMax: Self.responseByteCountMax, userAgent: userAgent)
    else { return nil }
    self.address = address
    self.tokens = tokens
    self.http = http
  }

  func abandon() { http.cancel() }

  var deadline: Instant? { http.deadline }

  func deadlineReached(now: Instant) { http.deadlineReached(now: now) }

  var isCredentialRejected: Bool { tokens.isRejected }

  var isRejectionFinal: Bool { tokens.isRejectionFinal }

  var denial: AccessTokens.Problem? { tokens.denial }

  func tokenAccepted() { tokens.tokenAccepted() }

  func networkChanged() { tokens.networkChanged() }

  // MARK: Requests of the owner

  /// Requests an access token; `refused` is one that the server rejected.
  func fetchToken(refused: RefusedToken?) {
    isTokenWanted = true
    let now = Moment.now.instant
    let step =
      if let refused { tokens.tokenRefused(refused, now: now) } else {
        tokens.tokenWanted(now: now)
      }
    follow(step)
  }

  func add(_ call: HTTPCall) {
    guard (call.body?.count ?? 0) <= Self.requestByteCountMax else {
      return tell { $0.callFailed(call.id, .tooLarge) }
    }
    waiting.append(call)
    startNext()
  }

  func cancel(_ id: RequestID) {
    waiting.removeAll { $0.id == id }
    switch errand {
    case .call(let call, _) where call.id == id, .test(let call, _) where call.id == id:
      http.cancel()
      errand = .none
      startNext()
    default: return
    }
  }

  // MARK: Errands in order

  /// Begins the next errand if the client is idle.
  private func startNext() {
    guard case .none = errand else { return }
    if let call = wantedRefresh { return refresh(call) }
    if !waiting.isEmpty { follow(tokens.tokenWanted(now: Moment.now.instant)) }
  }

  /// Performs the next step for the session and the calls that wait for a token.
  private func follow(_ step: AccessTokens.Step) {
    switch step {
    case .send(let call):
      wantedRefresh = call
      startNext()
    case .wait: return
    case .use(let token):
      tellToken(.token(token))
      begin(with: token)
    case .unavailable(let problem, _):
      tellToken(.unavailable(problem.words))
      failAll(problem.requestError)
    case .rejected:
      wantedRefresh = nil
      tellToken(.rejected("the credential was refused; log in again"))
      failAll(.rejected)
    }
  }

  private func begin(with token: [UInt8]) {
    guard case .none = errand, !waiting.isEmpty else { return }
    let call = waiting.removeFirst()
    errand = .call(call, token: token)
    http.request.removeAll()
    http.request.append(call.body ?? [])
    send(call.method, call.target, token)
  }

  private static let testTarget = [UInt8]("/api/")

  private func test(_ token: [UInt8], of call: HTTPCall) {
    errand = .test(call, token: token)
    http.request.removeAll()
    send(.get, Self.testTarget, token)
  }

  private func send(_ method: HTTPMethod, _ target: [UInt8], _ token: [UInt8]) {
    http.send(
      to: Endpoint(address: address, path: target, method: method, bearerToken: token),
      telling: self)
  }

  private func refresh(_ call: AuthCall) {
    wantedRefresh = nil
    errand = .refresh
    http.send(call, to: address, telling: self)
  }

  // MARK: Reports

  private func tellToken(_ result: TokenResult) {
    guard isTokenWanted else { return }
    isTokenWanted = false
    tell { $0.tokenFetched(result) }
  }

  private func tellAnswer(to id: RequestID, status: Int) {
    guard let owner = unsafe owner else { return }
    guard !http.response.isOverflowed else { return owner.callFailed(id, .tooLarge) }
    owner.callAnswered(
      id, status: status, mediaType: http.responseMediaType, body: http.response)
  }

  private func failAll(_ error: RequestError) {
    let failed = waiting
    waiting = []
    for call in failed { tell { $0.callFailed(call.id, error) } }
  }

  private func tell(_ body: (any CallQueueOwner) -> Void) {
    if let owner = unsafe owner { body(owner) }
  }
}

extension CallQueue: TransferOwner {
  func transferEnded(_ result: TransferResult) {
    let errand = errand
    self.errand = .none
    let now = Moment.now.instant
    switch (errand, result) {
    case (.refresh, .answered):
      let step = http.response.withBytes {
        tokens.answerReceived(http.answerHead, body: $0, now: now)
      }
      http.request.wipe()
      http.response.wipe()
      follow(step)
    case (.refresh, .failed(let words)): follow(tokens.connectionFailed(words, now: now))
    case (.call(let call, let token), .answered) where rejectsToken:
      if tokens.canReplace(token) || call.method == .get && call.target == Self.testTarget {
        tokenRefused(token, with: call, now: now)
      } else {
        test(token, of: call)
      }
    case (.test(let call, let token), .answered) where rejectsToken:
      tokenRefused(token, with: call, now: now)
    case (.test(let call, _), _):
      if result == .answered(status: 200) { tokens.tokenAccepted() }
      tell { $0.callFailed(call.id, .http(status: 401, body: "401: Unauthorized")) }
    case (.call(let call, _), .answered(let status)):
      if status < 400 { tokens.tokenAccepted() }
      self.errand = .reading
      tellAnswer(to: call.id, status: status)
      self.errand = .none
    case (.call(let call, _), .failed(let words)):
      tell { $0.callFailed(call.id, .transport(Text(words.bytes))) }
    case (.none, _), (.reading, _): preconditionFailure("nothing was under way")
    }
    startNext()
  }

  private var rejectsToken: Bool {
    http.response.withBytes { http.answerHead.rejectsToken($0) }
  }

  private func tokenRefused(_ token: [UInt8], with call: HTTPCall, now: Instant) {
    waiting.insert(call, at: 0)
    follow(tokens.tokenRefused(RefusedToken(token, .unexplained), now: now))
  }
}
