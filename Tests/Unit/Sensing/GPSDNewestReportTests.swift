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

  /// The peer is not believed before the newest report is reached.
  @Test func garbageBeforeTheNewestReportHidesNoGoodOne() {
    let conversation = GPSDConversation.resting(.streaming)
    _ = conversation.cycleDue()
    let garbage = String(repeating: "{]\n", count: GPSDSession.malformedLinesMax)
    let action = conversation.hears(Self.report(1) + garbage + Self.report(3))
    guard case .fail? = action else {
      Issue.record("the peer is believed after \(garbage)")
      return
    }
    #expect(conversation.fixes.count == 1)
  }

  // MARK: Whatever is said

  /// What gpsd may say, or what a poor link makes of it, at a second of its clock.
  private static func line(_ second: Int, _ random: inout SplitMix64) -> String {
    switch random.next() % 16 {
    case 0...5: report(second)
    case 6: report(second, device: "/dev/ttyACM0", rest: #""lat":48,"lon":1"#)
    case 7: report(second, mode: 1)
    case 8: report(second - 1, rest: #""lat":49,"lon":1"#)
    case 9: report(second, rest: #""lat":0,"lon":0"#)
    case 10: report(second, rest: #""lat":91,"lon":1"#)
    case 11: report(second).split(separator: "2027").joined(separator: "2099")
    case 12: report(second).prefix(100) + "\r\n"
    case 13: #"{"class":"ERROR","message":"no \#(second)"}"# + "\n"
    case 14: "{\"class\":\"TPV\",\"device\":\"/dev/ttyUSB0\",\"mode\":3}\n"
    default: GPSDLines.sky
    }
  }

  @Test(arguments: 0..<400)
  func linesThatCameTogetherGiveThePositionThatEachAloneGives(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let together = GPSDConversation.resting(.streaming)
    let alone = GPSDConversation.resting(.streaming)
    var second = 1
    for _ in 0..<3 {
      _ = (together.cycleDue(), alone.cycleDue())
      var lines = ""
      for _ in 0..<random.next() % 8 {
        lines += Self.line(second, &random)
        second += Int(random.next() % 3)
      }
      #expect(together.hears(lines) == alone.hearsAll(lines), "\(lines)")
      #expect(together.isConnected == alone.isConnected)
      guard together.isConnected else { return }
      #expect(together.drained() == alone.drained(), "\(lines)")
      #expect(together.positions == alone.positions, "\(lines)")
      together.wait(.seconds(10))
      alone.wait(.seconds(10))
    }
  }
}

extension GPSDConversation {
  /// Where the receiver was and when, as far as it knows: how old a fix may be at most is known
  /// better where more reports were read.
  fileprivate var positions: [[Double]] {
    fixes.map { [$0.latitude, Double($0.time.nanoseconds), $0.clock == .receiver ? 1 : 0] }
  }
}
