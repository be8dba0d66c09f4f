import Foundation

/// Who is measured: the agent as it ships, and the same work in C.
enum Contestant: String {
  case agent, floor

  /// What it calls itself towards the home.
  var device: String {
    switch self {
    case .agent: "Boat"
    case .floor: "Floor"
    }
  }

  /// How many sensors it registers besides those of the board: the agent one of lost readings,
  /// which never changes.
  var ownSensors: Int { self == .agent ? 1 : 0 }
}

/// What a contestant meets, made anew for each: a practice home, a gpsd with a receiver at 1 Hz,
/// and a board.
struct Surroundings {
  /// An answer takes as long as over a home network. So it never comes before the contestant
  /// sleeps, and how often that wakes does not depend on how busy this machine is.
  static let answerMilliseconds = 20
  /// A cycle that comes this late does not come.
  private static let cycleLimit: Duration = .seconds(World.cycleSeconds * 3)

  let options: Options
  let world: World
  let homePort: Int
  private let home: Child
  private let drive: Child
  private let gpsdPort: Int

  init(_ options: Options) throws {
    self.options = options
    let directory = URL(filePath: try options.file("directory"))
    world = try World(in: directory, isMixed: options.isMixed)
    (home, homePort) = try Child.practiceHome(
      options, delay: Self.answerMilliseconds, directory: directory)
    (drive, gpsdPort) = try Child.drive(options, directory: directory)
  }

  func end() {
    drive.end()
    home.end()
  }

  /// Starts a contestant, as the program of a `tool` that is a command of its own.
  func start(
    _ contestant: Contestant, under tool: [String] = [], environment: [String] = []
  ) throws -> Child {
    let url = "http://127.0.0.1:\(homePort)"
    let command =
      switch contestant {
      case .agent:
        [
          try options.file("agent"), "run", "--config",
          try world.makeConfiguration(
            "every: \(World.cycleSeconds)s\n\(world.mixedEntries)", home: "url: \"\(url)\"",
            gpsdPort: gpsdPort
          ).path,
        ]
      case .floor:
        [
          try options.file("floor"), url, "practice", "\(gpsdPort)", world.proc.path,
          world.sys.path,
        ]
      }
    return try Child(
      contestant.rawValue, tool + command, environment: environment, directory: world.directory)
  }

  /// Waits until the home has got the values of this many cycles, and changes them after each. The
  /// first cycle registers every sensor; every other one brings a location.
  func await(cycles: Range<Int>, of contestant: Contestant, _ child: Child) throws {
    for cycle in cycles {
      var seen: [String: Int] = [:]
      _ = try home.nextEvent(within: Self.cycleLimit, whileRunning: child) { event in
        guard event.device == contestant.device else { return false }
        seen[event.event, default: 0] += 1
        guard event.event == "readings" else { return false }
        // What was replaced before it was sent comes by itself, and is proven by its own readings.
        guard seen["event_fired"] == nil else {
          seen = [:]
          return false
        }
        return true
      }
      let registered = world.sensors + contestant.ownSensors
      let (name, wanted) = cycle == 0 ? ("sensor_registered", registered) : ("location", 1)
      guard seen[name] == wanted else {
        throw Failure(.software, "cycle \(cycle + 1) of \(child.name) brought \(seen)")
      }
      try world.turn(to: cycle + 1)
      progress("\(child.name): cycle \(cycle + 1)")
    }
  }
}

/// Says on standard error how far the measurement is.
func progress(_ text: String) {
  try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
}
