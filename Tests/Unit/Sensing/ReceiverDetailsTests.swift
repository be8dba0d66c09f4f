import Bytes
import Testing

@testable import Sensing

/// What a receiver tells beside its position, as the cycles bring it.
@Suite final class ReceiverDetailsTests {
  private let conversation = GPSDConversation.awaitingFix(.streaming, details: .all)
  private var second = 0

  private static func tpv(
    _ second: Int, _ device: String = "/dev/a", mode: Int = 3, rest: String = ""
  ) -> String {
    let place = mode > 1 ? #","lat":51,"lon":1,"alt":3,"speed":0.1,"eph":5.0"# : ""
    return GPSDLines.tpv(second, device, mode: mode, place + rest)
  }

  private static func sky(_ seen: Int, _ used: Int, _ device: String = "/dev/a") -> String {
    #"{"class":"SKY","device":"\#(device)","hdop":2.00,"nSat":\#(seen),"uSat":\#(used),"#
      + #""satellites":[{"PRN":1,"used":true}]}"# + "\r\n"
  }

  private static func attitude(_ heading: String, _ device: String = "/dev/a") -> String {
    #"{"class":"ATT","device":"\#(device)","heading":\#(heading)}"# + "\r\n"
  }

  /// A cycle in which gpsd says this, `%` standing for a TPV of the time.
  private func cycle(_ lines: String, mode: Int = 3, rest: String = "") {
    if second > 0 {
      conversation.cycleDue(after: .seconds(10))
    }
    second += 10
    let report = Self.tpv(second, mode: mode, rest: rest)
    conversation.takes(lines.replacing("%", with: report))
    if let deadline = conversation.deadline {
      conversation.deadlineReached(after: deadline - conversation.now)
    }
  }

  private func number(_ detail: ReceiverDetail) -> Int64? {
    guard case .number(let number)? = conversation.value(of: detail) else { return nil }
    return number.coefficient
  }

  private func expect(_ seen: Int64?, _ used: Int64?, _ place: SourceLocation = #_sourceLocation) {
    #expect(number(.satellitesSeen) == seen, sourceLocation: place)
    #expect(number(.satellitesUsed) == used, sourceLocation: place)
  }

