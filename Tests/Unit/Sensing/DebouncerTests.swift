import Bytes
import Sensing
import Testing

@Suite struct DebouncerTests {
  private func edge(to level: Level, _ milliseconds: Int64) -> Edge {
    Edge(to: level, at: at(milliseconds))
  }
  /// A line that was inactive at 0 ms and has a window of 20 ms.
  private func settledDebouncer() -> Debouncer {
    var debouncer = Debouncer(window: .milliseconds(20))
    _ = debouncer.levelRead(.inactive, now: at(0))
    return debouncer
  }

  @Test func theFirstLevelIsBelievedAtOnce() {
    var debouncer = Debouncer(window: .milliseconds(20))
    #expect(debouncer.deadline == nil)
    #expect(debouncer.levelRead(.active, now: at(5)) == edge(to: .active, 5))
    #expect(debouncer.deadline == nil)
    #expect(debouncer.levelRead(.active, now: at(6)) == nil)
  }

  @Test func aBouncingContactIsOneChangeThatCountsFromTheLastEdge() {
    var debouncer = settledDebouncer()
    #expect(debouncer.edgeDetected(edge(to: .active, 100)) == nil)
    #expect(debouncer.edgeDetected(edge(to: .inactive, 101)) == nil)
    #expect(debouncer.edgeDetected(edge(to: .active, 102)) == nil)
    #expect(debouncer.deadline == at(122))
    #expect(debouncer.deadlineReached(now: at(121)) == nil)
    #expect(debouncer.deadlineReached(now: at(122)) == edge(to: .active, 102))
    #expect(debouncer.deadline == nil)
    #expect(debouncer.deadlineReached(now: at(500)) == nil)
  }

  @Test func aPulseShorterThanTheWindowNeverWas() {
    var debouncer = settledDebouncer()
    _ = debouncer.edgeDetected(edge(to: .active, 100))
    _ = debouncer.edgeDetected(edge(to: .inactive, 105))
    #expect(debouncer.deadlineReached(now: at(200)) == nil)
    #expect(debouncer.deadline == nil)
  }

  @Test func edgesThatWereReadLateStillTellWhatHappened() {
    // The loop slept through the whole pulse: its edges are in the queue one after the other.
    var debouncer = settledDebouncer()
    #expect(debouncer.edgeDetected(edge(to: .active, 100)) == nil)
    #expect(debouncer.edgeDetected(edge(to: .inactive, 300)) == edge(to: .active, 100))
    #expect(debouncer.deadlineReached(now: at(900)) == edge(to: .inactive, 300))
  }

  @Test func withoutAWindowEveryEdgeCounts() {
    var debouncer = Debouncer(window: .zero)
    _ = debouncer.levelRead(.inactive, now: at(0))
    _ = debouncer.edgeDetected(edge(to: .active, 100))
    #expect(debouncer.deadline == at(100))
    #expect(debouncer.edgeDetected(edge(to: .inactive, 100)) == edge(to: .active, 100))
    #expect(debouncer.deadlineReached(now: at(100)) == edge(to: .inactive, 100))
  }

  @Test func aLevelThatNoEdgeLedToIsFoundAllTheSame() {
    var debouncer = settledDebouncer()
    #expect(debouncer.levelRead(.active, now: at(50)) == nil)
    #expect(debouncer.deadline == at(70))
    // Reading it again does not put the window off.
    #expect(debouncer.levelRead(.active, now: at(60)) == nil)
    #expect(debouncer.levelRead(.active, now: at(70)) == edge(to: .active, 50))
  }

  @Test func anEdgeThatWasOnItsWayWhileTheLevelWasReadGivesTheTrueTime() {
    var debouncer = settledDebouncer()
    _ = debouncer.levelRead(.active, now: at(50))
    #expect(debouncer.edgeDetected(edge(to: .active, 48)) == nil)
    #expect(debouncer.deadlineReached(now: at(68)) == edge(to: .active, 48))
  }

  @Test func anEdgeBeforeTheFirstLevelIsTheFirstLevel() {
    var debouncer = Debouncer(window: .milliseconds(20))
    #expect(debouncer.edgeDetected(edge(to: .inactive, 10)) == nil)
    #expect(debouncer.deadlineReached(now: at(30)) == edge(to: .inactive, 10))
  }

  @Test func theEndOfTimeIsNoOverflow() {
    var debouncer = Debouncer(window: .seconds(10))
    _ = debouncer.edgeDetected(Edge(to: .active, at: Instant(nanoseconds: .max)))
    #expect(debouncer.deadline == Instant(nanoseconds: .max))
  }

  @Test func settledLevelsTakeTurnsAndTimeGoesOnForEverySeed() throws {
    for seed in UInt64(1)...200 {
      var random = seed
      func next(_ bound: UInt64) -> UInt64 {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (random >> 33) % bound
      }
      var debouncer = settledDebouncer()
      var now = Instant(nanoseconds: 0)
      var last = Edge(to: .inactive, at: now)
      for step in 0..<500 {
        now = now + .microseconds(Int64(next(30_000)))
        let level: Level = next(2) == 0 ? .inactive : .active
        let settled =
          switch next(3) {
          case 0: debouncer.deadlineReached(now: now)
          case 1: debouncer.levelRead(level, now: now)
          default: debouncer.edgeDetected(Edge(to: level, at: now))
          }
        guard let settled else { continue }
        try #require(settled.level != last.level, "seed \(seed), step \(step)")
        try #require(settled.instant > last.instant && settled.instant <= now, "seed \(seed)")
        last = settled
      }
    }
  }
}
