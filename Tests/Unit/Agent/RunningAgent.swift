import Foundation
import PracticeHome
import TestRun
import Testing

/// One line of the agent's `--json` output.
struct AgentEvent: Decodable, Sendable {
  let event: String
  let cause: String?
  let source: String?
  let sensor: String?
  let readings: Int?
  let hours: Int?
  let undelivered: Int?
  let locations: Int?
  let supersededReadings: Int?
  let supersededFixes: Int?
  let title: String?
  let message: String?
}

/// The agent as it is built, running on a `Board`.
///
/// What it says on standard output is waited for line by line: a story needs no clock. An agent
/// that is silent for too long is killed, and the story fails with all that it said.
final class RunningAgent {
  /// Why a story does not go on: the agent ended before it said what was waited for.
  struct Ended: Error, CustomStringConvertible {
    let awaited: String
    let transcript: [String]
    var description: String {
      "homeward ended before \(awaited):\n\(transcript.joined(separator: "\n"))"
    }
  }

  /// How a run ended.
  struct Ending {
    let status: Int32
    /// The lines of standard output.
    let output: [String]
    /// The lines of standard error.
    let log: [String]

    /// The lines that hold `text`.
    func lines(with text: String) -> [String] { log.filter { $0.contains(text) } }
  }

  private let board: Board
  private let process: ChildProcess
  private var output: AsyncStream<String>.Iterator
  private let log: AsyncStream<String>
  private var lines: [String] = []
  private var logLines: [String] = []
  private var isMarkThere = true

