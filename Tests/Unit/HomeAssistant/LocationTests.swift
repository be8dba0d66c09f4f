import Bytes
import Testing

@testable import HomeAssistant

@Suite struct LocationTests {
  private func json(_ location: Location?) -> String? {
    location.map { location in written { location.write(into: &$0) } }
  }

  private func here(
    accuracyMeters: Double = 5, altitudeMeters: Double? = nil, speedMetersPerSecond: Double? = nil,
    courseDegrees: Double? = nil, verticalAccuracyMeters: Double? = nil
  ) -> String? {
    json(
      Location(
        latitude: 52, longitude: 4, accuracyMeters: accuracyMeters,
        altitudeMeters: altitudeMeters, speedMetersPerSecond: speedMetersPerSecond,
        courseDegrees: courseDegrees, verticalAccuracyMeters: verticalAccuracyMeters))
  }

  private static let start = #"{"gps":[52.0000000,4.0000000],"gps_accuracy":5"#

  @Test func aWholeFixIsOneCompleteMessage() {
    let location = Location(
      latitude: 51.123456749, longitude: -3.5, accuracyMeters: 4.2, altitudeMeters: -2.54,
      speedMetersPerSecond: 3.4, courseDegrees: 269.6, verticalAccuracyMeters: 7.1)
    #expect(
      json(location)
        == #"{"gps":[51.1234567,-3.5000000],"gps_accuracy":5,"altitude":-2.5,"speed":3,"#
        + #""course":270,"vertical_accuracy":8}"#)
  }

  @Test func whatIsUnknownIsLeftOut() {
    #expect(here() == Self.start + "}")
  }

  /// Whole metres before 2026.5, which truncates; from then on with a fraction.
  @Test(arguments: [
    (0.0, "0", "0.0"), (0.01, "1", "0.1"), (0.1, "1", "0.1"), (4.2, "5", "4.2"),
    (4.21, "5", "4.3"), (9.9, "10", "9.9"), (9.99, "10", "10.0"), (10, "10", "10.0"),
    (1e30, "1000000", "1000000.0"), (.infinity, "1000000", "1000000.0"),
    (.greatestFiniteMagnitude, "1000000", "1000000.0"), (.leastNonzeroMagnitude, "1", "0.1"),
  ])
  func theAccuracyNeverPromisesTooMuchAndIsAsFineAsTheServerTakesIt(
    meters: Double, whole: String, fine: String
  ) throws {
    let location = try #require(Location(latitude: 52, longitude: 4, accuracyMeters: meters))
    for (version, expected) in [
      ("", whole), ("2026.4.4", whole), ("2026.5.0", fine), ("2026.11.0", fine),
    ] as [(Text, String)] {
      #expect(
        written { location.write(into: &$0, for: ServerVersion(version)) }
          == #"{"gps":[52.0000000,4.0000000],"gps_accuracy":\#(expected)}"#)
    }
  }

  @Test(arguments: [(0.0, "0"), (0.1, "1"), (2.5, "3"), (1e30, "1000000")])
  func theVerticalAccuracyNeverPromisesTooMuchEither(meters: Double, written: String) {
    #expect(
      here(verticalAccuracyMeters: meters) == Self.start + #","vertical_accuracy":\#(written)}"#)
  }

  @Test(arguments: [
    (0.0, "0.0"), (-12.34, "-12.3"), (8848.86, "8848.9"), (-0.01, "0.0"), (1_000_000, "1000000.0"),
  ])
  func heightsAndDepthsAreKept(meters: Double, written: String) {
    #expect(here(altitudeMeters: meters) == Self.start + #","altitude":\#(written)}"#)
  }

  @Test(arguments: [
    Double.nan, .infinity, -.infinity, 1_000_000.1, -1e30, .greatestFiniteMagnitude,
  ])
  func anAltitudeThatIsNoneIsLeftOut(meters: Double) {
    #expect(here(altitudeMeters: meters) == Self.start + "}")
  }

  @Test(arguments: [(0.0, "0"), (0.4, "0"), (1.9, "2"), (1e30, "100000")])
  func theSpeedIsTheNearestWholeOne(speed: Double, written: String) {
    #expect(here(speedMetersPerSecond: speed) == Self.start + #","speed":\#(written)}"#)
  }

