import Foundation

/// A program that this one starts. The kernel ends it when this one goes, however it goes.
final class Child {
  let name: String
  private let process = Process()
  private let log: URL
  private let output: Pipe?
  private var pending = Data()

  /// Starts `command`, whose first word is the program, with `environment` besides this program's
  /// own. What it says on standard error is kept in `directory`; its standard output is read with
  /// `nextEvent` if it `isTalking`.
  init(
    _ name: String, _ command: [String], environment: [String] = [], directory: URL,
    isTalking: Bool = false
  ) throws {
    self.name = name
    log = directory.appending(path: "\(name).log")
    output = isTalking ? Pipe() : nil
    try Data().write(to: log)
    process.executableURL = URL(filePath: "/usr/bin/setpriv")
    // `env` comes last, so that what is preloaded is preloaded into the program only.
    process.arguments = ["--pdeathsig", "TERM", "env"] + environment + command
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output ?? FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: log)
    try process.run()
  }

  /// A practice home at a free port, which may take some time for each answer.
  static func practiceHome(
    _ options: Options, delay milliseconds: Int? = nil, environment: [String] = [], directory: URL
  ) throws -> (home: Child, port: Int) {
    let delay = milliseconds.map { ["--delay", "\($0)"] } ?? []
    let home = try Child(
      "practice-home", [try options.file("practice-home"), "--port", "0", "--json"] + delay,
      environment: environment, directory: directory, isTalking: true)
    return (home, try home.port(after: "listening"))
  }

  /// A gpsd with a receiver at 1 Hz, from the second of the recorded drive at which the vehicle is
  /// on its way.
  static func drive(
    _ options: Options, environment: [String] = [], directory: URL
  ) throws -> (drive: Child, port: Int) {
    let drive = try Child(
      "play-drive",
      [
        try options.file("play-drive"), "--port", "0", "--json", "--start", "20", "--days-late",
        "\(options.daysLate)",
      ], environment: environment, directory: directory, isTalking: true)
    return (drive, try drive.port(after: "ready"))
  }

  var id: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  /// What it said on standard error.
  func words() -> String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

  /// Asks it to end and waits until it has.
  func end() {
    process.terminate()
    process.waitUntilExit()
  }

  /// One line of what the programs say with `--json`.
  struct Event: Decodable {
    let event: String
    let device: String?
    let port: Int?
  }

  /// Waits for an event that `isWanted`, as long as `companion` runs.
  func nextEvent(
    within limit: Duration, whileRunning companion: Child? = nil, where isWanted: (Event) -> Bool
  ) throws -> Event {
    if let event = try event(within: limit, whileRunning: companion, where: isWanted) {
      return event
    }
    let quiet = companion ?? self
    throw Failure(.software, "nothing of \(quiet.name) for \(limit):\n\(quiet.words())")
  }

  /// The same; nil where none came.
  func event(
    within limit: Duration, whileRunning companion: Child? = nil, where isWanted: (Event) -> Bool
  ) throws -> Event? {
    let end = ContinuousClock.now + limit
    while true {
      while let line = takeLine() {
        guard let event = try? JSONDecoder().decode(Event.self, from: line) else {
          throw Failure(.software, "\(name) said: \(String(decoding: line, as: UTF8.self))")
        }
        if isWanted(event) { return event }
      }
      for child in [self, companion].compactMap({ $0 }) where !child.isRunning {
        throw Failure(.software, "\(child.name) has ended:\n\(child.words())")
      }
      let left = end - ContinuousClock.now
      guard left > .zero else { return nil }
      readMore(within: min(left, .seconds(1)))
    }
  }

  /// The port that it names in the first event of this name.
  func port(after event: String) throws -> Int {
    let ready = try nextEvent(within: .seconds(60)) { $0.event == event }
    guard let port = ready.port else { throw Failure(.software, "\(name) names no port") }
    return port
  }

  /// Forgets what it has said so far.
  func passOverEvents() throws { _ = try event(within: .milliseconds(1)) { _ in false } }

  /// Waits until it ends by itself, and fails where it is not well then.
  func awaitEnd(within limit: Duration) throws {
    let end = ContinuousClock.now + limit
    while process.isRunning {
      guard ContinuousClock.now < end else {
        throw Failure(.software, "\(name) does not end within \(limit):\n\(words())")
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
    guard process.terminationStatus == 0 else {
      throw Failure(.software, "\(name) ended with \(process.terminationStatus):\n\(words())")
    }
  }

  private func takeLine() -> Data? {
    guard let end = pending.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let line = Data(pending[..<end])
    pending = Data(pending[(end + 1)...])
    return line
  }

  /// Waits for more output.
  private func readMore(within limit: Duration) {
    guard let handle = output?.fileHandleForReading else { return }
    var request = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = Int32(limit / .milliseconds(1)) + 1
    if unsafe poll(&request, 1, milliseconds) == 1 { pending += handle.availableData }
  }
}

/// The time that programs live in; `Tests/System/Soak/clock.c` gives it to them.
enum ProgramClock {
  /// As fast as the kernel's; it stands still while a program works. A slow read moves to another
  /// thread, and under Valgrind every read might be slow.
  case whileWaiting
  /// So many times faster than the kernel's: hours of the agent take minutes. What a processor does
  /// is not accelerated.
  case faster(Int)

  /// What all programs that live in this time are started with.
  func environment(_ options: Options) throws -> [String] {
    guard let rate else { return [] }
    let origins = "\(nanoseconds(of: CLOCK_MONOTONIC)) \(nanoseconds(of: CLOCK_REALTIME))"
    return ["LD_PRELOAD=\(try options.file("clock"))", "HOMEWARD_CLOCK=\(origins) \(rate)"]
  }

  /// As `clock.c` has it; nil for the kernel's own time.
  private var rate: Int? {
    switch self {
    case .whileWaiting: 0
    case .faster(let rate): rate > 1 ? rate : nil
    }
  }

  private func nanoseconds(of clock: clockid_t) -> Int {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
