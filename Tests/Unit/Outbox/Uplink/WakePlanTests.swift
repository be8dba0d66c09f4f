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
      let wake = WakePlan.wake(every: .seconds(900), at: now + .seconds(run % 2 == 0 ? 20 : 180))
      wakes.append(wake)
      // The clock of the board wakes it a little late, and the kernel needs its time.
      now = wake + .milliseconds(13_777)
    }
    #expect(wakes == (1...96).map { at(Double($0) * 900) })
  }

  /// A board that is switched off after its alarm has passed never wakes.
  @Test func aMomentThatIsTooNearIsLeftOut() {
    for (now, wake) in [(779.0, 900.0), (780, 900), (780.1, 1800), (899, 1800), (900, 1800)] {
      #expect(WakePlan.wake(every: .seconds(900), at: at(now)) == at(wake), "\(now)")
    }
  }

  @Test func anIntervalShorterThanTheMarginSkipsMoments() {
    #expect(WakePlan.wake(every: .seconds(60), at: at(1)) == at(180))
  }

  /// A board without a battery for its clock starts in 1970.
  @Test func aClockThatWasNotSetHasAGridToo() {
    let unset = WakePlan.wake(every: .seconds(3600), at: WallTime(nanoseconds: 0))
    #expect(unset.nanoseconds == 3600 * 1_000_000_000)
    let wake = WakePlan.wake(every: .seconds(900), at: WallTime(nanoseconds: -1_000_000_000_000))
    #expect(wake.nanoseconds == 0)
  }

  /// The seconds of rtcwake(8) and of the kernel's alarm, after 32 bits of them have passed.
  @Test func wakesGoOnAfter2038() {
    for second in [2_147_483_640, 2_208_988_800, 4_294_967_290] as [Int64] {
      let now = WallTime(nanoseconds: second * 1_000_000_000)
      let wake = WakePlan.wake(every: .seconds(900), at: now).nanoseconds / 1_000_000_000
      #expect(wake > second && wake <= second + 1800 && wake % 900 == 0)
    }
  }

  // MARK: What another clock is given

  private func moment(
    at time: WallTime, aheadBy error: Duration = .zero, isTrusted: Bool = false,
    isVouchedFor: Bool = false
  ) -> WakeMoment {
    WakePlan.moment(
      every: .seconds(900), at: time, aheadBy: error, isTrusted: isTrusted,
      isVouchedFor: isVouchedFor)
  }

  /// A power HAT that is given a moment which has passed by its own clock never wakes the board.
  @Test func aTimeThatIsNotKnownToBeRightIsForNoOtherClock() {
    let moment = moment(at: at(20))
    #expect(moment.time == at(900))
    #expect(moment.certainTime == nil && moment.doubt == .unknownTime)
  }

  @Test func aTimeThatIsRightIsForEachClock() {
    #expect(moment(at: at(20), isTrusted: true).certainTime == at(900))
    #expect(moment(at: at(20), isVouchedFor: true).certainTime == at(900))
  }

  /// Fixes told how wrong the board's clock is: the moment is UTC, on the grid of UTC.
  @Test func whatFixesPutRightIsRight() {
    let start = WallTime(nanoseconds: 0)
    #expect(moment(at: start, aheadBy: at(20) - start, isTrusted: true).certainTime == at(900))
  }

  /// rtcwake takes what lies between the moment and the board's clock: with the years that fixes
  /// know of, the board would sleep for years.
  @Test func aClockThatAPersonVouchesForCountsAloneWhateverFixesSay() {
    let year: Duration = .seconds(31_536_000)
    for isTrusted in [false, true] {
      let moment = moment(at: at(20), aheadBy: year, isTrusted: isTrusted, isVouchedFor: true)
      #expect(moment.certainTime == at(900))
    }
  }

  /// Seconds since 1970: where a board starts that lost the time, the last one before 2024, and
  /// where time ends.
  @Test(arguments: [Int64(1000), -5_000_000, 1_704_067_199, 9_223_372_036])
  func whatNoRightClockShowsIsNotBelievedWhoeverTrustsIt(seconds: Int64) {
    let time = WallTime(nanoseconds: seconds * 1_000_000_000)
    for moment in [moment(at: time, isTrusted: true), moment(at: time, isVouchedFor: true)] {
      #expect(moment.certainTime == nil && moment.doubt == .impossibleTime)
    }
  }

  @Test func theEndOfTimeIsNoTrap() {
    let wake = WakePlan.wake(every: .seconds(900), at: WallTime(nanoseconds: .max))
    #expect(wake.nanoseconds == .max)
  }
}
