/// A measurement that was made.
protocol Measured {
  /// The table for people.
  var text: String { get }
  var budgets: [Budget] { get }
}

/// What was measured of the agent and, beside it, of the floor.
struct Report: Measured {
  let cycles: Int
  let agent: Figures
  let floor: Figures?
  let budgets: [Budget]

  init(_ options: Options) throws {
    cycles = options.cycles
    // One after the other: what two programs share is counted as unique to neither.
    agent = try Figures(measuring: .agent, options)
    floor = options.hasFloor ? try Figures(measuring: .floor, options) : nil
    budgets = Budget.all(of: agent)
  }

  private static let rows: [(label: String, value: @Sendable (Figures) -> Double)] = [
    ("binary, bytes stripped", { Double($0.binaryBytes) }),
    ("own heap allocations, in all cycles", { Double($0.ownAllocations) }),
    ("libraries' heap allocations a cycle", { $0.libraryAllocationsPerCycle }),
    ("wake-ups a minute", { $0.wakeUpsPerMinute }),
    ("threads", { Double($0.threads) }),
    ("RSS, KiB", { Double($0.memoryKibibytes.resident) }),
    ("USS, KiB", { Double($0.memoryKibibytes.unique) }),
    ("bytes sent a cycle", { $0.sentBytesPerCycle }),
    ("bytes received a cycle", { $0.receivedBytesPerCycle }),
  ]

  var text: String {
    var table = Table(columns: ["agent"] + (floor == nil ? [] : ["floor in C"]))
    for row in Self.rows { table.add(row.label, [agent, floor].compactMap { $0.map(row.value) }) }
    return """
      \(World.sensors) sensors that all change, gpsd at 1 Hz, \(cycles) cycles of \
      \(World.cycleSeconds) s after \(Figures.warmUpCycles) of warm-up

      \(table.text)

      \(budgets.verdicts)

      """
  }
}

/// Numbers in columns.
struct Table {
  private let labelWidth: Int
  private let widths: [Int]
  private var lines: [String] = []

  /// No column is narrower than its name, or than `columnWidth`.
  init(columns: [String], labelWidth: Int = 38, columnWidth: Int = 14) {
    self.labelWidth = labelWidth
    widths = columns.map { max(columnWidth, $0.count + 2) }
    addLine("", columns)
  }

  /// Of what was not measured there is no number.
  mutating func add(_ label: String, _ numbers: [Double?]) {
    addLine(label, numbers.map { $0?.grouped ?? "-" })
  }

  var text: String { lines.joined(separator: "\n") }

  private mutating func addLine(_ label: String, _ cells: [String]) {
    lines.append(
      zip(cells, widths).reduce(label.padded(to: labelWidth)) { line, cell in
        line + String(repeating: " ", count: max(1, cell.1 - cell.0.count)) + cell.0
      })
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
