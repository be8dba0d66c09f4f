import Testing

// The commands that a person types, as they ship.

extension Contract.WholeAgent {
  @Test func aBoardThatIsPairedIsKnownAndOneThatIsUnpairedIsGone() async throws {
    let agent = try Agent(hasToken: false)
    defer { agent.remove() }
    let paired = try agent.run(["pair", "--token-file", "-", "--yes"], input: agent.server.token)
    #expect(paired.status == 0)
    let check = try agent.run(["check"])
    // The line of the configuration, which this machine does not have, is the only trouble.
    #expect(check.status == 74)
    let findings = check.events.first?["findings"].elements ?? []
    let troubles = findings.filter { $0["is_well"] != true }
    #expect(troubles.map { $0["subject"] } == ["source"])
    #expect(findings.contains { $0["subject"] == "encryption" && $0["is_well"] == true })
    #expect(try await isInRegistry(agent))

    #expect(try agent.run(["unpair", "--yes"]).status == 0)
    #expect(try await !isInRegistry(agent))
    #expect(try agent.run(["check"]).status != 0)
  }

  private func isInRegistry(_ agent: Agent) async throws -> Bool {
    let devices = try await WebSocket.opened().result("config/device_registry/list").elements
    return devices.contains { $0["name"] == .string(agent.deviceName) }
  }

  @Test func everyMessageCanBeSentByHand() throws {
    let agent = try Agent()
    defer { agent.remove() }
    #expect(try agent.runOnce().status == 0)

    #expect(try sent("get_config", by: agent)["answer"]["hass_device_id"].text != nil)
    let zones = try sent("get_zones", by: agent)["answer"].elements
    #expect(zones.contains { $0["entity_id"] == "zone.home" })
    let sensor = #"{"type":"sensor","unique_id":"by_hand","name":"By hand","state":1}"#
    #expect(try sent("register_sensor", "--data", sensor, by: agent)["answer"]["success"] == true)
    let states = #"[{"type":"sensor","unique_id":"by_hand","state":2}]"#
    let verdict = try sent("update_sensor_states", "--data", states, by: agent)["answer"]
    #expect(verdict["by_hand"]["success"] == true)
    let registration = try sent("update_registration", by: agent)["answer"]
    #expect(registration["app_id"] == "homeward")
    let entity = agent.entityID("sensor", "by_hand")
    let template = #"{{ states("\#(entity)") }}"#
    let rendered = try sent("render_template", template, by: agent)["answer"]
    #expect(rendered.keys.map { rendered[$0] } == [2])

    #expect(try sent("fire_event", "by_hand", by: agent)["outcome"] == "accepted")
    #expect(try sent("scan_tag", "by-hand", by: agent)["outcome"] == "accepted")
    let (action, message) = ("persistent_notification.create", #"{"message":"by hand"}"#)
    let call = try sent("call_service", action, "--data", message, by: agent)
    #expect(call["outcome"] == "accepted")
    #expect(
      try agent.run(["send", "enable_encryption"]).events.first?["outcome"] == "already_enabled")
    #expect(try agent.run(["send", "stream_camera", "camera.none"]).status == 65)

    let shown = try #require(try agent.run(["watch", "states", entity, "--once"]).events.first)
    #expect(shown["a"][entity]["s"] == "2")
  }

  /// What came of a message that is taken.
  private func sent(_ words: String..., by agent: Agent) throws -> JSON {
    let run = try agent.run(["send"] + words)
    #expect(run.status == 0, "\(words)")
    return try #require(run.events.first)
  }
}
