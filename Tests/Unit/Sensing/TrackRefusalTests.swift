import Bytes
import Sensing
import Testing
import TrackTrials

/// Fixes that make no point because they cannot be right.
@Suite struct TrackRefusalTests {
  private static let settings = TrackFilter.Settings(every: .seconds(10))
  private var filter = TrackFilter(Self.settings)

  private mutating func decisions(_ fixes: [Fix]) -> [TrackDecision] {
    fixes.map { filter.fixReported($0) }
  }
  private mutating func decisions(_ travel: (inout Traveller) -> Void) -> [TrackDecision] {
    decisions(TrackFilterTests.voyage(travel).fixes(every: .seconds(10)))
  }
  /// A board that stands, as its receiver says.
  private mutating func decisions(north: [Double], error: Double? = 5) -> [TrackDecision] {
    decisions(TrackFilterTests.fixes(north: north, speed: 0, error: error))
  }

  // MARK: Jumps

  @Test mutating func aJumpAndAReturnLeaveNoTrace() {
    let all = decisions {
      $0.go(10, course: 10, seconds: 100)
      $0.jump(east: 3000, north: 0, seconds: 10, speed: 10)
      $0.go(10, course: 10, seconds: 100)
    }
    #expect(all.count { $0 == .jump } == 1)
    #expect(!all.contains(.newPlace))
    #expect(all.count { $0.isKept } == all.count - 1)
  }

  @Test mutating func aPlaceThatStaysIsBelieved() {
    let all = decisions {
      $0.go(10, course: 10, seconds: 100)
      $0.beCarried(east: 5000, north: 0)
      $0.go(10, course: 10, seconds: 100)
    }
    #expect(all.filter { !$0.isKept } == [.jump, .jump])
    #expect(all.count { $0 == .newPlace } == 1)
    #expect(all.last == .interval)
  }

  /// Each place contradicts the one before.
  @Test mutating func aReceiverThatRavesDoesNotSilenceTheTrackForEver() {
    let all = decisions(north: (0..<60).map { Double($0 == 0 ? 0 : $0 % 6 + 1) * 50_000 })
    #expect(all.contains(.newPlace))
    #expect(all.prefix(25).allSatisfy { $0 == .first || $0 == .jump })
  }

  @Test mutating func fiveMinutesAfterTheFirstJumpAnyPlaceIsBelieved() {
    let times = [0.0, 10, 309.5, 310].enumerated()
    let all = decisions(
      times.map { TrackFilterTests.fix(at: $1, speed: 0, north: Double($0) * 50_000) })
    #expect(all == [.first, .jump, .jump, .newPlace])
  }

  /// Jumps to different places do not agree, nor do those before and after the end of a refusal.
  @Test(arguments: [
    ([0.0, 0, 9000, -9000, 9000, 0, 0], 3), ([0, 9000, 9000, 0, 9000, 9000, 0], 4),
  ])
  mutating func jumpsThatDoNotAgreeAreAllRefused(north: [Double], jumps: Int) {
    let all = decisions(north: north)
    #expect(all.filter { $0 == .jump }.count == jumps)
    #expect(!all.contains(.newPlace))
  }

  @Test mutating func eachRefusalHasItsOwnTime() {
    var places = [Double](repeating: 0, count: 60)
    places[1] = 9000
    places[45] = -9000
    let all = decisions(north: places)
    #expect(all[1] == .jump && all[45] == .jump)
    #expect(!all.contains(.newPlace))
  }

  /// A train, an aeroplane that says its speed, and a train without one.
  @Test(arguments: [(85.0, true), (240, true), (65, false)])
  mutating func aFastVehicleIsNoJump(speed: Double, tellsSpeed: Bool) {
    let all = decisions {
      $0.tellsSpeed = tellsSpeed
      $0.go(speed, course: 10, seconds: 300)
    }
    #expect(!all.contains(.jump))
  }

  @Test mutating func theErrorsOfBothFixesAreNoWay() {
    let all = decisions(north: [0, 440, 920], error: 150)
    #expect(all[1] != .jump)
    #expect(all[2] == .jump)
  }

  @Test mutating func whereNoErrorIsSaidOneIsAssumed() {
    let all = decisions(north: [0, 230, 500], error: nil)
    #expect(all[1] != .jump)
    #expect(all[2] == .jump)
  }

