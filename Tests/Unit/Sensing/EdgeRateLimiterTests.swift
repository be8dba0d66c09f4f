import Bytes
import Sensing
import Testing

@Suite struct EdgeRateLimiterTests {
  @Test func aLineWithFewEdgesNeverRests() {
    var limiter = EdgeRateLimiter()
    for number in 0..<1000 {
      limiter.lineRead(edgeCount: 1, now: at(Int64(number) * 7))
      #expect(!limiter.isResting)
      #expect(limiter.deadline == nil)
    }
    #expect(limiter.excessEdgesPerSecond == nil)
  }

  @Test func aLineThatIsReadTooOftenRestsUntilItsTenthOfASecondIsOver() {
    var limiter = EdgeRateLimiter()
    for number in 1...EdgeRateLimiter.readsMax {
      #expect(!limiter.isResting)
      limiter.lineRead(edgeCount: 1, now: at(1000 + Int64(number)))
    }
    #expect(limiter.isResting)
    #expect(limiter.deadline == at(1101))
    limiter.deadlineReached(now: at(1100))
    #expect(limiter.isResting)
    limiter.deadlineReached(now: at(1101))
    #expect(!limiter.isResting)
    #expect(limiter.deadline == nil)
  }

  /// Edges that the kernel dropped are among them.
  @Test func theEdgesOfAStormAreCountedByTheSecond() {
    var limiter = EdgeRateLimiter()
    var milliseconds: Int64 = 0
    var reads = 0
    for _ in 0..<100 {
      while !limiter.isResting {
        // One every 0.1 ms, of which each reading after a rest tells those of the rest.
        limiter.lineRead(edgeCount: reads % 16 == 0 && reads > 0 ? 856 : 10, now: at(milliseconds))
        milliseconds += 1
        reads += 1
      }
      milliseconds = (milliseconds / 100 + 1) * 100
      limiter.deadlineReached(now: at(milliseconds))
    }
    #expect(reads == 1600)
    let rate = limiter.excessEdgesPerSecond ?? 0
    #expect((9_900...10_100).contains(rate), "\(rate)")
  }

  /// Of the first reading, the edges came before.
  @Test func aStormIsOverWhenACycleHadNoRest() {
    var limiter = EdgeRateLimiter()
    for _ in 0..<EdgeRateLimiter.readsMax { limiter.lineRead(edgeCount: 50, now: at(0)) }
    limiter.deadlineReached(now: at(100))
    limiter.lineRead(edgeCount: 1, now: at(100))
    #expect(limiter.excessEdgesPerSecond == 7510)
    limiter.cycleBegan()
    #expect(limiter.excessEdgesPerSecond == 7510)
    limiter.cycleBegan()
    #expect(limiter.excessEdgesPerSecond == nil)
  }

  @Test func edgesThatEndedLongBeforeTheNextOneAreNoStorm() {
    var limiter = EdgeRateLimiter()
    for _ in 0..<EdgeRateLimiter.readsMax { limiter.lineRead(edgeCount: 1, now: at(0)) }
    limiter.deadlineReached(now: at(100))
    limiter.lineRead(edgeCount: 1, now: at(3_600_000))
    #expect(limiter.excessEdgesPerSecond == nil)
  }

  @Test func theLargestNumbersAreNoTrap() {
    var limiter = EdgeRateLimiter()
    for _ in 0..<100 { limiter.lineRead(edgeCount: .max, now: Instant(nanoseconds: .max)) }
    limiter.lineRead(edgeCount: .max, now: Instant(nanoseconds: .min))
    limiter = EdgeRateLimiter()
    for _ in 0..<16 { limiter.lineRead(edgeCount: 1, now: Instant(nanoseconds: .max - 1)) }
    limiter.lineRead(edgeCount: 1, now: Instant(nanoseconds: .max))
    #expect(limiter.excessEdgesPerSecond == 16_000, "the end of time ends a window early")
    limiter = EdgeRateLimiter()
    for _ in 0..<100 { limiter.lineRead(edgeCount: .max, now: at(0)) }
    limiter.lineRead(edgeCount: .max, now: at(100))
    #expect(limiter.excessEdgesPerSecond ?? 0 > 0)
  }
}
