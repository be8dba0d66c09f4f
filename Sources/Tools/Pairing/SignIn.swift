import Board
import Bytes
import HomeAssistant
import LinuxIO
import Transport

/// Login with the answers that a person types.
struct SignIn {
  let http: BlockingHTTP
  let dialog: Dialog
  let url: [UInt8]

  func run() throws(CommandFailure) -> LoginFlow.Login {
    var flow = LoginFlow(url: url)
    var action = LoginFlow.Action.send(flow.begin())
    while true {
      switch action {
      case .send(let call): action = try send(call, of: &flow)
      case .ask(let step, let refusal):
        if let refusal { dialog.say(refusal.words(for: step)) }
        action = try ask(step, of: &flow)
      case .end(.success(let login)): return login
      case .end(.failure(let error)): throw error.failure
      }
    }
  }

  private func send(
    _ call: AuthCall, of flow: inout LoginFlow
  ) throws(CommandFailure) -> LoginFlow.Action {
    switch try http.send(call, to: url) {
    case .answered: flow.answerReceived(http.head, body: http.body.span, now: Moment.now.instant)
    case .failed(let reason): flow.connectionFailed(reason)
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
      var choices: [MessageText] = []
      for module in modules { choices.append("\(shown: module.name)") }
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