  /// The executable that was built beside these tests.
  static var executable: URL {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "homeward")
  }

  /// Starts it as a user who may do nothing.
  static let withoutPrivileges = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

  /// Starts it as the end of a line of the shell.
  static func after(_ line: String) -> [String] { ["bash", "-c", "\(line); exec \"$0\" \"$@\""] }

  /// - Parameters:
  ///   - board: what it runs on.
  ///   - arguments: of the command line; nil for what reports.
  ///   - input: what it reads on standard input.
  ///   - environment: variables beside those of this process.
  ///   - starter: a program and its words, which starts the command behind them: the agent.
  /// - Throws: why it does not start.
  init(
    on board: Board, _ arguments: [String]? = nil, input: String = "",
    environment: [String: String] = [:], startedBy starter: [String] = []
  ) throws {
    self.board = board
    let (inputPipe, outputPipe, logPipe) = (Pipe(), Pipe(), Pipe())
    let words =
      starter + [Self.executable.path]
      + (arguments ?? ["run", "--config", board.configuration, "--json"])
    process = try ChildProcess(
      words[0], Array(words.dropFirst()),
      environment: environment, input: .pipe(inputPipe), output: .pipe(outputPipe),
      errors: .pipe(logPipe))
    // Fewer bytes than a pipe holds. A program that has ended wanted none of them.
    try? inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try inputPipe.fileHandleForWriting.close()
    output = outputPipe.lines().makeAsyncIterator()
    log = logPipe.lines()
  }

  /// An agent whose first data is proven.
  static func proven(
    on board: Board, environment: [String: String] = [:]
  ) async throws -> RunningAgent {
    try await run(on: board, until: "proven", environment: environment)
  }

  /// An agent that has told of this event.
  static func run(
    on board: Board, until event: String, environment: [String: String] = [:]
  ) async throws -> RunningAgent {
    let agent = try RunningAgent(on: board, environment: environment)
    try await agent.event(event)
    return agent
  }

  deinit { process.send(signal: SIGKILL) }

  /// What the kernel lets it do: `/proc/PID/limits`.
  func limits() throws -> String {
    try String(contentsOfFile: "/proc/\(process.processIdentifier)/limits", encoding: .utf8)
  }

  // MARK: What it says

  /// The next event of this name for which `condition` holds; others are passed over.
  @discardableResult
  func event(
    _ name: String, where condition: (AgentEvent) -> Bool = { _ in true }
  ) async throws -> AgentEvent {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    while let line = await output.next() {
      lines.append(line)
      let event = try decoder.decode(AgentEvent.self, from: Data(line.utf8))
      if event.event == name, condition(event) { return event }
    }
    throw Ended(awaited: "the event \(name)", transcript: lines + (await restOfLog()))
  }

  /// The next line that ends so; others are passed over.
  @discardableResult
  func line(endingWith text: String) async throws -> String {
    while let line = await output.next() {
      lines.append(line)
      if line.hasSuffix(text) { return line }
    }
    throw Ended(awaited: "a line with \(text)", transcript: lines + (await restOfLog()))
  }

  @discardableResult
  func event(_ name: String, cause: String) async throws -> AgentEvent {
    try await event(name) { $0.cause == cause }
  }

  /// The event that a source failed or works again.
  @discardableResult
  func event(_ name: String, of source: String) async throws -> AgentEvent {
    try await event(name) { $0.source == source }
  }

  /// How often an event of this name has been passed or returned.
  func count(of name: String) -> Int {
    lines.count { $0.hasPrefix("{\"event\":\"\(name)\"") }
  }

  /// Comes back once the agent has read, in one cycle, all that is in the board's files now.
  func hasReadEverything() async throws {
    isMarkThere.toggle()
    try isMarkThere ? board.plugIn(Board.mark) : board.unplug(Board.mark)
    try await event(isMarkThere ? "source_recovered" : "source_failed", of: Board.mark)
  }

  /// Comes back once the agent has read these charges of the board's battery, each in a cycle.
  func hasRead(charges: [Int]) async throws {
    for charge in charges {
      // A cycle may read the battery, then the mark that changed with the charge. Twice: at the end
      // it is where it was.
      if charge != charges.first { for _ in 0..<2 { try await hasReadEverything() } }
      try board.charge(charge)
      try await hasReadEverything()
    }
  }

  /// Comes back once the agent has read these charges, and told that the disk takes nothing.
  func isUnableToKeep(charges: [Int]) async throws {
    try await hasRead(charges: charges)
    if count(of: "spool_failed") == 0 { try await event("spool_failed") }
  }

  /// Changes the charge of the board's battery, and waits until Home Assistant has it.
  func expectToDeliver(
    charge: Int, to home: PracticeServer, at location: SourceLocation = #_sourceLocation
  ) async throws {
    try board.charge(charge)
    try await hasReadEverything()
    try await event("proven") { $0.readings ?? 0 >= 1 }
    #expect(shownCharge(in: home) == "\(charge)", sourceLocation: location)
  }

  // MARK: Its end

  /// Asks it to stop, and waits until it has.
  func stop() async -> Ending {
    process.terminate()
    return await ending()
  }

  /// Stops it, which it does with success.
  func stopWithSuccess(at place: SourceLocation = #_sourceLocation) async -> Ending {
    let ending = await stop()
    #expect(ending.status == 0, "\(ending.log)", sourceLocation: place)
    return ending
  }

  func send(signal: Int32) { process.send(signal: signal) }

  /// Lets it open nothing more, or as much as usual.
  func limitDescriptors(_ isLimited: Bool) throws {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: "/proc/\(process.processIdentifier)/fd")
    let free = (0...).first { !names.contains(String($0)) } ?? 0
    let limit = "--nofile=\(isLimited ? free : 1024):4096"
    let status = try ChildProcess.run("prlimit", ["--pid", "\(process.processIdentifier)", limit])
    #expect(status == 0)
  }

  /// What its descriptors are, as the kernel calls that.
  func descriptors() throws -> [String] {
    let folder = "/proc/\(process.processIdentifier)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
  }

  /// The same with Ctrl-C.
  func interrupt() async -> Ending { await kill(with: SIGINT) }

  /// Ends it without a chance to tidy up, as a power cut does, or a trap.
  func kill(with signal: Int32 = SIGKILL) async -> Ending {
    process.send(signal: signal)
    return await ending()
  }

  /// Waits for its end. Whatever the story was, it must have kept its secrets.
  func ending() async -> Ending {
    while let line = await output.next() { lines.append(line) }
    let log = await restOfLog()
    board.expectNothingSecret(in: lines + log)
    return Ending(status: await process.ending(), output: lines, log: log)
  }

  private func restOfLog() async -> [String] {
    for await line in log { logLines.append(line) }
    return logLines
  }

  /// Whether a line with `text` comes on standard error before its end.
  func says(_ text: String) async -> Bool {
    for await line in log {
      logLines.append(line)
      if line.contains(text) { return true }
    }
    return false
  }
}
