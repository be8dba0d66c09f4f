import Foundation
import LinuxIO
import PracticeHome
import Testing

extension WholeAgent {
  /// The program that follows an upload.
  @Suite struct Program {}
}

extension WholeAgent.Program {
  /// A board whose program is this script; it may write to the folder that `$1` names.
  private func board(
    _ script: String, reportingTo home: PracticeServer, timeout: String = "20s"
  ) throws -> Board {
    let board = try Board(reportingTo: home)
    try board.write("#!/bin/sh\n\(script)\n", to: "program")
    try board.setPermissions(0o755, of: "program")
    let configuration = try String(contentsOfFile: board.configuration, encoding: .utf8)
    try board.write(
      configuration
        + "after_upload: { run: [\(board.path("program")), \(board.folder.path)], timeout: \(timeout) }\n",
      to: "homeward.yaml")
    return board
  }

  private func written(_ name: String, on board: Board) -> String {
    (try? String(contentsOfFile: board.path(name), encoding: .utf8)) ?? ""
  }

  /// No token, no key, no webhook, whatever it looks for.
  @Test func itLearnsWhatItNeedsAndNoSecret() async throws {
    let home = try practiceHome()
    let board = try board(
      "tr '\\0' '\\n' </proc/$$/environ >$1/said; exec ls -l /proc/self/fd >$1/open",
      reportingTo: home)
    let ending = try await board.run("run", "--once", "--print-next-wake", "--trust-clock")
    #expect(ending.status == 0, "\(ending.log)")
    let variables = written("said", on: board).split(separator: "\n").map(String.init)
    #expect(variables.count == 3, "\(variables)")
    #expect(variables.contains("HOMEWARD_UPLOAD=proven"))
    #expect(variables.contains { $0.hasPrefix("PATH=/usr/local/sbin:") })
    let wake = try #require(ending.output.first)
    #expect(variables.contains("HOMEWARD_NEXT_WAKE=\(wake)"), "\(variables) \(wake)")
    let open = written("open", on: board).split(separator: "\n").filter { $0.contains(" -> ") }
    // The fourth one is the folder that it lists.
    #expect(open.count == 4, "\(open)")
    #expect(!open.contains { $0.contains("socket:") || $0.contains("state") }, "\(open)")
  }

  /// A program may cut the power: so the alarm is set before it, and where that failed, it is told
  /// no moment to trust in.
  @Test func withoutAnAlarmItIsToldNoMoment() async throws {
    let home = try practiceHome()
    let board = try board("tr '\\0' '\\n' </proc/$$/environ >$1/said", reportingTo: home)
    let ending = try await RunningAgent(
      on: board,
      ["run", "--once", "--config", board.configuration, "--wake", "rtc", "--rtc", "/dev/null"]
    ).ending()
    #expect(ending.status == 72)
    let variables = written("said", on: board)
    #expect(variables.contains("HOMEWARD_UPLOAD=proven"), "\(ending.log)")
    #expect(!variables.contains("HOMEWARD_NEXT_WAKE"), "\(variables)")
  }

