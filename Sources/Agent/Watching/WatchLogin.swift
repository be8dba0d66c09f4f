import Bytes
import HomeAssistant
import LinuxIO

/// What a command that only looks logs in with: the credential that pairing kept, or the token file
/// of the configuration.
struct WatchLogin {
  private let state: StateDirectory
  let tokens: AccessTokens

  init(_ configuration: Configuration) throws(CommandFailure) {
    state = StateDirectory(Path(configuration.stateDirectory))
    let rejected = try state.keptRejectedTokens()
    let credential: Credential
    if let kept = try state.keptCredential() {
      credential = kept
    } else if let file = configuration.homeAssistant.tokenFile {
      credential = try Self.credential(in: Path(file))
    } else {
      throw CommandFailure(
        code: .noInput,
        text: "there is nothing to log in with: \(state.path) holds no credential, and the"
          + " configuration names no home_assistant.token_file; pair the board with: homeward pair")
    }
    tokens = AccessTokens(credential: credential, rejected: rejected, seed: randomSeed())
  }

  private static func credential(in file: Path) throws(CommandFailure) -> Credential {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try readFile(at: file, byteCountMax: Credential.tokenByteCountMax)
    } catch {
      throw CommandFailure(
        code: .noInput,
        text: "there is nothing to log in with: home_assistant.token_file, \(file), cannot be read:"
          + " \(error); pair the board with: homeward pair")
    }
    guard let credential = Credential(accessToken: [UInt8](bytes.span.trimmed())) else {
      throw CommandFailure(
        code: .dataError,
        text: "\(file) holds no access token: it is empty, or has a space or a second line in it")
    }
    return credential
  }

  /// Home Assistant does not accept it: it is never sent again.
  func rejected() -> CommandFailure {
    var text: MessageText =
      "Home Assistant does not accept the login of this board; it is not sent again, for Home"
      + " Assistant may ban this address. Pair the board again: homeward pair"
    do throws(Errno) { try state.write(rejectedFingerprint: tokens.credential.fingerprint) } catch {
      text = "\(text). (That cannot be kept in \(state.path): \(error))"
    }
    return CommandFailure(code: .noPermission, text: text)
  }
}
