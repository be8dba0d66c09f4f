import Testing

extension Contract {
  /// The WebSocket itself: who is let in, what a message is, and what ends it.
  @Suite struct Socket {}
}

// MARK: - Being let in

extension Contract.Socket {
  @Test func theServerFirstAsksForAuthentication() async throws {
    let server = try Server.required()
    let socket = try await WebSocket.connected(to: server)
    let message = try await socket.message { _ in true }.json
    #expect(message["type"] == "auth_required")
    let version = message["ha_version"].text.flatMap(Version.init)
    #expect(version == (try await server.version()))
  }

  @Test func aValidTokenIsLetIn() async throws {
    let server = try Server.required()
    let (answer, _) = try await answer(to: #"{"type":"auth","access_token":"TOKEN"}"#)
    #expect(answer["type"] == "auth_ok")
    #expect(answer["ha_version"].text.flatMap(Version.init) == (try await server.version()))
  }

  @Test(arguments: [
    #"{"type":"auth","access_token":"not-a-token"}"#,
    #"{"type":"auth","access_token":"TOKEN","id":1}"#, #"{"id":1,"type":"ping"}"#, "5",
  ])
  func anythingButAValidTokenIsRefusedAndTheSocketCloses(text: String) async throws {
    let (answer, socket) = try await answer(to: text)
    #expect(answer["type"] == "auth_invalid")
    #expect(answer["message"].text != nil)
    #expect(try await socket.end() == .closed(1000))
  }

  /// The first message to a text in which `TOKEN` is a valid one.
  private func answer(to text: String) async throws -> (answer: JSON, socket: WebSocket) {
    let server = try Server.required()
    let socket = try await WebSocket.connected(to: server)
    _ = try await socket.message { $0["type"] == "auth_required" }
    try await socket.send(text: text.replacing("TOKEN", with: server.token))
    return (try await socket.message { _ in true }.json, socket)
  }
}

// MARK: - Commands and their ids

extension Contract.Socket {
  @Test func aPingIsAnsweredUnderItsID() async throws {
    let socket = try await WebSocket.opened()
    try await socket.send(["id": 7, "type": "ping"])
    #expect(try await socket.message { _ in true }.json == ["id": 7, "type": "pong"])
  }

  @Test func idsMayHaveGaps() async throws {
    let socket = try await WebSocket.opened()
    for id in [1, 2, 100, 1_000_000] as [JSON] {
      try await socket.send(["id": id, "type": "ping"])
      #expect(try await socket.answer(to: id)["type"] == "pong")
    }
  }

  @Test(arguments: [5, 4] as [JSON])
  func anIDThatDoesNotRiseIsRefused(id: JSON) async throws {
    let socket = try await WebSocket.opened()
    try await socket.send(["id": 5, "type": "ping"])
    #expect(try await socket.answer(to: 5)["type"] == "pong")
    try await socket.send(["id": id, "type": "ping"])
    let refusal = try await socket.answer(to: id)
    #expect(refusal["type"] == "result")
    #expect(refusal["success"] == false)
    #expect(refusal["error"]["code"] == "id_reuse")
    try await socket.send(["id": 6, "type": "ping"])
    #expect(try await socket.answer(to: 6)["type"] == "pong")
  }

