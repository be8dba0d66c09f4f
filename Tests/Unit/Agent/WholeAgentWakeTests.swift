import Foundation
import LinuxIO
import PracticeHome
import Testing

extension WholeAgent {
  /// A board that is switched off between two reports.
  @Suite struct Wake {}
}

extension WholeAgent.Wake {
  /// Seconds since 1970 that the run told, and whether they are what a script may wait for.
  private func moment(_ ending: RunningAgent.Ending) throws -> Int {
    #expect(ending.output.count == 1, "\(ending.output)")
    let line = try #require(ending.output.first)
    let wake = try #require(Int(line))
    let ahead = wake - Int(Date.now.timeIntervalSince1970)
    #expect(ahead > 100 && ahead <= 3600 + 120, "\(ahead)")
    #expect(wake % 3600 == 0)
    return wake
  }

  @Test func aScriptReadsTheMomentAndNothingElse() async throws {
    let (_, board) = try homeAndBoard(settings: "upload: { every: 1h }")
    let ending = try await board.run("run", "--once", "--print-next-wake", "--trust-clock")
    #expect(ending.status == 0)
    _ = try moment(ending)
    #expect(ending.lines(with: "BAT7 capacity").count == 1, "\(ending.log)")
  }

  /// Else the board would stay on, or off for good, because a network is away.
  @Test func whereHomeAssistantIsNotReachedThereIsANextTimeToo() async throws {
    let (home, board) = try homeAndBoard(settings: "upload: { every: 1h }")
    home.fault = .hang
    let ending = try await board.run(
      "run", "--once", "--print-next-wake", "--trust-clock", "--timeout=1s")
    #expect(ending.status == 75)
    _ = try moment(ending)
  }

  @Test func aLowBatteryIsAskedLessOften() async throws {
    let (_, board) = try homeAndBoard(
      settings: "upload: { every: 1h }\npower: [{ below: 90%, upload: 6h }]")
    let ending = try await board.run("run", "--once", "--print-next-wake", "--trust-clock")
    #expect(ending.status == 0)
    let wake = try #require(ending.output.first.flatMap { Int($0) })
    #expect(wake % (6 * 3600) == 0)
    #expect(ending.lines(with: "power level: below 90 %; every 6 h").count == 1, "\(ending.log)")
  }

  /// Else it would end before it has reported what it does know.
  @Test func aReceiverWithoutAFixIsWaitedForNoLongerThanTheRunMayTake() async throws {
    let gpsd = FakeGPSD(reporting: TPV(mode: 1))
    let (home, board) = try homeAndBoard(settings: gpsd.settings)
    try board.configure("every: 5s", "every: 6h")
    let ending = try await board.run("run", "--once", "--timeout=6s")
    #expect(ending.status == 75, "\(ending.log)")
    #expect(shownCharge(in: home) == "83")
  }

  @Test func whatIsForProgramsHoldsItToo() async throws {
    let (_, board) = try homeAndBoard(settings: "upload: { every: 1h }")
    let ending = try await board.run("run", "--once", "--json", "--trust-clock")
    let last = try #require(ending.output.last)
    #expect(last.contains(#""next_wake":"2"#) && last.contains(#":00:00+00:00""#), "\(last)")
  }

  /// A power HAT was given a moment that had passed by its own clock: the board never woke.
  @Test(.enabled(if: !isClockSynchronized, "the network keeps the clock of this machine"))
  func aClockThatMayBeWrongTellsNoMoment() async throws {
    let (home, board) = try homeAndBoard()
    let ending = try await board.run("run", "--once", "--print-next-wake")
    #expect(ending.status == 72)
    #expect(ending.output == [])
    #expect(ending.lines(with: "No alarm can be set: leave the board on").count == 1)
    #expect(ending.lines(with: "add --trust-clock").count == 1, "\(ending.log)")
    // What it was started for it did.
    #expect(shownCharge(in: home) == "83")

    let json = try await board.run("run", "--once", "--json")
    #expect(json.status == 0)
    #expect(!json.output.contains { $0.contains("next_wake") })
  }

  @Test func aRunThatCannotBeginTellsNoMoment() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    try board.write("every: 10\n", to: "homeward.yaml")
    let ending = try await board.run("run", "--once", "--print-next-wake")
    #expect(ending.status == 78)
    #expect(ending.output == [])
    #expect(ending.lines(with: "\"10\" has no unit").count == 1, "\(ending.log)")
  }
}
