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

  func finding() -> Finding {
    do throws(RequestError) {
      let user = try client.ask(.currentUser)
      let name: MessageText = user.name.map { "\(shown: $0)" } ?? "a user without a name"
      let role: MessageText = user.isAdmin ? ", an administrator" : ""
      return .well("login", "\(name)\(role)")
    } catch {
      let denial = client.denial
      guard client.isCredentialRejected || denial != nil else {
        return .wrong("login", "no_answer", .homeAssistant, .temporaryFailure, error.words)
      }
      let words: MessageText = denial.map { "\(shown: $0.words)" } ?? Login.rejectedWords
      let remedy = denial == nil ? login.remedy : nil
      do throws(CommandFailure) {
        try login.keepRejection(isFinal: client.isRejectionFinal, in: state)
      } catch {
        return .wrong(
          "login", "rejection_not_kept", .board, error.code, "\(words). \(error.text)",
          remedy: remedy)
      }
      return .wrong(
        "login", denial == nil ? "rejected" : "denied", .homeAssistant, .noPermission, words,
        remedy: remedy)
    }
  }

  /// Returns the finding about a board whose webhook is not live; nil if that is not known.
  func findingNotLive(_ deviceID: [UInt8]) -> Finding? {
    // All of `ServerConfig` would cost 8 KB of the program.
    guard let config = try? client.ask(RawRequest("get_config")) else { return nil }
    guard config["state"] == .text("RUNNING") else {
      return .wrong(
        "encryption", "starting", .homeAssistant, .temporaryFailure, "Home Assistant is starting",
        remedy: "wait some minutes, and check again")
    }
    let found: BoardDevice?
    do throws(RequestError) { found = try client.device(ofBoard: deviceID) } catch { return nil }
    guard let device = found else {
      return .wrong(
        "encryption", "gone", .homeAssistant, .unavailable,
        "Home Assistant is running, but this board was deleted there",
        remedy: EncryptionProof.again)
    }
    guard !device.isDisabled else {
      return .wrong(
        "encryption", "disabled", .homeAssistant, .unavailable,
        "Home Assistant is running, but this board is disabled there",
        remedy: "enable it in Home Assistant: Settings, Devices & services, Mobile App")
    }
    return .wrong(
      "encryption", "replaced", .homeAssistant, .unavailable,
      "Home Assistant knows this board, but not this registration: the board was registered"
        + " again, or Home Assistant could not set it up; its log shows why",
      remedy: EncryptionProof.again)
  }
}
