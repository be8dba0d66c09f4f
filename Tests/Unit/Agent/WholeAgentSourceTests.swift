import Foundation
import PracticeHome
import Testing

extension WholeAgent {
  /// A receiver that does not say where it is.
  @Suite struct Receivers {}
  /// Supplies that come, go and talk nonsense.
  @Suite struct PowerSupplies {}
}

extension WholeAgent.Receivers {
  private func homeAndAgent(
    hearing gpsd: FakeGPSD, every: String = "5s"
  ) throws -> (PracticeServer, RunningAgent) {
    let (home, board) = try homeAndBoard(settings: gpsd.settings)
    for position in ["52.37", "52.38", "52.39", "4.89", "4807.0", "01131.0"] {
      board.keepSecret(position)
    }
    try board.configure("every: 5s", "every: \(every)")
    return (home, try RunningAgent(on: board))
  }

  /// Waits until the home shows the tracker there.
  private func expect(
    _ latitude: Double, in home: PracticeServer, from agent: RunningAgent
  ) async throws {
    while shownLatitude(in: home) != latitude { try await agent.event("proven") }
  }

  @Test func aGPSDThatComesGoesAndComesBackSilencesNoOtherSource() async throws {
    let gpsd = FakeGPSD(reporting: TPV(), isAbsent: true)
    let (home, agent) = try homeAndAgent(hearing: gpsd)
    try await agent.event("source_failed") { $0.source == "gpsd" && $0.cause == "missing" }
    try await agent.event("proven") { $0.readings == 2 && $0.locations == 0 }

    gpsd.appear()
    try await agent.event("source_recovered", of: "gpsd")
    try await expect(52.3702157, in: home, from: agent)

    gpsd.hangUp()
    try await agent.event("source_failed") { $0.source == "gpsd" && $0.cause == "failed" }
    gpsd.report(TPV(time: 600, latitude: "52.3801000"))
    try await agent.event("source_recovered", of: "gpsd")
    try await expect(52.3801, in: home, from: agent)

    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: " was not found; the agent keeps looking").count == 1)
    #expect(ending.lines(with: ": Connection reset by peer").count == 1)
    #expect(ending.lines(with: "gpsd works again").count == 2)
  }

  /// The next cycle comes in an hour.
  @Test func aGPSDThatComesBackIsFoundBetweenTwoCycles() async throws {
    let gpsd = FakeGPSD(reporting: TPV(), isAbsent: true)
    let (_, agent) = try homeAndAgent(hearing: gpsd, every: "1h")
    try await agent.event("source_failed", of: "gpsd")
    try await agent.event("proven")
    gpsd.appear()
    try await agent.event("source_recovered", of: "gpsd")
    #expect(await agent.stop().status == 0)
  }

  struct Nonsense: Sendable, CustomTestStringConvertible {
    let name: String
    /// What gpsd says at every connection.
    let greeting: String
    let cause: String
    let words: String
    var testDescription: String { name }
  }

  static let nonsense = [
    Nonsense(
      name: "NMEA",
      greeting: "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n",
      cause: "malformed", words: "reports \"$GPGGA,"),
    Nonsense(
      name: "a web server", greeting: "HTTP/1.1 400 Bad Request\r\n", cause: "malformed",
      words: "reports \"HTTP/"),
    Nonsense(
      name: "escape sequences", greeting: "\u{1B}[2J\u{7}\u{0}\n", cause: "malformed",
      words: "reports \"?["),
    Nonsense(
      name: "a line without an end", greeting: String(repeating: "x", count: 40_000),
      cause: "malformed", words: "reports \"xxx"),
    Nonsense(name: "silence", greeting: "", cause: "silent", words: " sends no data"),
  ]

  @Test(arguments: nonsense)
  func aGPSDThatTalksNonsenseIsDescribedOnceWithoutItsPosition(_ nonsense: Nonsense) async throws {
    let gpsd = FakeGPSD(greeting: nonsense.greeting, reporting: TPV())
    let (home, agent) = try homeAndAgent(hearing: gpsd)
    try await agent.event("source_failed") { $0.source == "gpsd" && $0.cause == nonsense.cause }
    try await agent.event("proven") { $0.readings == 2 }
    // In these cycles it is tried again.
    for _ in 0..<2 { try await agent.hasReadEverything() }

    gpsd.greet(with: FakeGPSD.version)
    try await agent.event("source_recovered", of: "gpsd")
    try await expect(52.3702157, in: home, from: agent)
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: nonsense.words).count == 1)
    #expect(ending.lines(with: "gpsd").count == 2)
  }

  struct Flaw: Sendable, CustomTestStringConvertible {
    let name: String
    /// A report that holds no usable fix.
    let report: TPV
    let words: String
    var testDescription: String { name }
  }

  static let elsewhere = "52.3801000"

  static let flaws = [
    Flaw(
      name: "mode 0", report: TPV(mode: 0, time: 3600, latitude: elsewhere),
      words: " has no fix: its receiver has none; does the antenna see the sky?"),
    Flaw(
      name: "a mode from the future", report: TPV(mode: 9, time: 3600, latitude: elsewhere),
      words: " has no fix: it has a mode that gpsd does not document"),
    Flaw(
      name: "null", report: TPV(time: 3600, latitude: "null"),
      words: " has no fix: its latitude or longitude is missing, or not on Earth"),
    Flaw(
      name: "beyond the pole", report: TPV(time: 3600, latitude: "90.0001"),
      words: " has no fix: its latitude or longitude is missing, or not on Earth"),
    Flaw(
      name: "a clock that stands still an hour ago",
      report: TPV(time: -3600, isClockStuck: true, latitude: elsewhere),
      words: " has no fix: its clock stopped or went back"),
  ]

  @Test(arguments: flaws)
  func aReceiverWithoutAUsableFixIsNamedAndMovesNoTracker(_ flaw: Flaw) async throws {
    let gpsd = FakeGPSD(reporting: TPV())
    let (home, agent) = try homeAndAgent(hearing: gpsd)
    try await expect(52.3702157, in: home, from: agent)
    gpsd.report(flaw.report)
    try await agent.event("source_failed") { $0.source == "gpsd" && $0.cause == "no_fix" }
    for _ in 0..<2 { try await agent.hasReadEverything() }
    #expect(shownLatitude(in: home) == 52.3702157)

    gpsd.report(TPV(time: 7200, latitude: "52.3902000"))
    try await agent.event("source_recovered", of: "gpsd")
    try await expect(52.3902, in: home, from: agent)
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: flaw.words).count == 1)
    #expect(ending.lines(with: "gpsd").count == 2)
  }

  /// The date of a GPS receiver whose count of weeks has begun anew.
  @Test func aDateThatCannotBeRightIsNamedAndThePositionIsUsed() async throws {
    let gpsd = FakeGPSD(reporting: TPV(date: "2007-07-29"))
    let (home, agent) = try homeAndAgent(hearing: gpsd)
    try await expect(52.3702157, in: home, from: agent)
    try await agent.event("source_failed") { $0.source == "gpsd" && $0.cause == "wrong_date" }
    gpsd.report(TPV(latitude: Self.elsewhere))
    try await agent.event("source_recovered", of: "gpsd")
    try await expect(52.3801, in: home, from: agent)
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "gpsd").count == 2)
  }

  /// Receivers correct their date after a cold start: a clock that went back and goes on from
  /// there is believed in the end.
  @Test func aClockThatGoesBackAndGoesOnIsBelievedAgain() async throws {
    let gpsd = FakeGPSD(reporting: TPV())
    let (home, agent) = try homeAndAgent(hearing: gpsd)
    try await expect(52.3702157, in: home, from: agent)
    gpsd.report(TPV(time: -3600, latitude: Self.elsewhere))
    try await expect(52.3801, in: home, from: agent)
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "gpsd").isEmpty)
  }
}

