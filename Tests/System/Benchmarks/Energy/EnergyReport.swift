import EnergyModel
import Foundation

/// What a day of each profile costs, measured, and how long batteries last with it, computed.
struct EnergyReport: Measured {
  private let days: [EnergyFigures]
  let budgets: [Budget]

  init(_ options: Options) throws {
    let wanted = EnergyProfile.measured.filter { profile in
      options.wantedProfiles.map { profile.name.contains($0) } ?? true
    }
    days = try wanted.map { profile in
      profile.isSwitchedOff
        ? try EnergyFigures(measuringOnce: profile, options)
        : try EnergyFigures(measuring: profile, options)
    }
    budgets = days.flatMap { Budget.all(ofDay: $0) }
  }

  var text: String {
    """
    Measured, for a day: wake-ups, processor time on this machine, bytes with the headers of TLS, TCP
    and IP; how long the radio is awake is computed from the moments of the bytes

    \(measuredTable)

    Computed, Wh a day at 5 V, and days that a full battery lasts

    \(estimateTable)

    Assumed

    \(assumptionTable)

    \(budgets.verdicts)

    """
  }

  private var measuredTable: String {
    var table = Table(
      columns: [
        "wake-ups", "processor s", "sent KiB", "received KiB", "connections", "radio min",
      ], labelWidth: 26, columnWidth: 10)
    for day in days {
      table.add(
        day.profile.name,
        [
          day.wakeUps, day.processorSeconds, day.sentBytes / 1024, day.receivedBytes / 1024,
          day.connections, day.radioSeconds / 60,
        ])
    }
    return table.text
  }

  private var estimateTable: String {
    var table = Table(
      columns: ["board", "agent", "radio", "receiver", "together"] + Battery.all.map(\.name),
      labelWidth: 40, columnWidth: 10)
    for day in days {
      for board in Board.all {
        let energy = DailyEnergy(of: day.use, on: board, over: day.profile.radio)
        let parts = [energy.board, energy.agent, energy.radio, energy.receiver, energy.total]
        let lasting = Battery.all.map {
          $0.days(at: energy, isSwitchedOff: day.profile.isSwitchedOff)
        }
        table.add("\(day.profile.name), \(board.name)", parts + lasting)
      }
    }
    return table.text
  }

  private var assumptionTable: String {
    Assumption.allCases.map {
      $0.rawValue.padded(to: 24) + "\($0.value) \($0.entry.unit)".padded(to: 18) + $0.entry.source
    }.joined(separator: "\n")
  }
}

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
