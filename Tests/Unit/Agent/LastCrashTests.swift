import Bytes
import Foundation
import LinuxIO
import PracticeHome
import Testing

@testable import Agent
@testable import Board

@Suite struct LastWordsFileTests {
  private func words(_ file: String) -> LastWords { LastWords(file: [UInt8](file.utf8)) }
  private func value(_ file: String) -> String {
    String(decoding: [UInt8](words(file).value.bytes), as: UTF8.self)
  }
  private func line(_ file: String) -> String { String(decoding: words(file).line, as: UTF8.self) }

  @Test func theTimeTheSignalAndThePlaceAreWhatHomeAssistantShows() {
    let file = "1795489012 homeward 0.1.0: ended by SIGILL at 0x5d2c1, called from 0x1; please\n"
    #expect(value(file) == "2026-11-24T02:56:52Z SIGILL at 0x5d2c1")
    #expect(line(file) == "homeward 0.1.0: ended by SIGILL at 0x5d2c1, called from 0x1; please")
    #expect(
      value("1795489012 homeward 0.1.0: ended by SIGBUS in a library; please\n")
        == "2026-11-24T02:56:52Z SIGBUS in a library")
  }

  @Test func aBoardThatDidNotKnowTheTimeTellsNone() {
    #expect(words("17 homeward 0.1.0: ended by SIGILL at 0x1; please\n").time == nil)
    #expect(value("17 homeward 0.1.0: ended by SIGILL at 0x1; please\n") == "SIGILL at 0x1")
  }

  /// A card that fails gives other bytes back.
  @Test(arguments: [
    "", "\n", " ", "1795489012", "1795489012 ", "99999999999999999999999 x", "999999999999 x",
    ": ended by ", "x: ended by ", ": ended by ;", "\u{1B}[2J\u{0}", "1795489012 \u{1B}]0;x\u{7}",
  ])
  func whatMakesNoSenseIsShownAndTrapsNothing(file: String) {
    let words = words(file)
    #expect(words.value.bytes.count <= InlineText.byteCountMax)
    #expect(!words.line.contains { $0 < 0x20 })
    #expect(![UInt8](words.value.bytes).contains { $0 < 0x20 })
  }
}

extension WholeAgent {
  @Suite struct Crashes {}
}

extension WholeAgent.Crashes {
  private static let crash = "sensor.boat_last_crash"

  @Test func aCrashIsToldToHomeAssistantByTheNextStartAndNotByTheOneAfter() async throws {
    let (home, board, first) = try await provenAgent(
      environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(home.state(of: Self.crash) == nil)
    #expect(await first.kill(with: SIGSEGV).status == SIGSEGV)

    // While it cannot be told, it is kept.
    home.fault = .status(503)
    let second = try await RunningAgent.run(on: board, until: "crashed")
    try await second.event("outage", cause: "unavailable")
    #expect(await second.stop().lines(with: "the agent crashed at 20").count == 1)
    home.fault = nil

    let third = try await RunningAgent.run(on: board, until: "crashed")
    try await third.event("proven")
    #expect(await third.stop().status == 0)
    let shown = try #require(home.state(of: Self.crash)?.state)
    #expect(shown.hasPrefix("20") && shown.contains("Z SIGSEGV "), "\(shown)")

    let fourth = try await RunningAgent.proven(on: board)
    let ending = await fourth.stop()
    #expect(fourth.count(of: "crashed") == 0)
    #expect(ending.lines(with: "crashed").isEmpty)
    #expect(home.state(of: Self.crash)?.state == shown)
  }

  /// Neither a stop nor a power cut is a crash.
  @Test func whatIsKilledDidNotCrash() async throws {
    let (_, board, first) = try await provenAgent()
    _ = await first.kill()
    let second = try await RunningAgent.proven(on: board)
    #expect(await second.stop().lines(with: "crashed").isEmpty)
    #expect(second.count(of: "crashed") == 0)
  }
}

@Suite struct StartCountTests {
  /// The first crash is followed by a start at once: what a run left on is made safe by the next.
  @Test func thePausesDoubleUpToAQuarterOfAnHour() {
    let pauses = (0...9).map { StartCount.pause(afterStarts: $0).components.seconds }
    #expect(pauses == [0, 0, 30, 60, 120, 240, 480, 900, 900, 900])
  }

  @Test func howeverOftenItStartedThePauseIsBounded() {
    #expect(StartCount.pause(afterStarts: .max) == StartCount.pauseMax)
  }
}

extension WholeAgent.Reloads {
  /// Each of these runs ends at once, and systemd would start the next one.
  @Test func anAgentThatEndsAgainAndAgainWaitsLongerAndLonger() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    try board.makeFolder("runtime")
    let environment = ["RUNTIME_DIRECTORY": board.path("runtime")]
    for _ in 0..<2 {
      let agent = try RunningAgent(on: board, environment: environment)
      try await agent.event("started")
      let ending = await agent.kill()
      #expect(ending.lines(with: "ended too soon").isEmpty)
    }
    let third = try RunningAgent(on: board, environment: environment)
    #expect(await third.says("the last runs ended too soon; the agent starts in 30"))
    // Who stops a service does not wait for it.
    #expect(await third.stop().status == 0)
    let fourth = try RunningAgent(on: board, environment: environment)
    try await fourth.event("started")
    #expect(await fourth.stop().lines(with: "ended too soon").isEmpty)
    let left = try FileManager.default.contentsOfDirectory(atPath: board.path("runtime"))
    #expect(left == [])
  }
}
