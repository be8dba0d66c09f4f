/// What the command line asks for, and where the parts are that the script built.
struct Options {
  enum Measurement { case cycles, instructions, mixed, library, energy, idle }

  /// Then the recorded drive enters a tunnel.
  static let cyclesMax = 15

  var cycles = 6
  var hasFloor = true
  var isTracing = false
  /// By how many days the receiver's date is late.
  var daysLate = 0
  var measurement = Measurement.cycles
  var isMixed: Bool { measurement == .mixed }
  /// A part of the names of the profiles of energy that are measured; nil for all.
  var wantedProfiles: String?
  private var files: [String: String] = [:]

  static let fileNames = [
    "agent", "practice-home", "floor", "sealing", "entity-change", "session-memory", "heapcount",
    "play-drive", "symbolizer", "directory", "readme", "profile", "clock", "tls-link",
  ]

  init(_ arguments: [String]) throws(Failure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--no-floor": hasFloor = false
      case "--trace": isTracing = true
      case "--instructions": measurement = .instructions
      case "--library": measurement = .library
      case "--mixed": measurement = .mixed
      case "--energy": measurement = .energy
      case "--idle": measurement = .idle
      case "--only":
        let part = rest.popFirst() ?? ""
        guard EnergyProfile.measured.contains(where: { $0.name.contains(part) }) else {
          let names = EnergyProfile.measured.map(\.name).joined(separator: "; ")
          throw Failure(.usage, "--only needs a part of one of these names: \(names)")
        }
        wantedProfiles = part
      case "--cycles": cycles = try Self.number(argument, 1...Self.cyclesMax, &rest)
      case "--days-late": daysLate = try Self.number(argument, 1...1000, &rest)
      default:
        guard argument.hasPrefix("--"), Self.fileNames.contains(String(argument.dropFirst(2))),
          let value = rest.popFirst()
        else { throw Failure(.usage, "\(argument) is not understood; see --help of the script") }
        files[String(argument.dropFirst(2))] = value
      }
    }
  }

  private static func number(
    _ name: String, _ allowed: ClosedRange<Int>, _ rest: inout ArraySlice<String>
  ) throws(Failure) -> Int {
    guard let number = rest.popFirst().flatMap({ Int($0) }), allowed.contains(number) else {
      let range = "\(allowed.lowerBound) to \(allowed.upperBound)"
      throw Failure(.usage, "\(name) needs a number from \(range)")
    }
    return number
  }

  /// Where a part is.
  func file(_ name: String) throws(Failure) -> String {
    guard let file = files[name] else {
      throw Failure(.usage, "--\(name) is missing; Tests/System/Benchmarks/run knows what to give")
    }
    return file
  }

  /// Where the profile of the agent's cycles is kept; nil where it is not asked for.
  var profile: String? { files["profile"] }
}

/// Why there is no measurement.
struct Failure: Error {
  /// Codes of sysexits.h.
  enum Code: Int32 {
    case usage = 64
    case software = 70
  }

  let code: Code
  let text: String

  init(_ code: Code, _ text: String) {
    self.code = code
    self.text = text
  }
}
