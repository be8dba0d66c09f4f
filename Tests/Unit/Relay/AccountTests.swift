import Bytes
import Testing

@testable import Relay

@Suite struct AccountTests {
  private let limits = Limits()
  /// 2026-11-28T12:00:00Z.
  private let noon = WallTime(seconds: 1_795_867_200)

  private func account(at time: WallTime) -> Account { Account(day: Day(of: time), hasKey: true) }

  private func send(_ count: Int, to account: inout Account, at time: WallTime) -> Account.Verdict?
  {
    var verdict: Account.Verdict?
    for _ in 0..<count { verdict = account.notificationArrived(at: time, limits: limits) }
    return verdict
  }

  @Test func theLastNotificationOfADayIsAcceptedAndTheNextIsNot() {
    var account = account(at: noon)
    #expect(send(150, to: &account, at: noon) == .accepted(number: 150))
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
    #expect(send(1, to: &account, at: midnight) == .accepted(number: 151))
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
    #expect(send(1, to: &account, at: midnight + .seconds(86_400)) == .accepted(number: 151))
  }

  @Test func aClockThatWasYearsAheadDoesNotSilenceABoardForYears() {
    var account = account(at: noon + .seconds(20 * 365 * 86_400))
    _ = send(150, to: &account, at: noon + .seconds(20 * 365 * 86_400))
    #expect(send(1, to: &account, at: noon) == .accepted(number: 151))
  }

  @Test(arguments: [Int64.min, -1, 0, .max])
  func noTimeIsTooFar(nanoseconds: Int64) {
    let time = WallTime(nanoseconds: nanoseconds)
    var account = account(at: time)
    #expect(send(1, to: &account, at: time) == .accepted(number: 1))
    #expect(account.rateLimits(limits).resetsAt >= time)
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
    #expect(send(1, to: &account, at: noon) == .accepted(number: 1))
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
