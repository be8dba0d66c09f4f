import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Transport

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

  /// Head of the last answer.
  var head: AnswerHead { http.answerHead }

  /// Whether the last request has an answer.
  var isAnswered: Bool { if case .answered = result { true } else { false } }

  /// Fault of the last request, if it has no answer.
  var fault: TransferFault { http.fault }

  /// Time of the server in the last answer; nil if it has none.
  var serverTime: WallTime? { http.serverTime }

  /// Body of the last answer.
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

  /// Judges the last answer, and opens it in place.
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
