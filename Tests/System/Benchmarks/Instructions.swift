import Foundation

/// The instructions that a contestant runs in user space, counted by Valgrind's callgrind.
struct Instructions {
  let ownPerCycle: Double
  let librariesPerCycle: Double
  /// For one message of 20 readings: written as JSON, sealed and encoded.
  let sealingPerMessage: Double

  init(counting contestant: Contestant, _ options: Options) throws {
    let profile = try Profile(
      ofSteadyCyclesOf: contestant, program: options.file(contestant.rawValue), options)
    ownPerCycle = Double(profile.own) / Double(options.cycles)
    librariesPerCycle = Double(profile.libraries) / Double(options.cycles)
    let command =
      switch contestant {
      case .agent: [try options.file("sealing")]
      case .floor: [try options.file("floor"), "seal"]
      }
    sealingPerMessage = try Self.sealing(command, options)
  }

  /// What more messages cost more, so that starting the program is left out.
  static func sealing(_ command: [String], _ options: Options) throws -> Double {
    let (few, many) = (100, 1100)
    let totals = try [few, many].map { messages in
      let file = "\(try options.file("directory"))/sealing.callgrind"
      try run(Profile.callgrind(into: file) + command + ["\(messages)"])
      return try Profile(reading: file, program: command[0]).total
    }
    return Double(totals[1] - totals[0]) / Double(many - few)
  }
}

/// A profile of callgrind: instructions by the file whose code they are.
struct Profile {
  private(set) var own = 0
  private(set) var libraries = 0
  var total: Int { own + libraries }

  static func callgrind(into file: String) -> [String] {
    ["valgrind", "--quiet", "--tool=callgrind", "--callgrind-out-file=\(file)"]
  }

  /// Runs a contestant through its warm-up and the cycles to be measured.
  init(ofSteadyCyclesOf contestant: Contestant, program: String, _ options: Options) throws {
    let surroundings = try Surroundings(options)
    defer { surroundings.end() }
    let file = "\(surroundings.world.directory.path)/\(contestant.rawValue).callgrind"
    let child = try surroundings.start(
      contestant, under: Self.callgrind(into: file),
      environment: ProgramClock.whileWaiting.environment(options))
    defer { child.end() }
    try surroundings.await(cycles: 0..<Figures.warmUpCycles, of: contestant, child)
    try Self.control("--zero", child)
    let measured = Figures.warmUpCycles..<Figures.warmUpCycles + options.cycles
    try surroundings.await(cycles: measured, of: contestant, child)
    try Self.control("--dump", child)
    // The first dump of a process gets this number; what follows at its end gets none.
    if contestant == .agent, let profile = options.profile {
      try run(["cp", "\(file).1", profile])
    }
    try self.init(reading: "\(file).1", program: program)
  }

  private static func control(_ action: String, _ child: Child) throws {
    _ = try atRest(child.id) { try Threads(ofProcess: child.id).wakeUps }
    try run(["callgrind_control", action, "\(child.id)"])
  }

  /// Reads callgrind's format: "ob=" names the file that the following lines of costs are of, by
  /// a number once it was named; the line after "calls=" holds what was called and counts there.
  init(reading file: String, program: String) throws {
    let programName = URL(filePath: program).lastPathComponent
    var ownNumbers: Set<Substring> = []
    var isOwn = false
    var isCall = false
    for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("ob=") || line.hasPrefix("cob=") {
        let words = line.split(separator: "=")[1].split(separator: " ", maxSplits: 1)
        if words.count == 2, words[1].hasSuffix("/\(programName)") { ownNumbers.insert(words[0]) }
        if line.hasPrefix("ob=") { isOwn = ownNumbers.contains(words[0]) }
      } else if line.hasPrefix("calls=") {
        isCall = true
      } else if let cost = Self.cost(of: line) {
        if !isCall { if isOwn { own += cost } else { libraries += cost } }
        isCall = false
      }
    }
    guard own > 0 else { throw Failure(.software, "\(file) holds no instruction of \(program)") }
  }

  /// The second number of a line that begins with a place: `16 400`, `+3 400`, `* 400`.
  private static func cost(of line: Substring) -> Int? {
    guard let first = line.first, first.isNumber || "+-*".contains(first) else { return nil }
    let words = line.split(separator: " ")
    return words.count == 2 ? Int(words[1]) : nil
  }
}

/// The instructions of the agent and, beside them, of the floor.
struct InstructionReport: Measured {
  let cycles: Int
  let agent: Instructions
  let floor: Instructions?
  let budgets: [Budget]

  init(_ options: Options) throws {
    cycles = options.cycles
    agent = try Instructions(counting: .agent, options)
    floor = options.hasFloor ? try Instructions(counting: .floor, options) : nil
    budgets = Budget.all(of: agent, try options.daysLate == 0 ? Readme(options) : nil)
  }

  var text: String {
    var table = Table(columns: ["agent"] + (floor == nil ? [] : ["floor in C"]))
    let both = [agent, floor].compactMap { $0 }
    table.add("own code, a cycle", both.map(\.ownPerCycle))
    table.add("libraries, a cycle", both.map(\.librariesPerCycle))
    table.add("sealing 20 readings", both.map(\.sealingPerMessage))
    return """
      instructions in user space, \(cycles) cycles

      \(table.text)

      \(budgets.verdicts)

      """
  }
}

/// What the README of the benchmarks says that the agent costs.
struct Readme {
  let ownInstructionsPerCycle: Double

  /// The first number of the row in the table.
  init(_ options: Options) throws {
    let file = try options.file("readme")
    let row = "| instructions a cycle, own / libraries' |"
    let line = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      .first { $0.hasPrefix(row) }
    let figure = line?.dropFirst(row.count).prefix { $0 != "/" }.filter { $0.isNumber }
    guard let figure, let number = Double(figure) else {
      throw Failure(.software, "\(file) has no row that begins with \(row)")
    }
    ownInstructionsPerCycle = number
  }
}