  @Test mutating func aTunnelIsNoJump() {
    let all = decisions {
      $0.go(27, course: 50, seconds: 100)
      $0.tunnel(27, course: 50, seconds: 90)
      $0.go(27, course: 50, seconds: 100)
    }
    #expect(all.allSatisfy { $0.isKept })
  }

  /// A boat on a trailer, its receiver off: both ends stand.
  @Test mutating func aLongWayInALongTimeIsNoJump() {
    let all = decisions([
      TrackFilterTests.fix(at: 0, speed: 0),
      TrackFilterTests.fix(at: 7200, speed: 0, north: 200_000),
      TrackFilterTests.fix(at: 7210, speed: 0, north: 200_000),
    ])
    #expect(!all.contains(.jump))
    #expect(all.last == .displaced)
  }

  @Test mutating func afterANewPlaceNoCourseIsMadeOfTheJump() {
    filter = TrackFilter(TrackFilter.Settings(every: .seconds(60), turnDegrees: 20))
    let all = decisions {
      $0.tellsSpeed = false
      $0.go(5, course: 0, seconds: 60)
      $0.beCarried(east: 50_000, north: 0)
      $0.go(5, course: 0, seconds: 60)
    }
    #expect(all.contains(.newPlace))
    #expect(!all.contains(.turn))
  }

  // MARK: Age and error

  @Test mutating func timeThatGoesBackMakesNoPoint() {
    let all = decisions(
      [0, 10, 20, 5, 20, 30].map { TrackFilterTests.fix(at: $0, speed: 5, north: $0 * 5) })
    #expect(all == [.first, .interval, .interval, .older, .older, .interval])
  }

  @Test mutating func aFixThatSaysHowBadItIsMakesNoPoint() {
    let all = decisions([
      TrackFilterTests.fix(at: 0, speed: 5), TrackFilterTests.fix(at: 10, speed: 5, error: 201),
      TrackFilterTests.fix(at: 20, speed: 5, north: 100, error: 200),
    ])
    #expect(all == [.first, .inaccurate, .interval])
  }

  @Test mutating func badFixesAreBetterThanNoneForAnHour() {
    let all = decisions(north: Array(repeating: 0, count: 200), error: 900)
    #expect(all.prefix(90).allSatisfy { $0 == .inaccurate })
    #expect(all[90] == .first)
  }

  @Test mutating func aGoodFixEndsTheWaitForBadOnes() {
    let all = decisions(
      (0..<160).map {
        TrackFilterTests.fix(at: Double($0) * 10, speed: 0, error: $0 == 80 ? 5 : 900)
      })
    #expect(all.filter { $0 != .inaccurate } == [.first])
  }

  // MARK: What Home Assistant lacks

  @Test mutating func whatHomeAssistantLacksIsAPointAtRest() {
    _ = filter.fixReported(TrackFilterTests.fix(at: 0, speed: 0))
    #expect(filter.fixReported(TrackFilterTests.fix(at: 10, speed: 0), isOwed: true) == .owed)
    #expect(filter.fixReported(TrackFilterTests.fix(at: 20, speed: 0)) == .standing)
    #expect(
      filter.fixReported(TrackFilterTests.fix(at: 30, speed: 0, north: 90_000), isOwed: true)
        == .jump)
  }

  @Test mutating func whatIsAPointAnywayKeepsItsReason() {
    _ = filter.fixReported(TrackFilterTests.fix(at: 0, speed: 5))
    let decision = filter.fixReported(
      TrackFilterTests.fix(at: 10, speed: 5, north: 50), isOwed: true)
    #expect(decision == .interval)
  }

  @Test mutating func theLastDecisionIsKnown() {
    #expect(filter.last == nil && filter.state == nil)
    let fix = TrackFilterTests.fix(at: 0, speed: 0)
    _ = filter.fixReported(fix)
    #expect(filter.last?.decision == .first && filter.last?.at == fix.notBefore)
    #expect(filter.state == .parked)
    _ = filter.fixReported(TrackFilterTests.fix(at: -10, speed: 0))
    #expect(filter.last?.decision == .older)
  }
}
