import Foundation
import TestRun
import Testing

/// The agent as it ships, and its commands, run against the server under test.
///
/// `HOMEWARD_CONTRACT_AGENT` is its binary and `HOMEWARD_CONTRACT_GPSD_PORT` the port of a gpsd
/// with a fix; `Tests/run contract` provides both.
struct Agent {
  let server: Server
  let deviceName = "Agent \(UUID().uuidString.prefix(8).lowercased())"
  private let binary: URL
  private let gpsdPort: String
  let folder: URL

  /// What one run said: its exit status and the objects it wrote, one a line.
  struct Run {
    let status: Int32
    let events: [JSON]

    func event(_ name: String) -> JSON? { events.last { $0["event"] == .string(name) } }
  }

  /// - Parameters:
  ///   - serverSettings: more keys of the section `home_assistant`.
  ///   - hasToken: whether the configuration names a file with the token; else the board is to be
  ///     paired.
  ///   - sensors: another entry of `sensors`.
  ///   - settings: more lines of the configuration.
  /// - Throws: where the surroundings name no server, or the file system refuses.
  init(
    server serverSettings: String = "", hasToken: Bool = true, sensors: String = "",
    settings: String = ""
  ) throws {
    let environment = ProcessInfo.processInfo.environment
    server = try Server.required()
    binary = URL(filePath: try #require(environment["HOMEWARD_CONTRACT_AGENT"]))
    gpsdPort = try #require(environment["HOMEWARD_CONTRACT_GPSD_PORT"])
    folder = TestRun.newPlace()
    try write(server.token, to: "token")
    let token = hasToken ? "token_file: \(folder.path)/token" : ""
    try write(
      configuration("\(token)\n  \(serverSettings)", sensors) + "\n\(settings)\n",
      to: "homeward.yaml")
    for (name, value) in Self.kernelFiles { try write(value + "\n", to: "sys/class/\(name)") }
  }

  /// A battery, a thermal zone and a modem, as the kernel shows them.
  private static let kernelFiles = [
    "power_supply/BAT7/type": "Battery", "power_supply/BAT7/present": "1",
    "power_supply/BAT7/capacity": "83", "power_supply/BAT7/status": "Discharging",
    "power_supply/BAT7/voltage_now": "12612000", "power_supply/BAT7/current_now": "-1480000",
    "power_supply/BAT7/charge_now": "2500000", "power_supply/BAT7/voltage_min_design": "11100000",
    "thermal/thermal_zone0/type": "cpu-thermal", "thermal/thermal_zone0/temp": "48312",
    "net/wwan0/statistics/rx_bytes": "115500000", "net/wwan0/statistics/tx_bytes": "1000",
  ]

  private func configuration(_ serverSettings: String, _ sensors: String) -> String {
    """
    every: 10s
    state_directory: \(folder.path)/state
    home_assistant:
      url: "\(server.url.absoluteString)"
      \(serverSettings)
    device: { name: \(deviceName) }
    location: { source: gpsd, port: \(gpsdPort) }
    host: { proc: /proc, sys: \(folder.path)/sys }
    sensors: [{ gpio: NO_SUCH_LINE, name: Bilge, device_class: moisture }, \(sensors)]
    """
  }

  private func write(_ text: String, to name: String) throws {
    try write(Data(text.utf8), to: name)
  }

  func write(_ bytes: Data, to name: String) throws {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: file)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  private var options: [String] {
    ["--config", folder.appending(path: "homeward.yaml").path, "--json"]
  }

  /// `homeward run`, until it is stopped.
  func start(environment: [String: String] = [:]) throws -> AgentAtWork {
    try AgentAtWork(binary, ["run"] + options, environment: environment)
  }

  /// `homeward run --once`, to its end.
  func runOnce(environment: [String: String] = [:]) throws -> Run {
    try run(["run", "--once"], environment: environment)
  }

  /// Another command, to its end; `input` is its standard input.
  func run(
    _ words: [String], input: String = "", environment: [String: String] = [:]
  ) throws -> Run {
    let (typed, output) = (Pipe(), Pipe())
    let process = try ChildProcess(
      binary.path, words + options, environment: environment, input: .pipe(typed),
      output: .pipe(output))
    try typed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try typed.fileHandleForWriting.close()
    let lines = try output.fileHandleForReading.readToEnd() ?? Data()
    return Run(
      status: process.waitUntilEnd(),
      events: lines.split(separator: UInt8(ascii: "\n")).compactMap { JSON(parsing: Data($0)) })
  }

  /// The entity that Home Assistant makes of a name.
  func entityID(_ domain: String, _ name: String) -> String {
    let slug = "\(deviceName)\(name.isEmpty ? "" : "_")\(name)".lowercased()
    return "\(domain)." + slug.replacing(" ", with: "_")
  }
}

/// `homeward run` for as long as an expectation wants it: its events are waited for one by one.
final class AgentAtWork {
  struct Ended: Error, CustomStringConvertible {
    let awaited: String
    let events: [JSON]
    var description: String { "the agent ended before \(awaited); it said \(events)" }
  }

  private let process: ChildProcess
  private var output: AsyncStream<String>.Iterator
  private var events: [JSON] = []

  init(_ binary: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
    let pipe = Pipe()
    process = try ChildProcess(
      binary.path, arguments, environment: environment, output: .pipe(pipe), errors: .nothing,
      timeout: .seconds(420))
    output = pipe.lines().makeAsyncIterator()
  }

  deinit { process.send(signal: SIGKILL) }

  /// The next event of this name; others are passed over.
  @discardableResult
  func event(_ name: String) async throws -> JSON {
    while let line = await output.next() {
      guard let event = JSON(parsing: Data(line.utf8)) else { continue }
      events.append(event)
      if event["event"] == .string(name) { return event }
    }
    throw Ended(awaited: name, events: events)
  }

  /// Sends it a signal, such as `SIGSTOP`, with which it keeps its connections and says nothing.
  func send(signal: Int32) { process.send(signal: signal) }

  func stop() async {
    process.terminate()
    while await output.next() != nil {}
  }
}
