import Bytes
import Sensing
import Testing
import TrackTrials

@Suite struct AnchorWatchTests {
  private static let anchor = EarthPoint(latitudeDegrees: 0, longitudeDegrees: 8)
  private var watch = AnchorWatch(anchor: Self.anchor, radiusMeters: 40)

  private mutating func answers(north: [Double], error: Double? = 5) -> [Bool?] {
    north.enumerated().map {
      watch.fixReported(TrackFilterTests.fix(at: Double($0) * 10, north: $1, error: error))
    }
  }

  @Test mutating func whoIsFarOutsideIsToldByTheSecondFix() {
    #expect(answers(north: [0, 30, 46, 60, 60]) == [nil, nil, nil, true, nil])
    #expect(watch.isOutside)
    #expect(watch.distanceMeters.map { (59...61).contains($0) } ?? false)
  }

  @Test mutating func oneWildFixIsNoAlarmAndNoReturn() {
    #expect(answers(north: [0, 90, 0, 90, 90, 0, 90]) == [nil, nil, nil, nil, true, nil, nil])
  }

  @Test mutating func whoIsLikelyOutsideIsToldWhenThatStays() {
    #expect(answers(north: [42, 43, 39, 42, 43, 42, 43]) == [nil, nil, nil, nil, nil, true, nil])
  }

  @Test mutating func aFixWithALargeErrorIsNoAlarm() {
    #expect(answers(north: [0, 70, 0, 70], error: 60).allSatisfy { $0 == nil })
  }

  @Test mutating func aDragIsAnAlarmAlsoWithABadReceiver() {
    #expect(answers(north: [0, 45, 55, 65], error: 60).last == true)
  }

  @Test mutating func whoComesBackIsToldOnce() {
    #expect(
      answers(north: [60, 60, 38, 38, 38, 34, 20, 20])
        == [nil, true, nil, nil, nil, nil, false, nil])
  }

  @Test mutating func whoComesBackNearTheEdgeHasToStay() {
    #expect(
      answers(north: [70, 70, 35.5, 35.5, 35.5, 35.5], error: 8)
        == [nil, true, nil, nil, false, nil])
  }

  @Test mutating func anOldFixSaysNothing() {
    _ = watch.fixReported(TrackFilterTests.fix(at: 10))
    #expect(watch.fixReported(TrackFilterTests.fix(at: 10, north: 100)) == nil)
    #expect(watch.fixReported(TrackFilterTests.fix(at: 5, north: 100)) == nil)
    #expect(!watch.isOutside)
  }

  @Test mutating func aPositionThatIsNoneIsNoAlarm() {
    #expect(answers(north: [.nan, .nan, .nan, .nan]).allSatisfy { $0 == nil })
  }

  /// The boat swings within 35 m of its chain; the watch was set where the anchor lies.
  @Test func aNightAtAnchorIsQuiet() {
    var boat = Traveller(latitude: 53.44, longitude: 5.62, seed: 3)
    let anchor = EarthPoint(latitudeDegrees: 53.44 - 35 / 111_320, longitudeDegrees: 5.62)
    boat.swing(radius: 35, seconds: 4 * 3600)
    var watch = AnchorWatch(anchor: anchor, radiusMeters: 50)
    for fix in boat.voyage("night").fixes(every: .seconds(10)) {
      #expect(watch.fixReported(fix) == nil)
    }
  }
}
