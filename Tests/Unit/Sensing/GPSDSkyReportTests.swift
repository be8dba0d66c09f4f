import Bytes
import Testing

@testable import Sensing

/// What gpsd says of the satellites and of a compass.
@Suite struct GPSDSkyReportTests {
  private func sky(_ text: String) -> GPSDSkyReport? { GPSDSkyReport([UInt8](text.utf8).span) }

  private func attitude(_ text: String) -> GPSDAttitudeReport? {
    GPSDAttitudeReport([UInt8](text.utf8).span)
  }

  /// As gpsd 3.22 says it.
  @Test func theSatellitesOfARelease() throws {
    let report = try #require(
      sky(
        #"{"class":"SKY","device":"/dev/a","xdop":1.15,"vdop":1.50,"hdop":1.10,"pdop":1.90,"#
          + #""nSat":3,"uSat":2,"satellites":[{"PRN":1,"el":40.0,"ss":46.0,"used":true,"svid":1},"#
          + #"{"PRN":2,"ss":41.0,"used":true},{"PRN":10,"ss":0.0,"used":false}]}"# + "\r"))
    #expect((report.seen, report.used) == (3, 2))
    #expect(report.horizontalDilution == 1.1)
  }

  @Test func whereNoNumberIsToldTheSatellitesAreCounted() throws {
    let report = try #require(
      sky(
        #"{"class":"SKY","satellites":[{"PRN":1,"used":true},{"used":false},5,{"used":1},"#
          + #"{"PRN":4,"a":{"used":true},"used":true},{}]}"#))
    #expect((report.seen, report.used) == (5, 2))
    let none = try #require(sky(#"{"class":"SKY","satellites":[]}"#))
    #expect((none.seen, none.used) == (0, 0))
  }

  @Test func whatIsNotToldIsNotZero() throws {
    let report = try #require(sky(#"{"class":"SKY","uSat":7,"hdop":99.99}"#))
    #expect(report.seen == nil && report.used == 7 && report.horizontalDilution == nil)
    #expect(sky(#"{"class":"SKY"}"#) != nil)
  }

  @Test(arguments: [
    "-1", "513", "99999999999999999999", "1e3", "2.5", "\"8\"", "null", "[8]", "{}", "true",
  ])
  func aNumberOfSatellitesThatCannotBeIsNone(number: String) throws {
    let report = try #require(sky(#"{"class":"SKY","nSat":\#(number),"uSat":\#(number)}"#))
    #expect(report.seen == nil && report.used == nil)
  }

  @Test(arguments: ["0", "-1", "50.1", "1e1", "\"1\"", "0.00000000001", "[]"])
  func aDilutionThatCannotBeIsNone(number: String) throws {
    let report = try #require(sky(#"{"class":"SKY","hdop":\#(number),"uSat":512}"#))
    #expect(report.horizontalDilution == nil)
    #expect(report.used == 512)
  }

  @Test func moreSatellitesThanThereCanBeAreNotCounted() throws {
    let many = Array(repeating: "{}", count: 513).joined(separator: ",")
    let report = try #require(sky(#"{"satellites":[\#(many)]}"#))
    #expect(report.seen == nil && report.used == 0)
  }

  @Test(arguments: ["", "{", "[]", #"{"class":"SKY"}}"#, #"{"satellites":[{"used":true]}"#, "{]"])
  func whatIsNoObjectSaysNothing(line: String) {
    #expect(sky(line) == nil)
    #expect(attitude(line) == nil)
  }

  @Test func whereACompassPoints() throws {
    let report = try #require(
      attitude(#"{"class":"ATT","heading":103.500,"mheading":359.7,"pitch":1,"mag_st":"N"}"#))
    #expect((report.heading, report.magneticHeading) == (104, 0))
    // The manual's own example, of a compass that counts in hundredths.
    #expect(attitude(#"{"class":"ATT","heading":14223.00,"mag_st":"N"}"#)?.heading == nil)
    #expect(attitude(#"{"class":"ATT","pitch":1}"#) == attitude("{}"))
    for number in ["-0.6", "360.6", "1e2", "\"90\"", "null"] {
      #expect(attitude(#"{"heading":\#(number)}"#)?.heading == nil)
    }
  }
}

/// The sensors that they are.
@Suite struct ReceiverDetailTests {
  @Test(arguments: ReceiverDetail.allCases)
  func eachIsADiagnosticSensorWithoutStatistics(detail: ReceiverDetail) {
    let description = detail.description
    let key = String(decoding: [UInt8](ReceiverDetail.keys[detail.rawValue]), as: UTF8.self)
    #expect(String(decoding: description.uniqueID, as: UTF8.self) == "gps_\(key)")
    #expect(description.isDiagnostic)
    #expect(description.stateClass == nil)
    #expect(!description.isUrgent)
    #expect(ReceiverDetail.keys.count == ReceiverDetail.allCases.count)
  }

  @Test func unitsAndClassesAreThoseOfHomeAssistant() {
    func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
    #expect(text(ReceiverDetail.fix.description.deviceClass) == "enum")
    #expect(text(ReceiverDetail.climb.description.deviceClass) == "speed")
    #expect(text(ReceiverDetail.climb.description.unit) == "m/s")
    #expect(text(ReceiverDetail.heading.description.unit) == "°")
    #expect(ReceiverDetail.heading.description.deviceClass == nil)
    #expect(ReceiverDetail.satellitesUsed.description.unit == nil)
    #expect(ReceiverDetail.satellitesSeen.minChange == FixedPoint(2))
    #expect(ReceiverDetail.climb.minChange == FixedPoint(5, decimals: 1))
  }
}
