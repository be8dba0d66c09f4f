import Bytes
import Testing

@testable import Sensing

/// What libgps is given of a line.
@Suite struct GPSDLineTests {
  /// A TPV as it is written for libgps, without the NUL; nil where it is none.
  private func report(_ line: String) -> String? {
    let bytes = [UInt8](line.utf8)
    var input = ByteBuffer(capacity: 8 * 1024)
    input.append("before")
    input.append(bytes)
    var read = GPSDLine()
    guard read.read(6..<input.count, of: input), read.reportClass == .position else { return nil }
    var report = ByteBuffer(capacity: GPSDSession.reportByteCountMax)
    read.write(of: input, withClimb: true, into: &report)
    let isWhole = !report.isOverflowed && report[report.count - 1] == 0
    #expect(isWhole)
    return String(decoding: [UInt8](report.bytes).dropLast(), as: UTF8.self)
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
    let number = #""-0."# + String(repeating: "1", count: 29)
    let keys = ["altMSL", "lat", "lon", "speed", "track", "eph", "epv", "epx", "epy", "climb"]
    let members = keys.map { "\"\($0)\":\(number.dropFirst())" }.joined(separator: ",")
    let time = #""time":"2027-01-01T00:00:00.0000000001Z""#
    let longest = report(#"{"class":"TPV","mode":100,"# + time + "," + members + "}")
    #expect(longest?.hasSuffix(#""climb":\#(number.dropFirst())}"#) == true)
  }

  @Test func whoSaysItAndWhatIsWrongStandInTheInput() {
    let bytes = [UInt8](#"{}{"message":"no","device":"/dev/ttyUSB0","class":"ERROR"}"#.utf8)
    var input = ByteBuffer(capacity: 100)
    input.append(bytes)
    var read = GPSDLine()
    let isLine = read.read(2..<bytes.count, of: input)
    #expect(isLine && read.reportClass == .error)
    #expect(String(decoding: bytes[read.message], as: UTF8.self) == "no")
    #expect(String(decoding: bytes[read.device], as: UTF8.self) == "/dev/ttyUSB0")
  }
}
