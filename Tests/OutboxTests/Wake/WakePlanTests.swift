import Bytes
import Outbox
import Testing

@Suite struct WakePlanTests {
  /// 2027-01-01 00:00 UTC, a whole multiple of every interval here.
  private static let midnight: Int64 = 1_798_761_600

  private func at(_ seconds: Double) -> WallTime {
    WallTime(nanoseconds: Self.midnight * 1_000_000_000 + Int64(seconds * 1e9))
  }

  /// A run that takes 20 s, or 3 min, makes no wake later than the one before.
  @Test func wakesDoNotDrift() {
    var wakes: [WallTime] = []
    var now = at(0)
    for run in 0..<96 {
      let plan = WakePlan()
      let wake = plan.wake(every: .seconds(900), at: now + .seconds(run % 2 == 0 ? 20 : 180))
      wakes.append(wake)
      // The clock of the board wakes it a little late, and the kernel needs its time.
      now = wake + .milliseconds(13_777)
    }
    #expect(wakes == (1...96).map { at(Double($0) * 900) })
  }

  /// A board that is switched off after its alarm has passed never wakes.
  @Test func aMomentThatIsTooNearIsLeftOut() {
    for (now, wake) in [(779.0, 900.0), (780, 900), (780.1, 1800), (899, 1800), (900, 1800)] {
      let plan = WakePlan()
      #expect(plan.wake(every: .seconds(900), at: at(now)) == at(wake), "\(now)")
    }
  }

  @Test func anIntervalShorterThanTheMarginSkipsMoments() {
    let plan = WakePlan()
    #expect(plan.wake(every: .seconds(60), at: at(1)) == at(180))
  }

  /// A program that follows the upload keeps the board on once the alarm is set.
  @Test func whatKeepsTheBoardOnAfterTheDecisionHasItsTime() {
    let plan = WakePlan(staysOn: .seconds(35))
    #expect(plan.wake(every: .seconds(900), at: at(745)) == at(900))
    #expect(plan.wake(every: .seconds(900), at: at(745.1)) == at(1800))
  }

  /// A board without a battery for its clock starts in 1970.
  @Test func aClockThatWasNotSetHasAGridToo() {
    let plan = WakePlan()
    let unset = plan.wake(every: .seconds(3600), at: WallTime(nanoseconds: 0))
    #expect(unset.nanoseconds == 3600 * 1_000_000_000)
    let wake = plan.wake(every: .seconds(900), at: WallTime(nanoseconds: -1_000_000_000_000))
    #expect(wake.nanoseconds == 0)
  }

  // MARK: What another clock is given

  /// A power HAT that is given a moment which has passed by its own clock never wakes the board.
  @Test func aTimeThatIsNotKnownToBeRightIsForNoOtherClock() {
    let moment = WakePlan().moment(
      every: .seconds(900), at: at(20), aheadBy: .zero, isTrusted: false)
    #expect(moment.time == at(900) && moment.boardTime == at(900))
    #expect(moment.certainTime == nil && moment.doubt == .unknownTime)
  }

  @Test func aTimeThatIsRightIsForEachClock() {
    let moment = WakePlan().moment(
      every: .seconds(900), at: at(20), aheadBy: .zero, isTrusted: true)
    #expect(moment.certainTime == at(900) && moment.boardTime == at(900))
  }

  /// Fixes told how wrong the board's clock is: the moment is UTC, on the grid of UTC, and the
  /// alarm of a clock that is set by the board's is as far ahead.
  @Test func whatFixesPutRightIsRight() {
    let moment = WakePlan().moment(
      every: .seconds(900), at: WallTime(nanoseconds: 0),
      aheadBy: at(20) - WallTime(nanoseconds: 0),
      isTrusted: true)
    #expect(moment.certainTime == at(900))
    #expect(moment.boardTime.nanoseconds == 880_000_000_000)
  }

  /// Seconds since 1970: where a board starts that lost the time, the last one before 2024, and
  /// where time ends.
  @Test(arguments: [Int64(1000), -5_000_000, 1_704_067_199, 9_223_372_036])
  func whatNoRightClockShowsIsNotBelievedWhoeverTrustsIt(seconds: Int64) {
    let moment = WakePlan().moment(
      every: .seconds(900), at: WallTime(nanoseconds: seconds * 1_000_000_000), aheadBy: .zero,
      isTrusted: true)
    #expect(moment.certainTime == nil && moment.doubt == .impossibleTime)
  }

  @Test func theEndOfTimeIsNoTrap() {
    let plan = WakePlan()
    let wake = plan.wake(every: .seconds(900), at: WallTime(nanoseconds: .max))
    #expect(wake.nanoseconds == .max)
  }
}
