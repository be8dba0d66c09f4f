import Bytes
import Sensing
import Testing
import TrackTrials

/// Whether a board moves, at the edges of what that means.
@Suite struct TrackRestTests {
  private var filter = TrackFilter(TrackFilter.Settings(every: .seconds(60), turnDegrees: 20))

  private mutating func decisions(_ travel: (inout Traveller) -> Void) -> [TrackDecision] {
    TrackFilterTests.voyage(travel).fixes(every: .seconds(10)).map { filter.fixReported($0) }
  }

  /// Between two cycles of a quarter of an hour.
  @Test mutating func aLongCycleSeesAStart() {
    _ = filter.fixReported(TrackFilterTests.fix(at: 0, speed: 0))
    let decision = filter.fixReported(TrackFilterTests.fix(at: 900, speed: 10, north: 200))
    #expect(decision == .startedMoving)
  }

  @Test mutating func aReceiverWithoutASpeedThatWandersIsParkedAndStaysSo() {
    let places = (0..<100).map { $0.isMultiple(of: 2) ? 0.0 : 12 }
    let all = TrackFilterTests.fixes(north: places, error: 16).map { filter.fixReported($0) }
    #expect(filter.state == .parked && !all.contains(.startedMoving))
  }

  /// Its receiver takes the swing at the chain for a speed; the places say a fifth of it.
  @Test mutating func anAnchoredBoatThatDragsSlowlyHasNotStarted() {
    _ = filter.fixReported(TrackFilterTests.fix(at: 0, speed: 0))
    for step in 1..<20 {
      let (time, way) = (Double(step) * 10, Double(step) * 2)
      let decision = filter.fixReported(TrackFilterTests.fix(at: time, speed: 1.2, north: way))
      #expect(decision != .startedMoving, "step \(step)")
    }
    #expect(filter.state == .parked)
  }

  /// The time of two fixes may be nearly the same, and their distance is an error.
  @Test mutating func twoFixesOfOneMomentAreNoStart() {
    _ = filter.fixReported(TrackFilterTests.fix(at: 0, speed: 0))
    _ = filter.fixReported(TrackFilterTests.fix(at: 60, speed: 0, north: 10))
    let jump = TrackFilterTests.fix(at: 60.1, speed: 1.2, north: 10.2)
    #expect(filter.fixReported(jump) != .startedMoving)
  }

  @Test mutating func aBoatThatTurnsOnTheSpotIsNotParked() {
    let all = decisions {
      $0.go(2, course: 0, seconds: 60)
      $0.go(0.2, course: 0, seconds: 25)
      $0.go(1.5, course: 0, turning: 10, seconds: 150)
    }
    #expect(!all.contains(.stopped))
    #expect(filter.state == .moving)
  }

  @Test mutating func aBoatThatCreepsIsNotParked() {
    _ = decisions {
      $0.go(2, course: 0, seconds: 60)
      $0.go(0.45, course: 0, seconds: 300)
    }
    #expect(filter.state == .moving)
  }

  @Test mutating func theCourseOfABoardThatHardlyMovesIsNoise() {
    for step in 0..<6 { _ = filter.fixReported(moving(step, speed: 2, course: 0)) }
    for step in 6..<40 {
      let fix = moving(step, speed: 0.7, course: step.isMultiple(of: 2) ? 0 : 150)
      #expect(filter.fixReported(fix) != .turn)
    }
    #expect(filter.state == .moving)
  }

  private func moving(_ step: Int, speed: Double, course: Double) -> Fix {
    TrackFilterTests.fix(
      at: Double(step) * 10, speed: speed, course: course, north: Double(step) * 7)
  }
}
