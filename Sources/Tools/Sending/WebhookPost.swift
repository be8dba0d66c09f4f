import Board
import Bytes
import HomeAssistant
import LinuxIO

/// Message to the webhook that waits for its answer, while an agent may be running.
final class WebhookPost {
  private static let requestByteCountMax = Envelope.byteCount(
    sealing: WrittenMessage.dataByteCountMax)
  /// Size of the zones or the configuration of a large home.
  private static let responseByteCountMax = 4 << 20

  private let configuration: Configuration
  private let state: StateDirectory
  private var registration: Registration
  private let http: BlockingHTTP
  private let url: [UInt8]

  init(of type: MessageType, _ configuration: Configuration) throws(CommandFailure) {
    // A received key is lost unless it is stored: no agent may run meanwhile.
    state = StateDirectory(Path(configuration.stateDirectory))
    if type == .enableEncryption { try state.openForKey() }
    guard let registration = try state.keptRegistration() else {
      throw CommandFailure(
        code: .unavailable,
        text: "\(state.path) holds no registration: this board is not paired; pair it with:"
          + " \(Arguments.command("pair"))")
    }
    self.configuration = configuration
    self.registration = registration
    let loop = try EventLoop.forCommand()
    let settings = configuration.homeAssistant
    // The key comes in clear.
    url =
      try type == .enableEncryption
      ? settings.urlForSecrets(loop: loop) : settings.urlHere(loop: loop)
    http = try BlockingHTTP(
      loop: loop, settings: configuration.homeAssistant.tls,
      requestByteCountMax: Self.requestByteCountMax,
      responseByteCountMax: Self.responseByteCountMax)
  }

  func send(_ message: WrittenMessage) throws(CommandFailure) -> SendReport {
    try http.send(message.type, message.data ?? description, to: registration, at: url)
    if message.type == .enableEncryption { return try keepKey() }
    let answer = http.readAnswer(to: registration)
    return SendReport(message.type, answer, body: http.body, challenge: http.challenge)
  }

  /// Data with which the board would register now.
  private var description: [UInt8] {
    var data = ByteBuffer(capacity: BlockingHTTP.requestByteCountMax)
    // `homeward run` reports a token of the relay that cannot be read.
    configuration.registrationRequest(try? configuration.relayToken()).writeUpdate(into: &data)
    return [UInt8](data.bytes)
  }

  /// Stores the key, which came in clear, and is never shown.
  private func keepKey() throws(CommandFailure) -> SendReport {
    switch http.readEnabledEncryption() {
    case .enabled(let key):
      registration.protection = .sealed(key)
      do throws(Errno) { try state.write(registration) } catch {
        throw CommandFailure(
          code: .osError,
          text:
            "Home Assistant sent a key, but it cannot be stored in \(state.path): \(error); Home"
            + " Assistant does not send it again. Free space there, and pair the board again:"
            + " \(Arguments.command("pair"))")
      }
      return SendReport(
        .enableEncryption, "enabled", .success,
        "Everything between this board and Home Assistant is sealed from now on.")
    case .alreadyEnabled:
      return SendReport(
        .enableEncryption, "already_enabled", .dataError, "This registration is sealed already.")
    case .notAvailable:
      return SendReport(
        .enableEncryption, "not_available", .dataError,
        "This Home Assistant cannot encrypt: it is from before 2022.")
    case .unanswered(let answer):
      return SendReport(.enableEncryption, answer, body: http.body, challenge: nil)
    }
  }
}
