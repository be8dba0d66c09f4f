import Testing

@testable import Sensing

@Suite struct EarthPointTests {
  private func meters(
    _ from: (latitude: Double, longitude: Double), _ to: (latitude: Double, longitude: Double)
  ) -> Double {
    EarthPoint(latitudeDegrees: from.latitude, longitudeDegrees: from.longitude)
      .distanceMeters(to: EarthPoint(latitudeDegrees: to.latitude, longitudeDegrees: to.longitude))
  }
  private func isNear(_ value: Double, _ truth: Double) -> Bool {
    (value - truth).magnitude <= truth * 0.001
  }

  /// The length of a degree on the ellipsoid (Snyder, "Map Projections", table 3 of WGS 84), of
  /// which a thousandth is compared.
  @Test(arguments: [
    (0.0, 111_320, 110_574), (30, 96_486, 110_852), (52, 68_678, 111_267), (75, 28_902, 111_618),
    (89, 1949, 111_693.9),
  ])
  func aThousandthOfADegreeHasItsLength(
    latitude: Double, alongParallel: Double, alongMeridian: Double
  ) {
    for place in [latitude, -latitude] {
      #expect(isNear(meters((place, 5), (place, 5.001)) * 1000, alongParallel))
      #expect(isNear(meters((place, 5), (place + 0.001, 5)) * 1000, alongMeridian))
    }
  }

  @Test func farPlacesAreAsFarAsGeodesyHasThem() {
    // Vincenty: Berlin to Madrid, and Bern to London.
    #expect(isNear(meters((52.5, 13.4), (40.4, -3.7)), 1_872_000))
    #expect(isNear(meters((0, 0), (0, 30)), 3_339_585))
  }

  @Test func theAntimeridianIsALineLikeAnother() {
    #expect(isNear(meters((10, 179.9995), (10, -179.9995)) * 1000, 109_639))
    let west = EarthPoint(latitudeDegrees: 10, longitudeDegrees: 179.9995)
    let east = EarthPoint(latitudeDegrees: 10, longitudeDegrees: -179.9995)
    #expect(west.offsetMeters(to: east).east > 100)
    #expect(west.offsetMeters(to: east).north.magnitude < 1)
  }

  @Test func thePolesAreAPlaceEach() {
    #expect(meters((90, 0), (90, 137)) < 0.001)
    #expect(meters((-90, 0), (-90, -180)) < 0.001)
    // Over the pole: twice a tenth of a degree.
    #expect(isNear(meters((89.9, 0), (89.9, 180)), 22_338.8))
    let pole = EarthPoint(latitudeDegrees: 90, longitudeDegrees: 0)
    #expect(pole.direction(to: pole) == nil)
  }

  @Test(arguments: [(0.001, 0.0, 0.0), (0, 0.001, 90), (-0.001, 0, 180), (0, -0.001, 270)])
  func theCourseIsFromNorthByEast(north: Double, east: Double, degrees: Double) throws {
    let here = EarthPoint(latitudeDegrees: 0, longitudeDegrees: 8)
    let there = EarthPoint(latitudeDegrees: north, longitudeDegrees: 8 + east)
    let course = try #require(here.direction(to: there))
    let truth = Direction(degrees: degrees)
    let halfDegree = Angle(degrees: 0.5).cosine
    #expect(!course.isTurned(from: truth, byCosine: halfDegree))
    #expect(course.isTurned(from: Direction(degrees: degrees + 2), byCosine: halfDegree))
  }

  @Test(arguments: [(359.0, 1.0), (1, 359), (10, 8), (180, 178), (90, 92), (271, 269)])
  func twoDegreesAreTwoDegreesOnEitherSideOfNorth(_ first: Double, _ second: Double) {
    let (turn, other) = (Direction(degrees: first), Direction(degrees: second))
    #expect(turn.isTurned(from: other, byCosine: Angle(degrees: 1.9).cosine))
    #expect(!turn.isTurned(from: other, byCosine: Angle(degrees: 2.1).cosine))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
  func whatIsNoAngleDoesNotTrap(_ degrees: Double) {
    let nowhere = EarthPoint(latitudeDegrees: degrees, longitudeDegrees: degrees)
    let here = EarthPoint(latitudeDegrees: 1, longitudeDegrees: 2)
    #expect(!(here.distanceMeters(to: nowhere) < 1000))
    _ = here.direction(to: nowhere)
  }
}
