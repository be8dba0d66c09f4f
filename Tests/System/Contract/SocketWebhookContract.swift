import Testing

extension Contract {
  /// The webhook by way of the WebSocket: the same messages, the same verdicts, in other clothes.
  @Suite struct SocketWebhook {}
}

// MARK: - The same verdicts

extension Contract.SocketWebhook {
  /// The result of a webhook message that this body is, from the owner or with another token.
  private func handle(
    _ body: String, of webhookID: String, method: String = "POST", token: String? = nil
  ) async throws -> JSON {
    try await WebSocket.opened(token: token).result(
      "webhook/handle",
      [
        "webhook_id": .string(webhookID), "method": .string(method), "body": .string(body),
        "headers": ["Content-Type": "application/json"], "query": "",
      ])
  }

  private func sealed(_ type: String, _ data: String, for device: Device) throws -> String {
    device.envelope(type, try #require(device.box).seal(data))
  }

  /// What was sealed in a result's body.
  private func opened(_ result: JSON, with device: Device) throws -> JSON {
    let text: String = try #require(result["body"].text, "\(result)")
    let body = try #require(JSON(parsing: .init(text.utf8)))
    let sealed: String = try #require(body["encrypted_data"].text, "\(body)")
    let content = try #require(device.box?.open(sealed))
    return try #require(JSON(parsing: content))
  }

  @Test func aSealedMessageIsAnsweredWithASealedText() async throws {
    let device = try await Device.registered()
    let body = try sealed("update_sensor_states", "[]", for: device)
    let result = try await handle(body, of: device.webhookID)
    #expect(result["status"] == 200)
    #expect(result["headers"] == ["Content-Type": "application/json"])
    #expect(try opened(result, with: device) == [:])
  }

  @Test func registeringASensorIs201HereToo() async throws {
    let device = try await Device.registered()
    let sensor = #"{"name":"soil","unique_id":"soil","type":"sensor","state":1}"#
    let body = try sealed("register_sensor", sensor, for: device)
    let result = try await handle(body, of: device.webhookID)
    #expect(result["status"] == 201)
    #expect(try opened(result, with: device) == ["success": true])
    #expect(try await device.reading("soil").state == "1")
  }

  @Test func aLocationIsStoredAndAnswersAsLittle() async throws {
    let device = try await Device.registered()
    let body = try sealed("update_location", Device.firstFix, for: device)
    let result = try await handle(body, of: device.webhookID)
    #expect(result["status"] == 200)
    #expect(result["body"] == "{}")
    #expect(result["headers"]["Content-Type"] == "application/json")
    let tracker = try await device.position(once: "latitude", is: 48.25)
    #expect(tracker?.attributes["latitude"] == 48.25)
  }

  @Test func aMessageInClearIsRefusedInsideASuccess() async throws {
    let device = try await Device.registered()
    let result = try await handle(#"{"type":"get_config"}"#, of: device.webhookID)
    #expect(result["status"] == 400)
    let body: String = try #require(result["body"].text)
    #expect(JSON(parsing: .init(body.utf8))?["error"]["code"] == "encryption_required")
  }

  @Test func aBodyThatIsNotJSONIsABadRequestInsideASuccess() async throws {
    let device = try await Device.registered()
    let result = try await handle("{", of: device.webhookID)
    #expect(result["status"] == 400)
    #expect(result["body"] == "{}")
  }

  @Test func anUnknownWebhookAnswersNullInsideASuccess() async throws {
    let result = try await handle("{}", of: String(repeating: "0", count: 64))
    #expect(
      result == [
        "body": nil, "status": 200, "headers": ["Content-Type": "application/octet-stream"],
      ])
  }

  @Test func onlyPostIsTaken() async throws {
    let device = try await Device.registered()
    let result = try await handle("", of: device.webhookID, method: "GET")
    #expect(result["status"] == 405)
    #expect(result["body"] == nil)
  }

  @Test(.enabled("the server knows nobody but its owner", User.canBeOthers))
  func anyUserMayDeliverForAnyWebhook() async throws {
    let device = try await Device.registered()
    let tokens = try await User.sailor().signedIn()
    let body = try sealed("update_sensor_states", "[]", for: device)
    let result = try await handle(body, of: device.webhookID, token: tokens.access)
    #expect(try opened(result, with: device) == [:])
  }
}

// MARK: - The command

extension Contract.SocketWebhook {
  static let command: JSON = ["webhook_id": "0", "method": "POST", "body": "{}"]

  @Test(arguments: [
    command.removing("webhook_id"), command.removing("method"), command.replacing("body", [:]),
    command.replacing("headers", ["X": 1]), command.replacing("query", nil),
    command.replacing("method", "BREW"), command.replacing("foo", 1),
  ])
  func aCommandWithoutARequiredKeyOrWithAnythingElseIsRefused(command: JSON) async throws {
    let socket = try await WebSocket.opened()
    #expect(try await socket.refusal("webhook/handle", command) == "invalid_format")
  }

  @Test func bodyHeadersAndQueryMayBeLeftOut() async throws {
    let socket = try await WebSocket.opened()
    let result = try await socket.result(
      "webhook/handle", ["webhook_id": "0", "method": "POST"])
    #expect(result["status"] == 200)
  }
}
