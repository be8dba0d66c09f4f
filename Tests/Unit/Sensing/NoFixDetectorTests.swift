import Bytes
import Sensing
import Testing

@Suite struct NoFixDetectorTests {
  private var detector = NoFixDetector()

  /// The verdicts on the reports of one cycle.
  typealias Cycle = [FixFilter.Verdict]

  private static func fix(clock: Fix.Clock = .receiver) -> Fix {
    Fix(
      mode: .twoDimensional, latitude: 1, longitude: 2, time: WallTime(nanoseconds: 1),
      clock: clock, notBefore: Instant(nanoseconds: 1))
  }

  static let fix = FixFilter.Verdict.usable(fix())
  static let misdated = FixFilter.Verdict.misdated(fix(clock: .board), .weeksOff)
  static let frozen = FixFilter.Verdict.frozen(fix())
  static let older = FixFilter.Verdict.rejected(.notNewer)

  /// Whether a fix ends the lack of one that was told.
  private mutating func aFixEndsIt() -> Bool { detector.judged(Self.fix) }

  /// What is told at the beginnings of these cycles.
  private mutating func told(_ cycles: [Cycle]) -> [FixFilter.Verdict?] {
    cycles.map { verdicts in
      for verdict in verdicts { _ = detector.judged(verdict) }
      return detector.cycleDue()
    }
  }

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

  @Test(
    arguments: [
      // A tunnel is not worth a word, and silence is another trouble.
      ([[fix], [.noFix], [.noFix], [fix], [.noFix], [.noFix]], []), ([[], [], [], []], []),
      // A receiver without a fix flickers between reasons.
      (
        Array(repeating: [.noFix], count: 3) + Array(repeating: [older], count: 4)
          + Array(repeating: [.noFix], count: 4), [.noFix]
      ),
      // Another trouble is told if it lasts, and the same one no second time.
      (
        Array(repeating: [.noFix], count: 3) + Array(repeating: [misdated], count: 4),
        [.noFix, misdated]
      ),
      (
        Array(repeating: [misdated], count: 3)
          + [[.noFix], [.noFix], [misdated], [.noFix], [.noFix], [misdated]], [misdated]
      ),
      // An echo does not hide what is wrong, and is no lack of its fix.
      (Array(repeating: [misdated, older], count: 3), [misdated]),
      (Array(repeating: [frozen, older], count: 3), [frozen]),
      (Array(repeating: [fix, older], count: 4), []),
    ] as [([Cycle], Cycle)])
  mutating func onlyATroubleThatLastsIsTold(cycles: [Cycle], expected: Cycle) {
    let reasons = told(cycles)
    #expect(reasons.compactMap(\.self) == expected)
    let ended = aFixEndsIt()
    #expect(ended == !expected.isEmpty)
  }

  /// The receiver may be behind or ahead.
  @Test mutating func aRolloverIsNamedWithoutADirection() {
    _ = detector.judged(Self.misdated)
    let name = InlineText("gpsd")
    let shortfall = detector.shortfall(of: name)
    #expect(
      shortfall
        == .wrongDate(
          name,
          why:
            "off by a multiple of 1,024 weeks (GPS week rollover; update the receiver's firmware)"
        ))
  }

  @Test mutating func theEndOfTheConnectionEndsTheCount() {
    _ = told([[.noFix], [.noFix], [.noFix]])
    detector.connectionEnded()
    let reasons = told([[.noFix], [.noFix]])
    let ended = aFixEndsIt()
    #expect(reasons.allSatisfy { $0 == nil } && !ended)
  }
}
