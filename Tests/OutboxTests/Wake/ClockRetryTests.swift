import Bytes
import Outbox
import Testing

@Suite struct ClockRetryTests {
  private let start = Instant(nanoseconds: 5_000_000_000)

  /// Such as by a daemon that sets it once, when the board has started.
  @Test func aClockThatIsHeldForAMomentIsTriedAgainSoon() throws {
    let retry = ClockRetry(now: start)
    let next = try #require(retry.nextTry(after: start, isStopRequested: false))
    #expect(next > start && next <= start + .seconds(1))
  }

  @Test func oneThatIsHeldForGoodIsTriedUntilThePatienceEnds() throws {
    let retry = ClockRetry(now: start)
    var now = start
    var count = 0
    while let next = retry.nextTry(after: now, isStopRequested: false), count < 1000 {
      #expect(next > now)
      now = next
      count += 1
    }
    #expect(now == start + ClockRetry.patience)
    #expect(count >= 10 && count < 1000)
  }

  /// A board that was suspended meanwhile, or a kernel that did not let the agent run.
  @Test func aLateTryIsTheLast() {
    let retry = ClockRetry(now: start)
    #expect(retry.nextTry(after: start + .seconds(3600), isStopRequested: false) == nil)
  }

  @Test func aRunThatIsAskedToStopTriesItNoMore() {
    let retry = ClockRetry(now: start)
    #expect(retry.nextTry(after: start, isStopRequested: true) == nil)
  }
}
