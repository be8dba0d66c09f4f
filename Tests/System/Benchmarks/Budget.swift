/// What the agent promises to cost: at most the limit, or about what the README says.
struct Budget {
  /// So far a figure may be from the README's, as a part of that.
  private static let readmeTolerance = 0.02

  let name: String
  let unit: String
  /// What it costs at least where the README tells the truth.
  let lowest: Double?
  let limit: Double
  let value: Double
  let holds: Bool

  private init(_ name: String, unit: String, lowest: Double? = nil, limit: Double, value: Double) {
    self.name = name
    self.unit = unit
    self.lowest = lowest
    self.limit = limit
    self.value = value
    holds = value <= limit && value >= lowest ?? -.infinity
  }

  private init(_ name: String, unit: String, inReadme told: Double, value: Double) {
    self.init(
      name, unit: unit, lowest: told * (1 - Self.readmeTolerance),
      limit: told * (1 + Self.readmeTolerance), value: value)
  }

  /// How large the binary may be stands in `Tests/System/Embedded/run`, for each processor.
  static func all(of agent: Figures) -> [Budget] {
    [
      Budget(
        "heap allocations of our own code", unit: "in all measured cycles", limit: 0,
        value: Double(agent.ownAllocations)),
      Budget("wake-ups", unit: "a minute", limit: 20, value: agent.wakeUpsPerMinute),
    ]
  }

  /// With 32 sensors of all kinds.
  static func all(ofMixed agent: Figures, _ calls: SystemCalls) -> [Budget] {
    [
      Budget(
        "heap allocations of our own code", unit: "in all measured cycles", limit: 0,
        value: Double(agent.ownAllocations)),
      Budget(
        "reads of the kernel's files", unit: "a cycle", limit: Double(World.mixedKernelFiles),
        value: calls["pread64"]),
      Budget(
        "files opened", unit: "a cycle", limit: Double(World.mixedTextFiles),
        value: calls["openat", "open"]),
      // The thread sleeps up to four times more where it is faster than the loop asks.
      Budget("wake-ups", unit: "a minute", limit: 90, value: agent.wakeUpsPerMinute),
      Budget("threads", unit: "", limit: 2, value: Double(agent.threads)),
    ]
  }

  /// Only on the processor that the README's figure is of. Without one, where the receiver's date
  /// is wrong, nothing may be dearer than a limit.
  static func all(of agent: Instructions, _ readme: Readme?) -> [Budget] {
    var budgets = [sealing(agent.sealingPerMessage)]
    #if arch(x86_64)
      let (name, unit, value) = ("own code", "instructions a cycle", agent.ownPerCycle)
      budgets.append(
        readme.map {
          Budget(name, unit: unit, inReadme: $0.ownInstructionsPerCycle, value: value)
        } ?? Budget(name, unit: unit, limit: 150_000, value: value))
    #endif
    return budgets
  }

  static func all(of library: LibraryFigures) -> [Budget] {
    [
      sealing(library.sealingInstructions),
      Budget(
        "one change among the most entities", unit: "times one among the fewest", limit: 1.2,
        value: library.growth),
      Budget(
        "an open session", unit: "KiB of its own", limit: 200,
        value: Double(library.session.openKibibytes)),
    ]
  }

  /// Of a day of a board. An upload wakes the radio once, and where the next one is hours away,
  /// Home Assistant's end of the connection wakes it once more.
  static func all(ofDay day: EnergyFigures) -> [Budget] {
    let radio = Budget(
      "\(day.profile.name): radio awake", unit: "s for an upload", limit: 40,
      value: day.radioSeconds / day.profile.uploadsPerDay)
    guard let wakeUps = day.wakeUps else { return [radio] }
    return [
      radio,
      Budget(
        "\(day.profile.name): wake-ups", unit: "a day",
        limit: EnergyFigures.signsOfLife + day.profile.cyclesPerDay * 12, value: wakeUps),
    ]
  }

  /// Of a parked board with nothing due, in 65 minutes. The service manager gets a sign of life
  /// each half of the time after which it would end a service that hangs: 15 minutes.
  static func all(ofIdle wakeUps: Int, sentBytes: Int) -> [Budget] {
    [
      Budget("wake-ups with nothing due", unit: "in 65 min", limit: 5, value: Double(wakeUps)),
      Budget("bytes sent with nothing due", unit: "in 65 min", limit: 0, value: Double(sentBytes)),
    ]
  }

  private static func sealing(_ instructions: Double) -> Budget {
    Budget("sealing 20 readings", unit: "instructions", limit: 40_000, value: instructions)
  }

  var words: String {
    let allowed =
      lowest.map { ", where the README allows \($0.grouped) to \(limit.grouped)" }
      ?? ", of at most \(limit.grouped)"
    return "\(name): \(value.grouped) \(unit)\(allowed)"
  }
}

extension [Budget] {
  var broken: [Budget] { filter { !$0.holds } }

  /// A line for each.
  var verdicts: String {
    map { "\($0.holds ? "holds" : "BROKEN")  \($0.words)" }.joined(separator: "\n")
  }
}

extension Double {
  /// With commas between thousands, and one decimal where it is no whole number.
  var grouped: String {
    let tenths = Int((self * 10).rounded())
    let whole = String(tenths / 10)
    var text = ""
    for (index, digit) in whole.enumerated() {
      if index > 0, (whole.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return tenths.isMultiple(of: 10) ? text : "\(text).\(tenths % 10)"
  }
}
