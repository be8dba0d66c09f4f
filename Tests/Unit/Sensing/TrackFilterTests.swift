import Bytes
import Sensing
import Testing
import TrackTrials

/// A fix each ten seconds, unless a test says otherwise.
@Suite struct TrackFilterTests {
  private static let settings = TrackFilter.Settings(
    every: .seconds(60), distanceMeters: 200, turnDegrees: 20)

  private func decisions(
    _ settings: TrackFilter.Settings = Self.settings, cycle: Duration = .seconds(10),
    latitude: Double = 54.4, longitude: Double = 10.2, _ travel: (inout Traveller) -> Void
  ) -> [TrackDecision] {
    let voyage = Self.voyage(latitude: latitude, longitude: longitude, travel)
    return TrackTrial(voyage, settings, cycle: cycle).decisions
  }

  /// What a receiver says of this that does not wander.
  static func voyage(
    latitude: Double = 54.4, longitude: Double = 10.2, _ travel: (inout Traveller) -> Void
  ) -> Voyage {
    var traveller = Traveller(latitude: latitude, longitude: longitude)
    traveller.wanderMeters = 0
    travel(&traveller)
    return traveller.voyage("test")
  }

  // MARK: Moving

  @Test func aSlowBoatMakesAPointEachInterval() {
    let all = decisions { $0.go(2, course: 10, seconds: 300) }
    #expect(all.count { $0 == .interval } == 4)
    #expect(all.count { $0.isKept } == 5)
    #expect(all.first == .first && all[1] == .nothingNew)
  }

  @Test func aCarMakesAPointEachDistance() {
    let all = decisions { $0.go(20.3, course: 10, seconds: 200) }
    // 200 m are ten seconds.
    #expect(all.dropFirst().allSatisfy { $0 == .distance })
    let slower = decisions { $0.go(9.9, course: 10, seconds: 200) }
    #expect(slower.count { $0 == .distance } == 6)
    #expect(!slower.contains(.interval))
  }

  @Test func withoutADistanceAndATurnTimeAloneCounts() {
    let all = decisions(TrackFilter.Settings(every: .seconds(60))) {
      $0.go(20, course: 10, seconds: 150)
      $0.go(20, course: 100, seconds: 150)
    }
    #expect(Set(all) == [.first, .nothingNew, .interval])
    #expect(all.count { $0 == .interval } == 4)
  }

  @Test func withoutAnIntervalEachFixOfABoardThatMovesIsAPoint() {
    let all = decisions(TrackFilter.Settings()) { $0.go(3, course: 10, seconds: 100) }
    #expect(all.dropFirst().allSatisfy { $0 == .interval })
  }

  @Test func aTurnIsAPointAsSoonAsItIsSeen() {
    let all = decisions {
      $0.go(3, course: 10, seconds: 24)
      $0.go(3, course: 40, seconds: 20)
    }
    #expect(all.prefix(5) == [.first, .nothingNew, .nothingNew, .turn, .nothingNew])
  }

