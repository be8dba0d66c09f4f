import Foundation
import PracticeHome
import TestRun
import Testing

extension WholeAgent {
  /// `homeward status --watch` at a terminal.
  @Suite struct Screen {}
}

extension WholeAgent.Screen {
  // The runtime of regular Swift would ask at the terminal what to do about a fault.
  private static let look = [
    "TERM": "xterm", "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
  ]

  private func watch(
    _ board: Board, _ more: String..., screen: [String: String] = look
  ) throws -> TypedCommand {
    let arguments = ["status", "--watch", "--every", "1s", "--config", board.configuration]
    return try TypedCommand(on: board, arguments + more, columns: 80, screen: screen)
  }

  /// Where no agent runs, and the screen says so.
  private func drawn() async throws -> (TypedCommand, TerminalEmulator) {
    let command = try watch(try Board(reportingTo: "http://127.0.0.1:1", token: nil))
    var emulator = TerminalEmulator(columns: 80, rows: 24)
    try await command.shows(&emulator, "a picture") { $0.lines[0].contains("has not answered") }
    return (command, emulator)
  }

  private func expectTheTerminalAsBefore(
    _ command: TypedCommand, _ emulator: TerminalEmulator, status: Int32 = 0,
    at location: SourceLocation = #_sourceLocation
  ) async {
    var emulator = emulator
    let ending = await command.ending()
    #expect(ending.status == status, sourceLocation: location)
    emulator = TerminalEmulator(columns: emulator.columns, rows: emulator.rows)
    emulator.feed([UInt8](ending.screen.utf8))
    #expect(emulator.faults == [], sourceLocation: location)
    #expect(!emulator.isOtherScreen && emulator.isCursorShown, sourceLocation: location)
    #expect(emulator.isWrapping && command.isTerminalAsBefore, sourceLocation: location)
  }

  @Test func theAgentIsDrawnAlsoWhileItRestarts() async throws {
    let (_, board, first) = try await provenAgent()
    let command = try watch(board)
    var emulator = TerminalEmulator(columns: 80, rows: 24)
    try await command.shows(&emulator, "all is well") { $0.lines[0].contains("all is well") }
    #expect(emulator.lines.contains { $0.hasPrefix("battery  83 %") })
    #expect(emulator.lines.contains { $0.hasPrefix("  BAT7 capacity") && $0.hasSuffix("83 %") })
    #expect(emulator.isOtherScreen && !emulator.isCursorShown && !emulator.isWrapping)
    #expect(!command.isTerminalAsBefore, "keys are not shown")

    #expect(await first.stop().status == 0)
    try await command.shows(&emulator, "the silence") {
      $0.lines[0].contains("the agent has not answered since ")
    }
    #expect(emulator.lines.contains { $0.hasPrefix("battery  83 %") })
    try board.charge(42)
    let second = try await RunningAgent.proven(on: board)
    try await command.shows(&emulator, "42 %") {
      $0.lines[0].contains("all is well") && $0.lines.contains { $0.hasPrefix("battery  42 %") }
    }
    command.press("q")
    await expectTheTerminalAsBefore(command, emulator)
    #expect(await second.stop().status == 0)
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
  func whateverEndsItTheTerminalIsAsBefore(_ signal: Int32) async throws {
    let (command, emulator) = try await drawn()
    command.send(signal: signal)
    await expectTheTerminalAsBefore(command, emulator)
  }

  @Test func aFaultOfItsOwnLeavesTheTerminalAsBefore() async throws {
    let (command, emulator) = try await drawn()
    command.send(signal: SIGSEGV)
    await expectTheTerminalAsBefore(command, emulator, status: SIGSEGV)
  }

  @Test func aScreenThatWasStoppedComesBackInTheSizeThatItHasThen() async throws {
    let (command, picture) = try await drawn()
    var emulator = picture
    command.send(signal: SIGTSTP)
    try await command.shows(&emulator, "the end of the picture") { !$0.isOtherScreen }
    try await command.isStopped()
    #expect(command.isTerminalAsBefore && emulator.isCursorShown)
    command.resize(40, 12)
    var smaller = TerminalEmulator(columns: 40, rows: 12)
    command.send(signal: SIGCONT)
    try await command.shows(&smaller, "the picture again") {
      $0.isOtherScreen && $0.lines[11].hasSuffix("q: end")
    }
    command.resize(60, 20)
    var larger = TerminalEmulator(columns: 60, rows: 20)
    try await command.shows(&larger, "a larger one") { $0.lines[19].hasSuffix("q: end") }
    #expect(larger.faults == [])
    command.press("q")
    #expect(await command.ending().status == 0)
    #expect(command.isTerminalAsBefore)
  }

  /// Nothing but SIGKILL would end it.
  @Test(.timeLimit(.minutes(10)), arguments: [nil, SIGTERM] as [Int32?])
  func aPersonEndsItThoughTheTerminalTakesNothing(_ signal: Int32?) async throws {
    let (command, _) = try await drawn()
    try await command.holdUp()
    if let signal { command.send(signal: signal) } else { command.press("q") }
    #expect(await command.ending().status == 0)
  }

  @Test func aDumbTerminalGetsLines() async throws {
    let (_, board, agent) = try await provenAgent()
    let command = try watch(board, screen: ["TERM": "dumb"])
    for _ in 0..<2 { try await command.asked("ok     Home Assistant   accepts the data") }
    command.send(signal: SIGINT)
    let ending = await command.ending()
    #expect(ending.status == 0)
    #expect(!ending.screen.contains("\u{1B}"))
    #expect(await agent.stop().status == 0)
  }
}
