import Board
import Bytes
import HomeAssistant
import LinuxIO

/// Login that is not stored yet.
struct NewLogin {
  let credential: Credential
  let accessToken: AccessToken?
}

/// Request to a person, or a file, for the credential of a board.
struct LoginRequest {
  let source: PairingOptions.Source
  let http: BlockingHTTP
  let dialog: Dialog

  func run(at url: [UInt8], _ rejected: RejectedTokens) throws(CommandFailure) -> NewLogin {
    switch source {
    case .login:
      let login = try SignIn(http: http, dialog: dialog, url: url).run()
      return NewLogin(credential: login.credential, accessToken: login.accessToken)
    case .token:
      return try accept(try dialog.askSecret("Long-lived access token: "), rejected)
    case .tokenFile(let file): return try accept(try Self.readToken(file), rejected)
    }
  }

  /// Checks a token that a person gave.
  private func accept(
    _ text: [UInt8], _ rejected: RejectedTokens
  ) throws(CommandFailure) -> NewLogin {
    guard let credential = Credential(accessToken: [UInt8](text.span.trimmed())) else {
      throw CommandFailure(
        code: .dataError,
        text: "that is not an access token: it is empty, or contains a character that tokens do not"
          + " have, such as a space")
    }
    let now = Moment.now.instant
    guard !rejected.contains(fingerprint: credential.fingerprint, now: now) else {
      throw CommandFailure(
        code: .noPermission,
        text: "Home Assistant rejected this token before, and may ban this address for another"
          + " attempt; it was not sent. Create a new one")
    }
    return NewLogin(credential: credential, accessToken: nil)
  }

  private static func readToken(_ file: [UInt8]) throws(CommandFailure) -> [UInt8] {
    let isStandardInput = file.span.elementsEqual("-")
    do throws(Errno) {
      if isStandardInput {
        return try readStandardInput(byteCountMax: Credential.tokenByteCountMax)
      }
      return try readFile(at: Path(file), byteCountMax: Credential.tokenByteCountMax)
    } catch .isPipe {
      throw CommandFailure(
        code: .noInput,
        text: "\(Path(file)) is not a regular file; write the token to standard input: --token-file"
          + " -")
    } catch {
      let name: MessageText = isStandardInput ? "standard input" : "\(Path(file))"
      throw CommandFailure(
        code: .noInput, text: "the token cannot be read from \(name): \(error)")
    }
  }
}
