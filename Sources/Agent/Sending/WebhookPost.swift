import Bytes
import HomeAssistant
import LinuxIO
import Transport

/// Sends one message to the webhook and waits for its answer, beside an agent that may be running.
final class WebhookPost {
  private static let byteCountMax = Envelope.byteCount(sealing: 2 * WrittenMessage.dataByteCountMax)

  private let configuration: Configuration
  private let state: StateDirectory
  private var registration: Registration
  private let loop: EventLoop
  private let http: HTTPClient
  private var result: TransferResult?

  init(_ configuration: Configuration, _ state: StateDirectory) throws(CommandFailure) {
    guard let registration = try state.keptRegistration() else {
      throw CommandFailure(
        code: .noInput,
        text: "this board is not registered with Home Assistant; do it with: homeward pair")
    }
    do throws(Errno) { loop = try EventLoop() } catch {
      throw CommandFailure(code: .osError, text: "the kernel refuses what is needed: \(error)")
    }
    guard
      let http = HTTPClient(
        loop: loop, requestByteCountMax: Self.byteCountMax,
        responseByteCountMax: Session.messageByteCountMax, userAgent: homewardUserAgent)
    else { throw CommandFailure(code: .osError, text: "libcurl does not start") }
    self.configuration = configuration
    self.state = state
    self.registration = registration
    self.http = http
  }

  func send(_ message: WrittenMessage) throws(CommandFailure) -> SendReport {
    // A key that comes belongs to nobody until it is kept: no agent may be at work meanwhile.
    if message.type == .enableEncryption { try state.lock() }
    var update: Webhook.UpdateRegistration?
    if message.type == .updateRegistration {
      let identity = DeviceIdentity(host: configuration.host)
      update = Webhook.UpdateRegistration(
        identity.registrationRequest(name: configuration.deviceName))
    }
    registration.write(
      message.type, nonce: Nonce(randomBytes: randomBytes()), into: &http.request
    ) { data in
      if let update {
        update.write(into: &data)
      } else {
        data.append(message.data.isEmpty ? [UInt8]("{}") : message.data)
      }
    }
    let status = try post()
    if message.type == .enableEncryption { return try keepKey(status: status) }
    let answer = registration.readAnswer(status: status, body: &http.response)
    return SendReport(message.type, Outcome(answer, to: message.type), body: http.response)
  }

  private func post() throws(CommandFailure) -> Int {
    var url = ByteBuffer(capacity: 2048)
    url.append(configuration.homeAssistant.url)
    registration.appendPath(to: &url)
    http.send(to: Endpoint(url: url), telling: self)
    while true {
      switch result {
      case .answered(let status)?: return status
      case .failed(let reason)?:
        throw CommandFailure(
          code: .temporaryFailure, text: "Home Assistant cannot be reached: \(reason)")
      case nil:
        try loop.wait(until: http.deadline)
        http.deadlineReached(now: Moment.now.instant)
      }
    }
  }

  /// The key came in clear, and is shown to nobody.
  private func keepKey(status: Int) throws(CommandFailure) -> SendReport {
    switch Webhook.EnableEncryption.read(status: status, body: http.response) {
    case .enabled(let key):
      registration.protection = .sealed(key)
      do throws(Errno) { try state.write(registration) } catch {
        throw CommandFailure(
          code: .osError,
          text: "Home Assistant gave a key, and it cannot be kept in \(state.path): \(error); this"
            + " registration is lost, remove registration.json and register anew")
      }
      return SendReport(.enableEncryption, "enabled", .success)
    case .alreadyEnabled: return SendReport(.enableEncryption, "already_enabled", .dataError)
    case .notAvailable: return SendReport(.enableEncryption, "not_available", .dataError)
    case .unanswered(let answer):
      return SendReport(
        .enableEncryption, Outcome(answer, to: .enableEncryption), body: http.response)
    }
  }
}

extension WebhookPost: TransferOwner {
  func transferEnded(_ result: TransferResult) { self.result = result }
}
