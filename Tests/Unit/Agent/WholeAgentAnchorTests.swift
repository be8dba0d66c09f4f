import Bytes
import Foundation
import PracticeHome
import Testing

@testable import Sensing

extension WholeAgent {
  /// A boat that is watched at anchor.
  @Suite struct Anchored {}
}

extension WholeAgent.Anchored {
  /// What an agent has kept whose boat was outside, 113 m south of where the receiver says it is.
  private func kept() -> Data {
    var kept = KeptAnchor()
    kept.setter = .command
    kept.isOutside = true
    kept.place = KeptAnchor.Place(
      Fix(
        mode: .threeDimensional, latitude: 52.3692, longitude: 4.8951679,
        time: WallTime(nanoseconds: 0), notBefore: Instant(nanoseconds: 0)))
    let file = kept.file
    return Data([UInt8](file.bytes))
  }

  @Test func aBoatThatDraggedBeforeThePowerWentIsUnsafeAndItsPlaceIsKeptSecret() async throws {
    let gpsd = FakeGPSD(reporting: TPV())
    let (home, board) = try homeAndBoard(
      settings: "location: { source: gpsd, port: \(gpsd.port), diagnostics: [fix],"
        + " anchor: { radius: 40m, gpio: GPIO999 } }")
    for place in ["52.37", "52.36", "4.89", "523692"] { board.keepSecret(place) }
    try FileManager.default.createDirectory(
      at: board.state, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try kept().write(to: board.state.appending(path: "anchor.watch"))
    let agent = try RunningAgent(on: board)
    try await agent.event("source_failed") { $0.source == "GPIO999" && $0.cause == "missing" }
    func state(of entity: String) -> String? { home.state(of: entity)?.state }
    while state(of: "binary_sensor.boat_anchor") != "on" { try await agent.event("proven") }
    while state(of: "sensor.boat_gps_fix") != "3D" { try await agent.event("proven") }
    let words = "       anchor watch     OUTSIDE, 113 m from the anchor; 40 m are allowed"
    var status = try await AskedStatus(on: board)
    while !status.hasLine(words) {
      try await agent.event("proven")
      status = try await AskedStatus(on: board)
    }
    #expect(status.hasLine("         accuracy       5 m, from eph"))

    // Back at its place, which two fixes have to say.
    gpsd.report(TPV(time: 600, latitude: "52.3692300"))
    while state(of: "binary_sensor.boat_anchor") != "off" { try await agent.event("proven") }
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "anchor watch: inside, 3 m from the anchor").count == 1)
    let file = try Data(contentsOf: board.state.appending(path: "anchor.watch"))
    #expect(file[7] == 1)
  }

  @Test func anAnchorWatchWithoutALineIsToldByTheAgent() async throws {
    let world = try await FaultyWorld()
    let gpsd = FakeGPSD(reporting: TPV())
    world.board.keepSecret("52.37")
    try world.configure(
      "location: { source: gpsd, port: \(gpsd.port), anchor: { radius: 40m } }\n"
        + "commands: [command_anchor]")
    let row = "ok     source         anchor: "
    let alone = try await world.homeward(["check"])
    #expect(alone.output.contains(row + "command_anchor sets the watch and clears it"))
    let agent = try world.agent()
    try await agent.event("proven")
    let ending = try await world.homeward(["check"])
    #expect(
      ending.output.contains(
        row + "the running agent reports: not set; the command command_anchor sets it"))
    #expect(await agent.stop().status == 0)
  }
}
