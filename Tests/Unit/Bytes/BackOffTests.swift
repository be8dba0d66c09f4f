import Testing

@testable import Bytes

@Suite struct BackOffTests {
  @Test func waitsDoubleUpToTheLongest() {
    let steps = [5, 10, 20, 40, 80, 120, 120, 120].map { Duration.seconds($0) }
    for seed in UInt64(0)..<200 {
      var backOff = BackOff(first: .seconds(5), longest: .seconds(120), seed: seed)
      for (index, step) in steps.enumerated() {
        let wait = backOff.failed()
        #expect(wait > step * 0.75 && wait <= step, "seed \(seed), failure \(index)")
      }
    }
  }

  @Test func aHouseFullOfAgentsDoesNotCallAllAtOnce() {
    let waits = (UInt64(0)..<100).map { seed -> Duration in
      var backOff = BackOff(first: .seconds(5), longest: .seconds(120), seed: seed)
      return backOff.failed()
    }
    #expect(Set(waits).count == 100)
    // They are spread over the whole quarter, not over a corner of it.
    let (shortest, longest) = (waits.min(), waits.max())
    #expect(shortest.map { $0 < .seconds(4) } == true)
    #expect(longest.map { $0 > .milliseconds(4750) } == true)
  }

  @Test func afterASuccessTheWaitsStartOver() {
    var backOff = BackOff(first: .seconds(5), longest: .seconds(120), seed: 7)
    for _ in 0..<5 { _ = backOff.failed() }
    backOff.succeeded()
    let waits = [backOff.failed(), backOff.failed()]
    #expect(waits[0] <= .seconds(5) && waits[1] > .seconds(7))
  }

  @Test func aLowerLimitHoldsAtOnce() {
    var backOff = BackOff(first: .seconds(5), longest: .seconds(120), seed: 7)
    for _ in 0..<5 { _ = backOff.failed() }
    backOff.limit(to: .seconds(10))
    let wait = backOff.failed()
    #expect(wait <= .seconds(10))
  }

  @Test func theShortestWaitsAreWaitsToo() {
    var backOff = BackOff(first: .nanoseconds(1), longest: .nanoseconds(3), seed: 0)
    let waits = (0..<3).map { _ in backOff.failed() }
    #expect(waits == [.nanoseconds(1), .nanoseconds(2), .nanoseconds(3)])
  }
}
