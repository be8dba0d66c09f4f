import CLinux
import Foundation
import TestRun
import Testing

/// `homeward` as it is built, with a person at its terminal. Its standard output is a pipe, unless
/// the story is about a `screen`.
///
///     let command = try TypedCommand(on: board, ["pair", home.url, "--config", …])
///     try await command.asked("User name: ")
///     command.type("Ann")
///     try await command.asked("Password: ")
///     await command.typeHidden("a secret")
///     let ending = await command.ending()
final class TypedCommand {
  static let endOfInput = "\u{4}"

  struct Ending {
    let status: Int32
    /// All that was on the screen.
    let screen: String
    /// Standard output.
    let output: String

    /// The lines of the screen that hold `text`.
    func lines(with text: String) -> Int {
      screen.split(separator: "\r\n").count { $0.contains(text) }
    }
  }

  private let board: Board
  private let process: ChildProcess
  private let terminal: PseudoTerminal
  private var appearances: AsyncStream<[UInt8]>.Iterator
  private let output: AsyncStream<[UInt8]>
  private var shown: [UInt8] = []
  /// Up to where the story knows the screen.
  private var seenCount = 0

  /// - Parameters:
  ///   - board: what it runs on.
  ///   - arguments: of the command line.
  ///   - columns: how many the terminal says that it has; 0 for one that does not say.
  ///   - screen: what the environment says of the terminal that is its standard output, too.
  /// - Throws: why it does not start.
  init(
    on board: Board, _ arguments: [String], columns: UInt16 = 0, screen: [String: String]? = nil
  ) throws {
    self.board = board
    board.keepKeptSecrets()
    terminal = try PseudoTerminal()
    let program = FileHandle(fileDescriptor: try terminal.opened(), closeOnDealloc: true)
    terminal.setSize(columns)
    let output = Pipe()
    process = try ChildProcess(
      RunningAgent.executable.path, arguments,
      environment: ["NO_COLOR": "1"].merging(screen ?? [:]) { $1 }, input: .file(program),
      output: screen == nil ? .pipe(output) : .file(program), errors: .file(program))
    if screen != nil { try output.fileHandleForWriting.close() }
    self.output = output.bytes()
    // The screen ends when the last program has gone.
    try program.close()
    appearances = terminal.appearances().makeAsyncIterator()
  }

  deinit { process.send(signal: SIGKILL) }

  // MARK: What the person does

  /// Waits until `question` appears.
  func asked(_ question: String) async throws {
    _ = try await asked(oneOf: [question])
  }

  /// Waits until one of these questions appears, and returns the first that does.
  func asked(oneOf questions: [String]) async throws -> String {
    while true {
      let unseen = String(decoding: shown[seenCount...], as: UTF8.self)
      let places = questions.compactMap { unseen.range(of: $0) }
      if let place = places.min(by: { $0.lowerBound < $1.lowerBound }) {
        seenCount += unseen[..<place.upperBound].utf8.count
        return String(unseen[place])
      }
      guard let bytes = await appearances.next() else {
        throw RunningAgent.Ended(
          awaited: questions.joined(separator: " or "), transcript: [screen])
      }
      shown += bytes
    }
  }

  func type(_ line: String) { terminal.type(line + "\n") }

  /// The keyboard's Ctrl-D.
  func endInput() { terminal.type(Self.endOfInput) }

  /// Types as soon as the command has hidden what is typed; it asks before that.
  func typeHidden(_ line: String) async {
    while terminal.isEchoing, process.isRunning { await Task.yield() }
    type(line)
  }

  // MARK: A screen

  /// Waits until the screen is as it should be; a story that waits in vain ends with what it shows.
  func shows(
    _ emulator: inout TerminalEmulator, _ what: String, _ condition: (TerminalEmulator) -> Bool
  ) async throws {
    while !condition(emulator) {
      guard let bytes = await appearances.next() else {
        throw RunningAgent.Ended(awaited: what, transcript: emulator.lines)
      }
      shown += bytes
      emulator.feed(bytes)
    }
  }

  func press(_ keys: String) { terminal.type(keys) }

  func resize(_ columns: UInt16, _ rows: UInt16) {
    terminal.setSize(columns, rows)
    // It is not the controlling terminal, which would tell by itself.
    process.send(signal: SIGWINCH)
  }

  func send(signal: Int32) { process.send(signal: signal) }

  /// Lets the terminal take nothing, and waits until the command has begun to draw all anew.
  func holdUp() async throws {
    try terminal.holdUp()
    resize(60, 20)
    let file = "/proc/\(process.processIdentifier)/status"
    let isPending = { (line: Substring) -> Bool in
      let mask = line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
      return mask >> UInt64(SIGWINCH - 1) & 1 == 1
    }
    while try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").contains(where: {
      ($0.hasPrefix("ShdPnd:") || $0.hasPrefix("SigPnd:")) && isPending($0)
    }) { await Task.yield() }
  }

  /// Whether lines are edited by the terminal, and what is typed is shown.
  var isTerminalAsBefore: Bool { terminal.isEchoing }

  /// Waits until a signal has stopped it.
  func isStopped() async throws {
    let file = "/proc/\(process.processIdentifier)/stat"
    while try String(contentsOfFile: file, encoding: .utf8).split(separator: " ")[2] != "T" {
      await Task.yield()
    }
  }

  // MARK: Its end

  private var screen: String { String(decoding: shown, as: UTF8.self) }

  /// Waits for its end. Whatever the story was, it must have kept its secrets.
  func ending() async -> Ending {
    while let bytes = await appearances.next() { shown += bytes }
    var bytes: [UInt8] = []
    for await chunk in output { bytes += chunk }
    let ending = Ending(
      status: await process.ending(), screen: screen,
      output: String(decoding: bytes, as: UTF8.self))
    board.expectNothingSecret(in: [ending.screen, ending.output])
    return ending
  }
}
