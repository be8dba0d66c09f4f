import Bytes
import Foundation
import Testing

@testable import HomeAssistant

@Suite struct LoginFlowTests {
  private var flow = LoginFlow(url: [UInt8]("http://ha:8123"))
  private let now = Instant(nanoseconds: 5_000_000_000)

  private static let form =
    #"{"type":"form","flow_id":"0f33","handler":["homeassistant",null],"step_id":"init","#
    + #""data_schema":[{"type":"string","name":"username","required":true}],"errors":{}}"#
  private static let wrong = form.replacingOccurrences(
    of: #""errors":{}"#, with: #""errors":{"base":"invalid_auth"}"#)
  private static let code =
    #"{"version":1,"type":"create_entry","flow_id":"0f33","result":"c0de"}"#
  private static let mfa =
    #"{"type":"form","flow_id":"0f33","step_id":"mfa","errors":{},"data_schema":[],"#
    + #""description_placeholders":{"mfa_module_name":"Authenticator app"}}"#
  private static let wrongCode = mfa.replacingOccurrences(
    of: #""errors":{}"#, with: #""errors":{"base":"invalid_code"}"#)
  private static let modules =
    #"{"type":"form","flow_id":"0f33","step_id":"select_mfa_module","errors":{},"data_schema":"#
    + #"[{"type":"select","name":"multi_factor_auth_module","options":"#
    + #"[["totp","Authenticator app"],["notify","Notify One-Time Password"]]}]}"#
  private static let tokens =
    #"{"access_token":"acc","token_type":"Bearer","refresh_token":"ref","expires_in":1800}"#

  // MARK: Logging in

  @Test mutating func aLoginNeedsNoBrowser() throws {
    let opening = flow.begin()
    #expect(text(opening.path) == "/auth/login_flow")
    #expect(
      try json(opening)
        == json(
          #"{"client_id":"http://ha:8123/","redirect_uri":"http://ha:8123/","#
            + #""handler":["homeassistant",null]}"#))
    #expect(answered(Self.form) == .ask(.credentials, after: nil))
    let first = try call(flow.credentialsGiven(user: [UInt8]("ann"), password: [UInt8]("p\"w")))
    #expect(text(first.path) == "/auth/login_flow/0f33")
    #expect(
      try json(first)
        == json(#"{"client_id":"http://ha:8123/","username":"ann","password":"p\"w"}"#))
    let exchange = try call(answered(Self.code))
    #expect(text(exchange.path) == "/auth/token")
    #expect(exchange.encoding == .form)
    #expect(
      text(exchange.body)
        == "grant_type=authorization_code&code=c0de&client_id=http%3A%2F%2Fha%3A8123%2F")
    let login = try end(answered(Self.tokens)).get()
    #expect(
      login.credential == .refreshToken([UInt8]("ref"), clientID: [UInt8]("http://ha:8123/")))
    #expect(login.accessToken.bytes == [UInt8]("acc"))
    #expect(login.accessToken.expiresAt == now + .seconds(1800))
  }

  @Test mutating func aSecondFactorIsAskedFor() throws {
    try sendPassword()
    #expect(answered(Self.mfa) == .ask(.code(module: "Authenticator app"), after: nil))
    let sent = try call(flow.codeGiven([UInt8]("123456")))
    #expect(text(sent.path) == "/auth/login_flow/0f33")
    #expect(try json(sent) == json(#"{"client_id":"http://ha:8123/","code":"123456"}"#))
    #expect(text(try call(answered(Self.code)).path) == "/auth/token")
  }

  @Test mutating func theFactorIsChosenWhereThereAreSeveral() throws {
    try sendPassword()
    guard case .ask(.module(let modules), after: nil) = answered(Self.modules) else {
      Issue.record("the modules are not offered")
      return
    }
    #expect(modules.map(\.name) == ["Authenticator app", "Notify One-Time Password"])
    #expect(
      try json(call(flow.moduleChosen(1)))
        == json(#"{"client_id":"http://ha:8123/","multi_factor_auth_module":"notify"}"#))
    #expect(answered(Self.mfa) == .ask(.code(module: "Authenticator app"), after: nil))
  }

  // MARK: Refusals

  @Test mutating func aWrongPasswordIsAskedForAgainAndSaid() throws {
    try sendPassword("one")
    #expect(answered(Self.wrong) == .ask(.credentials, after: .refused(attemptsLeft: 2)))
    let again = try call(flow.credentialsGiven(user: [UInt8]("ann"), password: [UInt8]("two")))
    #expect(text(again.body).contains("two"))
    #expect(answered(Self.wrong) == .ask(.credentials, after: .refused(attemptsLeft: 1)))
    _ = flow.credentialsGiven(user: [UInt8]("ann"), password: [UInt8]("three"))
    #expect(answered(Self.wrong) == .end(.failure(.refusedTooOften)))
  }

  @Test mutating func theSameWrongPasswordIsNotSentTwice() throws {
    try sendPassword("one")
    _ = answered(Self.wrong)
    for _ in 0..<10 {
      #expect(
        flow.credentialsGiven(user: [UInt8]("ann"), password: [UInt8]("one"))
          == .ask(.credentials, after: .repeated))
    }
    // The password alone was not what was wrong.
    _ = try call(flow.credentialsGiven(user: [UInt8]("bob"), password: [UInt8]("one")))
  }

  @Test mutating func theSameWrongCodeIsNotSentTwice() throws {
    try sendPassword("one")
    let step = LoginStep.code(module: "Authenticator app")
    #expect(answered(Self.mfa) == .ask(step, after: nil))
    _ = flow.codeGiven([UInt8]("1"))
    #expect(answered(Self.wrongCode) == .ask(step, after: .refused(attemptsLeft: 2)))
    for _ in 0..<10 {
      #expect(flow.codeGiven([UInt8]("1")) == .ask(step, after: .repeated))
    }
    _ = try call(flow.codeGiven([UInt8]("2")))
  }

  @Test mutating func passwordsAndCodesCountTogether() throws {
    try sendPassword("one")
    _ = answered(Self.wrong)
    _ = flow.credentialsGiven(user: [UInt8]("ann"), password: [UInt8]("two"))
    _ = answered(Self.mfa)
    _ = flow.codeGiven([UInt8]("1"))
    #expect(
      answered(Self.wrongCode)
        == .ask(.code(module: "Authenticator app"), after: .refused(attemptsLeft: 1)))
    _ = flow.codeGiven([UInt8]("2"))
    #expect(answered(Self.wrongCode) == .end(.failure(.refusedTooOften)))
  }

  @Test(arguments: [
    (#"{"message":"Invalid client id"}"#, 400, LoginError.refused("Invalid client id")),
    (
      #"{"message":"Login blocked: User is local only"}"#, 403,
      .refused("Login blocked: User is local only")
    ),
    ("401: Unauthorized", 401, .server(.forbidden(status: 401))),
    ("403: Forbidden", 403, .server(.banned)),
    (#"{"message":"Invalid flow specified"}"#, 404, .flowEnded),
    ("404: Not Found", 404, .server(.notFound)),
    (#"{"message":"Request already in progress"}"#, 409, .server(.unavailable(status: 409))),
    ("", 502, .server(.unavailable(status: 502))),
    ("400: Bad Request", 400, .server(.untrustedProxy)),
    ("<html>Welcome to the hotel</html>", 200, .server(.notHomeAssistant(status: 200))),
    ("{}", 200, .server(.notHomeAssistant(status: 200))),
    ("[]", 200, .server(.notHomeAssistant(status: 200))),
    ("", 302, .server(.notHomeAssistant(status: 302))),
    (#"{"type":"abort","reason":"login_expired"}"#, 200, .aborted("login_expired")),
    (
      #"{"type":"form","flow_id":"a","step_id":"dance","errors":{}}"#, 200,
      .unknownStep("dance")
    ),
    (
      #"{"type":"form","flow_id":"../../api","step_id":"init","errors":{}}"#, 200,
      .server(.notHomeAssistant(status: 200))
    ),
    (
      #"{"type":"form","flow_id":"a","step_id":"select_mfa_module","data_schema":[]}"#, 200,
      .server(.notHomeAssistant(status: 200))
    ),
  ])
  mutating func whateverElseComesBackEndsTheLogin(
    body: String, status: Int, error: LoginError
  ) throws {
    #expect(answered(body, status: status) == .end(.failure(error)))
    flow = LoginFlow(url: [UInt8]("http://ha:8123"))
    try sendPassword()
    #expect(answered(body, status: status) == .end(.failure(error)))
  }

  @Test(arguments: [
    (
      #"{"error":"access_denied","error_description":"User is not active"}"#, 403,
      LoginError.refused("User is not active")
    ),
    (#"{"error":"invalid_grant"}"#, 400, .refused("invalid_grant")),
    ("403: Forbidden", 403, .server(.banned)),
    (#"{"access_token":"acc","expires_in":1800}"#, 200, .server(.notHomeAssistant(status: 200))),
    (
      #"{"access_token":"a c","refresh_token":"r","expires_in":1800}"#, 200,
      .server(.notHomeAssistant(status: 200))
    ),
    (
      #"{"access_token":"a","refresh_token":"r\n","expires_in":1800}"#, 200,
      .server(.notHomeAssistant(status: 200))
    ),
    (
      #"{"access_token":"a","refresh_token":"r","expires_in":-1}"#, 200,
      .server(.notHomeAssistant(status: 200))
    ),
    ("", 503, .server(.unavailable(status: 503))),
  ])
  mutating func aCodeWithoutTokensEndsTheLogin(
    body: String, status: Int, error: LoginError
  ) throws {
    try sendPassword()
    _ = answered(Self.code)
    #expect(answered(body, status: status) == .end(.failure(error)))
  }

  @Test mutating func aBrokenConnectionIsSaid() {
    let reason = InlineText("Couldn't connect to server")
    #expect(flow.connectionFailed(reason) == .end(.failure(.noConnection(reason))))
  }

  // MARK: Tools

  private mutating func sendPassword(_ password: String = "secret") throws {
    #expect(answered(Self.form) == .ask(.credentials, after: nil))
    _ = try call(
      flow.credentialsGiven(user: [UInt8]("ann"), password: [UInt8](password.utf8)))
  }

  private mutating func answered(_ body: String, status: Int = 200) -> LoginFlow.Action {
    flow.answerReceived(AnswerHead(status: status), body: [UInt8](body.utf8).span, now: now)
  }

  private func call(_ action: LoginFlow.Action) throws -> AuthCall {
    guard case .send(let call) = action else { throw Unexpected(action: "\(action)") }
    return call
  }

  private func end(_ action: LoginFlow.Action) throws -> Result<LoginFlow.Login, LoginError> {
    guard case .end(let result) = action else { throw Unexpected(action: "\(action)") }
    return result
  }

  private struct Unexpected: Error { let action: String }
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Judged by another JSON reader than the code's.
private func json(_ call: AuthCall) throws -> NSDictionary {
  #expect(call.encoding == .json)
  return try json(text(call.body))
}

private func json(_ text: String) throws -> NSDictionary {
  try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
}
