import Bytes
import Testing

@testable import Sensing

/// Copies of reports for libgps.
@Suite struct GPSDCopyTests {
  /// The copy of a line; nil if libgps gets none.
  private func report(_ line: String) -> String? {
    let libgps = LibGPSStandIn()
    let reader = GPSDReader { libgps.parse($0, into: &$1) }
    let isRead = reader.read([UInt8](line.utf8).span) != nil
    #expect(isRead == (libgps.reports.count == 1))
    return libgps.reports.first
  }

  /// libgps 3.22 reads the first of these for ever.
  @Test(arguments: [
    #"{"class":"TPV"}}"class":"RTCM3""#, #"{"class":"TPV"},{"class":"TPV"}"#, #"{"class":"TPV"}x"#,
    #"{"class":"TPV""#, #"{"class":"TPV",}"#, #"{"class":"TPV","lat":nan}"#,
    #"{"class":"TPV","lat":01}"#, #"{"class":"TPV","device":"\x"}"#, #"[{"class":"TPV"}]"#,
    #"{"class":{"class":"TPV"}}"#, #"{"a":{"class":"TPV"}}"#, "{}", "", "{\"class\":\"TPV\"\u{0}}",
  ])
  func whatIsNotOneTPVAndNothingElseNeverReachesLibgps(line: String) {
    #expect(report(line) == nil)
  }

  @Test(arguments: [
    #""satellites":[{"PRN":1},[2,{"mode":1}]]"#, #""lat":{"x":1}"#, #""lat":[1]"#, #""lat":"51""#,
    #""lat":null"#, #""lat":true"#, #""time":5"#, #""time":"yesterday""#, #""mode":3000"#,
    #""time":"2027-05-01T12:00:00.000Z""#,
    #""mode":"3""#, #""device":""# + String(repeating: "x", count: 5000) + "\"", #""device":7"#,
    #""lat":0."# + String(repeating: "1", count: 40), #""RTCM3":1"#, #""class":1"#,
  ])
  func whatLibgpsCannotHoldIsLeftOutAndTheRestIsKept(member: String) {
    let rest = #""lon":-0.1,"speed":1.5"#
    let written = #"{"class":"TPV","lon":-0.1,"speed":1.5}"#
    #expect(report(#"{"class":"TPV","# + member + "," + rest + "}") == written)
    #expect(report(#"{"# + member + "," + rest + #","class":"TPV"}"#) == written)
    #expect(report(#"{"class":"TPV","# + rest + "," + member + "}") == written)
  }

