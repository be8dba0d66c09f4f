import Bytes
import Sensing
import Testing

@Suite struct NoFixDetectorTests {
  private var detector = NoFixDetector()
  private let fix = FixFilter.Verdict.usable(
    Fix(
      mode: .twoDimensional, latitude: 1, longitude: 2, time: WallTime(nanoseconds: 1),
      notBefore: Instant(nanoseconds: 1)))

  /// Whether a fix ends the lack of one that was told.
  private mutating func aFixEndsIt() -> Bool { detector.judged(fix) }

  /// What is told at the beginnings of these cycles, each with the verdicts on its reports.
  private mutating func told(_ cycles: [[FixFilter.Verdict]]) -> [FixFilter.Verdict?] {
    cycles.map { verdicts in
      for verdict in verdicts { _ = detector.judged(verdict) }
      return detector.cycleDue()
    }
  }

  @Test mutating func aTunnelIsNotWorthAWord() {
    let reasons = told([[fix], [.noFix], [.noFix], [fix], [.noFix], [.noFix]])
    let ended = aFixEndsIt()
    #expect(reasons.allSatisfy { $0 == nil } && !ended)
  }

  static let misdated = FixFilter.Verdict.misdated(
    Fix(
      mode: .twoDimensional, latitude: 1, longitude: 2, time: WallTime(nanoseconds: 1),
      clock: .board, notBefore: Instant(nanoseconds: 1)), .weeksOff)

  static let frozen = FixFilter.Verdict.frozen(
    Fix(
      mode: .threeDimensional, latitude: 1, longitude: 2, time: WallTime(nanoseconds: 1),
      notBefore: Instant(nanoseconds: 1)))

  @Test(arguments: [
    .noFix, .rejected(.unknownMode), .rejected(.noPosition), .rejected(.emptyPosition),
    .rejected(.notNewer), .rejected(.unreadable), .rejected(.otherReceiver), misdated,
    .rejected(.contradictory), frozen,
  ])
  mutating func theThirdCycleWithoutAFixIsToldOnceWithItsReason(_ verdict: FixFilter.Verdict) {
    let reasons = told([[verdict], [verdict], [verdict], [verdict], [verdict]])
    #expect(reasons == [nil, nil, verdict, nil, nil])
    let ends = [aFixEndsIt(), aFixEndsIt()]
    #expect(ends == [true, false])
  }

  @Test mutating func aReceiverWithoutAFixFlickersBetweenReasonsInSilence() {
    let rejected = FixFilter.Verdict.rejected(.notNewer)
    let reasons = told(
      Array(repeating: [.noFix], count: 3) + Array(repeating: [rejected], count: 4)
        + Array(repeating: [.noFix], count: 4))
    #expect(reasons.compactMap(\.self) == [.noFix])
  }

  @Test mutating func anotherTroubleThatLastsIsToldToo() {
    let reasons = told([
      [.noFix], [.noFix], [.noFix], [Self.misdated], [Self.misdated], [Self.misdated],
      [Self.misdated],
    ])
    #expect(reasons == [nil, nil, .noFix, nil, nil, Self.misdated, nil])
  }

  @Test mutating func aTroubleThatIsBackSoonIsToldNoSecondTime() {
    let reasons = told([
      [Self.misdated], [Self.misdated], [Self.misdated], [.noFix], [.noFix], [Self.misdated],
      [.noFix], [.noFix], [Self.misdated],
    ])
    #expect(reasons.compactMap(\.self) == [Self.misdated])
  }

  @Test(arguments: [misdated, frozen])
  mutating func anEchoDoesNotHideWhatIsWrong(_ verdict: FixFilter.Verdict) {
    let cycle = [verdict, .rejected(.notNewer)]
    let reasons = told([cycle, cycle, cycle])
    #expect(reasons == [nil, nil, verdict])
  }

  @Test mutating func aReceiverThatIsSilentIsAnotherTrouble() {
    let reasons = told([[], [], [], []])
    #expect(reasons.allSatisfy { $0 == nil })
  }

  @Test mutating func anEchoOfTheFixIsNoLackOfOne() {
    let cycle = [fix, .rejected(.notNewer)]
    let reasons = told([cycle, cycle, cycle, cycle])
    #expect(reasons.allSatisfy { $0 == nil })
  }

  @Test mutating func theEndOfTheConnectionEndsTheCount() {
    _ = told([[.noFix], [.noFix], [.noFix]])
    detector.connectionEnded()
    let reasons = told([[.noFix], [.noFix]])
    let ended = aFixEndsIt()
    #expect(reasons.allSatisfy { $0 == nil } && !ended)
  }
}
