import Bytes
import Testing

@testable import Agent
@testable import Outbox

/// Lines of which a person wants each, in virtual time.
@Suite struct LineRateLimiterTests {
  private let max = 20
  private func at(_ minutes: Int64) -> Instant { Instant(nanoseconds: minutes * 60_000_000_000) }

  @Test func soManyAreToldInAnHourAndThenHowManyWereNot() {
    var limiter = LineRateLimiter()
    var told = 0
    for _ in 0..<(max + 5) { told += limiter.happened(now: at(0)) ? 1 : 0 }
    var counts = [limiter.takeLeftOut(now: at(59))]
    for _ in 0..<2 { counts.append(limiter.takeLeftOut(now: at(60))) }
    #expect(told == max && counts == [0, 5, 0])
  }

  @Test func theNextHourBeginsWithItsFirstLine() {
    var limiter = LineRateLimiter()
    var told = 0
    for minute in 0..<Int64(max) { told += limiter.happened(now: at(minute)) ? 1 : 0 }
    let over = limiter.happened(now: at(59))
    for minute in 0..<Int64(max) { told += limiter.happened(now: at(60 + minute)) ? 1 : 0 }
    let overAgain = limiter.happened(now: at(119))
    let count = limiter.takeLeftOut(now: at(120))
    #expect(told == 2 * max && !over && !overAgain && count == 2)
  }

  @Test func anAgentThatEndsTellsAtOnce() {
    var limiter = LineRateLimiter()
    let before = limiter.takeLeftOut(now: at(0), isEnding: true)
    for _ in 0..<(max + 1) { _ = limiter.happened(now: at(0)) }
    let end = limiter.takeLeftOut(now: at(1), isEnding: true)
    #expect(before == 0 && end == 1)
  }
}

/// Which commands the log tells.
@Suite struct CommandLogTests {
  private let now = Instant(nanoseconds: 0)

  @Test func whatIsRefusedIsToldOnceUntilOneIsCarriedOut() {
    var (log, troubles) = (CommandLog(), Troubles())
    var told: [Bool] = []
    for words: MessageText in ["not allowed", "not allowed", "wrong data", "not allowed"] {
      told.append(log.refused(.output, words, &troubles, now: now) != nil)
    }
    told.append(log.carriedOut(.output, &troubles, now: now))
    told.append(log.refused(.output, "not allowed", &troubles, now: now) != nil)
    #expect(told == [true, false, true, false, true, true])
  }

  /// Whatever Home Assistant calls them.
  @Test func commandsThatTheAgentDoesNotKnowAreOneTopic() {
    let (log, now) = (CommandLog(), now)
    var troubles = Troubles()
    var told = 0
    for number in 0..<1000 {
      if log.refused(nil, "\(number)", &troubles, now: now) != nil { told += 1 }
    }
    #expect(told == Troubles.causesMax && troubles.underWayCount == 1)
  }

  @Test func otherCommandsHideNoOutput() {
    var (log, troubles) = (CommandLog(), Troubles())
    var told = 0
    for _ in 0..<100 { told += log.carriedOut(.updateSensors, &troubles, now: now) ? 1 : 0 }
    let isOutputTold = log.carriedOut(.output, &troubles, now: now)
    let count = log.takeLeftOut(now: now + LineRateLimiter.window)
    #expect(told == 20 && isOutputTold && count == 80)
  }
}
