import Bytes
import Sensing
import Testing
import TrackTrials

@Suite struct AnchorWatchTests {
  private static let anchor = EarthPoint(latitudeDegrees: 0, longitudeDegrees: 8)
  private var watch = AnchorWatch(anchor: Self.anchor, radiusMeters: 40)

  private mutating func answers(north: [Double], error: Double? = 5) -> [Bool?] {
    TrackFilterTests.fixes(north: north, error: error).map { watch.fixReported($0) }
  }

  /// Who is far outside is reported by the second fix, who is likely outside when that stays; one
  /// wild fix is neither an alarm nor a return. Large errors are no alarm, a drag is one with any.
  @Test(
    arguments: [
      ([0, 30, 46, 60, 60], 5, [nil, nil, nil, true, nil]),
      ([0, 90, 0, 90, 90, 0, 90], 5, [nil, nil, nil, nil, true, nil, nil]),
      ([42, 43, 39, 42, 43, 42, 43], 5, [nil, nil, nil, nil, nil, true, nil]),
      ([0, 70, 0, 70], 60, [nil, nil, nil, nil]),
      ([0, 45, 55, 65], 60, [nil, nil, nil, true]),
      ([60, 60, 38, 38, 38, 34, 20, 20], 5, [nil, true, nil, nil, nil, nil, false, nil]),
      ([70, 70, 35.5, 35.5, 35.5, 35.5], 8, [nil, true, nil, nil, false, nil]),
      ([.nan, .nan, .nan, .nan], 5, [nil, nil, nil, nil]),
    ] as [([Double], Double, [Bool?])])
  mutating func leavingAndComingBackAreToldOnce(
    north: [Double], error: Double, told: [Bool?]
  ) {
    #expect(answers(north: north, error: error) == told)
    #expect(watch.isOutside == (told.compactMap { $0 }.last ?? false))
  }

  @Test mutating func anOldFixSaysNothing() {
    _ = watch.fixReported(TrackFilterTests.fix(at: 10))
    #expect(watch.fixReported(TrackFilterTests.fix(at: 10, north: 100)) == nil)
    #expect(watch.fixReported(TrackFilterTests.fix(at: 5, north: 100)) == nil)
    #expect(!watch.isOutside)
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
