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

  // MARK: Together, and one by one

  private struct Stream {
    var random: SplitMix64
    var second = 0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private mutating func one(_ texts: [String]) -> String {
      texts[Int.random(in: 0..<texts.count, using: &random)]
    }

    mutating func line() -> String {
      second += Int.random(in: 0...2, using: &random)
      let device = one(["/dev/a", "/dev/a", "/dev/a", "/dev/b", #"/dev/\"c"#])
      let mode = Int(one(["3", "3", "3", "3", "2", "1", "0", "7"])) ?? 0
      let rest = one([
        #""lat":51.\#(second),"lon":1"#, #""lat":51.\#(second),"lon":1,"eph":\#(second % 7)"#,
        #""lat":51.\#(second),"lon":1"#, #""lat":0,"lon":0"#, #""lat":51"#, #""lat":51,"#,
      ])
      let report = GPSDNewestReportTests.report(second, device: device, mode: mode, rest: rest)
      return one([
        report, report, report, report, GPSDLines.sky, GPSDLines.noFix, "garbage\n",
        report.split(separator: "2027").joined(separator: "2099"),
        report.split(separator: "000Z").joined(separator: "0Z"),
        report.split(separator: #","time""#).joined(separator: #","x""#),
        report.split(separator: #""mode""#).joined(separator: #""status":2,"mode""#),
        #"{"class":"ERROR","message":"no"}"# + "\n",
      ])
    }
  }

  /// What is told of reports that were passed over, such as which receiver was the best in between,
  /// may differ; the fixes do not.
  @Test func whetherReportsComeTogetherOrOneByOneDecidesNoFix() throws {
    for seed in UInt64(0)..<400 {
      var stream = Stream(seed: seed)
      let together = GPSDConversation.resting(.streaming)
      let single = GPSDConversation.resting(.streaming)
      // Of two that are as good the one that spoke first is taken.
      for device in ["/dev/a", "/dev/b", #"/dev/\"c"#] {
        for conversation in [together, single] {
          _ = conversation.cycleDue()
          _ = conversation.hears(Self.report(0, device: device))
          _ = conversation.drained()
        }
      }
      for cycle in 0..<6 {
        let lines = (0..<Int.random(in: 0...12, using: &stream.random)).map { _ in stream.line() }
        for conversation in [together, single] {
          conversation.wait(.seconds(10))
          _ = conversation.cycleDue()
        }
        _ = together.hears(lines.joined())
        for line in lines { _ = single.hears(line) }
        let actions = [together.drained(), single.drained()]
        try #require(actions[0] == actions[1], "seed \(seed), cycle \(cycle)")
        try #require(together.fixes == single.fixes, "seed \(seed), cycle \(cycle)")
      }
      #expect(together.reports.count <= 2 * single.reports.count, "seed \(seed)")
    }
  }
}
