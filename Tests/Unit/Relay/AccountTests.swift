import Bytes
import Testing

@testable import Relay

@Suite struct AccountTests {
  private let limits = Limits()
  /// 2026-11-28T12:00:00Z.
  private let noon = WallTime(seconds: 1_795_867_200)

  private func account(at time: WallTime) -> Account { Account(day: Day(of: time), hasKey: true) }

  private let accepted = Account.Verdict.accepted(number: 0)

  /// What becomes of the last of some notifications, whatever its number.
  private func send(
    _ count: Int, to account: inout Account, at time: WallTime
  ) -> Account.Verdict? {
    var verdict: Account.Verdict?
    for _ in 0..<count { verdict = account.notificationArrived(at: time, limits: limits) }
    if case .accepted = verdict { return accepted }
    return verdict
  }

  @Test func theLastNotificationOfADayIsAcceptedAndTheNextIsNot() {
    var account = account(at: noon)
    #expect(send(150, to: &account, at: noon) == accepted)
    #expect(send(1, to: &account, at: noon) == .overLimit)
    let counts = account.rateLimits(limits)
    #expect(counts.successful == 150)
    #expect(counts.errors == 1)
    #expect(counts.resetsAt == WallTime(seconds: 1_795_910_400))
  }

  @Test func theDayEndsAtMidnightToTheNanosecond() {
    var account = account(at: noon)
    let midnight = Day(of: noon).end
    _ = send(150, to: &account, at: noon)
    #expect(send(1, to: &account, at: midnight - .nanoseconds(1)) == .overLimit)
    #expect(send(1, to: &account, at: midnight) == accepted)
    #expect(account.rateLimits(limits).successful == 1)
    #expect(account.rateLimits(limits).errors == 0)
  }

  @Test func aClockThatStepsBackOverMidnightGivesNoSecondDay() {
    var account = account(at: noon)
    let midnight = Day(of: noon).end
    _ = send(150, to: &account, at: midnight)
    for time in [midnight - .seconds(1), midnight + .seconds(1), midnight - .seconds(3600)] {
      #expect(send(1, to: &account, at: time) == .overLimit)
    }
    #expect(send(1, to: &account, at: midnight + .seconds(86_400)) == accepted)
  }

  @Test func aClockThatWasYearsAheadDoesNotSilenceABoardForYears() {
    var account = account(at: noon + .seconds(20 * 365 * 86_400))
    _ = send(150, to: &account, at: noon + .seconds(20 * 365 * 86_400))
    #expect(send(1, to: &account, at: noon) == accepted)
  }

  @Test(arguments: [Int64.min, -1, 0, .max])
  func noTimeIsTooFar(nanoseconds: Int64) {
    let time = WallTime(nanoseconds: nanoseconds)
    var account = account(at: time)
    #expect(send(1, to: &account, at: time) == accepted)
    #expect(account.rateLimits(limits).resetsAt >= time)
  }

  @Test func numbersRiseWithTheTimeAndWithoutIt() {
    var account = account(at: noon)
    let numbers = [noon, noon, noon - .seconds(3600), noon + .seconds(1)].map { time in
      guard case .accepted(let number) = account.notificationArrived(at: time, limits: limits)
      else { return Int64(0) }
      return number
    }
    #expect(
      numbers == [
        1_795_867_200_000, 1_795_867_200_001, 1_795_867_200_002, 1_795_867_201_000,
      ])
  }

  @Test func aStoreFromABackupGivesNoNumberTwice() {
    var account = account(at: noon)
    let backup = account
    _ = send(100, to: &account, at: noon)
    var restored = backup
    _ = send(1, to: &restored, at: noon + .seconds(60))
    #expect(restored.newest > account.newest)
  }

  @Test func aBoardWithoutAKeyGetsNothing() {
    var account = Account(day: Day(of: noon), hasKey: false)
    #expect(send(1, to: &account, at: noon) == .hasNoKey)
    #expect(account.waiting == 0)
    #expect(account.rateLimits(limits).errors == 1)
  }

  @Test func whatWaitsHasALimit() {
    var account = account(at: noon)
    account.waiting = limits.waitingCountMax - 1
    #expect(send(1, to: &account, at: noon) == accepted)
    #expect(send(1, to: &account, at: noon) == .isFull)
    #expect(account.waiting == limits.waitingCountMax)
  }

  @Test func whatTheDayHasIsWrittenAsHomeAssistantReadsIt() {
    var account = account(at: noon)
    _ = send(149, to: &account, at: noon)
    var buffer = ByteBuffer(capacity: 256)
    account.rateLimits(limits).write(into: &buffer)
    #expect(
      String(decoding: Array(buffer.bytes), as: UTF8.self) == """
        {"successful":149,"errors":0,"total":149,"maximum":150,"remaining":1,\
        "resetsAt":"2026-11-29T00:00:00+00:00"}
        """)
  }
}

@Suite struct ClockWatchTests {
  private let start = WallTime(seconds: 1_000_000)

  private func instant(_ seconds: Int64) -> Instant {
    Instant(nanoseconds: seconds * 1_000_000_000)
  }

  @Test func aClockThatGoesOnIsNotSet() {
    var watch = ClockWatch(start, instant(0))
    #expect(watch.step(start + .seconds(86_400), instant(86_400)) == nil)
    #expect(watch.step(start + .seconds(86_400 + 299), instant(86_400)) == nil)
  }

  @Test(arguments: [300, -300, 20 * 365 * 86_400])
  func aClockThatIsSetIsFoundOnce(step: Int64) {
    var watch = ClockWatch(start, instant(0))
    #expect(watch.step(start + .seconds(60 + step), instant(60)) == step)
    #expect(watch.step(start + .seconds(120 + step), instant(120)) == nil)
  }
}
