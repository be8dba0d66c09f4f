import Bytes
import Testing

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
