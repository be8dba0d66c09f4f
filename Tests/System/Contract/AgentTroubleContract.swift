import Testing

// What people and accidents do to the agent's device while it is at work.

extension Agent {
  /// The device that this agent registered, as Home Assistant's registry has it.
  fileprivate func device() async throws -> JSON {
    let devices = try await WebSocket.opened().result("config/device_registry/list").elements
    return try #require(devices.first { $0["name"] == .string(deviceName) })
  }

  /// Another agent registers the same device, and gets another key.
  fileprivate func registerElsewhere() async throws {
    let id = try #require(try await device()["identifiers"].elements.first?.elements.last)
    let registration = Device.Identity().registration.replacing("device_id", id)
      .replacing("app_id", "homeward").replacing("device_name", .string(deviceName))
    #expect(try await Device.register(registration).status == 201)
  }
}

extension Contract.WholeAgent {
  @Test func aNotificationReachesTheAgentThatWantsIt() async throws {
    let agent = try Agent(settings: "notifications: websocket")
    defer { agent.remove() }
    let work = try agent.start()
    try await work.event("notifications_open")
    try await agent.command("storm at nine", "{}")
    #expect(try await work.event("notification")["message"] == "storm at nine")
    await work.stop()
  }

  @Test func anAgentWhoseTrackerIsDisabledSaysSo() async throws {
    let agent = try Agent()
    defer { agent.remove() }
    let work = try agent.start()
    while try await work.event("proven")["locations"] != 1 {}
    await work.stop()
    let socket = try await WebSocket.opened()
    let trackers = try await socket.result("config/entity_registry/list").elements.filter {
      $0["platform"] == "mobile_app" && $0["entity_id"].text?.hasPrefix("device_tracker.") == true
    }
    let id = try await agent.device()["id"]
    let tracker = try #require(trackers.first { $0["device_id"] == id })["entity_id"]
    func disable(_ disabled: JSON) async throws {
      _ = try await socket.result(
        "config/entity_registry/update", ["entity_id": tracker, "disabled_by": disabled])
    }
    try await disable("user")
    let again = try agent.start()
    try await again.event("tracker_missing")
    await again.stop()
    // It outlives the registration, and others want to see it.
    try await disable(.null)
  }

  enum Loss: CaseIterable, Sendable {
    case deleted
    case registeredElsewhere
  }

  @Test(arguments: Loss.allCases)
  func anAgentThatMayRegistersAgain(after loss: Loss) async throws {
    let agent = try Agent(server: "register_again: 30s")
    defer { agent.remove() }
    let work = try agent.start()
    try await work.event("proven")
    switch loss {
    case .deleted:
      let answer = try await agent.server.deleteRegistration(of: try await agent.device())
      #expect(answer.status == 200)
    case .registeredElsewhere: try await agent.registerElsewhere()
    }
    for event in ["outage", "registration_doubted", "registered", "proven"] {
      try await work.event(event)
    }
    await work.stop()
    _ = try await agent.server.existing(agent.entityID("sensor", "last_start"))
  }
}
