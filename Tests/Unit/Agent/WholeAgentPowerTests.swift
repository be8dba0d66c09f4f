import PracticeHome
import Testing

extension WholeAgent {
  /// A battery that runs low.
  @Suite struct Power {}
}

extension WholeAgent.Power {
  @Test func aLowBatterySwitchesTheReceiverOffAndAFullOneOnAgain() async throws {
    let gpsd = FakeGPSD(reporting: TPV())
    let (home, board) = try homeAndBoard(
      battery: "auto", settings: gpsd.settings + "\npower: [{ below: 30%, gps: off }]")
    // A fall in seconds would be in doubt for a minute.
    try board.charge(38)
    let agent = try RunningAgent(on: board)
    try await agent.event("proven") { $0.locations == 1 }
    #expect(home.state(of: "sensor.boat_power_level")?.state == "normal")

    for charge in [34, 29] {
      try board.charge(charge)
      try await agent.hasReadEverything()
    }
    while home.state(of: "sensor.boat_power_level")?.state != "below 30 %" {
      try await agent.event("proven")
    }
    for _ in 0..<2 { try await agent.hasReadEverything() }

    gpsd.report(TPV(time: 600, latitude: "52.3801000"))
    for _ in 0..<2 { try await agent.hasReadEverything() }
    #expect(shownLatitude(in: home) != 52.3801)

    try board.charge(90)
    try await agent.event("power_level")
    while shownLatitude(in: home) != 52.3801 { try await agent.event("proven") }
    let ending = await agent.stop()
    #expect(ending.lines(with: "gpsd").isEmpty, "what is switched off does not fail")
    #expect(ending.lines(with: "power level: below 30 %; every ").count == 1)
  }
}
