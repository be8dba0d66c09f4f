import Foundation
import Testing

/// A user of the server who is not its owner, and who signs in with a password.
struct User: Sendable {
  let id: String
  let name: String
  let password: String

  /// The one for all expectations that leave a user as they found it: servers are slow, on purpose,
  /// where passwords are concerned.
  static func anyone() async throws -> User { try await shared.value }
  private static let shared = Task { try await created() }

  /// A new user. Only the server's owner can make one.
  static func created() async throws -> User {
    let suffix = String(UUID().uuidString.prefix(8)).lowercased()
    let socket = try await WebSocket.opened()
    let made = try await socket.result(
      "config/auth/create", ["name": "Sailor \(suffix)", "group_ids": ["system-users"]])
    let id: String = try #require(made["user"]["id"].text)
    let user = User(id: id, name: "sailor-\(suffix)", password: "ship shape & \(suffix)")
    try await socket.result(
      "config/auth_provider/homeassistant/create",
      ["user_id": .string(id), "username": .string(user.name), "password": .string(user.password)])
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
    let server = try Server.required()
    let answer = try await server.token([
      "grant_type": "authorization_code", "code": code, "client_id": server.client,
    ])
    let json = try #require(answer.json)
    return Tokens(
      access: try #require(json["access_token"].text, "\(json)"),
      refresh: try #require(json["refresh_token"].text, "\(json)"))
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