  /// It may give the moment to a clock that is right.
  @Test(.enabled(if: !isClockSynchronized, "the network keeps the clock of this machine"))
  func ofAClockThatMayBeWrongItIsToldNoMoment() async throws {
    let home = try practiceHome()
    let board = try board("tr '\\0' '\\n' </proc/$$/environ >$1/said", reportingTo: home)
    #expect(try await board.run("run", "--once").status == 0)
    let once = written("said", on: board)
    #expect(
      once.contains("HOMEWARD_UPLOAD=proven") && !once.contains("HOMEWARD_NEXT_WAKE"), "\(once)")
    try board.remove("said")
    let agent = try RunningAgent(on: board)
    try await agent.event("program_ended")
    #expect(await agent.stop().status == 0)
    let said = written("said", on: board)
    #expect(
      said.contains("HOMEWARD_UPLOAD=proven") && !said.contains("HOMEWARD_NEXT_WAKE"), "\(said)")
  }

  @Test func whatWasNotProvenStartsNone() async throws {
    let home = try practiceHome()
    let board = try board("echo ran >>$1/said", reportingTo: home)
    home.fault = .status(503)
    #expect(try await board.run("run", "--once").status == 75)
    #expect(written("said", on: board) == "")
    home.fault = nil
    #expect(try await board.run("run", "--once").status == 0)
    #expect(written("said", on: board) == "ran\n")
  }

  /// History that the configuration holds back keeps a run at work whose upload was proven.
  @Test func whoAsksTheRunToStopStartsNone() async throws {
    let home = try practiceHome()
    let board = try board("echo ran >>$1/said", reportingTo: home)
    // More than the first event with history holds.
    let files = (1...60).map { "value\($0)" }
    let sensors = files.map { "  - { file: \(board.path($0)), name: \($0) }\n" }.joined()
    let configuration = try String(contentsOfFile: board.configuration, encoding: .utf8)
    try board.write(
      configuration + "history: { bytes_per_minute: 1024 }\nsensors:\n\(sensors)",
      to: "homeward.yaml")
    for file in files { try board.write("21", to: file) }
    home.fault = .status(503)
    #expect(try await board.run("run", "--once").status == 75)
    home.fault = nil
    let words = ["run", "--once", "--timeout", "1h", "--json", "--config", board.configuration]
    let agent = try RunningAgent(on: board, words)
    try await agent.event("proven")
    try await agent.event("history_proven")
    let ending = await agent.stop()
    #expect(ending.status == 75)
    #expect(!ending.output.contains { $0.contains("program_ended") })
    #expect(written("said", on: board) == "")
  }

  @Test func aProgramThatHangsIsEndedAndTold() async throws {
    let home = try practiceHome()
    let board = try board("echo waiting; exec sleep 1000", reportingTo: home, timeout: "1s")
    let ending = try await board.run("run", "--once")
    #expect(ending.status == 0)
    #expect(ending.lines(with: "after_upload says: waiting").count == 1, "\(ending.log)")
    #expect(ending.lines(with: "had not ended after 1 s, and was ended").count == 1)
  }

  @Test func aFailureIsToldOnceUntilItChanges() async throws {
    let home = try practiceHome()
    let board = try board("exit $(cat $1/code)", reportingTo: home)
    try board.write("3", to: "code")
    let agent = try RunningAgent(on: board)
    try await agent.event("program_ended")
    try board.charge(70)
    try await agent.event("program_ended")
    try board.write("4", to: "code")
    try await agent.event("program_ended")
    try await agent.event("program_ended")
    try board.write("0", to: "code")
    try await agent.event("program_ended")
    try await agent.event("program_ended")
    try await agent.event("program_ended")
    let ending = await agent.stop()
    #expect(ending.status == 0)
    #expect(ending.lines(with: "ended with the code 3").count == 1, "\(ending.log)")
    #expect(ending.lines(with: "ended with the code 4").count <= 1, "\(ending.log)")
    #expect(ending.lines(with: "ends well again").count == 1, "\(ending.log)")
  }

  /// The agent goes on with its work beside it, and leaves none behind.
  @Test func itHoldsNothingUpAndEndsWithTheAgent() async throws {
    let home = try practiceHome()
    let board = try board("echo $$ >$1/said; exec sleep 1000", reportingTo: home, timeout: "10min")
    let agent = try RunningAgent(on: board)
    try await agent.event("proven")
    try await agent.expectToDeliver(charge: 61, to: home)
    try await agent.expectToDeliver(charge: 62, to: home)
    let process = try #require(
      pid_t(written("said", on: board).trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(process, 0) == 0)
    #expect(await agent.stop().status == 0)
    #expect(kill(process, 0) != 0)
  }

  @Test func oneThatEveryUserMayChangeIsNotStarted() async throws {
    let home = try practiceHome()
    let board = try board("echo ran >$1/said", reportingTo: home)
    try board.setPermissions(0o777, of: "program")
    let ending = try await board.run("run", "--once")
    #expect(ending.status == 0)
    #expect(ending.lines(with: "every user may change it").count == 1, "\(ending.log)")
    #expect(written("said", on: board) == "")
  }
}
