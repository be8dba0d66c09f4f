import Testing

extension Contract {
  /// The messages that make the server do something: run an action, fire an event, and the like.
  @Suite struct Messages {}
}

// MARK: - Actions

extension Contract.Messages {
  @Test(arguments: [
    #"{"domain":"persistent_notification","service":"create","service_data":{"message":"x"}}"#,
    #"{"domain":"persistent_notification","service":"dismiss_all"}"#,
    #"{"domain":"homeassistant","service":"turn_on","service_data":{"entity_id":"light.none"}}"#,
  ])
  func anActionThatRanAnswersWithAnEmptyObject(data: String) async throws {
    let device = try await Device.registered()
    #expect(try await device.send("call_service", data) == .emptyObject)
  }

  @Test(arguments: [
    #"{"domain":"no_such_domain","service":"create"}"#,
    #"{"domain":"persistent_notification","service":"no_such_service"}"#,
    #"{"domain":"persistent_notification","service":"create","service_data":{}}"#,
    #"{"domain":"persistent_notification","service":"create","service_data":{"foo":1}}"#,
  ])
  func anActionThatFailedAnswersWithNothing(data: String) async throws {
    let device = try await Device.registered()
    #expect(try await device.send("call_service", data) == .nobody)
  }

  @Test func anActionThatFailedIsNotToldInClearEither() async throws {
    let device = try await Device.registered(encrypted: false)
    let data = #"{"domain":"no_such_domain","service":"create"}"#
    #expect(try await device.send("call_service", data) == .nobody)
  }
}

// MARK: - Events and tags

extension Contract.Messages {
  @Test func anEventWithoutDataIsFiredWithAnEmptyObject() async throws {
    let device = try await Device.registered()
    let (socket, type, id) = try await WebSocket.listening()
    #expect(try await device.send("fire_event", #"{"event_type":\#(type)}"#) == .emptyObject)
    #expect(try await socket.event(id)["data"] == [:])
  }

  @Test(arguments: [#""a text""#, "[]", "null", "5"])
  func anEventWithDataThatAreNoObjectIsDropped(eventData: String) async throws {
    let device = try await Device.registered()
    let (socket, type, id) = try await WebSocket.listening()
    let data = #"{"event_type":\#(type),"event_data":\#(eventData)}"#
    #expect(try await device.send("fire_event", data) == .emptyObject)
    #expect(try await socket.events(id).isEmpty)
  }

  @Test(arguments: [(64, Answer.emptyObject), (65, .nobody)])
  func anEventTypeHasAtMost64Characters(count: Int, answer: Answer) async throws {
    let device = try await Device.registered()
    let type = String(repeating: "x", count: count)
    #expect(try await device.send("fire_event", #"{"event_type":"\#(type)"}"#) == answer)
  }

  @Test func aScannedTagIsAnEventOfTheDevice() async throws {
    let device = try await Device.registered()
    let (socket, _, id) = try await WebSocket.listening(to: "tag_scanned")
    let tag = "tag-\(device.identity.suffix)"
    #expect(try await device.send("scan_tag", #"{"tag_id":"\#(tag)"}"#) == .emptyObject)
    let event = try await socket.message {
      $0["id"] == id && $0["event"]["data"]["tag_id"] == .string(tag)
    }.json["event"]
    #expect(event["data"]["device_id"] == (try await device.registryEntry()["id"]))
  }
}

// MARK: - Cameras and conversations

extension Contract.Messages {
  /// Tries a sentence some times: Home Assistant cannot understand one while an entity comes or
  /// goes, which during these expectations happens all the time.
  static func understood(_ sentence: () async throws -> JSON) async throws -> JSON {
    for _ in 1..<10 {
      let answer = try await sentence()
      if answer != .absent { return answer }
    }
    return try await sentence()
  }

  @Test func aCameraThatIsNotThereIsRefusedInAnEnvelope() async throws {
    let device = try await Device.registered()
    let answer = try await device.send("stream_camera", #"{"camera_entity_id":"camera.none"}"#)
    #expect(answer == .sealed(400, ["success": false]))
  }

  @Test func aSentenceIsAnsweredWithSpeechWhereThereIsAConversation() async throws {
    let device = try await Device.registered()
    let components = try await device.send("get_config", "{}").content["components"].elements
    guard components.contains("conversation") else {
      #expect(try await device.send("conversation_process", #"{"text":"ahoy"}"#) == .nobody)
      return
    }
    let content = try await Contract.Messages.understood {
      try await device.send("conversation_process", #"{"text":"ahoy"}"#).content
    }
    #expect(content["response"]["speech"]["plain"]["speech"].text != nil)
    #expect(content["response"]["response_type"].text != nil)
    #expect(content["response"]["language"].text != nil)
    #expect(content["conversation_id"] != .absent)
  }
}

// MARK: - Wrong shapes

extension Contract.Messages {
  private static let dismissed = #""domain":"persistent_notification","service":"dismiss_all""#

  static let wrongShapes =
    [
      #"{"domain":"persistent_notification"}"#, #"{"service":"create"}"#, "[]", "5",
      #"{"domain":null,"service":"create"}"#, "{\(dismissed),\"service_data\":[]}",
      "{\(dismissed),\"service_data\":null}", "{\(dismissed),\"target\":{}}",
      "{\(dismissed),\"return_response\":true}",
    ].map { ("call_service", $0) }
    + ["{}", #"{"event_type":null}"#, #"{"event_type":"x","foo":1}"#].map { ("fire_event", $0) }
    + ["{}", #"{"tag_id":null}"#, #"{"tag_id":"x","foo":1}"#].map { ("scan_tag", $0) }
    + ["{}", #"{"camera_entity_id":"camera.none","foo":1}"#].map { ("stream_camera", $0) }
    + [
      "{}", #"{"text":null}"#, #"{"text":"ahoy","agent_id":"x"}"#, #"{"text":"ahoy","foo":1}"#,
    ].map { ("conversation_process", $0) }

  @Test(arguments: wrongShapes)
  func aMessageInTheWrongShapeIsDropped(type: String, data: String) async throws {
    let device = try await Device.registered()
    #expect(try await device.send(type, data) == .emptyObject)
    #expect(try await device.prove() == Device.proof)
  }
}
