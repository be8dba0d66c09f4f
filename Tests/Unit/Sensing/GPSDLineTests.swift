import Bytes
import Testing

@testable import Sensing

/// The head of a line.
@Suite struct GPSDLineTests {
  private static func line(
    mode: Int = 3, second: Int = 1, device: String = "/dev/ttyACM0",
    rest: String = #","ept":0.005}"#
  ) -> String {
    #"{"class":"TPV","device":"\#(device)","mode":\#(mode),"#
      + #""time":"2027-05-01T12:00:0\#(second).000Z""# + rest
  }

  /// Reads a line that stands behind `before` in the input. Nil if it is malformed.
  private func read(_ text: String, into line: inout GPSDLine) -> [String]? {
    var input = ByteBuffer(capacity: 8 * 1024)
    input.append("before")
    input.append([UInt8](text.utf8))
    guard line.read(6..<input.count, of: input) else { return nil }
    let bytes = [UInt8](text.utf8)
    return [line.device, line.time, line.message].map { String(decoding: bytes[$0], as: UTF8.self) }
  }

  @Test func aTPVHasAReceiverAndATime() {
    var line = GPSDLine()
    let withStatus = Self.line().replacing(#""mode""#, with: #""status":2,"mode""#)
    for text in [Self.line(), withStatus, Self.line()] {
      let texts = read(text, into: &line)
      #expect(texts == ["/dev/ttyACM0", "2027-05-01T12:00:01.000Z", ""])
      let (reportClass, worth) = (line.reportClass, line.worth)
      #expect(reportClass == .position && worth == .threeDimensionalFix)
    }
    let other = #" { "time": "now", "mode" : 2, "x":[1], "class":"TPV", "device" : "a"} "#
    let texts = read(other, into: &line)
    #expect(texts == ["a", "now", ""])
    let worth = line.worth
    #expect(worth == .twoDimensionalFix)
  }

  @Test func anErrorHasAMessage() {
    var line = GPSDLine()
    let text = #"{"message":"no","device":"/dev/ttyUSB0","class":"ERROR"}"#
    let texts = read(text, into: &line)
    #expect(texts == ["/dev/ttyUSB0", "", "no"])
    let reportClass = line.reportClass
    #expect(reportClass == .error)
  }

  @Test(arguments: [
    (#""mode":0,"time":"now""#, GPSDLine.Worth.noFix), (#""mode":1,"time":"now""#, .noFix),
    (#""mode":2,"time":"now""#, .twoDimensionalFix), (#""mode":4,"time":"now""#, .noFix),
    (#""mode":30,"time":"now""#, .noFix), (#""mode":"3","time":"now""#, .noFix),
    (#""mode":3,"time":"now""#, .threeDimensionalFix), (#""mode":3,"time":"""#, .undatedFix),
    (#""mode":3,"time":5"#, .undatedFix),
    (#""mode":3"#, .undatedFix), (#""time":"now""#, .noFix),
  ])
  func aFixInThreeDimensionsWithATimeIsWorthMost(members: String, worth: GPSDLine.Worth) {
    var line = GPSDLine()
    let isRead = read(#"{"class":"TPV","device":"a",\#(members)}"#, into: &line) != nil
    let found = line.worth
    #expect(isRead && found == worth)
  }

  /// Most TPVs are recognised by their beginning, which is that of the last one.
  @Test(arguments: [
    line(), line(second: 2), line(mode: 1), line(device: "/dev/ttyACM1"), line(device: "a"),
    line().replacing("00Z", with: "00000Z"), line().replacing(".000Z", with: "Z"),
    line().replacing("000Z", with: "0Z"), line().replacing(#"Z","#, with: #"","#),
    line().replacing(#""mode""#, with: #""status":2,"mode""#), line(rest: "}"),
    line().replacing("TPV", with: "SKY"), #"{"class":"ERROR","message":"no"}"#,
    #"{"class":"TPV"}"#, "{", "", "{]", line(rest: #","lat":51.5"#), line(rest: ""),
  ])
  func theLineBeforeChangesNothing(text: String) {
    for before in [Self.line(), Self.line(mode: 2, device: "b"), #"{"class":"TPV"}"#, "{]"] {
      var line = GPSDLine()
      var fresh = GPSDLine()
      _ = read(before, into: &line)
      let expected = read(text, into: &fresh)
      let isRead = read(text, into: &line) != nil
      #expect(isRead == (expected != nil), "\(text) after \(before)")
      guard isRead else { continue }
      let isSameClass = line.reportClass == fresh.reportClass
      #expect(isSameClass, "\(text) after \(before)")
      guard line.reportClass == .position else { continue }
      let isSame = line.worth == fresh.worth && line.device == fresh.device
      let isSameTime = line.time == fresh.time
      #expect(isSame && isSameTime, "\(text) after \(before)")
    }
  }

  @Test func aLineThatIsCutAnywhereIsMalformed() {
    let text = Self.line()
    var line = GPSDLine()
    for count in 0..<text.utf8.count {
      let isRead = read(String(text.prefix(count)), into: &line) != nil
      #expect(!isRead, "\(count) bytes")
    }
  }
}
