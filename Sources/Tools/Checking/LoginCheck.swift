import Board
import Bytes
import HomeAssistant
import HomeAssistantClient
import LinuxIO
import Transport

/// Questions to Home Assistant in the name of this board's user.
final class LoginCheck {
  private let login: Login
  private let state: StateDirectory
  private let client: BlockingClient

  init(
    with login: Login, _ rejected: RejectedTokens, at url: [UInt8], state: StateDirectory,
    settings: TransportSettings, loop: EventLoop
  ) throws(CommandFailure) {
    self.login = login
    self.state = state
    client = try BlockingClient(
      at: url, with: login.tokens(rejected), settings: settings, loop: loop)
  }

  func end() { client.end() }

  /// Checks whether the login works.
  func finding() throws(CommandFailure) -> Finding {
    switch try client.ask(.currentUser) {
    case .success(let user):
      let name: MessageText = user.name.map { "\(shown: $0)" } ?? "a user without a name"
      let role: MessageText = user.isAdmin ? ", an administrator" : ""
      return .well("login", "\(name)\(role)")
    case .failure(let error):
      guard client.isCredentialRejected else {
        return .wrong("login", "no_answer", .homeAssistant, .temporaryFailure, error.words)
      }
      do throws(CommandFailure) {
        try login.keepRejection(in: state)
      } catch {
        return .wrong(
          "login", "rejection_not_kept", .board, error.code,
          "\(Login.rejectedWords). \(error.text)", remedy: login.remedy)
      }
      return .wrong(
        "login", "rejected", .homeAssistant, .noPermission, Login.rejectedWords,
        remedy: login.remedy)
    }
  }

  /// State that Home Assistant reports for a board whose webhook is not live.
  enum DeviceStatus {
    case unknown
    case starting
    case missing
    case disabled
    case present
  }

  func deviceStatus(_ deviceID: [UInt8]) throws(CommandFailure) -> DeviceStatus {
    guard case .success(let config) = try client.ask(.config) else { return .unknown }
    guard config.state == "RUNNING" else { return .starting }
    guard case .success(let devices) = try client.ask(.devices) else { return .unknown }
    guard let device = devices.elements.first(where: { $0.isBoard(deviceID) }) else {
      return .missing
    }
    return device.disabledBy == nil ? .present : .disabled
  }
}