extension WholeAgent.PowerSupplies {
  @Test func suppliesComeGoAndTalkNonsenseEachForItself() async throws {
    let (home, board, agent) = try await provenAgent(battery: "auto")

    // One appears, and is asked for the first time.
    try board.plugIn("AC0", ["type": "Mains", "online": "1"])
    try await agent.event("proven") { $0.readings == 1 }
    #expect(home.state(of: "binary_sensor.boat_ac0_online")?.state == "on")

    // Text where a number belongs, another one in every cycle.
    try board.set("capacity", of: "BAT7", to: "n/a")
    try await agent.event("source_failed") { $0.source == "BAT7" && $0.cause == "malformed" }
    try await agent.event("proven")
    #expect(shownCharge(in: home) == "unknown")
    #expect(home.state(of: "binary_sensor.boat_ac0_online")?.state == "on")
    try board.set("capacity", of: "BAT7", to: "-1")
    for _ in 0..<2 { try await agent.hasReadEverything() }
    try board.charge(82)
    try await agent.event("source_recovered", of: "BAT7")
    try await agent.event("proven")
    #expect(shownCharge(in: home) == "82")

    // One vanishes and comes back.
    try board.unplug("BAT7")
    try await agent.event("source_failed") { $0.source == "BAT7" && $0.cause == "missing" }
    try await agent.event("proven")
    #expect(shownCharge(in: home) == "unavailable")
    #expect(home.state(of: "binary_sensor.boat_ac0_online")?.state == "on")
    try board.plugIn("BAT7")
    try await agent.event("source_recovered", of: "BAT7")
    try await agent.event("proven")
    #expect(shownCharge(in: home) == "82")

    let ending = await agent.stopWithSuccess()
    #expect(
      ending.lines(with: "BAT7/capacity reports \"n/a\", which is not a valid value").count == 1)
    #expect(ending.lines(with: "is not a valid value").count == 1)
    #expect(ending.lines(with: "BAT7 was not found; the agent keeps looking").count == 1)
    #expect(ending.lines(with: "BAT7 works again").count == 2)
    #expect(agent.count(of: "outage") == 0)
  }

  /// Of this name no message to Home Assistant has room.
  @Test func aSensorThatHasNoRoomIsNamedOnceAndTheOthersAreReported() async throws {
    let (home, board) = try homeAndBoard(battery: "auto")
    let name = String(repeating: "b", count: 220)
    try board.plugIn(name, ["type": "Battery", "capacity": "55", "status": "Full"])
    let agent = try await RunningAgent.proven(on: board)
    try await agent.expectToDeliver(charge: 82, to: home)
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "is left out").count == 1, "\(ending.log)")
  }
}

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

    try await agent.hasRead(charges: [34, 29])
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
