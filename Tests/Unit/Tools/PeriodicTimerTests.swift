import Bytes
import Testing

@testable import Tools

@Suite struct PeriodicTimerTests {
  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

  /// The moments of these at which it was due.
  private func due(_ moments: [Double]) -> [Double] {
    var timer = PeriodicTimer(every: .seconds(2), now: at(10))
    return moments.filter { timer.takeDue(now: at($0)) }
  }

  @Test func itIsDueAtOnceAndThenInEachInterval() {
    #expect(due([10, 10.5, 11.9, 12, 13, 14]) == [10, 12, 14])
  }

  @Test func whatIsLateMakesNothingElseLate() {
    #expect(due([10, 12.9, 13.9, 14, 16.5, 18]) == [10, 12.9, 14, 16.5, 18])
  }

  /// A process that was stopped for twenty seconds asked ten times at once.
  @Test func whatPassedByIsNotCaughtUpWith() {
    #expect(due([10, 30.5, 30.6, 31, 32.4, 32.5, 34.5]) == [10, 30.5, 32.5, 34.5])
    #expect(due([10, 14, 14, 15.9, 16]) == [10, 14, 16])
  }
}
