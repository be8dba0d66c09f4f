import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Transport

extension EventLoop {
  static func forCommand() throws(CommandFailure) -> EventLoop {
    do throws(Errno) { return try EventLoop() } catch {
      throw CommandFailure(code: .osError, text: "an event loop cannot be created: \(error)")
    }
  }

  /// Watches the signals that end a command.
  func signals() throws(CommandFailure) -> Signals {
    do throws(Errno) { return try Signals(loop: self) } catch {
      throw CommandFailure(code: .osError, text: "signals cannot be received: \(error)")
    }
  }

  func wait(until deadline: Instant?) throws(CommandFailure) {
    do throws(Errno) { try turn(until: deadline) } catch {
      throw CommandFailure(code: .osError, text: "waiting for events failed: \(error)")
    }
  }
}

/// HTTP client that waits for each answer.
final class BlockingHTTP {
  static let requestByteCountMax = 64 * 1024

  private let loop: EventLoop
  private let http: HTTPClient
  private var result: TransferResult?
  /// Challenge that the answer to the last message repeats; nil if its type has no room for it.
  private(set) var challenge: Challenge?

  init(
    loop: EventLoop, settings: TransportSettings,
    requestByteCountMax: Int = BlockingHTTP.requestByteCountMax,
    responseByteCountMax: Int = HTTPClient.responseByteCountMax
  ) throws(CommandFailure) {
    guard
      let http = HTTPClient(
        loop: loop, settings: settings, requestByteCountMax: requestByteCountMax,
        responseByteCountMax: responseByteCountMax, userAgent: homewardUserAgent)
    else { throw CommandFailure(code: .osError, text: "libcurl does not start") }
    self.loop = loop
    self.http = http
  }

  var head: AnswerHead { http.answerHead }

  var isAnswered: Bool { if case .answered = result { true } else { false } }

  /// Fault of the last request, if it has no answer.
  var fault: TransferFault { http.fault }

  /// Time of the server in the last answer; nil if it has none.
  var serverTime: WallTime? { http.serverTime }

  var body: [UInt8] { Self.copy(of: http.response) }

  private static func copy(of buffer: borrowing ByteBuffer) -> [UInt8] { [UInt8](buffer.bytes) }

  func get(_ path: StaticString, at url: [UInt8]) throws(CommandFailure) -> TransferResult {
    http.request.removeAll()
    return try send(to: Endpoint(address: url, path: [UInt8](path), method: .get))
  }

  func send(_ call: AuthCall, to url: [UInt8]) throws(CommandFailure) -> TransferResult {
    http.send(call, to: url, telling: self)
    return try waitForResult()
  }

  func register(
    _ request: RegistrationRequest, at url: [UInt8], token: [UInt8]
  ) throws(CommandFailure) -> RegistrationAnswer {
    request.write(into: &http.request)
    // The answer holds the webhook id and the key.
    defer { http.response.wipe() }
    let endpoint = Endpoint(
      address: url, path: [UInt8](RegistrationRequest.path), bearerToken: token)
    switch try send(to: endpoint) {
    case .answered: return .read(http.answerHead, body: http.response)
    case .failed(let reason):
      throw CommandFailure(
        code: .temporaryFailure,
        text: "Home Assistant cannot be reached to register: \(unreached: reason)")
    }
  }

  /// Sends a message to the webhook of a registration, sealed if that has a key; `data` is the JSON
  /// of its `data`. If the answer can repeat a `challenge`, the message holds one. An address that
  /// is not in the configuration is a secret.
  func send(
    _ type: MessageType, _ data: [UInt8], to registration: Registration,
    over route: Route = .instance, at url: [UInt8]
  ) throws(CommandFailure) {
    let nonce = Nonce(randomBytes: randomBytes())
    challenge = Challenge.isRepeated(by: type) ? Challenge(of: nonce) : nil
    registration.write(type, nonce: nonce, into: &http.request) {
      $0.append(data)
      challenge?.join(type, &$0)
    }
    precondition(!http.request.isOverflowed, "the caller knows how long a message may be")
    let endpoint = Endpoint(
      address: url, path: route.path(of: registration),
      trust: route.isConfigured ? .configured : .system)
    switch try send(to: endpoint) {
    case .answered: return
    case .failed(let reason):
      let place: MessageText = route.isConfigured ? "at \(bytes: url)" : "over \(route.words)"
      throw CommandFailure(
        code: .temporaryFailure,
        text: "Home Assistant cannot be reached \(place): \(unreached: reason)")
    }
  }

