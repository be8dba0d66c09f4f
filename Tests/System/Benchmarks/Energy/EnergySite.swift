import Foundation

/// Where an agent with the configuration of a profile works: its board, a gpsd, a home behind TLS,
/// a service manager, all in a time that may go faster than the clock.
final class EnergySite {
  /// What an upload may be late, of the clock's time.
  private static let patience: Duration = .seconds(20)

  let profile: EnergyProfile
  private let options: Options
  private let directory: URL
  private let world: World
  private let home: Child
  private let link: Child
  private let drive: Child?
  private let service: ServiceManager
  private let configuration: URL
  /// What all programs here are started with.
  private let clock: [String]
  private(set) var agent: Child?
  private var turn = 0
  private var nextTurn = ContinuousClock.now

  init(_ profile: EnergyProfile, _ options: Options) throws {
    self.profile = profile
    self.options = options
    let directory = URL(filePath: try options.file("directory")).appending(path: "energy")
    try? FileManager.default.removeItem(at: directory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    self.directory = directory
    clock = try ProgramClock.faster(profile.rate).environment(options)
    world = try World(in: directory, isPlugMoving: false)
    service = try ServiceManager(in: directory)
    // Of the clock, so that no answer comes before the agent sleeps.
    let delay = Surroundings.answerMilliseconds * profile.rate
    let (home, homePort) = try Child.practiceHome(
      options, delay: delay, environment: clock, directory: directory)
    self.home = home
    link = try Child(
      "tls-link",
      [try options.file("tls-link"), "--home", "\(homePort)", "--folder", directory.path],
      environment: clock, directory: directory, isTalking: true)
    let port = try link.port(after: "ready")
    let gpsd =
      try profile.hasReceiver
      ? Child.drive(options, environment: clock, directory: directory) : nil
    drive = gpsd?.drive
    let authority = directory.appending(path: "authority.pem").path
    configuration = try world.makeConfiguration(
      profile.configuration,
      home: "url: \"https://127.0.0.1:\(port)\", tls: { ca_file: \(authority) }",
      gpsdPort: gpsd?.port)
    try turnWorld()
  }

  func end() {
    agent?.end()
    drive?.end()
    link.end()
    home.end()
    service.end()
  }

  // MARK: The agent at its work

  func startAgent() throws -> Child {
    let command = [try options.file("agent"), "run", "--config", configuration.path]
    let child = try Child(
      "agent", command, environment: clock + service.environment, directory: directory)
    agent = child
    return child
  }

  /// Waits for the readings of the next upload, and lets all values change with each cycle.
  func awaitUpload(by child: Child) throws {
    let limit: Duration = .seconds(profile.uploadEvery) / profile.rate + Self.patience
    let end = ContinuousClock.now + limit
    var hasPosition = false
    while ContinuousClock.now < end {
      let wait = max(.zero, min(end, nextTurn) - ContinuousClock.now)
      let upload = try home.event(within: wait, whileRunning: child) {
        if $0.event == "location" { hasPosition = true }
        return $0.device == Contestant.agent.device && $0.event == "readings"
      }
      if upload != nil {
        guard hasPosition == profile.hasReceiver else {
          throw Failure(
            .software,
            "\(profile.name): an upload without a fix. This machine is too busy for a time that goes "
              + "\(profile.rate) times faster:\n\(child.words())")
        }
        return
      }
      if ContinuousClock.now >= nextTurn { try turnWorld() }
    }
    throw Failure(.software, "\(profile.name): no upload within \(limit):\n\(child.words())")
  }

  private func turnWorld() throws {
    turn += 1
    try world.turn(to: turn)
    let soil = "bus/w1/devices/\(EnergyProfile.thermometer)/temperature"
    try world.write("\(15_000 + turn % 40 * 500)\n", to: world.sys.appending(path: soil))
    nextTurn = ContinuousClock.now + .seconds(profile.every) / profile.rate
  }

  /// What has been counted up to now, once the agent sleeps.
  func countsAtRest(of child: Child) throws -> EnergyCounts {
    let counts = try atRest(child.id) { try EnergyCounts(ofProcess: child.id) }
    try home.passOverEvents()
    return counts
  }

  func wire() throws -> WireRecord { try WireRecord(reading: directory.appending(path: "wire")) }

  // MARK: The agent that runs once

  /// What one run took: of the clock, and of the processor.
  struct Once {
    let seconds: Double
    let processorSeconds: Double
  }

  func runOnce() throws -> Once {
    let command = [try options.file("agent"), "run", "--once", "--config", configuration.path]
    let script = "TIMEFORMAT='%R %U %S'; time \"$@\""
    let child = try Child(
      "run-once", ["LC_ALL=C", "bash", "-c", script, "bash"] + command, directory: directory)
    try child.awaitEnd(within: .seconds(100))
    let times = child.words().split(separator: "\n").last?.split(separator: " ")
      .compactMap { Double($0) }
    guard let times, times.count == 3 else {
      throw Failure(.software, "bash tells no times:\n\(child.words())")
    }
    try turnWorld()
    return Once(seconds: times[0], processorSeconds: times[1] + times[2])
  }
}

/// What the kernel has counted of the agent since it started.
struct EnergyCounts: Equatable {
  /// Voluntary context switches of all threads: each is a sleep, and so a wake-up.
  let wakeUps: Int
  let processorNanoseconds: Int

  init(ofProcess id: Int32) throws {
    wakeUps = try Threads(ofProcess: id).wakeUps
    processorNanoseconds = try FileManager.default.contentsOfDirectory(
      atPath: "/proc/\(id)/task"
    ).reduce(0) { sum, thread in
      let text = try String(contentsOfFile: "/proc/\(id)/task/\(thread)/schedstat", encoding: .utf8)
      guard let spent = text.split(separator: " ").first.flatMap({ Int($0) }) else {
        throw Failure(.software, "this kernel tells no processor time in nanoseconds")
      }
      return sum + spent
    }
  }
}

/// Takes what a service tells systemd, and forgets it: the agent gives its signs of life as it does
/// on a board.
@safe final class ServiceManager: Sendable {
  private let descriptor: Int32
  private let path: String
  /// As the package's service has it.
  private static let watchdogMicroseconds = 1_800_000_000

  var environment: [String] {
    ["NOTIFY_SOCKET=\(path)", "WATCHDOG_USEC=\(Self.watchdogMicroseconds)"]
  }

  init(in directory: URL) throws {
    path = directory.appending(path: "notify").path
    try? FileManager.default.removeItem(atPath: path)
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = [UInt8](path.utf8)
    let isBound = unsafe withUnsafeMutableBytes(of: &address) { place -> Bool in
      let start = MemoryLayout<sa_family_t>.size
      guard start + bytes.count < place.count, let address = place.baseAddress else { return false }
      unsafe place[start...].copyBytes(from: bytes)
      let size = socklen_t(place.count)
      return unsafe bind(
        descriptor,
        address.assumingMemoryBound(to: sockaddr.self), size)
        == 0
    }
    guard isBound else { throw Failure(.software, "no socket at \(path): errno \(errno)") }
    Thread.detachNewThread { [descriptor] in
      var place: [UInt8] = Array(repeating: 0, count: 4096)
      while unsafe recv(descriptor, &place, place.count, 0) > 0 {}
      close(descriptor)
    }
  }

  /// Ends the thread.
  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
