import Foundation
import PracticeHome
import Testing

@testable import Agent
@testable import Board
@testable import Outbox

extension WholeAgent {
  /// `homeward run --once`, as a person at a terminal or a timer runs it.
  @Suite struct Once {}
}

extension WholeAgent.Once {
  /// Who runs it by a timer has no other chance to bring history.
  @Test func whatWasKeptOverThreeRunsArrivesWithTheNextOne() async throws {
    let (home, board) = try homeAndBoard()
    #expect(try await board.run("run", "--once").status == 0)
    home.fault = .status(503)
    for charge in [70, 71, 72] {
      try board.charge(charge)
      let ending = try await board.run("run", "--once")
      #expect(ending.status == 75)
      #expect(ending.lines(with: "Home Assistant does not have everything.").count == 1)
    }
    home.fault = nil
    try board.charge(73)
    let agent = try RunningAgent(
      on: board, ["run", "--once", "--json", "--config", board.configuration])
    let last = try await agent.event("stopped")
    #expect(last.undelivered == 0)
    #expect(await agent.ending().status == 0)
    #expect(history(of: "capacity", in: home).map(\.value) == ["70", "71", "72"])
    #expect(shownCharge(in: home) == "73")
  }

  @Test func aPersonSeesWhatWasReadAndWhatBecameOfIt() async throws {
    let (home, board) = try homeAndBoard()
    let ending = try await board.run("run", "--once")
    #expect(ending.status == 0)
    let rows = ending.output.map { $0.split(whereSeparator: { $0 == " " }).joined(separator: " ") }
    #expect(rows.first == "sensor value Home Assistant")
    #expect(rows.contains("BAT7 capacity 83 % taken"), "\(rows)")
    #expect(ending.log.last == "Home Assistant has everything.")

    home.fault = .status(503)
    try board.charge(70)
    let kept = try await board.run("run", "--once")
    #expect(kept.output.contains { $0.hasPrefix("BAT7 capacity") && $0.hasSuffix("kept") })
    #expect(
      kept.log.last?.contains("they are stored and sent with the next run") == true, "\(kept.log)")
  }

  @Test func whereTheDiskKeepsNothingNothingIsPromised() async throws {
    let (home, board) = try homeAndBoard()
    #expect(try await board.run("run", "--once").status == 0)
    try board.write("no directory", to: "state/spool")
    home.fault = .status(503)
    try board.charge(70)
    let ending = try await board.run("run", "--once")
    #expect(ending.output.contains { $0.hasPrefix("BAT7 capacity") && $0.hasSuffix("lost") })
    #expect(ending.log.last?.hasSuffix("; they are lost: nothing is stored on disk") == true)
  }

  /// A thermometer on 1-Wire is read beside the loop: it answers after it is clear that there is no
  /// attempt to wait for.
  @Test func aBoardThatIsNotPairedShowsItsSlowSensorsToo() async throws {
    let board = try Board(
      reportingTo: "http://127.0.0.1:1", token: nil, isTokenFileNamed: false,
      settings: "sensors: [{ one_wire: 28-0316a2796cff, name: Soil }]")
    try board.write("21312\n", to: "sys/bus/w1/devices/28-0316a2796cff/temperature")
    let ending = try await board.run("run", "--once")
    #expect(ending.status == 69)
    let rows = ending.output.map { $0.split(whereSeparator: { $0 == " " }).joined(separator: " ") }
    #expect(rows.contains("Soil 21.3 °C kept"), "\(rows)")
  }

  /// Starts an agent whose standard error is the journal, whose own socket is away.
  private static let inJournal = RunningAgent.after(
    "export JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/2)")

  private static let hasJournal = FileManager.default.fileExists(
    atPath: "/run/systemd/journal/socket")

  @Test(.disabled(if: hasJournal, "the lines go there"))
  func aJournalGetsNoValues() async throws {
    let (_, board) = try homeAndBoard()
    let ending = try await board.run("run", "--once", startedBy: Self.inJournal)
    #expect(ending.status == 0)
    #expect(ending.output == [])
    #expect(ending.log.last == "<5>Home Assistant has everything.")
  }

  @Test(.disabled(if: hasJournal, "the lines go there"))
  func aBoardThatIsWellGetsNoWarningInItsJournal() async throws {
    let (_, board) = try homeAndBoard()
    let agent = try RunningAgent(on: board, startedBy: Self.inJournal)
    try await agent.event("proven")
    let ending = await agent.stopWithSuccess()
    #expect(ending.log.count > 1)
    #expect(ending.log.allSatisfy { $0.hasPrefix("<5>") }, "\(ending.log)")
  }

  /// A tracker that is switched on to report where it is.
  @Test func aPositionThatWasAskedForAndDidNotComeIsNotEverything() async throws {
    let gpsd = FakeGPSD(reporting: TPV(mode: 1))
    let (_, board) = try homeAndBoard(settings: gpsd.settings)
    let ending = try await board.run("run", "--once", "--timeout=6s")
    #expect(ending.status == 75)
    let words = "Home Assistant has all readings, but no position."
    #expect(ending.log.last?.hasPrefix(words) == true, "\(ending.log)")
    #expect(ending.lines(with: "does the antenna see the sky?").count >= 1, "\(ending.log)")
  }

  @Test func aHangingHomeEndsItInTime() async throws {
    let (home, board) = try homeAndBoard()
    home.fault = .hang
    let ending = try await board.run("run", "--once", "--timeout=1s", "--log-level=error")
    #expect(ending.status == 75)
    #expect(ending.lines(with: "Home Assistant does not have everything.").count == 1)
  }
}

