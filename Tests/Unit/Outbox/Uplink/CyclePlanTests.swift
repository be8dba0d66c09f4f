import Bytes
import Testing

@testable import Outbox

@Suite struct CyclePlanTests {
  private static let start = Instant(nanoseconds: 1_000_000_000)
  private var plan = CyclePlan(.init(every: .seconds(30)), now: Self.start)

  private func at(_ seconds: Int) -> Instant { Self.start + .seconds(seconds) }

  @Test mutating func theFirstCycleIsDueAtOnceAndTheNextInItsTime() {
    let due = [at(0), at(0), at(29), at(30), at(31), at(60)].map {
      plan.deadlineReached(now: $0)
    }
    #expect(due == [true, false, false, true, false, true])
    #expect(plan.nextCycleAt == at(90))
  }

  /// A wake-up that comes late moves no later one.
  @Test mutating func cyclesKeepTheirTimesWhereOneIsLate() {
    _ = plan.deadlineReached(now: at(0))
    _ = plan.deadlineReached(now: at(45))
    #expect(plan.nextCycleAt == at(60))
  }

  @Test(arguments: [(59, 60), (60, 90), (3600, 3630)])
  mutating func cyclesThatWereSleptThroughAreNotMadeUpFor(woken: Int, next: Int) {
    _ = plan.deadlineReached(now: at(0))
    let isDue = plan.deadlineReached(now: at(woken))
    #expect(isDue)
    #expect(plan.nextCycleAt == at(next))
  }

  @Test mutating func aCycleBeginsOnceAfterItsSourcesWereAsked() {
    let early = plan.sourcesReady()
    #expect(!early)
    _ = plan.deadlineReached(now: at(0))
    let begins = plan.sourcesReady()
    #expect(begins)
    let again = plan.sourcesReady()
    #expect(!again, "what comes later is urgent or waits")
  }

  @Test mutating func aCycleThatIsOwedIsOwedUntilOneBegins() {
    #expect(!plan.isOwed)
    plan.postponed()
    plan.postponed()
    #expect(plan.isOwed)
    _ = plan.deadlineReached(now: at(0))
    _ = plan.sourcesReady()
    #expect(plan.isOwed)
    plan.uploadBegins()
    #expect(!plan.isOwed)
  }

  // MARK: Uploads

  /// Those of the cycles up to `seconds` that end with an upload.
  private mutating func uploads(until seconds: Int) -> [Int] {
    (0...seconds).filter { second in
      guard plan.deadlineReached(now: at(second)) else { return false }
      _ = plan.sourcesReady()
      guard plan.isUploadDue else { return false }
      plan.uploadBegins()
      return true
    }
  }

  @Test mutating func withoutAPaceEachCycleEndsWithAnUpload() {
    #expect(uploads(until: 95) == [0, 30, 60, 90])
    #expect(plan.nextUploadAt == nil)
  }

  @Test(arguments: [(90, [0, 90, 180]), (100, [0, 120, 240]), (30, [0, 30, 60, 90, 120])])
  mutating func anUploadEndsTheFirstCycleAfterItsInterval(every: Int, expected: [Int]) {
    plan = CyclePlan(.init(every: .seconds(30), uploadEvery: .seconds(every)), now: Self.start)
    #expect(uploads(until: expected[expected.count - 1] + 1) == expected)
  }

  /// A door opens: the one that was planned would only wake the radio again.
  @Test mutating func anUploadBeforeItsTimePutsOffTheNext() {
    plan = CyclePlan(.init(every: .seconds(30), uploadEvery: .seconds(90)), now: Self.start)
    _ = uploads(until: 61)
    plan.uploadBegins()
    #expect(plan.nextUploadAt == at(150))
    let next = (62...160).first { second in
      plan.deadlineReached(now: at(second)) && plan.isUploadDue
    }
    #expect(next == 150)
  }

  @Test mutating func aCommandedIntervalUploadsEachCycleUntilItEnds() {
    plan = CyclePlan(.init(every: .seconds(30), uploadEvery: .seconds(90)), now: Self.start)
    _ = uploads(until: 10)
    plan.setInterval(.seconds(5), until: at(26), now: at(11))
    #expect(uploads(until: 130) == [11, 16, 21, 116])
  }

  @Test mutating func whatIsNotToWaitGoesWithItsCycle() {
    plan = CyclePlan(.init(every: .seconds(30), uploadEvery: .seconds(90)), now: Self.start)
    _ = uploads(until: 29)
    _ = plan.deadlineReached(now: at(30))
    #expect(!plan.isUploadDue)
    plan.uploadWanted()
    #expect(plan.isUploadDue)
  }
}
