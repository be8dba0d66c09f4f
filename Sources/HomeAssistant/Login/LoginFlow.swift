public import Bytes

/// One of several ways to get the second part of a login, such as an authenticator app.
public struct LoginModule: Equatable, Sendable {
  let id: Text
  /// For people, such as `Authenticator app`.
  public let name: Text
}

/// What Home Assistant wants to know next.
public enum LoginStep: Equatable, Sendable {
  /// User name and password; told with `credentialsGiven`.
  case credentials
  /// Which module shall give the code; told with `moduleChosen`.
  case module([LoginModule])
  /// The code that a module shows; told with `codeGiven`.
  case code(module: Text)
}

/// Why the last answer to a question was not enough.
public enum LoginRefusal: Equatable, Sendable {
  /// Home Assistant refused it, and counted that.
  case refused(attemptsLeft: Int)
  /// It was refused before, and so was not sent.
  case repeated
}

/// Why a login ended without success.
public enum LoginError: Error, Equatable, Sendable {
  /// Held in a box: the other errors are small, and this is copied with them.
  indirect case noConnection(InlineText)
  /// Home Assistant said no, in these words: a login from outside that is not allowed, a user that
  /// is not active, an address that is no client.
  case refused(Text)
  /// Password or code were wrong `LoginFlow.refusalsMax` times; each counts toward a ban.
  case refusedTooOften
  /// Home Assistant has forgotten this login, or knows no passwords.
  case flowEnded
  /// Home Assistant ended the login: `login_expired`, `too_many_retry`.
  case aborted(Text)
  /// A question that Homeward does not know.
  case unknownStep(Text)
  /// An answer without Home Assistant's own words.
  case server(ServerRefusal)
}

/// A login with user name and password, and a second factor where the user has one.
///
/// `POST /auth/login_flow` opens a conversation, in which Home Assistant asks and a person answers;
/// at its end is a code, and `POST /auth/token` gives a refresh token for it. No browser takes
/// part.
public struct LoginFlow: Sendable {
  /// Wrong passwords and codes in one login. Home Assistant counts them, and where it bans it
  /// usually does after five.
  public static let refusalsMax = 3

  /// What is to be done next.
  public enum Action: Equatable, Sendable {
    /// Make this call, and tell `answerReceived` or `connectionFailed`.
    case send(AuthCall)
    /// Ask the person.
    case ask(LoginStep, after: LoginRefusal?)
    /// It is over, well or not.
    case end(Result<Login, LoginError>)
  }

  /// The end of a login.
  public struct Login: Equatable, Sendable {
    /// A refresh token, which is to be kept.
    public let credential: Credential
    /// The first access token, good for half an hour.
    public let accessToken: AccessToken
  }

  private enum State {
    case opening
    case asking(flowID: Text, LoginStep)
    /// What a person typed is on its way; nothing in it where they only chose.
    case awaiting(sent: [[UInt8]])
    case exchanging
    case over
  }

  private let clientID: Text
  private var state = State.opening
  /// User names with their passwords, and codes.
  private var refused: [[[UInt8]]] = []
  private var refusalCount = 0

  /// - Parameter url: the address of Home Assistant, without a slash at its end.
  public init(url: [UInt8]) { clientID = Text(url + [UInt8(ascii: "/")]) }

  /// The first call. No password is in it: whether this is a Home Assistant shows before.
  public func begin() -> AuthCall { .beginLogin(clientID: clientID) }

  // MARK: What the person says

  /// The answer to `.credentials`. A pair that was refused already is not sent again.
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

  /// `index` counts the modules of the question from 0.
  public mutating func moduleChosen(_ index: Int) -> Action {
    guard case .asking(let flowID, .module(let modules)) = state else {
      preconditionFailure("nobody asked for a module")
    }
    state = .awaiting(sent: [])
    return proceed(flowID, [("multi_factor_auth_module", modules[index].id.bytes)])
  }

  /// The answer to `.code`.
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

  // MARK: What Home Assistant says

  /// The call of `.send` was answered.
  ///
  /// - Parameters:
  ///   - head: of the answer.
  ///   - body: as it came.
  ///   - now: the moment of now, from which the access token lasts.
  /// - Returns: what is to be done next.
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

  /// The call of `.send` got no answer, and the login is over.
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
