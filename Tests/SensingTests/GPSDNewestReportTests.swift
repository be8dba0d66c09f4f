import Bytes
import Sensing
import Testing

/// Reports that came together: the newest is read first, and what that changes is the cost alone.
@Suite struct GPSDNewestReportTests {
  private static func report(
    _ second: Int, device: String = "/dev/ttyUSB0", mode: Int = 3,
    rest: String = #""lat":51,"lon":1"#
  ) -> String {
    let time = "2027-05-01T12:\(second / 60 + 10):\(second % 60 + 10).000Z"
    return #"{"class":"TPV","device":"\#(device)","mode":\#(mode),"time":"\#(time)","#
      + "\(rest)}\r\n"
  }

  @Test func ofReportsThatCameTogetherLibgpsIsGivenTheNewest() {
    let conversation = GPSDConversation.resting(.streaming)
    _ = conversation.cycleDue()
    let lines = (1...9).map { GPSDLines.fix(second: $0) + GPSDLines.sky }.joined()
    #expect(conversation.hears(lines + GPSDLines.fix(second: 9).prefix(60)) == nil)
    #expect(conversation.reports == [GPSDLines.report(second: 9)])
    #expect(conversation.drained() == .stopListening)
    #expect(conversation.fixes.map(\.time) == [GPSDLines.time(9)])
  }

  /// The second of two that come after a good one is of no use.
  @Test(arguments: [
    #""lat":0,"lon":0"#, #""lat":51"#, #""lat":91,"lon":1"#, #""lat":51,"lon":1,"#,
    #""lat":nan,"lon":1"#,
  ])
  func aNewestReportOfNoUseHidesNoGoodOne(rest: String) {
    let conversation = GPSDConversation.resting(.streaming)
    _ = conversation.cycleDue()
    let good = Self.report(1) + Self.report(2, rest: #""lat":52,"lon":1"#)
    #expect(conversation.hears(good + Self.report(3, rest: rest)) == nil)
    _ = conversation.drained()
    #expect(conversation.fixes.map(\.latitude) == [52])
  }

  @Test func aNewestReportWithADateThatCannotBeRightHidesNoGoodOne() {
    let conversation = GPSDConversation.resting(.streaming)
    _ = conversation.cycleDue()
    let wrong = Self.report(3).split(separator: "2027").joined(separator: "2099")
    #expect(conversation.hears(Self.report(1) + wrong) == nil)
    _ = conversation.drained()
    #expect(conversation.fixes.map(\.clock) == [.receiver])
  }

  /// The clock of the receiver jumps for one report.
  @Test func aReportWithAnotherDateBetweenTwoHidesNeither() {
    let conversation = GPSDConversation.resting(.streaming)
    _ = conversation.cycleDue()
    let jump = Self.report(2).split(separator: "2027").joined(separator: "2099")
    let last = Self.report(3, rest: #""lat":53,"lon":1"#)
    #expect(conversation.hears(Self.report(1) + jump + last) == nil)
    _ = conversation.drained()
    #expect(conversation.fixes.map(\.latitude) == [51])
    #expect(conversation.fixes.map(\.clock) == [.receiver])
  }

  @Test func ofAFixAndItsEchoTheFixCounts() {
    let conversation = GPSDConversation.resting(.streaming)
    _ = conversation.cycleDue()
    let echo = Self.report(5, rest: #""lat":53,"lon":1"#)
    #expect(conversation.hears(Self.report(4) + Self.report(5) + echo) == nil)
    _ = conversation.drained()
    #expect(conversation.fixes.map(\.latitude) == [51])
    #expect(conversation.reports.count == 2, "what is older is not read")
  }

}
