import Foundation
import TestRun
import Testing

extension Contract {
  /// Signing in without a browser: the forms, the code, the tokens and their end.
  @Suite struct SigningIn {}
}

// MARK: - The forms

extension Contract.SigningIn {
  @Test func theFirstFormAsksForNameAndPassword() async throws {
    let server = try Server.required()
    let answer = try await Login.begin(server.client)
    #expect(answer.status == 200)
    let form = try #require(answer.json)
    #expect(form["type"] == "form")
    #expect(form["step_id"] == "init")
    #expect(form["errors"].keys.isEmpty)
    #expect(form["data_schema"].elements.map { $0["name"] } == ["username", "password"])
    #expect(form["data_schema"].elements.allSatisfy { $0["required"] == true })
  }

  @Test func aClientThatIsNoAddressIsRefused() async throws {
    let answer = try await Login.begin("homeward")
    #expect(answer.status == 400)
    #expect(answer.json?["message"].text != nil)
  }

  @Test func theRightPasswordGivesACode() async throws {
    let user = try User.owner()
    let answer = try await Login.begun().answered(user.credentials)
    #expect(answer.status == 200)
    #expect(answer.json?["type"] == "create_entry")
    #expect(answer.json?["result"].text?.isEmpty == false)
  }

  @Test func aWrongPasswordIs200WithAnErrorAndTheFormStaysOpen() async throws {
    let user = try User.owner()
    let login = try await Login.begun()
    let wrong = user.credentials.replacing("password", "wrong")
    let answer = try await login.answered(wrong)
    #expect(answer.status == 200)
    #expect(answer.json?["type"] == "form")
    #expect(answer.json?["step_id"] == "init")
    #expect(answer.json?["errors"]["base"] == "invalid_auth")
    #expect(try await login.answered(user.credentials).json?["type"] == "create_entry")
  }

  @Test func anUnknownNameIsAWrongPassword() async throws {
    let login = try await Login.begun()
    let answer = try await login.answered(["username": "nobody", "password": "x"])
    #expect(answer.status == 200)
    #expect(answer.json?["errors"]["base"] == "invalid_auth")
  }

  @Test(
    arguments: [["username": "x"], [:], ["username": "x", "password": "x", "foo": 1]] as [JSON])
  func aFormThatIsNotFilledInRightIsRefused(fields: JSON) async throws {
    let answer = try await Login.begun().answered(fields)
    #expect(answer.status == 400)
    #expect(answer.json?["message"].text != nil)
  }

  @Test func anUnknownFormIsNotFound() async throws {
    let server = try Server.required()
    let login = Login(server: server, id: String(repeating: "0", count: 32))
    let answer = try await login.answered(["username": "x", "password": "x"])
    #expect(answer.status == 404)
    #expect(answer.json?["message"].text != nil)
  }

  @Test func aFormThatHasGivenItsCodeIsNotFoundAgain() async throws {
    let user = try User.owner()
    let login = try await Login.begun()
    #expect(try await login.answered(user.credentials).status == 200)
    #expect(try await login.answered(user.credentials).status == 404)
  }
}

// MARK: - Two factors

extension Contract.SigningIn {
  /// A user who has an authenticator app, and that app.
  private static let careful = Task {
    let user = try await User.created()
    let socket = try await WebSocket.opened(token: try await user.signedIn().access)
    let form = try await socket.result("auth/setup_mfa", ["mfa_module_id": "totp"])
    let key: String = try #require(form["description_placeholders"]["code"].text, "\(form)")
    let app = OneTimePassword(key: key)
    // At this point, and only here, a code that is just over counts no longer.
    while Int(Date().timeIntervalSince1970) % OneTimePassword.period > OneTimePassword.period - 3 {
      try await Task.sleep(for: .milliseconds(200))
    }
    let done = try await socket.result(
      "auth/setup_mfa",
      ["flow_id": form["flow_id"], "user_input": ["code": app.code()]])
    try #require(done["type"] == "create_entry", "\(done)")
    return (user, app)
  }

  @Test(.enabled("the server knows nobody but its owner", User.canBeOthers))
  func theRightPasswordOfACarefulUserIsAskedForACode() async throws {
    let (user, _) = try await Self.careful.value
    let form = try #require(try await Login.begun().answered(user.credentials).json)
    #expect(form["type"] == "form")
    #expect(form["step_id"] == "mfa")
    #expect(form["data_schema"].elements.map { $0["name"] } == ["code"])
    #expect(form["description_placeholders"]["mfa_module_id"] == "totp")
    #expect(form["result"] == .absent)
  }

  @Test(.enabled("the server knows nobody but its owner", User.canBeOthers))
  func aWrongOneTimeCodeIs200WithAnErrorAndTheRightOneStillCounts() async throws {
    let (user, app) = try await Self.careful.value
    let login = try await Login.begun()
    _ = try await login.answered(user.credentials)
    let wrong = try await login.answered(["code": app.wrongCode()])
    #expect(wrong.status == 200)
    #expect(wrong.json?["step_id"] == "mfa")
    #expect(wrong.json?["errors"]["base"] == "invalid_code")
    let right = try await login.answered(["code": app.code()])
    #expect(right.json?["type"] == "create_entry")
    let code: String = try #require(right.json?["result"].text)
    _ = try await Tokens.exchanged(for: code)
  }

  @Test(.enabled("the server knows nobody but its owner", User.canBeOthers))
  func theFifthWrongOneTimeCodeEndsTheLogin() async throws {
    let (user, app) = try await Self.careful.value
    let login = try await Login.begun()
    _ = try await login.answered(user.credentials)
    for _ in 1..<5 {
      let wrong = try await login.answered(["code": app.wrongCode()])
      #expect(wrong.json?["errors"]["base"] == "invalid_code")
    }
    let last = try await login.answered(["code": app.wrongCode()])
    #expect(last.status == 200)
    #expect(last.json?["type"] == "abort")
    #expect(last.json?["reason"] == "too_many_retry")
    #expect(try await login.answered(["code": app.code()]).status == 404)
  }
}

/// The six digits that an authenticator app shows: RFC 6238, of which Python has the hash.
private struct OneTimePassword {
  static let period = 30
  /// The key that the server shows for the app to scan, in Base32.
  let key: String

  private static let script = """
    import base64, hmac, struct, sys, time
    now = int(time.time()) // \(period)
    for step in range(now - 2, now + 3):
      digest = hmac.digest(base64.b32decode(sys.argv[1]), struct.pack(">Q", step), "sha1")
      number = struct.unpack_from(">I", digest, digest[19] & 15)[0] & 0x7FFFFFFF
      print(f"{number % 1000000:06}")
    """

  func code() throws -> JSON { .string(try near()[2]) }

  /// Six digits that are not the code, nor one of the steps beside it.
  func wrongCode() throws -> JSON {
    let near = try near()
    let others = (0...9).map { String(repeating: "\($0)", count: 6) }
    return .string(try #require(others.first { !near.contains($0) }))
  }

  /// The codes from two steps ago to the one after the next.
  private func near() throws -> [String] {
    let output = Pipe()
    let python = try ChildProcess("python3", ["-c", Self.script, key], output: .pipe(output))
    let codes = try output.fileHandleForReading.readToEnd() ?? Data()
    try #require(python.waitUntilEnd() == 0, "\(key) is no key")
    return String(decoding: codes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
