import Board
import Bytes
import HomeAssistant
import LinuxIO
import Transport

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
    case .login: return try signIn(at: url)
    case .token:
      return try accept(try dialog.askSecret("Long-lived access token: "), rejected)
    case .tokenFile(let file): return try accept(try Self.readToken(file), rejected)
    }
  }

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

  static func readToken(_ file: [UInt8]) throws(CommandFailure) -> [UInt8] {
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

  // MARK: Login with the answers that a person types

  private func signIn(at url: [UInt8]) throws(CommandFailure) -> NewLogin {
    var flow = LoginFlow(url: url)
    var action = LoginFlow.Action.send(flow.begin())
    while true {
      switch action {
      case .send(let call):
        action =
          switch try http.send(call, to: url) {
          case .answered:
            flow.answerReceived(http.head, body: http.body.span, now: Moment.now.instant)
          case .failed(let reason): flow.connectionFailed(reason)
          }
      case .ask(let step, let refusal):
        if let refusal { dialog.say(refusal.words(for: step)) }
        action = try ask(step, of: &flow)
      case .end(.success(let login)):
        return NewLogin(credential: login.credential, accessToken: login.accessToken)
      case .end(.failure(let error)): throw error.failure
      }
    }
  }

  private func ask(
    _ step: LoginStep, of flow: inout LoginFlow
  ) throws(CommandFailure) -> LoginFlow.Action {
    switch step {
    case .credentials:
      let user = try dialog.ask("User name: ")
      return flow.credentialsGiven(user: user, password: try dialog.askSecret("Password: "))
    case .module(let modules):
      let choices = modules.map { module -> MessageText in "\(shown: module.name)" }
      return flow.moduleChosen(try dialog.choose("Which one shows your code?", from: choices))
    case .code(let module):
      let code = try dialog.askSecret("Code of \(shown: module.isEmpty ? "it" : module): ")
      return flow.codeGiven([UInt8](code.span.trimmed()))
    }
  }
}

extension LoginRefusal {
  fileprivate func words(for step: LoginStep) -> MessageText {
    let what: MessageText = step == .credentials ? "the user name or the password" : "the code"
    return switch self {
    case .refused(let attemptsLeft):
      "Home Assistant rejected \(what). It counts failures, and may ban this address; attempts"
        + " left: \(attemptsLeft)"
    case .repeated: "that was rejected a moment ago, and is not sent again"
    }
  }
}

extension LoginError {
  fileprivate var failure: CommandFailure { CommandFailure(code: code, text: words) }

  private var code: ExitCode {
    switch self {
    case .refused, .refusedTooOften, .aborted: .noPermission
    case .server(let refusal): refusal.exitCode
    case .noConnection, .flowEnded, .unknownStep: .temporaryFailure
    }
  }

  private var words: MessageText {
    switch self {
    case .noConnection(let reason):
      "Home Assistant cannot be reached to log in: \(unreached: reason)"
    case .refused(let words): "Home Assistant refuses the login: \(shown: words)"
    case .refusedTooOften:
      "that was wrong \(LoginFlow.refusalsMax) times, and is not sent again, because Home Assistant"
        + " bans addresses for that. Look up the password, and pair again"
    case .flowEnded: "Home Assistant ended this login, or does not accept passwords; pair again"
    case .aborted("login_expired"): "the login took too long; pair again"
    case .aborted("too_many_retry"): "too many wrong codes; pair again"
    case .aborted(let reason): "Home Assistant ended the login: \(shown: reason)"
    case .unknownStep(let step):
      "Home Assistant asks for something that Homeward does not support (\(shown: step)); use a"
        + " long-lived access token with --token"
    case .server(let refusal): refusal.words(.login, addressIn: "the address")
    }
  }
}

extension Credential {
  /// Address at which the login was made; nil for a long-lived token, which has none.
  var clientURL: [UInt8]? {
    guard case .refreshToken(_, let clientID) = self else { return nil }
    return try? serverURL(clientID)
  }
}

extension RegistrationAnswer {
  /// Returns the registration, or throws the reason why there is none.
  func registration(acceptsPlain: Bool) throws(CommandFailure) -> Registration {
    switch self {
    case .registered(let registration): return registration
    case .withoutEncryption(let registration) where acceptsPlain: return registration
    case .withoutEncryption:
      throw CommandFailure(
        code: .temporaryFailure,
        text: "Home Assistant offers no encryption; for that it needs PyNaCl, which it has by"
          + " default")
    case .tokenRejected:
      throw CommandFailure(
        code: .noPermission,
        text: "Home Assistant does not accept the token; \(Login.whenShownAgain)")
    case .requestRejected:
      throw CommandFailure(
        code: .temporaryFailure,
        text: "Home Assistant rejects the registration as malformed (400); please report it")
    case .server(.notFound):
      throw CommandFailure(
        code: .temporaryFailure,
        text: "\(ServerRefusal.notFound.words(.registration)); its mobile_app integration has to be"
          + " loaded, as it is by default")
    case .server(let refusal):
      throw CommandFailure(
        code: refusal.exitCode, text: refusal.words(.registration, addressIn: "the address"))
    }
  }
}
