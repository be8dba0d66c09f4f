import Foundation

/// What the agent costs with 32 sensors of all the kinds that are files of the kernel or of another
/// program.
struct MixedReport: Measured {
  let cycles: Int
  let agent: Figures
  let calls: SystemCalls
  let budgets: [Budget]

  init(_ options: Options) throws {
    cycles = options.cycles
    agent = try Figures(measuring: .agent, options)
    calls = try SystemCalls(counting: .agent, options)
    budgets = Budget.all(ofMixed: agent, calls)
  }

  var text: String {
    var table = Table(columns: ["agent"])
    table.add("own heap allocations, in all cycles", [Double(agent.ownAllocations)])
    table.add("wake-ups a minute", [agent.wakeUpsPerMinute])
    table.add("threads", [Double(agent.threads)])
    table.add("RSS, KiB", [Double(agent.memoryKibibytes.resident)])
    table.add("USS, KiB", [Double(agent.memoryKibibytes.unique)])
    table.add("calls of the kernel, a cycle", [calls.perCycle])
    for (name, count) in calls.byName.sorted(by: { $0.value > $1.value }) {
      table.add("  \(name)", [count])
    }
    return """
      \(World.mixedSensors) sensors that all change, gpsd at 1 Hz, \(cycles) cycles of \
      \(World.cycleSeconds) s after \(Figures.warmUpCycles) of warm-up

      \(table.text)

      \(budgets.verdicts)

      """
  }
}

/// The calls of the kernel in a steady cycle, by name, as strace(1) counts them.
struct SystemCalls {
  let byName: [String: Double]
  var perCycle: Double { byName.values.reduce(0, +) }

  subscript(names: String...) -> Double { names.reduce(0) { $0 + (byName[$1] ?? 0) } }

  init(counting contestant: Contestant, _ options: Options) throws {
    let surroundings = try Surroundings(options)
    defer { surroundings.end() }
    let file = surroundings.world.directory.appending(path: "\(contestant.rawValue).calls")
    let child = try surroundings.start(contestant)
    defer { child.end() }
    try surroundings.await(cycles: 0..<Figures.warmUpCycles, of: contestant, child)
    _ = try atRest(child.id) { try Threads(ofProcess: child.id).wakeUps }
    let tracer = try Child(
      "strace",
      [
        "strace", "--follow-forks", "--quiet=all", "--output=\(file.path)",
        "--attach=\(child.id)",
      ], directory: surroundings.world.directory)
    defer { tracer.end() }
    let measured = Figures.warmUpCycles..<Figures.warmUpCycles + options.cycles
    try surroundings.await(cycles: measured, of: contestant, child)
    let text = try atRest(child.id) { try String(contentsOf: file, encoding: .utf8) }
    var counts: [String: Double] = [:]
    for line in text.split(separator: "\n") {
      guard let name = Self.call(in: line) else { continue }
      counts[name, default: 0] += 1 / Double(options.cycles)
    }
    guard !counts.isEmpty else { throw Failure(.software, "strace counted nothing") }
    byName = counts
  }

  /// The name in `123 pread64(7, …) = 6`; nil for the second half of a call and for a signal.
  private static func call(in line: Substring) -> String? {
    let rest = line.drop { $0.isNumber || $0 == " " }
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    guard !name.isEmpty, rest.dropFirst(name.count).first == "(" else { return nil }
    return String(name)
  }
}
