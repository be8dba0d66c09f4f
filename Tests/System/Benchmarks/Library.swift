import Foundation

/// What parts of the library cost, apart from the agent.
struct LibraryFigures {
  let sealingInstructions: Double
  let changes: [EntityChange]
  let session: SessionMemory

  init(_ options: Options) throws {
    sealingInstructions = try Instructions.sealing([try options.file("sealing")], options)
    changes = try EntityChange.entityCounts.map { try EntityChange(among: $0, options) }
    session = try SessionMemory(options)
  }

  /// How many times the cost of a change among the fewest entities one among the most costs.
  var growth: Double { changes[changes.count - 1].instructions / changes[0].instructions }
}

/// These figures and what was promised.
struct LibraryReport: Measured {
  let library: LibraryFigures
  let budgets: [Budget]

  init(_ options: Options) throws {
    library = try LibraryFigures(options)
    budgets = Budget.all(of: library)
  }

  var text: String {
    var instructions = Table(columns: ["instructions"])
    instructions.add("sealing 20 readings", [library.sealingInstructions])
    for change in library.changes {
      instructions.add("one change among \(change.entities) entities", [change.instructions])
    }
    var memory = Table(columns: ["KiB"])
    memory.add("an open session", [Double(library.session.openKibibytes)])
    memory.add(
      "with \(SessionMemory.entities) states kept", [Double(library.session.keepingKibibytes)])
    return """
      \(instructions.text)

      \(memory.text)

      \(budgets.verdicts)

      """
  }
}

/// The instructions that `EntityStore` runs for one event that changes one entity.
struct EntityChange {
  static let entityCounts = [100, 1000, 10_000]
  private static let changes = 1000
  /// What `entity-change` does all the changes in.
  private static let function = "*applyChange*"

  let entities: Int
  let instructions: Double

  init(among entities: Int, _ options: Options) throws {
    let program = try options.file("entity-change")
    let file = "\(try options.file("directory"))/entity-change.callgrind"
    let counting = Profile.callgrind(into: file) + ["--toggle-collect=\(Self.function)"]
    try run(counting + [program, "\(entities)", "\(Self.changes)"])
    self.entities = entities
    instructions = Double(try Profile(reading: file, program: program).total) / Double(Self.changes)
  }
}

/// What a process needs more of its own for a session with a practice home.
struct SessionMemory {
  static let entities = 50
  /// Beside each page of a library that a process needs the kernel maps some that it does not, and
  /// where each library lies is drawn by lot: up to 50 KiB more, never less. The least of some
  /// tries is what the session needs.
  private static let tries = 7

  /// For the session, subscribed to the states of the entities.
  let openKibibytes: Int
  /// With the states in an `EntityStore` beside it.
  let keepingKibibytes: Int

  init(_ options: Options) throws {
    let (home, port) = try Child.practiceHome(
      options, directory: URL(filePath: try options.file("directory")))
    defer { home.end() }
    let url = "http://127.0.0.1:\(port)"
    try Self.furnish(url)
    let command = [try options.file("session-memory"), url, "practice", "\(Self.entities)"]
    openKibibytes = try Self.least(of: command + ["open"])
    keepingKibibytes = try Self.least(of: command + ["keep"])
  }

  /// Makes `sensor.bench_0` and so on: a device named Bench, whose sensors are named by numbers.
  private static func furnish(_ url: String) throws {
    struct Answer: Decodable { let webhook_id: String }
    let device = """
      {"device_id": "bench", "app_id": "bench", "app_name": "Bench", "app_version": "1",
       "device_name": "Bench", "manufacturer": "Bench", "model": "Bench", "os_name": "Linux",
       "os_version": "1", "supports_encryption": false}
      """
    let answer = try post(device, to: "\(url)/api/mobile_app/registrations")
    let webhook = try JSONDecoder().decode(Answer.self, from: Data(answer.utf8)).webhook_id
    for number in 0..<entities {
      let sensor = """
        {"type": "register_sensor", "data": {"type": "sensor", "unique_id": "voltage_\(number)",
         "name": "\(number)", "state": 12.5, "device_class": "voltage",
         "unit_of_measurement": "V", "state_class": "measurement"}}
        """
      _ = try post(sensor, to: "\(url)/api/webhook/\(webhook)")
    }
  }

  private static func post(_ body: String, to url: String) throws -> String {
    try run([
      "curl", "--silent", "--show-error", "--fail", "--header", "Authorization: Bearer practice",
      "--header", "Content-Type: application/json", "--data", body, url,
    ])
  }

  private static func least(of command: [String]) throws -> Int {
    var least = Int.max
    for _ in 0..<tries {
      let output = try run(command)
      guard let kibibytes = Int(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
        throw Failure(.software, "\(command[0]) said: \(output)")
      }
      least = min(least, kibibytes)
    }
    return least
  }
}
