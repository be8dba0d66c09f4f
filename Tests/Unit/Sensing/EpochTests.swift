import Bytes
import Sensing
import Testing

/// Receivers that send several reports with one time, of which the first lacks fields.
@Suite struct EpochTests {
  /// Members of a report: no altitude in two dimensions, nor one of the others in three.
  static let poor = [
    (2, #","eph":9"#), (3, #","speed":6,"eph":9"#), (3, #","alt":12,"eph":9"#),
    (3, #","alt":12,"speed":6"#), (2, ""), (3, ""),
  ]
  private static let rich = #","alt":12.5,"epv":7.5,"track":90.2,"speed":6.25,"eph":3.25"#

  private static func report(_ second: Int, mode: Int = 3, _ rest: String = rich) -> String {
    GPSDLines.tpv(second + 610, "/dev/ttyACM0", mode: mode, #","lat":51,"lon":1"# + rest)
  }

  private func isWhole(_ fix: Fix?) -> Bool {
    fix?.mode == .threeDimensional && fix?.altitudeMeters != nil && fix?.trackDegrees == 90.2
      && fix?.speedMetersPerSecond != nil && fix?.horizontalErrorMeters != nil
      && fix?.verticalErrorMeters == 7.5
  }

  /// A session that rests, `seconds` after its receiver has sent reports of this kind.
  private func resting(
    _ lines: String..., pace: GPSDSession.Pace = .streaming, after seconds: Int64 = 10
  ) -> GPSDConversation {
    let conversation = GPSDConversation.awaitingFix(pace)
    for line in lines {
      conversation.takes(line)
    }
    conversation.forget()
    conversation.wait(.seconds(seconds))
    return conversation
  }

  @Test(arguments: poor) func ofAStreamTheRichestReportOfTheNewestTimeIsRead(
    mode: Int, members: String
  ) {
    let poor = Self.report(9, mode: mode, members)
    for epoch in [[poor, Self.report(9), poor], [Self.report(9), poor], [poor, Self.report(9)]] {
      let conversation = resting(Self.report(0))
      #expect(conversation.drains(Self.report(8) + epoch.joined()) == .stopListening)
      #expect(conversation.fixes.count == 1 && isWhole(conversation.fixes.first))
      #expect(conversation.reports.count == 1)
    }
  }

  @Test func aNewerFixOfTwoDimensionsReplacesAnOlderOneOfThree() {
    let conversation = resting(Self.report(0))
    conversation.drains(Self.report(8) + Self.report(9, mode: 2, ""))
    #expect(conversation.fixes.map(\.mode) == [.twoDimensional])
  }

  @Test(arguments: poor, [GPSDSession.Pace.streaming, .onDemand, .releasing])
  func aFixWaitsForTheReportsOfItsTime(poor: (mode: Int, members: String), pace: GPSDSession.Pace) {
    let conversation = GPSDConversation.awaitingFix(pace)
    #expect(conversation.takes(Self.report(0, mode: poor.mode, poor.members)) == nil)
    #expect(conversation.isGathering)
    conversation.wait(.milliseconds(200))
    #expect(conversation.takes(Self.report(0)) != nil)
    #expect(!conversation.isGathering)
    #expect(conversation.fixes.count == 1 && isWhole(conversation.fixes.first))
    #expect(
      conversation.fixes.first.map { conversation.now - $0.notBefore >= .milliseconds(200) } == true
    )
  }

  @Test func reportsOfOneTimeFillEachOther() {
    let conversation = GPSDConversation.awaitingFix(.onDemand)
    let parts = [
      (2, #","track":90.2,"eph":9"#), (3, #","alt":12.5,"epx":3,"epy":4"#), (2, #","speed":7"#),
      (1, ""), (3, #","speed":8,"epv":7.5"#),
    ]
    for (mode, members) in parts {
      conversation.takes(Self.report(0, mode: mode, members))
    }
    #expect(conversation.fixes.count == 1)
    let fix = conversation.fixes.first
    #expect(fix?.speedMetersPerSecond == 7 && fix?.altitudeMeters == 12.5)
    #expect(fix?.horizontalErrorMeters == 5 && fix?.errorSource == .parts, "of three dimensions")
  }

  @Test func theFixSensorShowsTheBestReportOfTheTime() {
    let conversation = GPSDConversation.awaitingFix(.onDemand, details: [ReceiverDetailSet(.fix)])
    for (mode, members) in [(2, ""), (3, ""), (2, ""), (1, "")] {
      conversation.takes(Self.report(0, mode: mode, members))
    }
    conversation.deadlineReached(after: GPSDSession.othersTimeout)
    #expect(conversation.fixes.map(\.mode) == [.threeDimensional])
    #expect(conversation.value(of: .fix) == .text(InlineText("3D")))
  }

  /// A receiver without an altitude or an error, with one report each second.
  @Test(arguments: poor) func aReceiverWithOneReportPerTimeIsWaitedForOnce(
    mode: Int, members: String
  ) {
    let conversation = GPSDConversation.awaitingFix(.onDemand)
    #expect(conversation.takes(Self.report(0, mode: mode, members)) == nil)
    conversation.wait(.seconds(1))
    #expect(conversation.takes(Self.report(1, mode: mode, members)) == .askForQuiet)
    for cycle in 1...3 {
      conversation.drains("", after: .seconds(60))
      #expect(conversation.takes(Self.report(cycle * 60 + 1, mode: mode, members)) == .askForQuiet)
    }
    #expect(conversation.fixes.count == 4)
  }

  /// Under trees, or between walls.
  @Test func aReceiverOfSeveralReportsThatAreAllPoorHasItsFixAMomentLater() {
    let conversation = resting(
      Self.report(0, mode: 2, ""), Self.report(0), pace: .onDemand, after: 60)
    conversation.drains("")
    for _ in 0..<3 {
      #expect(conversation.takes(Self.report(60, mode: 2, "")) == nil)
    }
    conversation.wait(.seconds(1))
    #expect(conversation.takes(Self.report(61, mode: 2, "")) == .askForQuiet, "the time is over")
    #expect(conversation.fixes.map(\.mode) == [.twoDimensional])
    conversation.drains("", after: .seconds(60))
    #expect(
      conversation.takes(Self.report(122, mode: 2, "")) == nil, "the next may be richer again")
  }

  /// GGA and RMC of a receiver without an accuracy: no fix is whole.
  @Test func theBeginningOfTheNextTimeDoesNotReplaceAFilledFix() {
    let conversation = GPSDConversation.awaitingFix(.onDemand)
    for (mode, members) in [(2, ""), (3, #","alt":12,"speed":6"#)] {
      #expect(conversation.takes(Self.report(0, mode: mode, members)) == nil)
    }
    conversation.wait(.seconds(1))
    #expect(conversation.takes(Self.report(1, mode: 2, "")) == .askForQuiet)
    #expect(conversation.fixes.map(\.altitudeMeters) == [12])
  }

  /// The cycle begins while the receiver reports.
  @Test func aStreamThatEndsAmidATimeIsReadOn() {
    let conversation = resting(Self.report(0, mode: 2, ""), Self.report(0))
    let amid = Self.report(8, mode: 2, "") + Self.report(8) + Self.report(9, mode: 2, "")
    #expect(conversation.drains(amid) == .askForReports)
    #expect(conversation.fixes.isEmpty)
    #expect(conversation.takes(Self.report(9)) == .stopListening)
    #expect(conversation.fixes.count == 1 && isWhole(conversation.fixes.first))
  }

  /// Each report is read, because one was rejected.
  @Test func theAgeOfAFixIsNotThatOfItsEcho() {
    let conversation = resting(Self.report(0))
    conversation.drains(Self.report(9).replacing(#""lat":51"#, with: #""lat":91"#))
    conversation.forget()
    conversation.wait(.seconds(20))
    let late = Self.report(10, mode: 2, "")
    #expect(conversation.drains(late + late) == .askForReports)
    #expect(conversation.fixes.isEmpty)
  }

  /// The board slept, or the link is slow: what is missing came long ago, or does not come.
  @Test func anOldFixWaitsForNothing() {
    let conversation = resting(Self.report(0, mode: 2, ""), Self.report(0))
    conversation.drains(Self.report(7, mode: 2, ""))
    #expect(conversation.fixes.map(\.mode) == [.twoDimensional])
    #expect(!conversation.isGathering)
  }

  /// Each report is read, because one was rejected.
  @Test func theReportsOfOneTimeMakeOneFix() {
    let conversation = resting(Self.report(0))
    let nowhere = Self.report(9).replacing(#""lat":51"#, with: #""lat":91"#)
    #expect(conversation.drains(nowhere) == .stopListening)
    conversation.forget()
    conversation.drains(Self.report(19, mode: 2, "") + Self.report(19), after: .seconds(10))
    #expect(conversation.reports.count == 2)
    #expect(conversation.fixes.count == 1 && isWhole(conversation.fixes.first))
  }

  @Test func aFixWithADateThatCannotBeRightIsFilledToo() {
    let conversation = GPSDConversation.awaitingFix(.onDemand)
    for text in [Self.report(0, mode: 2, ""), Self.report(0)] {
      conversation.takes(text.replacing("2027", with: "2007"))
    }
    #expect(conversation.fixes.count == 1 && isWhole(conversation.fixes.first))
    #expect(conversation.fixes.first?.clock == .board)
  }

  /// Cold receivers correct their date.
  @Test func aClockThatWasPutBackIsBelievedInTheNextCycle() {
    let conversation = resting(Self.report(600))
    for start in [10, 20] {
      let lines = (start..<start + 9).map { Self.report($0, mode: 2, "") + Self.report($0) }
      conversation.drains(lines.joined())
      conversation.wait(.seconds(10))
    }
    #expect(conversation.fixes.count == 1 && isWhole(conversation.fixes.first))
  }
}
