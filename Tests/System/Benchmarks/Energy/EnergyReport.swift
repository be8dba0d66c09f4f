import EnergyModel

/// What a day of each profile costs, measured, and how long batteries last with it, computed.
struct EnergyReport: Measured {
  private let days: [EnergyFigures]
  private let assumed: Assumptions
  let budgets: [Budget]

  init(_ options: Options) throws {
    assumed = options.assumptions
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

    Assumed (--assume NAME=VALUE for another value)

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
    let batteries = Battery.all(assumed)
    var table = Table(
      columns: ["board", "agent", "radio", "receiver", "together"] + batteries.map(\.name),
      labelWidth: 40, columnWidth: 10)
    for day in days {
      let use = day.use(assumed)
      for board in Board.all(assumed) {
        let energy = DailyEnergy(of: use, on: board, over: day.profile.radio, assumed)
        let parts = [energy.board, energy.agent, energy.radio, energy.receiver, energy.total]
        let lasting = batteries.map {
          $0.days(at: energy, isSwitchedOff: use.starts != nil, assumed)
        }
        table.add("\(day.profile.name), \(board.name)", parts + lasting)
      }
    }
    return table.text
  }

  private var assumptionTable: String {
    Assumption.allCases.map {
      let source = assumed.isChanged($0) ? "asked for with --assume" : $0.entry.source
      return $0.rawValue.padded(to: 24) + "\(assumed[$0]) \($0.entry.unit)".padded(to: 18) + source
    }.joined(separator: "\n")
  }
}