  @Test func ofAKeyThatComesTwiceTheLastCounts() {
    #expect(
      report(#"{"class":"TPV","lat":1,"lat":2,"lon":3,"lon":"x"}"#) == #"{"class":"TPV","lat":2}"#)
  }

  /// It is all that releases before 3.20 have.
  @Test(arguments: [
    (#""alt":5"#, #""altMSL":5"#), (#""alt":5,"altMSL":6"#, #""altMSL":6"#),
    (#""altMSL":6,"alt":5"#, #""altMSL":6"#), (#""altHAE":7,"alt":5"#, #""altMSL":5,"altHAE":7"#),
  ])
  func anAltitudeOfAnOldReleaseIsOneAboveTheSea(said: String, written: String) {
    #expect(report(#"{"class":"TPV","# + said + "}") == #"{"class":"TPV","# + written + "}")
  }

  @Test func theLongestReportFits() {
    let number = "-0." + String(repeating: "1", count: 29)
    let keys = [
      "altMSL", "lat", "lon", "speed", "track", "eph", "epv", "epx", "epy", "altHAE", "ecefx",
      "ecefy", "ecefz", "climb",
    ]
    let members = keys.map { "\"\($0)\":\(number)" }.joined(separator: ",")
    let longest = #"{"class":"TPV","mode":100,"# + members + "}"
    #expect(report(longest) == longest)
  }
}

/// Numbers of a report.
@Suite struct GPSDReaderTests {
  private func read(_ text: String) -> GPSDReport? {
    let libgps = LibGPSStandIn()
    return GPSDReader { libgps.parse($0, into: &$1) }.read([UInt8](text.utf8).span)
  }

  /// As gpsd 3.22 says it.
  @Test func theSatellitesOfARelease() throws {
    let report = try #require(
      read(
        #"{"class":"SKY","device":"/dev/a","xdop":1.15,"vdop":1.50,"hdop":1.10,"pdop":1.90,"#
          + #""nSat":3,"uSat":2,"satellites":[{"PRN":1,"el":40.0,"ss":46.0,"used":true,"svid":1},"#
          + #"{"PRN":2,"ss":41.0,"used":true},{"PRN":10,"ss":0.0,"used":false}]}"# + "\r"))
    #expect((report.satellitesSeen, report.satellitesUsed) == (3, 2))
    #expect(report.horizontalDilution == 1.1)
  }

  @Test func whereNoNumberIsToldTheSatellitesAreCounted() throws {
    let report = try #require(
      read(
        #"{"class":"SKY","satellites":[{"PRN":1,"used":true},{"used":false},5,{"used":1},"#
          + #"{"PRN":4,"a":{"used":true},"used":true},{}]}"#))
    #expect((report.satellitesSeen, report.satellitesUsed) == (5, 2))
    let none = try #require(read(#"{"class":"SKY","satellites":[]}"#))
    #expect((none.satellitesSeen, none.satellitesUsed) == (0, 0))
  }

  @Test func whatIsNotToldIsNotZero() throws {
    let report = try #require(read(#"{"class":"SKY","uSat":7}"#))
    #expect(report.satellitesSeen == nil && report.satellitesUsed == 7)
    #expect(report.horizontalDilution.isNaN && report.headingDegrees.isNaN)
    #expect(read(#"{"class":"SKY"}"#) != nil)
  }

  @Test(arguments: [
    "-1", "513", "99999999999999999999", "1e3", "2.5", "\"8\"", "null", "[8]", "{}", "true",
  ])
  func aNumberOfSatellitesThatCannotBeIsNone(number: String) throws {
    let report = try #require(read(#"{"class":"SKY","nSat":\#(number),"uSat":\#(number)}"#))
    #expect(report.satellitesSeen == nil && report.satellitesUsed == nil)
  }

  @Test func moreSatellitesThanThereCanBeAreNotCounted() throws {
    let many = Array(repeating: "{}", count: 513).joined(separator: ",")
    let report = try #require(read(#"{"class":"SKY","satellites":[\#(many)]}"#))
    #expect(report.satellitesSeen == nil && report.satellitesUsed == 0)
  }

  @Test(arguments: [
    "", "{", "[]", #"{"class":"SKY"}}"#, #"{"class":"SKY","satellites":[{"used":true]}"#, "{]",
  ])
  func aLineThatIsNoObjectIsNoReport(line: String) { #expect(read(line) == nil) }

  @Test func aCompassHasTwoHeadings() throws {
    let report = try #require(
      read(#"{"class":"ATT","heading":103.500,"mheading":359.7,"pitch":1,"mag_st":"N"}"#))
    #expect(report.headingDegrees == 103.5 && report.magneticHeadingDegrees == 359.7)
    let none = try #require(read(#"{"class":"ATT","heading":"1","mheading":1e1}"#))
    #expect(none.headingDegrees.isNaN && none.magneticHeadingDegrees.isNaN)
  }

  /// libgps 3.22 takes the first of these for the last day of 2026.
  @Test(arguments: [
    "2027-13-01T12:00:00.000Z", "2027-05-41T12:00:00.000Z", "2027-05-01T12:99:00.000Z", "", "now",
  ])
  func aDateThatIsNotInTheCalendarIsNone(date: String) throws {
    let report = try #require(read(#"{"class":"TPV","mode":3,"time":"\#(date)","lat":1}"#))
    #expect(report.fix.time == nil && report.fix.mode == 3 && report.fix.latitude == 1)
  }

  @Test func aDateIsThatOfTheReceiver() {
    let report = read(#"{"class":"TPV","time":"2027-05-01T12:00:00.250Z"}"#)
    #expect(report?.fix.time == GPSDLines.noon + .milliseconds(250))
  }

  @Test func aReportThatLibgpsRejectsIsNone() {
    let reader = GPSDReader { _, _ in false }
    #expect(reader.read([UInt8](#"{"class":"TPV","mode":3}"#.utf8).span) == nil)
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