  /// A message that is no command, and the id under which that is said.
  @Test(
    arguments: [
      (#"{"id":0,"type":"ping"}"#, 0), (#"{"id":-1,"type":"ping"}"#, -1),
      (#"{"id":"5","type":"ping"}"#, "5"), (#"{"id":1.5,"type":"ping"}"#, 1.5),
      (#"{"id":true,"type":"ping"}"#, true), (#"{"type":"ping"}"#, nil), ("{}", nil),
      (#"{"id":1}"#, 1), (#"{"id":1,"type":5}"#, 1), ("5", 0), (#""ping""#, 0), ("null", 0),
      ("[[]]", 0),
    ] as [(String, JSON)])
  func aMessageThatIsNoCommandIsRefusedAndTheSocketStays(text: String, id: JSON) async throws {
    let socket = try await WebSocket.opened()
    try await socket.send(text: text)
    let refusal = try await socket.message { _ in true }.json
    #expect(refusal["id"] == id)
    #expect(refusal["type"] == "result")
    #expect(refusal["error"]["code"] == "invalid_format")
    #expect(try await socket.ask("ping")["type"] == "pong")
  }

  @Test func anUnknownCommandIsRefused() async throws {
    let socket = try await WebSocket.opened()
    let answer = try await socket.ask("no_such_command")
    #expect(answer["success"] == false)
    #expect(answer["error"]["code"] == "unknown_command")
    #expect(answer["error"]["message"].text != nil)
  }

  @Test func aForeignKeyInACommandIsRefused() async throws {
    let socket = try await WebSocket.opened()
    #expect(try await socket.refusal("ping", ["foo": 1]) == "invalid_format")
  }
}

// MARK: - Several in one frame

extension Contract.Socket {
  @Test(arguments: [false, true])
  func anArrayOfCommandsIsAnsweredOneByOneUnlessTheClientTakesArrays(takes: Bool) async throws {
    let socket = try await WebSocket.opened()
    if takes {
      let features: JSON = ["features": ["coalesce_messages": 1]]
      #expect(try await socket.result("supported_features", features) == nil)
    }
    let pings: [JSON] = [101, 102, 103].map { ["id": $0, "type": "ping"] }
    try await socket.send(.array(pings))
    var frames: Set<Int> = []
    for ping in pings {
      let answer = try await socket.message { $0["id"] == ping["id"] }
      #expect(answer.json["type"] == "pong")
      frames.insert(answer.frame)
    }
    #expect(frames.count == (takes ? 1 : 3))
  }

  @Test func anEmptyArrayIsNoCommand() async throws {
    let socket = try await WebSocket.opened()
    try await socket.send(text: "[]")
    try await socket.send(["id": 1, "type": "ping"])
    #expect(try await socket.message { _ in true }.json == ["id": 1, "type": "pong"])
  }
}

// MARK: - What ends it, and what does not

extension Contract.Socket {
  @Test func textThatIsNotJSONClosesTheSocketWithoutAWord() async throws {
    let socket = try await WebSocket.opened()
    try await socket.send(text: "{")
    #expect(try await socket.end() == .closed(1000))
    #expect(await socket.waiting.isEmpty)
  }

  @Test func anEmptyBinaryFrameClosesTheSocket() async throws {
    let socket = try await WebSocket.opened()
    try await socket.send(Frame(kind: .binary))
    #expect(try await socket.end() == .closed(1000))
  }

  @Test func aBinaryFrameWithoutAHandlerIsIgnored() async throws {
    let socket = try await WebSocket.opened()
    try await socket.send(Frame(kind: .binary, payload: [9, 1, 2, 3]))
    #expect(try await socket.ask("ping")["type"] == "pong")
  }

  static let messageBytesMax = 4 * 1024 * 1024 - 1

  @Test func aMessageOfFourMebibytesClosesTheSocketAsTooBig() async throws {
    let socket = try await WebSocket.opened()
    try await socket.send(text: Self.ping(bytes: Self.messageBytesMax + 1))
    #expect(try await socket.end() == .closed(1009))
  }

  @Test func aMessageOfOneByteLessIsTaken() async throws {
    let socket = try await WebSocket.opened()
    try await socket.send(text: Self.ping(bytes: Self.messageBytesMax))
    #expect(try await socket.answer(to: 1)["type"] == "pong")
  }

  private static func ping(bytes: Int) -> String {
    let ping = #"{"id":1,"type":"ping"}"#
    return ping + String(repeating: " ", count: bytes - ping.utf8.count)
  }

  @Test func aProtocolPingIsAnsweredWithItsOwnBytes() async throws {
    let socket = try await WebSocket.opened()
    try await socket.send(Frame(kind: .ping, payload: [1, 2, 3]))
    #expect(try await socket.pong() == [1, 2, 3])
  }

  @Test func aCloseIsAnsweredWithAClose() async throws {
    let socket = try await WebSocket.opened()
    try await socket.send(Frame(kind: .close, payload: [0x03, 0xE9]))
    #expect(try await socket.end() != .dropped)
  }
}
