import Bytes
import Outbox
import Testing

@Suite struct WakeAlarmTests {
  private let now = WallTime(nanoseconds: 1_798_761_600_500_000_000)

  private func alarm(
    in ahead: Duration, clock: Int64 = 1_798_761_600
  ) throws(WakeAlarm.Refusal) -> WakeAlarm {
    try WakeAlarm(for: now + ahead, at: now, clockSeconds: clock)
  }

  /// It may show local time, or the year in which it lost its power.
  @Test(arguments: [Int64(1_798_761_600), 1_798_765_200, 946_684_800, 0])
  func onlyHowFarAheadItIsCounts(clock: Int64) throws {
    #expect(try alarm(in: .seconds(900), clock: clock).seconds == clock + 900)
  }

  @Test func aPartOfASecondIsNotLost() throws {
    #expect(try alarm(in: .milliseconds(900_001)).seconds == 1_798_761_600 + 901)
  }

  @Test func whatMayPassBeforeTheBoardIsOffIsRefused() throws {
    #expect(try alarm(in: .seconds(90)).seconds == 1_798_761_600 + 90)
    #expect(throws: WakeAlarm.Refusal.tooNear(.milliseconds(89_999))) {
      try alarm(in: .milliseconds(89_999))
    }
    #expect(throws: WakeAlarm.Refusal.tooNear(.seconds(-5))) { try alarm(in: .seconds(-5)) }
  }

  /// Time goes on between the decision and the alarm, also while a busy clock is tried again.
  @Test func theNearestMomentOfThePlanIsNotTooNearSomeSecondsLater() throws {
    let interval: Duration = .seconds(900)
    let midnight = WallTime(nanoseconds: 1_798_761_600_000_000_000)
    let decidedAt = midnight + interval - WakePlan.marginMin
    let wake = WakePlan().wake(every: interval, at: decidedAt)
    #expect(wake == midnight + interval)
    for late in [.nanoseconds(1), .seconds(1), ClockRetry.patience] as [Duration] {
      let alarm = try WakeAlarm(for: wake, at: decidedAt + late, clockSeconds: 0)
      #expect((90...120).contains(alarm.seconds))
    }
  }

  @Test func aClockAtTheEndOfTimeIsNoTrap() {
    #expect(throws: WakeAlarm.Refusal.beyondTime) { try alarm(in: .seconds(900), clock: .max) }
  }

  @Test func anAlarmThatIsOffIsNone() throws {
    let alarm = try alarm(in: .seconds(900))
    #expect(alarm.isKept(seconds: alarm.seconds, isEnabled: true))
    #expect(!alarm.isKept(seconds: alarm.seconds, isEnabled: false))
  }

  /// Clocks with alarms of whole minutes round it.
  @Test func anAlarmInAnotherMinuteIsAnother() throws {
    let alarm = try alarm(in: .seconds(900))
    for (difference, isKept) in [(-60, false), (-59, true), (59, true), (60, false)] {
      #expect(
        alarm.isKept(seconds: alarm.seconds + Int64(difference), isEnabled: true) == isKept)
    }
    #expect(!alarm.isKept(seconds: .min, isEnabled: true))
    #expect(!alarm.isKept(seconds: .max, isEnabled: true))
  }
}
