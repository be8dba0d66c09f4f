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
      var plan = WakePlan()
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
      var plan = WakePlan()
      #expect(plan.wake(every: .seconds(900), at: at(now)) == at(wake), "\(now)")
    }
  }

  @Test func anIntervalShorterThanTheMarginSkipsMoments() {
    var plan = WakePlan()
    #expect(plan.wake(every: .seconds(60), at: at(1)) == at(180))
  }

  /// A program was told the moment, and the alarm is set when it has ended.
  @Test func whatWasToldHolds() {
    var plan = WakePlan(staysOn: .seconds(35))
    let told = plan.wake(every: .seconds(900), at: at(744))
    #expect(told == at(900))
    #expect(plan.wake(every: .seconds(900), at: at(779)) == told)
  }

  @Test func whatWasToldIsNotSetTooLate() {
    var plan = WakePlan(staysOn: .seconds(35))
    _ = plan.wake(every: .seconds(900), at: at(744))
    #expect(plan.wake(every: .seconds(900), at: at(781)) == at(1800))
  }

  /// A board without a battery for its clock starts in 1970, and learns the time while it works.
  @Test func aClockThatIsSetMeanwhileHasItDecidedAnew() {
    var plan = WakePlan()
    let unset = plan.wake(every: .seconds(3600), at: WallTime(nanoseconds: 0))
    #expect(unset.nanoseconds == 3600 * 1_000_000_000)
    #expect(plan.wake(every: .seconds(3600), at: at(10)) == at(3600))
    #expect(plan.wake(every: .seconds(3600), at: at(-86_400)) == at(-86_400 + 3600))
  }

  @Test func aClockBefore1970HasAGridToo() {
    var plan = WakePlan()
    let wake = plan.wake(every: .seconds(900), at: WallTime(nanoseconds: -1_000_000_000_000))
    #expect(wake.nanoseconds == 0)
  }

  @Test func theEndOfTimeIsNoTrap() {
    var plan = WakePlan()
    let wake = plan.wake(every: .seconds(900), at: WallTime(nanoseconds: .max))
    #expect(wake.nanoseconds == .max)
  }
}
