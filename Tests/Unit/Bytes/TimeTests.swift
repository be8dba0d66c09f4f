import Testing

@testable import Bytes

@Suite struct TimeTests {
  private let first = Instant(nanoseconds: .min)
  private let last = Instant(nanoseconds: .max)
  private let origin = Instant(nanoseconds: 0)

  @Test func instantsAndDurationsAddUp() {
    #expect(origin + .milliseconds(1500) == Instant(nanoseconds: 1_500_000_000))
    #expect(origin + .milliseconds(-1500) == Instant(nanoseconds: -1_500_000_000))
    #expect(Instant(nanoseconds: 7) - Instant(nanoseconds: 9) == .nanoseconds(-2))
    #expect(origin < Instant(nanoseconds: 1))
  }

  @Test func aDeadlineNeverWrapsAroundTheEndOfTime() {
    #expect(last + .nanoseconds(1) == last)
    #expect(Instant(nanoseconds: .max - 1) + .nanoseconds(1) == last)
    #expect(first + .nanoseconds(-1) == first)
    #expect(origin + .seconds(Int64.max) == last)
    #expect(origin + .seconds(Int64.min) == first)
    #expect(last + .seconds(Int64.max) == last)
  }

  @Test func anIntervalIsHeldAtItsLimits() {
    #expect(last - first == .nanoseconds(Int64.max))
    #expect(first - last == .nanoseconds(Int64.min))
    #expect(origin - first == .nanoseconds(Int64.max))
    #expect(Instant(nanoseconds: -1) - first == .nanoseconds(Int64.max))
    #expect(first - origin == .nanoseconds(Int64.min))
  }

  @Test(
    arguments: [
      (.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-1), -1),
      (.milliseconds(-1500), -1_500_000_000),
      (.nanoseconds(Int64.max), .max), (.nanoseconds(Int64.min), .min),
      (.nanoseconds(Int64.max) + .nanoseconds(1), .max),
      (.nanoseconds(Int64.min) - .nanoseconds(1), .min),
      (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
      (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
    ] as [(Duration, Int64)])
  func aDurationIsCountedInWholeNanoseconds(duration: Duration, nanoseconds: Int64) {
    #expect(duration.nanoseconds == nanoseconds)
  }

  @Test(
    arguments: [
      (0, 0, 0), (1, 5, 1_000_000_005), (-1, 999_999_999, -1),
      (9_223_372_036, 854_775_807, Int64.max), (-9_223_372_036, 0, -9_223_372_036_000_000_000),
    ] as [(Int64, Int64, Int64)])
  func aWallTimeIsMadeOfSecondsAndNanoseconds(
    seconds: Int64, nanoseconds: Int64, whole: Int64
  ) {
    let time = WallTime(seconds: seconds, nanoseconds: nanoseconds)
    #expect(time == WallTime(nanoseconds: whole))
  }

  @Test(
    arguments: [
      (9_223_372_036, 854_775_808), (9_223_372_037, 0), (Int64.max, 0), (Int64.min, 0), (0, -1),
      (0, 1_000_000_000), (1, Int64.max), (1, Int64.min),
    ] as [(Int64, Int64)])
  func whatIsNoMomentOfOurCalendarIsRefused(seconds: Int64, nanoseconds: Int64) {
    #expect(WallTime(seconds: seconds, nanoseconds: nanoseconds) == nil)
  }

  @Test func wallTimesKeepToTheirLimits() {
    let (past, future) = (WallTime(nanoseconds: .min), WallTime(nanoseconds: .max))
    #expect(past - .nanoseconds(1) == past)
    #expect(future - .nanoseconds(-1) == future)
    #expect(future - past == .nanoseconds(Int64.max))
    #expect(past - future == .nanoseconds(Int64.min))
    #expect(WallTime(nanoseconds: 5) - .nanoseconds(7) == WallTime(nanoseconds: -2))
    #expect(past < future)
  }
}

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

@Suite struct SplitMix64Tests {
  /// The numbers that everybody else's SplitMix64 gives for this seed.
  @Test func theGeneratorIsTheOneOfThePaper() {
    var random = SplitMix64(seed: 1_234_567)
    let numbers = (0..<5).map { _ in random.next() }
    #expect(
      numbers == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }
}