  @Test func aCycleBringsWhatTheNewestLinesSay() {
    cycle(Self.sky(9, 5) + "%" + Self.sky(10, 8) + Self.attitude("103.2"), rest: #","climb":-1.26"#)
    expect(10, 8)
    #expect(conversation.value(of: .fix) == .text(InlineText("3D")))
    #expect(conversation.value(of: .climb) == .number(FixedPoint(-13, decimals: 1)))
    #expect(number(.heading) == 103)
    #expect(conversation.value(of: .magneticHeading) == nil)
    #expect(conversation.takesDetails())
    #expect(!conversation.takesDetails(), "a cycle has values once")
  }

  @Test func onlyWhatIsWantedIsKnown() {
    let other = GPSDConversation.awaitingFix(
      .streaming, details: [ReceiverDetailSet(.satellitesUsed)])
    other.takes(Self.tpv(1) + Self.sky(10, 8))
    #expect(other.value(of: .satellitesUsed) == .number(FixedPoint(8)))
    #expect(other.value(of: .satellitesSeen) == nil && other.value(of: .fix) == nil)
    let none = GPSDConversation.awaitingFix(.streaming)
    none.takes(Self.tpv(1) + Self.sky(10, 8))
    #expect(!none.takesDetails())
    #expect(ReceiverDetail.allCases.allSatisfy { none.value(of: $0) == nil })
  }

  @Test(
    arguments: [
      (1, .text(InlineText("no fix"))), (2, .text(InlineText("2D"))), (3, .text(InlineText("3D"))),
      (0, .unknown), (4, .unknown), (9, .unknown),
    ] as [(Int, Value)])
  func aModeThatIsDocumentedHasAWord(mode: Int, word: Value) {
    cycle("%", mode: mode)
    #expect(conversation.value(of: .fix) == word)
  }

  @Test func climbIsKnownOnlyInThreeDimensions() {
    cycle("%", mode: 2, rest: #","climb":1.0"#)
    #expect(conversation.value(of: .climb) == nil, "it was never told")
    cycle("%", rest: #","climb":1.04"#)
    #expect(number(.climb) == 10)
    cycle("%", mode: 2, rest: #","climb":1.0"#)
    #expect(conversation.value(of: .climb) == .unknown)
    cycle("%", rest: #","climb":1000.1"#)
    #expect(conversation.value(of: .climb) == .unknown)
    cycle("%", rest: #","climb":-1000"#)
    #expect(number(.climb) == -10_000)
  }

  @Test func ofSeveralLinesTheNewestWithSatellitesCounts() {
    let dilution = #"{"class":"SKY","device":"/dev/a","uSat":3,"hdop":1.0}"# + "\r\n"
    cycle(Self.sky(9, 5) + "%" + Self.sky(10, 8) + dilution + dilution)
    expect(10, 8)
    cycle(dilution + "%")
    expect(10, 3)
  }

  @Test func whatIsNotToldAnyMoreIsUnknown() {
    cycle(Self.sky(10, 8) + Self.attitude("10") + "%")
    for _ in 0..<ReceiverDetails.cyclesMax {
      cycle("%")
      expect(10, 8)
      #expect(number(.heading) == 10)
    }
    cycle("%")
    #expect(conversation.value(of: .satellitesSeen) == .unknown)
    #expect(conversation.value(of: .satellitesUsed) == .unknown)
    #expect(conversation.value(of: .heading) == .unknown)
    #expect(conversation.value(of: .fix) == .text(InlineText("3D")))
    cycle(Self.sky(7, 6) + Self.attitude("20") + "%")
    expect(7, 6)
    #expect(number(.heading) == 20)
  }

  @Test func aCompassThatSwingsALittleIsStill() {
    let headings: [(String, Int64)] = [
      ("5", 5), ("14.4", 5), ("15", 15), ("24", 15), ("359", 359), ("8", 359), ("9", 9),
      // Not in a circle, as in the example of gpsd's manual, or not a number.
      ("14223.00", 9), ("-10.6", 9), ("360.6", 9), ("10", 9), ("\"90\"", 9), ("103.5", 104),
      ("359.7", 0),
    ]
    for (said, told) in headings {
      cycle(Self.attitude(said) + "%")
      #expect(number(.heading) == told)
    }
  }

  // MARK: Several receivers

  @Test func theSatellitesAreThoseOfTheReceiverWhoseFixesAreTaken() {
    cycle(Self.sky(4, 1, "/dev/b") + "%" + Self.sky(10, 8))
    expect(4, 1)
    cycle(Self.sky(10, 8) + "%" + Self.sky(4, 1, "/dev/b"))
    expect(10, 8)
    cycle(Self.sky(11, 9) + "%" + Self.tpv(second + 10, "/dev/b", mode: 1))
    expect(11, 9)
    #expect(conversation.value(of: .fix) == .text(InlineText("3D")))
  }

  /// It is pulled out, and the other one is still under a roof.
  @Test func ofAReceiverThatIsGoneTheSuccessorTellsItsSatellitesBeforeItHasAFix() {
    let successor = Self.tpv(0, "/dev/b", mode: 1) + Self.sky(4, 0, "/dev/b")
    cycle(Self.sky(10, 8) + "%" + successor)
    expect(10, 8)
    for _ in 0...Receivers.silentChoicesMax {
      cycle(successor)
      #expect(number(.satellitesSeen) != 4, "it may come back")
    }
    cycle(successor + Self.sky(3, 0, "/dev/c"))
    expect(4, 0)
    #expect(conversation.value(of: .fix) == .text(InlineText("no fix")))
    cycle(successor + "%" + Self.sky(10, 8))
    expect(4, 0)
    cycle(successor + "%" + Self.sky(10, 8))
    expect(10, 8)
  }

  /// A tunnel is not the end of a receiver.
  @Test func aReceiverWithoutAFixIsStillTheOneWhoseSatellitesAreTold() {
    let other = Self.tpv(0, "/dev/b", mode: 1) + Self.sky(4, 0, "/dev/b")
    cycle(Self.sky(10, 8) + "%" + other)
    for _ in 0...ReceiverDetails.cyclesMax + 1 {
      cycle(Self.sky(3, 0) + "%" + other, mode: 1)
      expect(3, 0)
    }
  }

  @Test func aReceiverThatIsMeantAndSaysNothingHasNoSuccessor() {
    let conversation = GPSDConversation.awaitingFix(.streaming, device: "/dev/a", details: .all)
    conversation.takes(Self.sky(10, 8) + Self.tpv(1))
    for _ in 0...ReceiverDetails.cyclesMax + 2 {
      conversation.drains(Self.tpv(1, "/dev/b") + Self.sky(4, 1, "/dev/b"), after: .seconds(10))
    }
    #expect(conversation.value(of: .satellitesSeen) == .unknown)
  }

  @Test func whereNoneHasAFixTheBestModeOfAllIsTold() {
    cycle("%" + Self.tpv(9, "/dev/b", mode: 0), mode: 1)
    #expect(conversation.value(of: .fix) == .text(InlineText("no fix")))
  }

  @Test func aSecondCompassDoesNotTakeTurnsWithTheFirst() {
    cycle(Self.attitude("10") + "%" + Self.attitude("200", "/dev/b"))
    #expect(number(.heading) == 10)
    for _ in 0...ReceiverDetails.cyclesMax { cycle("%" + Self.attitude("200", "/dev/b")) }
    cycle("%" + Self.attitude("200", "/dev/b"))
    #expect(number(.heading) == 200)
  }

  // MARK: Accuracy

  @Test(
    arguments: [
      ("2.00", 38), ("0", nil), ("-1", nil), ("50.1", nil), ("99.99", nil), ("\"1\"", nil),
      ("[]", nil),
    ] as [(String, Double?)])
  func aDilutionThatCanBeStandsInForAnErrorThatIsNotTold(
    dilution: String, error: Double?
  ) throws {
    conversation.takes(
      Self.tpv(10).replacing(#","eph":5.0"#, with: "")
        + Self.sky(10, 8).replacing("2.00", with: dilution))
    conversation.deadlineReached(after: GPSDSession.othersTimeout)
    let fix = try #require(conversation.fixes.first)
    #expect(fix.horizontalErrorMeters == error)
    if error != nil { #expect(fix.errorSource == .dilution) }
  }

  @Test func anErrorThatIsToldStays() throws {
    cycle(Self.sky(10, 8) + "%")
    let fix = try #require(conversation.fixes.first)
    #expect(fix.horizontalErrorMeters == 5)
    #expect(fix.errorSource == .estimate)
  }

  // MARK: Pace

  /// gpsd says the satellites a moment after the position.
  @Test func aCycleThatAsksWaitsAMomentForTheSatellites() {
    let conversation = GPSDConversation.awaitingFix(.onDemand, details: .all)
    #expect(conversation.takes(Self.tpv(0)) == .askForQuiet, "none is known to be there")
    #expect(conversation.drains(Self.sky(4, 1), after: .seconds(900)) == .askForReports)
    #expect(conversation.takes(Self.tpv(900) + Self.sky(10, 8)) == .askForQuiet)
    #expect(conversation.value(of: .satellitesSeen) == .number(FixedPoint(10)))
    conversation.drains("", after: .seconds(900))
    #expect(conversation.takes(Self.tpv(1800)) == nil)
    #expect(conversation.deadline == conversation.now + GPSDSession.othersTimeout)
    #expect(conversation.takes(Self.sky(12, 9)) == .askForQuiet)
    #expect(conversation.value(of: .satellitesSeen) == .number(FixedPoint(12)))
  }

  @Test func whatALostConnectionToldIsForgotten() {
    cycle(Self.sky(10, 8) + "%")
    _ = conversation.failed(.silent(InlineText("gpsd")))
    #expect(ReceiverDetail.allCases.allSatisfy { conversation.value(of: $0) == nil })
  }

  // MARK: An epoch in parts

  /// What a Quectel LC29H says in a second with gpsd 3.25, its TPV first.
  private static func epoch(_ second: Int, parts: Int = 5) -> [String] {
    let summary =
      #"{"class":"SKY","device":"/dev/a","xdop":0.4,"hdop":0.5,"pdop":0.9,"uSat":62}"# + "\r\n"
    let lists = [(27, 23), (38, 32), (48, 40), (66, 54), (76, 62)].prefix(parts).map { seen, used in
      let satellites = (0..<seen).map { #"{"PRN":\#($0),"ss":40.0,"used":\#($0 < used)}"# }
      return #"{"class":"SKY","device":"/dev/a","nSat":\#(seen),"uSat":\#(used),"satellites":["#
        + satellites.joined(separator: ",") + "]}\r\n"
    }
    return [tpv(second)] + Array(repeating: summary, count: 4) + lists
  }

  @Test(arguments: 0..<10) func ofAnEpochInPartsTheLargestListCounts(heard: Int) {
    let before = (1...4).flatMap { Self.epoch($0) }.joined()
    for _ in 0..<3 {
      if second > 0 {
        conversation.cycleDue(after: .seconds(10))
      }
      let lines = before.replacing("12:00:0", with: "12:0\(second):0")
      second += 1
      conversation.takes(
        lines + Self.epoch(60 * (second - 1) + 5).prefix(heard + 1).joined())
      expect(76, 62)
    }
  }

  /// Where in the second a cycle begins is chance, and the same in each cycle.
  @Test(arguments: 0..<10) func aCycleThatAsksHearsTheEpochToItsEnd(first: Int) {
    let conversation = GPSDConversation.awaitingFix(.onDemand, details: .all)
    var answers: [Value?] = []
    for cycle in 0..<8 {
      if cycle > 0 {
        conversation.drains("", after: .seconds(200))
      }
      let seconds = (0..<3).map { cycle * 200 + $0 }
      for line in seconds.flatMap({ Self.epoch($0) }).dropFirst(first)
      where conversation.isGathering {
        conversation.wait(.milliseconds(70))
        conversation.takes(line)
        if let deadline = conversation.deadline, deadline <= conversation.now {
          conversation.deadlineReached()
        }
      }
      answers.append(conversation.value(of: .satellitesSeen))
      #expect(conversation.value(of: .satellitesUsed) != .unknown)
    }
    let whole = Value.number(FixedPoint(76))
    #expect(answers.allSatisfy { $0 == nil || $0 == whole }, "\(answers)")
    #expect(answers.dropFirst(2).allSatisfy { $0 == whole }, "\(answers)")
  }

  @Test func aPartReplacesNothingThatIsWholeForSomeCycles() {
    cycle(Self.epoch(1).dropFirst().joined() + "%")
    expect(76, 62)
    let part = Self.epoch(1, parts: 2).dropFirst().joined()
    for _ in 0..<ReceiverDetails.cyclesMax {
      cycle("%" + part)
      expect(76, 62)
    }
    cycle("%" + part)
    expect(38, 32)
  }

  @Test func ofAnEpochThatIsOverFewerSatellitesCountAtOnce() {
    cycle(Self.epoch(1).dropFirst().joined() + "%")
    cycle(Self.epoch(1, parts: 1).dropFirst().joined() + "%")
    expect(27, 23)
  }

  /// Two SKY in each second, of which one has a list.
  @Test func aSkyWithoutAListTellsWhatTheListDoesNot() {
    let list = #"{"class":"SKY","device":"/dev/a","nSat":3,"satellites":[{},{},{}]}"# + "\r\n"
    let summary = #"{"class":"SKY","device":"/dev/a","hdop":2.00,"uSat":2}"# + "\r\n"
    cycle(summary + list.replacing(#""nSat":3,"#, with: "") + "%")
    expect(3, 0)
    cycle(summary + "%")
    expect(3, 2)
  }

  // MARK: Hostile

  @Test func aSkyOfTenThousandSatellitesIsPassedOver() {
    cycle(Self.sky(10, 8) + "%")
    let many = Array(repeating: "{}", count: 10_000).joined(separator: ",")
    cycle(#"{"class":"SKY","device":"/dev/a","nSat":10000,"satellites":[\#(many)]}"# + "\r\n%")
    expect(10, 8)
    #expect(conversation.isConnected)
    let fewer = Array(repeating: "{}", count: 5000).joined(separator: ",")
    cycle(#"{"class":"SKY","device":"/dev/a","uSat":7,"satellites":[\#(fewer)]}"# + "\r\n%")
    expect(10, 7)
  }

  @Test func aLongATTIsPassedOver() {
    cycle(Self.attitude("10") + "%")
    let long = String(repeating: "x", count: 1024)
    cycle(#"{"class":"ATT","device":"/dev/a","heading":90,"x":"\#(long)"}"# + "\r\n%")
    #expect(number(.heading) == 10)
  }

  @Test func linesThatMakeNoSenseTellNothing() {
    cycle(Self.sky(10, 8) + Self.attitude("10") + "%")
    cycle(#"{"class":"SKY","device":"/dev/a","nSat":3]}"# + "\r\n" + #"{"class":"ATT"x}"# + "\r\n%")
    expect(10, 8)
    #expect(number(.heading) == 10)
  }

  /// A proxy in Python writes so.
  @Test func blanksAfterColonsDoNotMatter() {
    cycle(#"{"class": "SKY", "device": "/dev/a", "nSat": 10, "uSat": 8}"# + "\r\n%")
    expect(10, 8)
    cycle(#"{"mheading": 77, "class": "ATT"}"# + "\r\n%")
    #expect(number(.magneticHeading) == 77)
  }
}
