import EnergyModel

/// What a day of each profile costs, measured, and how long batteries last with it, computed.
struct EnergyReport: Measured {
  let profiles: [EnergyFigures]
  let days: [Estimate]
  let assumptions: [Assumed]
  let budgets: [Budget]

  /// What the model makes of a profile on a board.
  struct Estimate: Encodable {
    let profile: String
    let board: String
    let boardWattHours: Double
    let agentWattHours: Double
    let radioWattHours: Double
    let receiverWattHours: Double
    let wattHours: Double
    /// By the name of the battery.
    let batteryDays: [String: Double]
  }

  struct Assumed: Encodable {
    let name: String
    let value: Double
    let unit: String
    let source: String
  }

  init(_ options: Options) throws {
    let assumed = options.assumptions
    let wanted = EnergyProfile.measured.filter { profile in
      options.wantedProfiles.map { profile.name.contains($0) } ?? true
    }
    let measured = try wanted.map { profile in
      (
        profile,
        profile.isSwitchedOff
          ? try EnergyFigures(measuringOnce: profile, options)
          : try EnergyFigures(measuring: profile, options)
      )
    }
    profiles = measured.map { $0.1 }
    days = measured.flatMap { profile, figures in
      Board.all(assumed).map { Estimate(profile, figures, on: $0, assumed) }
    }
    assumptions = Assumption.allCases.map {
      let source = assumed.isChanged($0) ? "asked for with --assume" : $0.entry.source
      return Assumed(name: $0.rawValue, value: assumed[$0], unit: $0.entry.unit, source: source)
    }
    budgets = profiles.flatMap { Budget.all(ofDay: $0) }
  }

  private static let columns: [(label: String, value: @Sendable (EnergyFigures) -> Double?)] = [
    ("wake-ups", { $0.wakeUps }),
    ("processor s", { $0.processorSeconds }),
    ("sent KiB", { $0.sentBytes / 1024 }),
    ("received KiB", { $0.receivedBytes / 1024 }),
    ("connections", { $0.connections }),
    ("radio min", { $0.radioSeconds / 60 }),
  ]

  var text: String {
    """
    Measured, for a day: wake-ups, processor time on this machine, bytes with the headers of TLS, TCP
    and IP; how long the radio is awake is computed from the moments of the bytes

    \(measuredTable)

    Computed, Wh a day at 5 V, and days that a full battery lasts

    \(estimateTable)

    Assumed (--assume NAME=VALUE for another value)

    \(assumptions.map(\.line).joined(separator: "\n"))

    \(budgets.verdicts)

    """
  }

  private var measuredTable: String {
    var table = Table(columns: Self.columns.map(\.label), labelWidth: 26, columnWidth: 10)
    for figures in profiles {
      table.add(figures.profile, Self.columns.map { $0.value(figures) })
    }
    return table.text
  }

  private var estimateTable: String {
    let batteries = days.first?.batteryDays.keys.sorted() ?? []
    var table = Table(
      columns: ["board", "agent", "radio", "receiver", "together"] + batteries,
      labelWidth: 40, columnWidth: 10)
    for day in days {
      table.add(
        "\(day.profile), \(day.board)",
        [
          day.boardWattHours, day.agentWattHours, day.radioWattHours, day.receiverWattHours,
          day.wattHours,
        ] + batteries.map { day.batteryDays[$0] ?? 0 })
    }
    return table.text
  }
}

extension EnergyReport.Estimate {
  init(_ profile: EnergyProfile, _ figures: EnergyFigures, on board: Board, _ assumed: Assumptions)
  {
    let use = figures.use(profile, assumed)
    let energy = DailyEnergy(of: use, on: board, over: profile.radio, assumed)
    let batteries = Battery.all(assumed).map {
      ($0.name, $0.days(at: energy, isSwitchedOff: use.starts != nil, assumed))
    }
    self.init(
      profile: profile.name, board: board.name, boardWattHours: energy.board,
      agentWattHours: energy.agent, radioWattHours: energy.radio,
      receiverWattHours: energy.receiver, wattHours: energy.total,
      batteryDays: Dictionary(uniqueKeysWithValues: batteries))
  }
}

extension EnergyReport.Assumed {
  fileprivate var line: String {
    let name = name + String(repeating: " ", count: max(1, 24 - name.count))
    let amount = "\(value) \(unit)"
    return "\(name)\(amount)" + String(repeating: " ", count: max(1, 18 - amount.count)) + source
  }
}
