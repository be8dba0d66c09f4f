public import Bytes

/// Source of the second factor of a login, such as an authenticator app.
public struct LoginModule: Equatable, Sendable {
  let id: Text
  /// Name for people, such as `Authenticator app`.
  public let name: Text
}

/// Question of Home Assistant in a login.
public enum LoginStep: Equatable, Sendable {
  /// User name and password; answered with `credentialsGiven`.
  case credentials
  /// Choice of the module for the code; answered with `moduleChosen`.
  case module([LoginModule])
  /// Code of a module; answered with `codeGiven`.
  case code(module: Text)
}

/// Reason that the last answer of the person was not accepted.
public enum LoginRefusal: Equatable, Sendable {
  /// Home Assistant refused it, and counts the attempt.
  case refused(attemptsLeft: Int)
  /// The answer equals a refused one, and was not sent.
  case repeated
}

/// Reason that a login failed.
public enum LoginError: Error, Equatable, Sendable {
  /// Boxed: the other errors are small, and are copied with this one.
  indirect case noConnection(InlineText)
  /// Home Assistant refused, in these words: a login from outside that is not allowed, an inactive
  /// user, an address that is not a client.
  case refused(Text)
  /// Password or code was wrong `LoginFlow.refusalsMax` times; each counts toward a ban.
  case refusedTooOften
  /// Home Assistant has dropped this login, or does not support passwords.
  case flowEnded
  /// Home Assistant ended the login: `login_expired`, `too_many_retry`.
  case aborted(Text)
  /// A question that Homeward does not support.
  case unknownStep(Text)
  /// An answer without Home Assistant's own words.
  case server(ServerRefusal)
}

/// Login with user name and password, and a second factor if the user has one.
///
/// `POST /auth/login_flow` starts a dialog of questions and answers, which ends with a code; `POST
/// /auth/token` exchanges it for a refresh token. No browser is needed.
public struct LoginFlow: Sendable {
  /// Maximum number of wrong passwords and codes in one login. Home Assistant counts them; a ban,
  /// if enabled, usually follows after five.
  public static let refusalsMax = 3

  /// Next step of a login.
  public enum Action: Equatable, Sendable {
    /// Make this call, then call `answerReceived` or `connectionFailed`.
    case send(AuthCall)
    /// Ask the person.
    case ask(LoginStep, after: LoginRefusal?)
    /// End the login.
    case end(Result<Login, LoginError>)
  }

  /// Result of a successful login.
  public struct Login: Equatable, Sendable {
    /// Refresh token, to be stored.
    public let credential: Credential
    /// First access token, valid for half an hour.
    public let accessToken: AccessToken
  }

  private enum State {
    case opening
    case asking(flowID: Text, LoginStep)
    /// Waits for the verdict on the typed answers; `sent` is empty after a choice.
    case awaiting(sent: [[UInt8]])
    case exchanging
    case over
  }

  private let clientID: Text
  private var state = State.opening
  /// Refused user names with their passwords, and refused codes.
  private var refused: [[[UInt8]]] = []
  private var refusalCount = 0

  /// - Parameter url: address of Home Assistant, without a trailing slash.
  public init(url: [UInt8]) { clientID = Text(url + [UInt8(ascii: "/")]) }

  /// Returns the first call. It holds no password, and shows whether the server is a Home
  /// Assistant.
  public func begin() -> AuthCall { .beginLogin(clientID: clientID) }

  // MARK: Answers of the person

  /// Answers `.credentials`. A pair that was refused already is not sent again.
  public mutating func credentialsGiven(user: [UInt8], password: [UInt8]) -> Action {
    guard case .asking(let flowID, .credentials) = state else {
      preconditionFailure("nobody asked for a password")
    }
    guard !refused.contains([user, password]) else {
      return .ask(.credentials, after: .repeated)
    }
    state = .awaiting(sent: [user, password])
    return proceed(flowID, [("username", user), ("password", password)])
  }

  /// Answers `.module`; `index` counts its modules from 0.
  public mutating func moduleChosen(_ index: Int) -> Action {
    guard case .asking(let flowID, .module(let modules)) = state else {
      preconditionFailure("nobody asked for a module")
    }
    state = .awaiting(sent: [])
    return proceed(flowID, [("multi_factor_auth_module", modules[index].id.bytes)])
  }

  /// Answers `.code`. A code that was refused already is not sent again.
  public mutating func codeGiven(_ code: [UInt8]) -> Action {
    guard case .asking(let flowID, .code(let module)) = state else {
      preconditionFailure("nobody asked for a code")
    }
    guard !refused.contains([code]) else { return .ask(.code(module: module), after: .repeated) }
    state = .awaiting(sent: [code])
    return proceed(flowID, [("code", code)])
  }

  private func proceed(_ flowID: Text, _ answers: [(name: Text, value: [UInt8])]) -> Action {
    .send(.continueLogin(flowID, clientID: clientID, answers: answers))
  }

  // MARK: Answers of Home Assistant

  /// Reports the answer to the call of `.send`, with its unchanged body, and returns the next step.
  public mutating func answerReceived(
    _ head: AnswerHead, body: Span<UInt8>, now: Instant
  ) -> Action {
    switch state {
    case .exchanging:
      return tokenReceived(TokenAnswer.read(head, body: body, now: now))
    case .opening, .awaiting: return received(LoginAnswer.read(head, body: body))
    case .asking, .over: preconditionFailure("nothing was sent")
    }
  }

  /// Reports that the call of `.send` got no answer, which ends the login.
  public mutating func connectionFailed(_ reason: InlineText) -> Action {
    fail(.noConnection(reason))
  }

  private mutating func received(_ answer: LoginAnswer) -> Action {
    switch answer {
    case .step(let flowID, let step, nil):
      state = .asking(flowID: flowID, step)
      return .ask(step, after: nil)
    case .step(let flowID, let step, .some):
      refusalCount += 1
      guard refusalCount < Self.refusalsMax else { return fail(.refusedTooOften) }
      if case .awaiting(let sent) = state { refused.append(sent) }
      state = .asking(flowID: flowID, step)
      return .ask(step, after: .refused(attemptsLeft: Self.refusalsMax - refusalCount))
    case .code(let code):
      state = .exchanging
      return .send(.exchange(code: code, clientID: clientID))
    case .failed(let error): return fail(error)
    }
  }

  private mutating func tokenReceived(_ answer: TokenAnswer) -> Action {
    switch answer {
    case .granted(let accessToken, let token?):
      guard let credential = Credential(refreshToken: token, clientID: clientID.bytes) else {
        return fail(.server(.notHomeAssistant(status: 200)))
      }
      state = .over
      return .end(.success(Login(credential: credential, accessToken: accessToken)))
    case .granted(_, nil): return fail(.server(.notHomeAssistant(status: 200)))
    case .rejected(let words), .denied(let words): return fail(.refused(words))
    case .server(let refusal): return fail(.server(refusal))
    }
  }

  private mutating func fail(_ error: LoginError) -> Action {
    state = .over
    return .end(.failure(error))
  }
}
