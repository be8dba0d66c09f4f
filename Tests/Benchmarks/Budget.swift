/// What the agent promises to cost at most.
struct Budget: Encodable {
  let name: String
  let unit: String
  let limit: Double
  let value: Double
  let holds: Bool

  private init(_ name: String, unit: String, limit: Double, value: Double) {
    self.name = name
    self.unit = unit
    self.limit = limit
    self.value = value
    holds = value <= limit
  }

  /// The code for the processor of a PC is larger than that for the processor of most boards.
  #if arch(x86_64)
    private static let binaryBytesMax: Double = 848 * 1024
  #else
    private static let binaryBytesMax: Double = 800 * 1024
  #endif

  static func all(of agent: Figures) -> [Budget] {
    [
      Budget(
        "size of the binary", unit: "bytes, stripped", limit: Self.binaryBytesMax,
        value: Double(agent.binaryBytes)),
      Budget(
        "heap allocations of our own code", unit: "in all measured cycles", limit: 0,
        value: Double(agent.ownAllocations)),
      Budget("wake-ups", unit: "a minute", limit: 20, value: agent.wakeUpsPerMinute),
    ]
  }

  static func all(of agent: Instructions) -> [Budget] { [sealing(agent.sealingPerMessage)] }

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

  private static func sealing(_ instructions: Double) -> Budget {
    Budget("sealing 20 readings", unit: "instructions", limit: 40_000, value: instructions)
  }

  var words: String {
    "\(name): \(value.grouped) \(unit), of at most \(limit.grouped)"
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
