import Foundation

/// What the agent of a parked board does while nothing is due. Meanwhile Home Assistant closes the
/// connection, as it has been idle for an hour.
struct IdleReport: Measured {
  /// Of the agent's time.
  private static let minutes = 65

  let wakeUps: Int
  /// By the agent.
  let sentBytes: Int
  let budgets: [Budget]

  init(_ options: Options) throws {
    let profile = EnergyProfile.parked
    let site = try EnergySite(profile, options)
    defer { site.end() }
    let agent = try site.startAgent()
    try site.awaitUpload(by: agent)
    let before = try site.countsAtRest(of: agent)
    let lineCount = try site.wire().lines.count
    let seconds = Double(Self.minutes * 60 / profile.rate)
    progress("parked: \(Self.minutes) minutes, which take \(seconds) s")
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
    wakeUps = after.wakeUps - before.wakeUps
    sentBytes = wire.sentBytes
    budgets = Budget.all(ofIdle: wakeUps, sentBytes: sentBytes)
  }

  var text: String {
    var table = Table(columns: ["agent"])
    table.add("wake-ups", [Double(wakeUps)])
    table.add("bytes sent", [Double(sentBytes)])
    return """
      a parked board with nothing due: every: 24h, \(World.sensors) sensors, gpsd at 1 Hz, systemd's \
      watchdog; \(Self.minutes) minutes, \(EnergyProfile.parked.rate) times faster than the clock

      \(table.text)

      \(budgets.verdicts)

      """
  }
}
