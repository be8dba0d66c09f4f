import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Transport

extension PushFetch.Answer {
  var count: Int { notifications.count + unreadableCount }
}

extension PushFetch.Problem {
  var exitCode: ExitCode {
    switch self {
    case .noConnection: .temporaryFailure
    case .tokenUnknown: .noPermission
    case .impossibleNumber, .refused: .protocolError
    }
  }
}

/// Asks a push relay what waits for this board, and gives it the public key. What waits stays.
func askRelay(
  _ push: Configuration.PushSettings, _ token: PushRelayToken, _ keys: PushKeys, loop: EventLoop
) throws(CommandFailure) -> Result<PushFetch.Answer, PushFetch.Problem> {
  let http = try BlockingHTTP(
    loop: loop, settings: push.transport, responseByteCountMax: PushFetch.responseByteCountMax)
  return try http.fetch(push, token, keys)
}

/// Check of the push relay: its address, the token of the board, and the key.
struct RelayCheck {
  private static let again: MessageText = "\(Arguments.command("pair")) --relay ADDRESS"

  let configuration: Configuration
  let secrets: SecretRule
  let loop: EventLoop

  /// Returns the finding; nil without a relay.
  func finding() throws(CommandFailure) -> Finding? {
    guard let push = configuration.push else { return nil }
    let token: PushRelayToken?
    do throws(Enrollment.TokenFlaw) { token = try configuration.relayToken() } catch {
      return .wrong(
        "relay", "token", .board, .noInput,
        "The token of the push relay in \(Path(push.tokenFile)) cannot be used (\(error.code))",
        remedy: Self.again)
    }
    let state = StateDirectory(Path(configuration.stateDirectory))
    guard let token, case .value(let keys) = state.readPushKeys() else {
      return .wrong(
        "relay", "no_key", .board, .noInput, "\(state.path) holds no key for the push relay",
        remedy: Self.again)
    }
    guard secrets.allows(push.url) else {
      return .note(
        "relay", "Not tested: this may not be home, and push.relay is plain HTTP",
        remedy: "use https://, or test it at home")
    }
    switch try askRelay(push, token, keys, loop: loop) {
    case .success(let answer):
      return .well("relay", "\(bytes: push.url) answers; \(answer.count, "notification") to fetch")
    case .failure(let problem):
      return .wrong(
        "relay", problem.code, problem.culprit, problem.exitCode,
        "The push relay at \(bytes: push.url): \(problem.words)")
    }
  }
}

extension PushFetch.Problem {
  fileprivate var culprit: Finding.Culprit {
    switch self {
    case .noConnection: .network
    case .tokenUnknown: .board
    case .impossibleNumber, .refused: .configuration
    }
  }
}