/// How the verdict and the code go together.
@Suite struct OnceReportTests {
  private func report(
    _ outcome: Uplink.Outcome?, refused: Int = 0, left: Int = 0, leftHours: Int = 0,
    isPaced: Bool = true, isKept: Bool = true, isFixMissing: Bool = false
  ) -> OnceReport {
    var counts = Uplink.Counts()
    counts.refused = refused
    return OnceReport(
      outcome: outcome, counts: counts, leftCount: left, leftHourCount: leftHours,
      isPaced: isPaced, isKept: isKept, isFixMissing: isFixMissing)
  }

  private func words(_ report: OnceReport) -> String {
    String(decoding: report.verdict.bytes, as: UTF8.self)
  }

  /// Whatever the last answer was: Home Assistant has nothing of it.
  @Test(arguments: [
    Uplink.Outcome.notRegistered(.server(.untrustedProxy)), .notRegistered(.requestRejected),
    .outage(.badRequest), .outage(.server(.notHomeAssistant(status: 200))),
  ])
  func whatWaitsIsNotSaidToHaveArrived(outcome: Uplink.Outcome) {
    for left in [0, 3] {
      let report = report(outcome, refused: 1, left: left)
      #expect(report.code == .temporaryFailure)
      #expect(!words(report).contains("has everything"), "\(words(report))")
    }
  }

  @Test func aFixThatDidNotComeIsSaidWithWhatToLookFor() {
    let report = report(.proven, isFixMissing: true)
    #expect(report.code == .temporaryFailure)
    #expect(words(report).hasPrefix("Home Assistant has all readings, but no position."))
    #expect(words(report).contains("does the antenna see the sky?"))
    #expect(
      words(self.report(.proven, left: 2, isFixMissing: true)).contains(
        ". There was no fix: does the antenna see the sky?"))
  }

  @Test func onlyWhereNothingIsLeftItIsDone() {
    #expect(report(.proven).code == .success)
    #expect(report(.proven, left: 21).code == .temporaryFailure)
    #expect(report(.proven, leftHours: 1).code == .temporaryFailure)
    #expect(report(.proven, refused: 1).code == .dataError)
    #expect(report(.proven, refused: 1, left: 1).code == .temporaryFailure)
    #expect(report(nil).code == .temporaryFailure)
    #expect(report(.postponed).code == .temporaryFailure)
    #expect(report(.outage(.server(.banned)), left: 3).code == .noPermission)
  }

  @Test func aLinkThatIsHeldBackIsNamed() {
    #expect(
      words(report(.proven, left: 21)).contains(
        "Left: 21 readings and fixes; history.bytes_per_minute allows no more"))
  }

  /// More time would bring nothing there.
  @Test func aLinkThatIsNotHeldBackOrFailsIsGivenNoMoreTime() {
    for report in [
      report(.proven, left: 21, isPaced: false),
      report(.outage(.server(.unavailable(status: 503))), left: 21),
    ] {
      #expect(words(report).hasSuffix("; they are stored and sent with the next run"))
    }
  }

  @Test func whatTheDiskDoesNotKeepIsNotPromised() {
    for outcome in [Uplink.Outcome.proven, .outage(.server(.unavailable(status: 503)))] {
      #expect(
        words(report(outcome, left: 2, isKept: false)).hasSuffix(
          "Left: 2 readings and fixes; they are lost: nothing is stored on disk"))
    }
  }

  @Test func hoursThatTheStatisticsLackAreNamed() {
    #expect(
      words(report(.proven, left: 1, leftHours: 2)).contains(
        "Left: 1 reading or fix and 2 hours of statistics; "))
  }
}

/// How long a run that ends by itself waits for its sources.
@Suite struct OnceOptionsTests {
  /// Seconds of the run, and seconds that a source has.
  @Test(arguments: [(6, 4), (60, 40), (90, 60), (120, 60), (180, 60), (600, 200)])
  func aReceiverHasItsTimeToStartAndTheUploadAThirdOfTheRun(run: Int64, source: Int64) {
    var options = OnceOptions()
    options.timeout = .seconds(run)
    #expect(options.answerTimeout == .seconds(source))
  }
}
