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
    guard let head = GPSDReportHead(later.span), let other = GPSDReportHead(earlier.span) else {
      return nil
    }
    return head.replaces(other, earlier.span, in: later.span)
  }

  @Test(arguments: [(0, false), (1, false), (2, true), (3, true)])
  func onlyAFixTakesThePlaceOfAnEarlierOne(mode: Int, isFix: Bool) {
    let earlier = line(mode: 3, second: 1)
    #expect(replaces(line(mode: mode, second: 2), earlier) == isFix)
    #expect(replaces(line(mode: mode, second: 1), earlier) == false, "it is no later")
    #expect(replaces(line(mode: mode, second: 2, device: "/dev/ttyS0"), earlier) == false)
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