  @Test(arguments: [(0.0, "0"), (0.4, "0"), (359.4, "359"), (359.5, "0"), (360, "0")])
  func northIsAlwaysZero(course: Double, written: String) {
    #expect(here(courseDegrees: course) == Self.start + #","course":\#(written)}"#)
  }

  @Test(arguments: [360.1, 725, 1e30])
  func aCourseBeyondTheCompassIsNotTurnedIntoNorth(course: Double) {
    #expect(here(courseDegrees: course) == Self.start + "}")
  }

  /// A receiver writes "unknown" as -1 or as no number at all; Home Assistant drops a fix with one.
  @Test(arguments: [Double.nan, .infinity, -.infinity, -1, -0.001])
  func whatIsNoMeasureIsLeftOut(value: Double) {
    #expect(
      here(speedMetersPerSecond: value, courseDegrees: value, verticalAccuracyMeters: value)
        == Self.start + "}")
  }

  @Test(arguments: [
    (90.1, 0.0), (-90.1, 0), (0, 180.1), (0, -180.1), (.nan, 0), (0, .nan), (.infinity, 0),
    (0, -.infinity), (1e300, 1e300),
  ])
  func aPlaceThatIsNotOnEarthIsNone(latitude: Double, longitude: Double) {
    #expect(Location(latitude: latitude, longitude: longitude, accuracyMeters: 5) == nil)
  }

  @Test(arguments: [
    (90.0, 180.0, "[90.0000000,180.0000000]"), (-90, -180, "[-90.0000000,-180.0000000]"),
    (0, -0.0, "[0.0000000,0.0000000]"), (89.99999999, 179.99999999, "[90.0000000,180.0000000]"),
    (-0.00000001, 0.00000004, "[0.0000000,0.0000000]"),
  ])
  func theEdgesOfTheEarthAreOnIt(latitude: Double, longitude: Double, gps: String) {
    let location = Location(latitude: latitude, longitude: longitude, accuracyMeters: 5)
    #expect(json(location) == #"{"gps":\#(gps),"gps_accuracy":5}"#)
  }

  @Test(arguments: [-1.0, -0.001, .nan, -.infinity])
  func aFixWithoutItsAccuracyIsNoLocation(meters: Double) {
    #expect(here(accuracyMeters: meters) == nil)
  }

  @Test func noReportEverMakesHomeAssistantDropTheFix() throws {
    let values: [Double] = [
      .nan, .infinity, -.infinity, -1, -0.0, 0, 0.5, 1.9, 359.9, 360, 361, 1e6, 1e18, 1e19, 1e300,
      .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    ]
    for (index, altitude) in values.enumerated() {
      for (other, speed) in values.enumerated() {
        let location = try #require(
          Location(
            latitude: 52, longitude: 4, accuracyMeters: abs(speed.isNaN ? 1 : speed),
            altitudeMeters: altitude, speedMetersPerSecond: speed,
            courseDegrees: values[(index + other) % values.count],
            verticalAccuracyMeters: values[(index * 3 + other) % values.count]))
        try expectAcceptable(location)
      }
    }
  }

  /// Home Assistant's own rules: known keys only, no null, and numbers within their ranges.
  private func expectAcceptable(_ location: Location) throws {
    let text = [UInt8](written { location.write(into: &$0) }.utf8)
    var reader = JSONReader(text.span)
    try reader.openObject()
    while let key = try reader.nextKey() {
      let name = String(decoding: [UInt8](key.raw), as: UTF8.self)
      let value = String(decoding: text[try reader.skipValue()], as: UTF8.self)
      switch name {
      case "gps": #expect(value == "[52.0000000,4.0000000]")
      case "gps_accuracy", "vertical_accuracy":
        #expect((0...1_000_000).contains(try #require(Int(value))))
      case "speed": #expect((0...100_000).contains(try #require(Int(value))))
      case "course": #expect((0..<360).contains(try #require(Int(value))))
      case "altitude": #expect(abs(try #require(Double(value))) <= 1_000_000)
      default: Issue.record("Home Assistant does not know \(name)")
      }
    }
    try reader.finish()
  }
}
