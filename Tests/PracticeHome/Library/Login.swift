/// One login under way: a form at a time, until there is a code or nothing.
struct Login: Sendable {
  enum Step: Sendable, Equatable {
    case password
    case code
  }

  let id: String
  var step = Step.password

  /// What the client is asked for now.
  func form(error: String? = nil) -> JSON {
    let errors: JSON = error.map { ["base": .string($0)] } ?? [:]
    switch step {
    case .password:
      return form("init", ["username", "password"], errors, placeholders: .null)
    case .code:
      return form(
        "mfa", ["code"], errors,
        placeholders: ["mfa_module_name": "Authenticator app", "mfa_module_id": "totp"])
    }
  }

  private func form(
    _ step: String, _ fields: [String], _ errors: JSON, placeholders: JSON
  ) -> JSON {
    [
      "type": "form", "flow_id": .string(id), "handler": ["homeassistant", nil],
      "data_schema": .array(
        fields.map { ["type": "string", "name": .string($0), "required": true] }),
      "errors": errors, "description_placeholders": placeholders, "last_step": nil,
      "preview": nil, "step_id": .string(step),
    ]
  }

  func success(code: String) -> JSON {
    [
      "type": "create_entry", "flow_id": .string(id), "handler": ["homeassistant", nil],
      "description": nil, "description_placeholders": nil, "result": .string(code),
    ]
  }
}

enum LoginSchema {
  static let begin = Schema.shape([
    .required("client_id", .text),
    .required("handler", .sequence(.textOrNull, .textOrNull)),
    .required("redirect_uri", .text),
    .optional("type", .text, default: "authorize"),
  ])

  static let step = Schema.shape([.required("client_id", .text)], extra: .kept)

  static let password = Schema.shape([
    .required("username", .text), .required("password", .text),
  ])

  static let code = Schema.shape([.required("code", .text)])
}

extension Home {
  static let loginPath = "/auth/login_flow"

  /// Everything under `/auth/`, where no caller has a token yet.
  mutating func authorize(_ request: Request, now: Moment) throws(Refusal) -> Answer {
    do throws(Refusal) {
      return try answerAuthorization(request, now: now)
    } catch {
      if case .login(let refusal) = error, refusal.countsAsFailure { door.noteFailure() }
      throw error
    }
  }

  private mutating func answerAuthorization(
    _ request: Request, now: Moment
  ) throws(Refusal) -> Answer {
    switch (request.method, request.path) {
    case ("GET", "/auth/providers"):
      let provider: JSON =
        household.hasPasswords
        ? ["name": "Home Assistant Local", "id": nil, "type": "homeassistant"]
        : ["name": "Trusted Networks", "id": nil, "type": "trusted_networks"]
      return .open(["providers": [provider], "preselect_remember_me": true])
    case ("POST", "/auth/token") where fault == .denied:
      return .foreign(
        403, type: "application/json",
        #"{"error":"access_denied","error_description":"User cannot authenticate remotely"}"#, nil)
    case ("POST", "/auth/token"): return try grant(request, now: now)
    case ("POST", "/auth/revoke"): return revoke(request, now: now)
    case ("POST", Self.loginPath): return try beginLogin(request, now: now)
    default: return try continueLogin(request, now: now)
    }
  }

  private mutating func continueLogin(
    _ request: Request, now: Moment
  ) throws(Refusal) -> Answer {
    let path = request.path
    guard path.hasPrefix(Self.loginPath + "/") else {
      let isKnown = ["/auth/token", "/auth/revoke", "/auth/providers", Self.loginPath]
        .contains(path)
      throw isKnown ? .methodNotAllowed(request.method) : .notFound(path: path)
    }
    guard request.method == "POST" else { throw .methodNotAllowed(request.method) }
    let id = path.dropFirst(Self.loginPath.count + 1)
    return try step(logins.firstIndex { $0.id == id }, request, now: now)
  }

  private mutating func beginLogin(_ request: Request, now: Moment) throws(Refusal) -> Answer {
    let input = try content(of: request, LoginSchema.begin)
    try checkClient(input["client_id"]?.string)
    guard input["handler"] == ["homeassistant", nil] else { throw .login(.unknownHandler) }
    let login = Login(id: random(16).hexadecimal)
    logins.append(login)
    return .open(login.form())
  }

  private func checkClient(_ id: String?) throws(Refusal) {
    guard Self.isClientID(id) else { throw .login(.invalidClient) }
  }

  /// Whether this may name a client.
  static func isClientID(_ id: String?) -> Bool {
    id.map { (try? Schema.url(.string($0))) != nil } ?? false
  }

  private mutating func step(
    _ place: Int?, _ request: Request, now: Moment
  ) throws(Refusal) -> Answer {
    var input = try content(of: request, LoginSchema.step)
    let clientID = input["client_id"]?.string ?? ""
    input["client_id"] = nil
    try checkClient(clientID)
    guard let place else { throw .login(.unknownFlow) }
    let login = logins[place]
    let schema = login.step == .password ? LoginSchema.password : LoginSchema.code
    guard (try? schema(.object(input))) != nil else { throw .login(.malformedInput) }
    switch login.step {
    case .password:
      guard household.resident.isNamed(input["username"]?.string ?? ""),
        input["password"]?.string == household.resident.password
      else { return failed(.wrongPassword, login.form(error: "invalid_auth"), now: now) }
      guard household.resident.code == nil else {
        logins[place].step = .code
        return .open(logins[place].form())
      }
    case .code:
      guard input["code"]?.string == household.resident.code else {
        return failed(.wrongCode, login.form(error: "invalid_code"), now: now)
      }
    }
    logins.remove(at: place)
    door.noteSuccess()
    note(.loggedIn, at: now)
    return .open(login.success(code: grants.makeCode(for: clientID, now: now)))
  }

  /// A failure that is answered 200: only the content says so.
  private mutating func failed(
    _ refusal: LoginRefusal, _ content: JSON, now: Moment
  ) -> Answer {
    door.noteFailure()
    refuse(.login(refusal), status: 200, at: now)
    return .open(content)
  }

  /// The body of a request that must be JSON of a certain shape. What is wrong with it is said
  /// in the answer, and does not count as a failed login.
  func content(of request: Request, _ schema: Schema) throws(Refusal) -> JSONObject {
    let raw: JSON
    do throws(JSONParser.Failure) { raw = try JSONParser.parse(request.body) } catch {
      throw .badRequest("Invalid JSON.")
    }
    do throws(Invalid) { return try schema(raw).object ?? [:] } catch {
      throw .badRequest("Message format incorrect: \(error.message)")
    }
  }
}
