import Foundation

/// What the agent of a parked board does in two hours in which nothing is due. In them Home
/// Assistant closes the connection, as it has been idle for an hour.
struct IdleReport: Measured {
  private static let hours = 2

  let wakeUpsPerHour: Double
  /// By the agent.
  let sentBytesPerHour: Double
  let budgets: [Budget]

  init(_ options: Options) throws {
    let profile = EnergyProfile.parked
    let site = try EnergySite(profile, options)
    defer { site.end() }
    let agent = try site.startAgent()
    try site.awaitUpload(by: agent)
    let before = try site.countsAtRest(of: agent)
    let lineCount = try site.wire().lines.count
    let seconds = Double(Self.hours * 3600 / profile.rate)
    progress("parked: \(Self.hours) hours, which take \(seconds) s")
    Thread.sleep(forTimeInterval: seconds)
    guard agent.isRunning else {
      throw Failure(.software, "the agent has ended:\n\(agent.words())")
    }
    let after = try site.countsAtRest(of: agent)
    var wire = try site.wire()
    wire.drop(first: lineCount)
    guard wire.lines.contains(where: { $0.kind == .close }) else {
      throw Failure(.software, "the home did not close the connection: its time stands still")
    }
    wakeUpsPerHour = Double(after.wakeUps - before.wakeUps) / Double(Self.hours)
    sentBytesPerHour = Double(wire.sentBytes) / Double(Self.hours)
    budgets = Budget.all(ofIdle: wakeUpsPerHour, sentBytes: sentBytesPerHour)
  }

  var text: String {
    var table = Table(columns: ["agent"])
    table.add("wake-ups an hour", [wakeUpsPerHour])
    table.add("bytes sent an hour", [sentBytesPerHour])
    return """
      a parked board with nothing due: every: 24h, \(World.sensors) sensors, gpsd at 1 Hz, systemd's \
      watchdog; \(Self.hours) hours, \(EnergyProfile.parked.rate) times faster than the clock

      \(table.text)

      \(budgets.verdicts)

      """
  }
}
