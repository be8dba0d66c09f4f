import Bytes
import HomeAssistant
import LinuxIO
import Transport

/// Home Assistant, asked by the user of this board.
final class LoginVisit {
  private let credential: Credential
  private let state: StateDirectory
  private let conversation: Conversation

  init(
    with tokens: AccessTokens, at url: [UInt8], state: StateDirectory, settings: TransportSettings,
    loop: EventLoop
  ) throws(CommandFailure) {
    credential = tokens.credential
    self.state = state
    conversation = try Conversation(at: url, with: tokens, settings: settings, loop: loop)
  }

  func end() { conversation.end() }

  /// Whether the login works.
  func finding() throws(CommandFailure) -> Finding {
    switch try conversation.ask(CurrentUser()) {
    case .success(let user):
      let name: MessageText = user.name.map { "\(shown: $0)" } ?? "somebody without a name"
      let role: MessageText = user.isAdmin ? ", an administrator" : ""
      return .well("login", "\(name)\(role)")
    case .failure(let error):
      guard conversation.isCredentialRejected else {
        return .wrong("login", "no_answer", .homeAssistant, .temporaryFailure, error.words)
      }
      // That it cannot be kept in mind is a problem of tomorrow.
      try? state.write(rejectedFingerprint: credential.fingerprint)
      return .wrong(
        "login", "rejected", .homeAssistant, .noPermission,
        "Home Assistant does not accept the login of this board any more; it is never sent again,"
          + " for Home Assistant may ban this address",
        remedy: "homeward pair")
    }
  }

  /// What Home Assistant knows of a board whose webhook does not live.
  enum Standing {
    case unknown
    case starting
    case missing
    case disabled
    case present
  }

  func standing(deviceID: [UInt8]) throws(CommandFailure) -> Standing {
    guard case .success(let config) = try conversation.ask(GetConfig()) else { return .unknown }
    guard config.state == "RUNNING" else { return .starting }
    guard case .success(let devices) = try conversation.ask(GetDevices()) else { return .unknown }
    guard let device = devices.elements.first(where: { $0.isBoard(deviceID) }) else {
      return .missing
    }
    return device.disabledBy == nil ? .present : .disabled
  }
}
