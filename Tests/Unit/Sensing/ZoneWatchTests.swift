import Bytes
import Sensing
import Testing

/// Zones of Home Assistant around a board that is otherwise parked, or seldom told of.
@Suite struct ZoneWatchTests {
  /// A zone of 100 m around the origin of `TrackFilterTests.fix`.
  private static let home = ZoneWatch.Circle(
    center: EarthPoint(latitudeDegrees: 0, longitudeDegrees: 8), radiusMeters: 100)
  private static let settings = TrackFilter.Settings(
    every: .seconds(86_400), parkedEvery: .seconds(86_400))

  /// What becomes of fixes north of the middle, ten seconds apart, at 5 m/s.
  private func decisions(
    north: [Double], error: Double = 5, zones: [ZoneWatch.Circle] = [Self.home]
  ) -> [TrackDecision] {
    var filter = TrackFilter(Self.settings)
    filter.zonesKnown(zones)
    return TrackFilterTests.fixes(north: north, speed: 5, error: error)
      .map { filter.fixReported($0) }
  }

  @Test(arguments: [[0.0, 50, 100, 118, 150], [150, 110, 98, 93, 50]])
  func whoLeavesOrComesIsTold(north: [Double]) {
    #expect(decisions(north: north) == [.first, .nothingNew, .nothingNew, .zone, .nothingNew])
  }

  @Test func atTheEdgeThereIsNoComingAndGoing() {
    let edge = (0..<50).map { $0.isMultiple(of: 2) ? 97.0 : 113 }
    #expect(decisions(north: edge).filter { $0 == .zone }.isEmpty)
  }

  /// Home Assistant takes a board to be in a zone that it may be in.
  @Test func aBadFixLeavesNoZone() {
    #expect(!decisions(north: [0, 120, 150], error: 60).contains(.zone))
    #expect(decisions(north: [0, 120, 150, 195], error: 60).last == .zone)
  }

  @Test func aSmallZoneCanBeEntered() {
    let small = ZoneWatch.Circle(center: Self.home.center, radiusMeters: 10)
    #expect(decisions(north: [60, 30, 0], zones: [small]).last == .zone)
    #expect(decisions(north: [0, 30, 60], zones: [small])[1] == .zone)
  }

  @Test func zonesThatAreToldAgainAreNotEnteredAgain() {
    var filter = TrackFilter(Self.settings)
    filter.zonesKnown([Self.home])
    _ = filter.fixReported(TrackFilterTests.fix(at: 0, speed: 5))
    let other = ZoneWatch.Circle(
      center: EarthPoint(latitudeDegrees: 1, longitudeDegrees: 8), radiusMeters: 100)
    filter.zonesKnown([other, Self.home])
    #expect(filter.fixReported(TrackFilterTests.fix(at: 10, speed: 5)) == .nothingNew)
    #expect(filter.fixReported(TrackFilterTests.fix(at: 20, speed: 5, north: 130)) == .zone)
    filter.zonesKnown([])
    #expect(filter.fixReported(TrackFilterTests.fix(at: 30, speed: 5)) == .nothingNew)
  }

  @Test func aJumpEntersNoZone() {
    #expect(decisions(north: [9000, 9010, 0, 9020]).filter { $0 == .zone }.isEmpty)
  }

  @Test func moreZonesThanAreWatchedDoNoHarm() {
    let many = [ZoneWatch.Circle](repeating: Self.home, count: ZoneWatch.zonesMax + 10)
    #expect(decisions(north: [0, 150], zones: many).last == .zone)
  }
}
