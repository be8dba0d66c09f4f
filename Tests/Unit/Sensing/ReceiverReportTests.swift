import Bytes
import Sensing
import Testing

/// The reports of a receiver that came together: one of them is read.
@Suite struct ReceiverReportTests {
  private static func report(
    _ second: Int, device: String = "/dev/ttyUSB0", mode: Int = 3,
    rest: String = #""lat":51,"lon":1,"alt":3,"speed":0.1,"eph":5"#
  ) -> String {
    GPSDLines.tpv(second + 610, device, mode: mode, "," + rest)
  }

  /// A session that rests; its receiver has told its date.
  private let conversation = GPSDConversation.resting(.streaming)

  /// Latitudes of the fixes of a cycle in which gpsd sends this.
  private func cycle(_ lines: String) -> [Double] {
    conversation.forget()
    conversation.drains(lines, after: .seconds(10))
    return conversation.fixes.map(\.latitude)
  }

  @Test func ofReportsThatCameTogetherLibgpsGetsTheLast() {
    let lines = (1...9).map { GPSDLines.fix(second: $0) + GPSDLines.sky }.joined()
    #expect(cycle(lines + GPSDLines.fix(second: 9).prefix(60)) == [51.5])
    #expect(conversation.reports == [GPSDLines.report])
    #expect(conversation.fixes.map(\.time) == [GPSDLines.time(9)])
  }

  @Test func ofEachReceiverTheLastIsRead() {
    let lines = (1...9).map { Self.report($0) + Self.report($0, device: "/dev/ttyACM0") }
    #expect(cycle(lines.joined()).count == 1)
    #expect(conversation.reports.count == 2)
  }

  @Test func ofAFixAndItsEchoTheFixCounts() {
    let echo = Self.report(5, rest: #""lat":53,"lon":1"#)
    #expect(cycle(Self.report(4) + Self.report(5) + echo) == [51])
    #expect(conversation.reports.count == 1)
    #expect(cycle(Self.report(6, mode: 1, rest: #""x":1"#) + Self.report(6)) == [51])
  }

  /// A tunnel, and sentences without a time.
  @Test(arguments: [
    #"{"class":"TPV","device":"/dev/ttyUSB0","mode":1,"time":"2027-05-01T12:10:12.000Z"}"#,
    #"{"class":"TPV","device":"/dev/ttyUSB0","mode":1}"#,
    #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"lat":53,"lon":1}"#,
    #"{"class":"TPV","device":"/dev/ttyUSB0"}"#, "{]",
  ])
  func aReportOfLessWorthHidesNoFix(line: String) {
    #expect(cycle(Self.report(1) + line + "\r\n") == [51])
    #expect(conversation.fixes.map(\.clock) == [.receiver])
  }

  /// One of no use, whose head is that of a fix.
  private static let useless = [
    #""lat":0,"lon":0"#, #""lat":51"#, #""lat":91,"lon":1"#, #""lat":51,"lon":1,"#,
    #""lat":nan,"lon":1"#,
  ]

  @Test(arguments: useless) func aLastReportOfNoUseCostsOneCycle(rest: String) {
    #expect(cycle(Self.report(1) + Self.report(2, rest: rest)).isEmpty)
    #expect(cycle(Self.report(11) + Self.report(12)) == [51])
  }

  /// Each second has a report of no use behind the good one, for some cycles.
  @Test(arguments: useless) func aReceiverThatOftenReportsWhatIsOfNoUseIsReadWhole(rest: String) {
    for start in [10, 20, 30] {
      let lines = (start..<start + 9).map { Self.report($0) + Self.report($0, rest: rest) }
      let latitudes = cycle(lines.joined() + Self.report(start + 9, rest: rest))
      #expect(latitudes == (start == 10 ? [] : [51]))
    }
    #expect(cycle((40..<50).map { Self.report($0) }.joined()) == [51])
    #expect(conversation.reports.count == 10)
    #expect(cycle((50..<60).map { Self.report($0) }.joined()) == [51])
    #expect(conversation.reports.count == 1, "it is believed again")
  }

  @Test func echoesAreNoReasonToReadAll() {
    for start in [10, 20, 30] {
      let lines = (start..<start + 9).map { Self.report($0) + Self.report($0) }
      #expect(cycle(lines.joined()) == [51])
      #expect(conversation.reports.count == 1)
    }
    #expect(cycle(Self.report(38)).isEmpty, "it is the echo of the last cycle")
    #expect(cycle(Self.report(51) + Self.report(52)) == [51])
    #expect(conversation.reports.count == 1)
  }

  @Test func aDateThatCannotBeRightCostsNoMoreThanARightOne() {
    for start in [10, 20, 30, 40, 50] {
      let lines = (start..<start + 10).map { Self.report($0).replacing("2027", with: "1999") }
      let latitudes = cycle(lines.joined())
      // Until then its clock went back.
      guard start >= 40 else { continue }
      #expect(latitudes == [51])
      #expect(conversation.fixes.map(\.clock) == [.board])
      #expect(conversation.reports.count == 1)
    }
  }

  /// The clock of the receiver jumps for one report.
  @Test func aReportWithAnotherDateBetweenTwoHidesNeither() {
    let jump = Self.report(2).replacing("2027", with: "2099")
    #expect(cycle(Self.report(1) + jump + Self.report(3, rest: #""lat":53,"lon":1"#)) == [53])
    #expect(conversation.fixes.map(\.clock) == [.receiver])
  }

  @Test func theLastWordsOfAPeerThatIsNoLongerGPSDAreRead() {
    conversation.cycleDue()
    conversation.forget()
    let garbage = String(repeating: "{]\n", count: GPSDSession.malformedLinesMax)
    guard case .fail? = conversation.hears(Self.report(1) + garbage + Self.report(3)) else {
      Issue.record("the peer is believed after \(garbage)")
      return
    }
    #expect(conversation.fixes.map(\.latitude) == [51])
  }

  @Test func aReportOfAnEndedConnectionIsForgotten() {
    let conversation = GPSDConversation.resting(.onDemand)
    _ = conversation.hears(Self.report(1))
    _ = conversation.failed(.silent(InlineText("gpsd")))
    conversation.forget()
    conversation.cycleDue()
    conversation.connected()
    _ = conversation.hears(GPSDLines.version)
    _ = conversation.drained()
    #expect(conversation.reports.isEmpty && conversation.fixes.isEmpty)
  }

  @Test func eachDetailIsDrawnByItsClassOrByAnIconOfOurs() {
    let drawn = ReceiverDetail.allCases.map { detail in
      let description = detail.description
      return description.icon ?? description.deviceClass ?? []
    }
    #expect(
      drawn.map { String(decoding: $0, as: UTF8.self) } == [
        "mdi:satellite-variant", "mdi:satellite-variant", "mdi:satellite-variant", "speed",
        "mdi:compass-outline", "mdi:compass-outline",
      ])
  }
}
