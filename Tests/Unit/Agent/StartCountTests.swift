import Bytes
import Foundation
import LinuxIO
import PracticeHome
import Testing

@testable import Agent
@testable import Board

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
