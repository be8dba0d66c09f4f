import Testing

extension Contract {
  /// The whole way: what the drivers read is what Home Assistant shows.
  ///
  /// One after the other: all agents of one board are one device to Home Assistant, and a new
  /// registration of a device ends the one before.
  @Suite(.serialized) struct WholeAgent {}
}

extension Contract.WholeAgent {
  /// The unique id of each sensor. Its entity has the same name, without `supply_`.
  private static let sensors: Set = [
    "supply_bat7_capacity", "supply_bat7_status", "supply_bat7_voltage", "supply_bat7_current",
    "supply_bat7_energy", "processor_temperature", "load_1_minute", "load_5_minutes",
    "load_15_minutes", "memory_used", "last_start", "disk_used", "lost_readings",
  ]

  @Test func whatTheDriversReadIsWhatHomeAssistantShows() async throws {
    let agent = try Agent()
    defer { agent.remove() }
    let run = try agent.runOnce()
    #expect(run.status == 0)
    let read = try #require(run.event("stopped"))
    #expect(read["refused"] == 0)
    #expect(read["sensors"].keys == Self.sensors.union(["gpio_no_such_line"]))

    for uniqueID in Self.sensors {
      let name = uniqueID.replacing("supply_", with: "")
      let entity = try await agent.server.existing(agent.entityID("sensor", name))
      #expect(shows(entity.state, read["sensors"][uniqueID]), "\(uniqueID): \(entity.state)")
    }
    let bilge = try await agent.server.existing(agent.entityID("binary_sensor", "bilge"))
    #expect(bilge.state == "unavailable")

    // Kernel values whose meaning is known before the agent reads them.
    #expect(read["sensors"]["supply_bat7_capacity"] == 83)
    #expect(read["sensors"]["supply_bat7_voltage"] == 12.61)
    #expect(read["sensors"]["supply_bat7_current"] == -1.48)
    #expect(read["sensors"]["supply_bat7_energy"] == 27.75)
    #expect(read["sensors"]["processor_temperature"] == 48.3)
  }

  @Test func theTrackerStandsWhereTheReceiverWas() async throws {
    let agent = try Agent()
    defer { agent.remove() }
    let run = try agent.runOnce()
    let read = try #require(run.event("stopped"))["location"]
    // Home Assistant keeps a device's tracker over registrations, under its first name.
    let tracker = try await agent.server.entity(withPrefix: "device_tracker.") {
      $0.attributes["latitude"] == read["latitude"]
    }
    let shown = try #require(tracker).attributes
    #expect(shown["latitude"] == read["latitude"])
    #expect(shown["longitude"] == read["longitude"])
    #expect(shown["altitude"] == read["altitude"])
    guard case .number(let error) = read["horizontal_error"] else {
      Issue.record("the receiver gave no error estimate: \(read)")
      return
    }
    #expect(shown["gps_accuracy"] == .number(error.rounded(.up)))
  }

  @Test func aRestartGoesOnWithTheSameRegistration() async throws {
    let agent = try Agent()
    defer { agent.remove() }
    let first = try agent.runOnce()
    #expect(first.event("registered") != nil)
    let second = try agent.runOnce()
    #expect(second.status == 0)
    #expect(second.event("registered") == nil)

    let memory = try #require(second.event("stopped"))["sensors"]["memory_used"]
    let entity = try await agent.server.entity(agent.entityID("sensor", "memory_used")) {
      $0.map { shows($0.state, memory) } ?? false
    }
    #expect(shows(entity?.state ?? "", memory))
  }

  /// Whether a state, which is text, says the same as a value.
  private func shows(_ state: String, _ value: JSON) -> Bool {
    switch value {
    case .number(let number): Double(state) == number
    case .string(let text): state == text
    default: false
    }
  }
}