  @Test func manySmallTurnsAreOneTurn() {
    let all = decisions { $0.go(3, course: 350, turning: 0.7, seconds: 62) }
    // 7° in a cycle: 21° in three.
    #expect(
      all.prefix(7) == [
        .first, .nothingNew, .nothingNew, .turn, .nothingNew, .nothingNew, .turn,
      ])
  }

  @Test(arguments: [(359.0, 1.0), (1, 359), (350, 5), (5, 350)])
  func northIsNoTurn(_ before: Double, _ after: Double) {
    let all = decisions {
      $0.go(3, course: before, seconds: 25)
      $0.go(3, course: after, seconds: 25)
    }
    #expect(!all.contains(.turn))
  }

  @Test func aReceiverThatSaysNoCourseTurnsAsItsPositionsDo() {
    let all = decisions {
      $0.tellsSpeed = false
      $0.go(5, course: 350, seconds: 40)
      $0.go(5, course: 20, seconds: 30)
    }
    #expect(all.contains(.turn))
    let straight = decisions {
      $0.tellsSpeed = false
      $0.go(5, course: 359.5, seconds: 80)
    }
    #expect(!straight.contains(.turn))
  }

  @Test func aFixThatIsALittleEarlyIsStillOfItsInterval() {
    var filter = TrackFilter(TrackFilter.Settings(every: .seconds(10)))
    let kept = [0, 9.2, 18.4, 25.4].map { seconds in
      filter.fixReported(Self.fix(at: seconds, speed: 5, north: seconds * 5)).isKept
    }
    #expect(kept == [true, true, true, false])
  }

  @Test func ofALongIntervalLittleIsLetOff() {
    for (seconds, isKept) in [(57.0, false), (58.5, true)] {
      var filter = TrackFilter(TrackFilter.Settings(every: .seconds(60)))
      _ = filter.fixReported(Self.fix(at: 0, speed: 5))
      let decision = filter.fixReported(Self.fix(at: seconds, speed: 5, north: seconds * 5))
      #expect(decision.isKept == isKept)
    }
  }

  @Test func positionsThatMayBeWrongMakeNoTurn() {
    var filter = TrackFilter(TrackFilter.Settings(every: .seconds(6000), turnDegrees: 20))
    for step in 0..<40 {
      let east = step.isMultiple(of: 2) ? 0.0 : 14
      let decision = filter.fixReported(
        Self.fix(at: Double(step) * 10, east: east, north: Double(step) * 14, error: 30))
      #expect(decision != .turn)
    }
  }

  @Test(arguments: [(10.0, 179.99), (-45, -179.99), (0, 179.999)])
  func theAntimeridianIsNoJump(_ latitude: Double, _ longitude: Double) {
    let course = longitude > 0 ? 90.0 : 270.0
    let all = decisions(latitude: latitude, longitude: longitude) {
      $0.go(20.3, course: course, seconds: 200)
    }
    #expect(all.dropFirst().allSatisfy { $0 == .distance })
  }

  // MARK: Parked

  static func fix(
    at seconds: Double, speed: Double? = nil, course: Double? = nil, east: Double = 0,
    north: Double = 0, error: Double? = 5
  ) -> Fix {
    Fix(
      mode: .threeDimensional, latitude: north / 111_320, longitude: 8 + east / 111_320,
      speedMetersPerSecond: speed, trackDegrees: course, horizontalErrorMeters: error,
      time: WallTime(nanoseconds: 0), notBefore: Instant(nanoseconds: Int64((seconds + 100) * 1e9)))
  }

  /// A fix each ten seconds, so many metres north.
  static func fixes(
    north: [Double], from second: Double = 0, speed: Double? = nil, error: Double? = 5
  ) -> [Fix] {
    north.enumerated().map {
      fix(at: second + Double($0) * 10, speed: speed, north: $1, error: error)
    }
  }

  @Test func aBoardThatIsParkedMakesAPointEachParkedInterval() {
    let all = decisions { $0.go(0, seconds: 3600) }
    #expect(all.count { $0 == .parkedInterval } == 3)
    #expect(all.count { $0.isKept } == 4)
    #expect(all[1] == .standing)
  }

  @Test func aNightAtAnchorDrawsNoStar() {
    let night = TrackTrial(.nightAtAnchor, Self.settings, cycle: .seconds(10))
    let atAnchor = zip(night.fixes, night.decisions)
      .filter { $0.0.notBefore > Instant(nanoseconds: 2000 * 1_000_000_000) }.map(\.1)
    #expect(atAnchor.count > 2700)
    #expect(!atAnchor.contains(.startedMoving))
    // Eight hours: 32 points of the parked interval, and those where the wind has turned.
    #expect(atAnchor.count { $0.isKept } < 60)
  }

  @Test func aBadReceiverAtAnchorDrawsNoStar() {
    let night = TrackTrial(.roughAnchorage, Self.settings, cycle: .seconds(10))
    #expect(!night.decisions.contains(.startedMoving))
    #expect(night.points.count < 60)
  }

  @Test func oneFixFarAwayIsNoDisplacement() {
    let all = decisions {
      $0.go(0, seconds: 100)
      $0.jump(east: 90, north: 0)
      $0.go(0, seconds: 100)
    }
    #expect(all.filter(\.isKept) == [.first])
  }

  @Test func fixesFarAwayThatComeNowAndThenAreNoDisplacement() {
    let all = decisions {
      for _ in 0..<6 {
        $0.go(0, seconds: 30)
        $0.jump(east: 90, north: 0)
        $0.go(0, seconds: 19)
      }
    }
    #expect(all.filter(\.isKept) == [.first])
  }

  @Test func withinTheirErrorFixesAreNoDisplacement() {
    var filter = TrackFilter(Self.settings)
    let places = Array(repeating: 0.0, count: 9) + Array(repeating: 140, count: 31)
    let all = Self.fixes(north: places, speed: 0, error: 150).map { filter.fixReported($0) }
    #expect(all == [.first] + Array(repeating: .standing, count: 39))
  }

  @Test func aMastThatRollsIsNoStart() {
    var filter = TrackFilter(Self.settings)
    for step in 0..<40 {
      let decision = filter.fixReported(
        Self.fix(
          at: Double(step) * 10, speed: step == 0 ? 0 : 1.3, north: step.isMultiple(of: 2) ? 0 : 9))
      #expect(decision != .startedMoving)
    }
  }

  @Test func aReceiverWithoutASpeedBeginsAsOneThatMoves() {
    var filter = TrackFilter(Self.settings)
    _ = filter.fixReported(Self.fix(at: 0))
    #expect(filter.state == .moving)
    filter = TrackFilter(Self.settings)
    _ = filter.fixReported(Self.fix(at: 0, speed: 0.2))
    #expect(filter.state == .parked)
  }

  @Test func aBoatThatDragsItsAnchorShows() {
    let all = decisions {
      $0.go(0, seconds: 100)
      $0.go(0.3, course: 120, seconds: 400)
    }
    #expect(all.contains(.displaced))
    #expect(!all.contains(.startedMoving))
  }

  @Test func aCarThatStartsIsSeenAtOnce() {
    let all = decisions(cycle: .seconds(1)) {
      $0.go(0, seconds: 600)
      $0.go(4, course: 10, seconds: 10)
    }
    let start = all.firstIndex(of: .startedMoving)
    #expect(start.map { (600...604).contains($0) } ?? false)
  }

  @Test func aCarThatStartsIsSeenInTheNextCycle() {
    let all = decisions {
      $0.go(0, seconds: 600)
      $0.go(14, course: 10, seconds: 100)
    }
    #expect(all[60...61].contains(.startedMoving))
    #expect(all.last == .interval || all.last == .distance || all.last == .nothingNew)
  }

  @Test func aSpeedThatThePositionsDenyIsNoStart() {
    var filter = TrackFilter(Self.settings)
    // It has swung 30 m away, and says a speed because its mast rolls.
    for step in 0..<100 {
      let decision = filter.fixReported(
        Self.fix(at: Double(step) * 10, speed: step < 60 ? 0.1 : 1.2, north: min(Double(step), 30)))
      #expect(decision != .startedMoving)
    }
    #expect(filter.state == .parked)
  }

  @Test(arguments: [settings, TrackFilter.Settings()])
  func aStopIsAPointAndThenThereIsQuiet(settings: TrackFilter.Settings) {
    let all = decisions(settings) {
      $0.go(14, course: 10, seconds: 100)
      $0.go(0, seconds: 300)
    }
    #expect(all.count { $0 == .stopped } == 1)
    let stop = all.firstIndex(of: .stopped) ?? 0
    #expect((16...17).contains(stop))
    #expect(all[12..<stop].allSatisfy { $0 == .standing })
    #expect(all[(stop + 1)...].allSatisfy { $0 == .standing })
  }

  @Test func aRedLightIsNoStop() {
    let all = decisions {
      $0.go(14, course: 10, seconds: 100)
      $0.go(0, seconds: 45)
      $0.go(14, course: 10, seconds: 100)
    }
    #expect(!all.contains(.stopped) && !all.contains(.startedMoving))
  }

  @Test func aWalkIsNoRest() {
    let all = decisions { $0.go(0.8, course: 10, seconds: 600) }
    // It began slowly: it is parked, and each 50 m show.
    #expect(all.count { $0.isKept } >= 7)
  }

  @Test func aSlowWalkIsAJourneyOfABoardThatMoves() {
    let all = decisions(TrackFilter.Settings()) {
      $0.go(2, course: 10, seconds: 60)
      $0.go(0.8, course: 10, seconds: 300)
    }
    #expect(all.dropFirst().allSatisfy { $0 == .interval })
  }

  @Test func aReceiverThatSaysNoSpeedIsParkedToo() {
    let all = decisions {
      $0.tellsSpeed = false
      $0.go(10, course: 10, seconds: 100)
      $0.go(0, seconds: 300)
      $0.go(10, course: 10, seconds: 60)
    }
    let stop = all.firstIndex(of: .stopped) ?? 0
    #expect((15...18).contains(stop))
    #expect(all[(stop + 1)..<40].allSatisfy { $0 == .standing })
    #expect(all[40...42].contains(.startedMoving))
  }
}
