import Testing

/// What everybody does over the WebSocket: say who one is, ask, and be told.
extension WebSocket {
  /// A connection on which commands can be sent: as the server's owner, or with another token.
  static func opened(token: String? = nil) async throws -> WebSocket {
    let server = try Server.required()
    let socket = try await connected(to: server)
    try await socket.authenticate(token ?? server.token)
    return socket
  }

  private func authenticate(_ token: String) async throws {
    _ = try await message { $0["type"] == "auth_required" }
    try await send(["type": "auth", "access_token": .string(token)])
    let answer = try await message { _ in true }
    try #require(answer.json["type"] == "auth_ok", "\(answer.json)")
  }

  func send(_ message: JSON) async throws { try await send(text: message.encoded()) }

  /// Sends a command under the next id, and returns that.
  func command(_ type: String, _ members: JSON = [:]) async throws -> JSON {
    lastID += 1
    let id = JSON.number(Double(lastID))
    try await send(members.replacing("id", id).replacing("type", .string(type)))
    return id
  }

  /// The answer to a command: its result or its pong.
  func answer(to id: JSON) async throws -> JSON {
    try await message { $0["id"] == id && $0["type"] != "event" }.json
  }

  func ask(_ type: String, _ members: JSON = [:]) async throws -> JSON {
    try await answer(to: try await command(type, members))
  }

  /// The result of a command that must succeed.
  @discardableResult
  func result(_ type: String, _ members: JSON = [:]) async throws -> JSON {
    let answer = try await ask(type, members)
    try #require(answer["success"] == true, "\(type): \(answer)")
    return answer["result"]
  }

  /// The code with which the server refuses a command.
  func refusal(_ type: String, _ members: JSON = [:]) async throws -> JSON {
    try await ask(type, members)["error"]["code"]
  }

  /// Begins a subscription that must succeed, and returns its id.
  func subscribe(_ type: String, _ members: JSON = [:]) async throws -> JSON {
    let id = try await command(type, members)
    let answer = try await answer(to: id)
    try #require(answer["success"] == true, "\(type): \(answer)")
    return id
  }

  /// A connection that is told of the events of a type of its own, or of this one.
  static func listening(
    to type: JSON = .string("contract_" + Device.Identity().suffix)
  ) async throws -> (socket: WebSocket, type: JSON, id: JSON) {
    let socket = try await opened()
    return (socket, type, try await socket.subscribe("subscribe_events", ["event_type": type]))
  }

  /// The next event of a subscription.
  func event(_ id: JSON, within timeout: Duration = timeout) async throws -> JSON {
    try await message(within: timeout) { $0["id"] == id && $0["type"] == "event" }.json["event"]
  }

  /// The events of a subscription that have come by now, and that no expectation took. A server's
  /// messages keep their order, so after this ping nothing of before is still on its way.
  func events(_ id: JSON) async throws -> [JSON] {
    try #require(try await ask("ping")["type"] == "pong")
    let events = waiting.filter { $0.json["id"] == id && $0.json["type"] == "event" }
    return events.map { $0.json["event"] }
  }
}