  /// Asks a push relay what waits for this board, and acknowledges nothing.
  func fetch(
    _ push: Configuration.PushSettings, _ token: PushRelayToken, _ keys: PushKeys
  ) throws(CommandFailure) -> Result<PushFetch.Answer, PushFetch.Problem> {
    PushFetch.write(acknowledged: 0, keys, into: &http.request)
    defer { http.response.wipe() }
    let endpoint = Endpoint(
      address: push.url, path: [UInt8](PushFetch.path), bearerToken: token.text)
    switch try send(to: endpoint) {
    case .answered:
      return PushFetch.read(
        http.answerHead, &http.response, after: 0, with: keys, now: Moment.now.instant)
    case .failed(let reason): return .failure(.noConnection(reason))
    }
  }

  func readAnswer(to registration: Registration) -> HomeAssistant.Answer {
    registration.readAnswer(head, body: &http.response)
  }

  /// Reads the last answer as one to `enable_encryption`.
  func readEnabledEncryption() -> Webhook.EnableEncryption.Result {
    let result = Webhook.EnableEncryption.read(head, body: http.response)
    if case .enabled = result { http.response.wipe() }
    return result
  }

  private func send(to endpoint: Endpoint) throws(CommandFailure) -> TransferResult {
    http.send(to: endpoint, telling: self)
    return try waitForResult()
  }

  private func waitForResult() throws(CommandFailure) -> TransferResult {
    result = nil
    while true {
      if let result {
        http.request.wipe()
        return result
      }
      try loop.wait(until: http.deadline)
      http.deadlineReached(now: Moment.now.instant)
    }
  }
}

extension BlockingHTTP: TransferOwner {
  func transferEnded(_ result: TransferResult) { self.result = result }
}

/// Client for the WebSocket and the REST API of Home Assistant that waits for each answer.
final class BlockingClient {
  /// Maximum time for one answer, connecting included.
  static let timeout: Duration = .seconds(20)

  private let loop: EventLoop
  private let driver: NetworkDriver
  /// Client for requests whose answers come during `turn`.
  let client: Client

  init(
    at url: [UInt8], with tokens: AccessTokens, settings: TransportSettings, loop: EventLoop
  ) throws(CommandFailure) {
    guard
      let driver = NetworkDriver(
        address: url, tokens: tokens, settings: settings, loop: loop, userAgent: homewardUserAgent)
    else { throw CommandFailure(code: .osError, text: "libcurl does not start") }
    self.loop = loop
    self.driver = driver
    client = driver.makeClient(seed: randomSeed())
  }

  var isCredentialRejected: Bool { driver.isCredentialRejected }

  /// Whether the rejection is a verdict on the credential.
  var isRejectionFinal: Bool { driver.isRejectionFinal }

  /// Problem that Home Assistant denies the login from here; nil if it does not.
  var denial: AccessTokens.Problem? { driver.denial }

  func ask<R: Request>(_ request: R) throws(RequestError) -> R.Response {
    try wait(needsConnection: true) { client.send(request, $0) }
  }

  func call<R: RESTRequest>(_ request: R) throws(RequestError) -> R.Response {
    try wait(needsConnection: false) { client.send(request, $0) }
  }

  func end() { client.disconnect() }

  /// Whether the connection needs `turn`.
  var isAtWork: Bool { driver.deadline != nil }

  /// Waits for an event until the time at the latest.
  func turn(until end: Instant?) throws(CommandFailure) {
    try loop.wait(until: earliest(driver.deadline, end))
    driver.deadlineReached(now: Moment.now.instant)
  }

  /// Waits for the answer; `needsConnection`: not longer than the WebSocket takes to fail.
  private func wait<Response>(
    needsConnection: Bool,
    _ send: (@escaping (Result<Response, RequestError>) -> Void) -> RequestID
  ) throws(RequestError) -> Response {
    let answer = Answer<Response>()
    let id = send { answer.result = $0 }
    let end = Moment.now.instant + Self.timeout
    var cause: ConnectionFailure?
    while answer.result == nil, cause == nil, denial == nil, Moment.now.instant < end {
      // A loop that cannot wait brings no answer either.
      do throws(CommandFailure) { try turn(until: end) } catch { break }
      if needsConnection, case .down(.retrying(_, _, let failure)) = client.state {
        cause = failure
      }
    }
    if let result = answer.result { return try result.get() }
    client.cancel(id)
    throw denial?.requestError ?? cause.map { .transport(Text($0.words.bytes)) } ?? .expired
  }

  private final class Answer<Response> {
    var result: Result<Response, RequestError>?
  }
}
