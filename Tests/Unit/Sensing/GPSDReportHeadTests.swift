import Testing

@testable import Sensing

/// What the beginning of a report tells without reading the rest.
@Suite struct GPSDReportHeadTests {
  private func line(mode: Int, second: Int, device: String = "/dev/ttyACM0") -> [UInt8] {
    Array(
      (#"{"class":"TPV","device":"\#(device)","mode":\#(mode),"#
        + #""time":"2027-05-01T12:00:0\#(second).000Z","ept":0.005}"#).utf8)
  }

  private func replaces(_ later: [UInt8], _ earlier: [UInt8]) -> Bool? {
    GPSDReportHead(later.span)?.replaces(earlier.span, in: later.span)
  }

  @Test(arguments: [(0, false), (1, false), (2, true), (3, true)])
  func onlyAFixTakesThePlaceOfAnEarlierOne(mode: Int, isFix: Bool) {
    let earlier = line(mode: 3, second: 1)
    #expect(replaces(line(mode: mode, second: 2), earlier) == isFix)
    #expect(replaces(line(mode: mode, second: 1), earlier) == false, "it is no later")
    #expect(replaces(line(mode: mode, second: 2, device: "/dev/ttyS0"), earlier) == false)
  }

  @Test func aFixTakesThePlaceOfAReportThatBeginsInAnotherWay() {
    let later = line(mode: 3, second: 2)
    #expect(replaces(later, line(mode: 2, second: 1)) == true)
    #expect(replaces(later, line(mode: 2, second: 2)) == false, "it is no later")
    let withStatus = String(decoding: line(mode: 3, second: 1), as: UTF8.self)
      .replacing(#""mode""#, with: #""status":2,"mode""#)
    #expect(replaces(later, Array(withStatus.utf8)) == true)
  }

  @Test(arguments: [#"{"class":"SKY","device":"/dev/ttyACM0","time""#, "", "{", "no JSON"])
  func aFixTakesThePlaceOfNoOtherLine(_ other: String) {
    #expect(replaces(line(mode: 3, second: 2), Array(other.utf8)) == false)
  }

  @Test func aFixTakesThePlaceOfNoReportWhoseTimeIsCutOrTooLong() {
    let later = line(mode: 3, second: 2)
    let earlier = line(mode: 3, second: 1)
    let timeEnd = GPSDReportHead(earlier.span)?.time.upperBound ?? 0
    for count in 0..<timeEnd + 1 {
      #expect(replaces(later, Array(earlier[..<count])) == false, "\(count) bytes")
    }
    #expect(replaces(later, Array(earlier[..<(timeEnd + 2)])) == true)
    #expect(replaces(later, earlier[..<timeEnd] + Array(#"0Z","#.utf8)) == false)
  }

  @Test func aLineThatIsCutTellsNothingOrTheSame() {
    let whole = line(mode: 3, second: 1)
    let head = GPSDReportHead(whole.span)
    #expect(head?.hasFix == true)
    for count in whole.indices {
      let part = [UInt8](whole[..<count])
      guard let cut = GPSDReportHead(part.span) else { continue }
      #expect(cut.hasFix && cut.device == head?.device && cut.time == head?.time)
    }
  }
}
