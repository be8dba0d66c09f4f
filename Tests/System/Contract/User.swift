import Foundation
import Testing

/// A person who signs in to the server with a password.
struct User: Sendable {
  let name: String
  let password: String

  /// The server's owner. `HOMEWARD_CONTRACT_LOGIN` is a file with the name and the password, each
  /// in a line of its own.
  static func owner() throws -> User {
    let path = ProcessInfo.processInfo.environment["HOMEWARD_CONTRACT_LOGIN"]
    let file = URL(filePath: try #require(path, "HOMEWARD_CONTRACT_LOGIN names no file"))
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    try #require(lines.count == 2, "\(file.path) has no two lines")
    return User(name: String(lines[0]), password: String(lines[1]))
  }

  /// Whether there can be others than the owner: the practice home has one inhabitant.
  static func canBeOthers() async throws -> Bool {
    try await WebSocket.opened().refusal("config/auth/create") != "unknown_command"
  }

  /// One who is no administrator, for all expectations that leave a user as they found it: servers
  /// are slow, on purpose, where passwords are concerned.
  static func sailor() async throws -> User { try await shared.value }
  private static let shared = Task { try await created() }

  /// A new user. Only the server's owner can make one.
  static func created() async throws -> User {
    let suffix = Device.Identity().suffix
    let user = User(name: "sailor-\(suffix)", password: "ship shape & \(suffix)")
    let socket = try await WebSocket.opened()
    let made = try await socket.result(
      "config/auth/create", ["name": .string(user.name), "group_ids": ["system-users"]])
    try await socket.result(
      "config/auth_provider/homeassistant/create",
      user.credentials.replacing("user_id", made["user"]["id"]))
    return user
  }

  /// What this user answers when asked who it is.
  var credentials: JSON { ["username": .string(name), "password": .string(password)] }

  /// Signs in, from the first form to the tokens.
  func signedIn() async throws -> Tokens {
    try await Tokens.exchanged(for: try await code())
  }

  /// Signs in as far as the code that is worth tokens.
  func code() async throws -> String {
    let login = try await Login.begun()
    let answer = try await login.answered(credentials)
    return try #require(answer.json?["result"].text, "\(answer)")
  }
}

/// One way through the server's forms.
struct Login: Sendable {
  let server: Server
  let id: String

  static func begun() async throws -> Login {
    let server = try Server.required()
    let form = try #require(try await begin(server.client).json)
    return Login(server: server, id: try #require(form["flow_id"].text, "\(form)"))
  }

  /// Asks for the first form, with whatever answer there is.
  static func begin(_ client: String) async throws -> Response {
    let body: JSON = [
      "client_id": .string(client), "handler": ["homeassistant", nil],
      "redirect_uri": .string(client),
    ]
    return try await Server.required().post("/auth/login_flow", body.encoded())
  }

  /// Fills in the form that is open.
  func answered(_ fields: JSON) async throws -> Response {
    let body = fields.replacing("client_id", .string(server.client))
    return try await server.post("/auth/login_flow/\(id)", body.encoded())
  }
}

extension Server {
  /// The address by which a client says who it is. The server's own needs no look-up.
  var client: String { url.absoluteString.trimmingSuffix("/") + "/" }

  func token(_ fields: [String: String]) async throws -> Response {
    try await post("/auth/token", form: fields)
  }
}

extension Response {
  /// Whether it is the refusal of a token for this reason.
  func isRefusal(_ reason: JSON) -> Bool { status == 400 && json?["error"] == reason }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}

/// What a code is exchanged for.
struct Tokens: Sendable {
  let access: String
  let refresh: String

  static func exchanged(for code: String) async throws -> Tokens {
    let json = try #require(try await exchange(code).json)
    return Tokens(
      access: try #require(json["access_token"].text, "\(json)"),
      refresh: try #require(json["refresh_token"].text, "\(json)"))
  }

  /// Asks for the tokens, with whatever answer there is.
  static func exchange(_ code: String, client: String? = nil) async throws -> Response {
    let server = try Server.required()
    return try await server.token([
      "grant_type": "authorization_code", "code": code, "client_id": client ?? server.client,
    ])
  }

  /// Asks for a new access token, with whatever answer there is.
  func refreshed(client: String? = nil) async throws -> Response {
    let server = try Server.required()
    return try await server.token([
      "grant_type": "refresh_token", "refresh_token": refresh, "client_id": client ?? server.client,
    ])
  }

  @discardableResult
  func revoke() async throws -> Response {
    try await Server.required().post("/auth/revoke", form: ["token": refresh])
  }
}
