import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Agent
@testable import Board
@testable import Outbox
@testable import Tools

/// What the agent tells of the position and of the anchor watch, which is never where the boat is.
@Suite struct StatusReportPositionTests {
  private func status(_ report: borrowing StatusReport) throws -> AgentStatus {
    try StatusRig.status(report)
  }

  private func lines(_ report: borrowing StatusReport, with subject: String) throws -> [String] {
    StatusRig.lines(try status(report)).filter { $0.contains(subject) }
  }

  // MARK: Accuracy

  @Test(arguments: [
    (Fix.ErrorSource.estimate, "eph"), (.parts, "epx_epy"), (.dilution, "hdop"),
  ])
  func theAccuracyIsToldWithWhatItIsMadeOf(source: Fix.ErrorSource, code: String) throws {
    var fix = StatusRig.fix(8, error: 20.9)
    fix.errorSource = source
    #expect(
      try lines(StatusRig.report(lastFix: fix), with: " accuracy ")
        == ["         accuracy       21 m, from \(code)"])
  }

  @Test func anAccuracyThatTheReceiverDoesNotTellIsNotInvented() throws {
    let report = StatusRig.report(lastFix: StatusRig.fix(8))
    #expect(
      try lines(report, with: " accuracy ") == [
        "         accuracy       not reported by the receiver"
      ])
    #expect(try lines(StatusRig.report(), with: " accuracy ").isEmpty)
  }

  @Test func theAccuracyOfAReceiverThatIsLostHasALimit() throws {
    let fix = StatusRig.fix(8, error: 1e300)
    #expect(try lines(StatusRig.report(lastFix: fix), with: " accuracy ").count == 1)
  }

  // MARK: The anchor watch

  private func watch(
    at seconds: [Double], north: Double, then later: Double? = nil
  ) -> AnchorMonitor.Status {
    var monitor = AnchorMonitor(
      radiusMeters: 40, cycle: .seconds(10), now: Instant(nanoseconds: 0))
    monitor.set(by: .line)
    for second in seconds {
      var fix = StatusRig.fix(0, error: 5)
      fix.notBefore = Instant(nanoseconds: Int64(second * 1e9))
      if second > 0 { fix.latitude += north / 111_320 }
      monitor.fixReported(fix)
    }
    if let later { monitor.cycleDue(now: Instant(nanoseconds: Int64(later * 1e9))) }
    return monitor.status
  }

  private static let unset = AnchorMonitor(
    radiusMeters: 40, cycle: .seconds(10), now: Instant(nanoseconds: 0)
  ).status

  @Test func theWatchIsToldWithItsReasonAndDistance() throws {
    let told: [(AnchorMonitor.Status, String)] = [
      (Self.unset, "not set"),
      (
        watch(at: [], north: 0),
        "set by its line; it waits for a reliable fix to set its position"
      ),
      (watch(at: [0, 10], north: 23), "inside, 23 m from the anchor; 40 m are allowed"),
      (watch(at: [0, 10, 20], north: 63), "OUTSIDE, 63 m from the anchor; 40 m are allowed"),
      (
        watch(at: [0], north: 0, then: 301),
        "there is no reliable fix; it is not known whether the boat is within 40 m of its anchor"
      ),
    ]
    for (status, words) in told {
      #expect(
        try lines(StatusRig.report(anchor: status), with: "anchor watch")
          == ["       anchor watch     " + words])
    }
    #expect(try lines(StatusRig.report(), with: "anchor watch").isEmpty)
  }

  @Test func scriptsGetTheSame() throws {
    let report = StatusRig.report(anchor: watch(at: [0, 10, 20], north: 63))
    let member = try StatusRig.member(try status(report), "anchor")
    #expect(try member.get("state", as: JSON.self) == .text("outside"))
    #expect(try member.get("set_by", as: JSON.self) == .text("line"))
    #expect(try member.get("radius_meters", as: Int.self) == 40)
    #expect(try member.get("distance_meters", as: Int.self) == 63)
    let unset = try StatusRig.member(
      try status(StatusRig.report(anchor: Self.unset)), "anchor")
    #expect(try unset.get("state", as: JSON.self) == .text("unset"))
    #expect(throws: (any Error).self) { try unset.get("set_by", as: JSON.self) }
  }

  @Test func theWayFromTheFirstFixIsToldInMeters() throws {
    var fix = StatusRig.fix(8)
    fix.latitude += 100 / 111_320
    fix.longitude -= 50 / 67_960
    let report = StatusRig.report(lastFix: fix, firstFix: StatusRig.fix(80))
    let member = try StatusRig.member(try status(report), "offset")
    #expect(try member.get("east_meters", as: Int.self) == -50)
    #expect(try member.get("north_meters", as: Int.self) == 100)
    #expect(throws: (any Error).self) {
      try StatusRig.member(try status(StatusRig.report(lastFix: fix)), "offset")
    }
  }

  @Test func thePositionIsNotInTheReport() throws {
    let report = StatusRig.report(
      lastFix: StatusRig.fix(8, error: 5), firstFix: StatusRig.fix(80),
      anchor: watch(at: [0, 10, 20], north: 63))
    let text = String(decoding: try status(report).document, as: UTF8.self)
    #expect(!text.contains("52.37") && !text.contains("4.89") && !text.contains("523702"))
  }
}
