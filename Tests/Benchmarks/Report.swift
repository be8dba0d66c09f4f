import Foundation

/// What was measured of the agent and, beside it, of the floor.
struct Report: Encodable {
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
    ("own heap bytes a cycle", { $0.ownAllocatedBytesPerCycle }),
    ("libraries' heap allocations a cycle", { $0.libraryAllocationsPerCycle }),
    ("libraries' heap bytes a cycle", { $0.libraryAllocatedBytesPerCycle }),
    ("wake-ups a minute", { $0.wakeUpsPerMinute }),
    ("threads", { Double($0.threads) }),
    ("RSS, KiB", { Double($0.memoryKibibytes.resident) }),
    ("PSS, KiB", { Double($0.memoryKibibytes.proportional) }),
    ("USS, KiB", { Double($0.memoryKibibytes.unique) }),
    ("bytes sent a cycle", { $0.sentBytesPerCycle }),
    ("bytes received a cycle", { $0.receivedBytesPerCycle }),
  ]

  /// The table for people.
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
  private static let labelWidth = 38
  private static let columnWidth = 14
  private var lines: [String]

  init(columns: [String]) { lines = [Self.line("", columns)] }

  mutating func add(_ label: String, _ numbers: [Double]) {
    lines.append(Self.line(label, numbers.map(\.grouped)))
  }

  var text: String { lines.joined(separator: "\n") }

  private static func line(_ label: String, _ cells: [String]) -> String {
    let label = label + String(repeating: " ", count: max(0, labelWidth - label.count))
    return cells.reduce(label) { line, cell in
      line + String(repeating: " ", count: max(1, columnWidth - cell.count)) + cell
    }
  }
}

extension Encodable {
  /// One line of JSON.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
