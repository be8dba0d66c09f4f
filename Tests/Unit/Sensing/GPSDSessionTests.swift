import Bytes
import Sensing
import Testing

@Suite struct GPSDSessionTests {
  private let gpsd = InlineText("gpsd")

  @Test(arguments: [GPSDSession.Pace.streaming, .onDemand])
  func reportsAreAskedForOnceGPSDHasSaidItsVersion(pace: GPSDSession.Pace) {
    let conversation = GPSDConversation(pace)
    #expect(conversation.deadline == nil)
    #expect(conversation.cycleDue() == .connect)
    #expect(conversation.deadline == conversation.now + GPSDSession.connectionTimeout)
    #expect(!conversation.isConnected)

    conversation.wait(.seconds(1))
    conversation.connected()
    #expect(conversation.isConnected)
    #expect(conversation.deadline == conversation.now + GPSDSession.versionTimeout)

    conversation.wait(.seconds(1))
    #expect(conversation.hears(GPSDLines.version) == .askForReports)
    #expect(conversation.deadline == conversation.now + GPSDConversation.fixTimeout)
    #expect(conversation.isGathering)
  }

  @Test func theAnswersToTheCommandAreNoReports() {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    #expect(conversation.takes(GPSDLines.devices + GPSDLines.watch + GPSDLines.sky) == nil)
    #expect(conversation.reports.isEmpty)
    #expect(conversation.isGathering)
  }

  @Test func theReportsOfAStreamWaitUntilACycleIsDue() {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    #expect(conversation.takes(GPSDLines.fix(second: 1)) == .stopListening)
    #expect(conversation.reports == [GPSDLines.report])
    #expect(conversation.fixes.count == 1)
    #expect(!conversation.isGathering)

    #expect(conversation.cycleDue(after: .seconds(10)) == .drain)
    #expect(conversation.isGathering, "the socket may not be empty in one turn of the loop")
    #expect(
      conversation.takes(GPSDLines.fix(second: 2) + GPSDLines.fix(second: 9)) == .stopListening)
    #expect(conversation.fixes.map(\.time) == [GPSDLines.time(1), GPSDLines.time(9)])
  }

  /// A socket holds what is said in half a minute.
  @Test func aStreamEndsWithTheFirstOfLongerCyclesAndBeginsAgainWithShorterOnes() {
    let conversation = GPSDConversation.resting(.streaming)
    conversation.cycleChanged(to: .seconds(240))
    #expect(conversation.cycleDue() == .drain)
    #expect(conversation.takes(GPSDLines.fix(second: 2)) == .askForQuiet)
    conversation.cycleChanged(to: .seconds(10))
    #expect(conversation.cycleDue(after: .seconds(10)) == .drain)
    #expect(conversation.drained() == .askForReports)
    #expect(conversation.takes(GPSDLines.fix(second: 13)) == .stopListening)
  }

  @Test func gpsdIsQuietBetweenTheCyclesOnDemand() {
    let conversation = GPSDConversation.awaitingFix(.onDemand)
    #expect(conversation.takes(GPSDLines.fix(second: 1)) == .askForQuiet)
    #expect(!conversation.isGathering)
    #expect(conversation.deadline == nil)

    #expect(conversation.cycleDue(after: .seconds(900)) == .drain)
    #expect(conversation.drained() == .askForReports)
    #expect(conversation.isGathering)
    #expect(conversation.deadline == conversation.now + GPSDConversation.fixTimeout)
  }

  @Test func whatGPSDSaidBeforeItWasQuietIsNoReportOfTheNextCycle() {
    let conversation = GPSDConversation.resting(.onDemand)
    conversation.wait(.seconds(900))
    // It had begun to speak when it was asked to be quiet.
    #expect(conversation.cycleDue() == .drain)
    let late = GPSDLines.fix(second: 1) + GPSDLines.fix(second: 2).prefix(40)
    #expect(conversation.hears(String(late)) == nil)
    #expect(conversation.drained() == .askForReports)
    #expect(conversation.takes(GPSDLines.fix(second: 2).dropFirst(40) + GPSDLines.watch) == nil)
    #expect(conversation.isGathering)
    #expect(conversation.fixes.isEmpty)
  }

  /// With a talkative receiver, cycles on demand are short, and an old fix would not look old.
  @Test func whatTheSocketHeldBetweenTheCyclesIsNoFixOfACycleUnderARoof() {
    let conversation = GPSDConversation.resting(.streaming)
    let sky = String(repeating: GPSDLines.sky, count: 300)
    #expect(conversation.drains(sky + GPSDLines.fix(second: 8), after: .seconds(9)) == .askForQuiet)
    conversation.forget()
    #expect(conversation.drains(GPSDLines.fix(second: 9), after: .seconds(10)) == .askForReports)
    #expect(conversation.takes(GPSDLines.noFix) == nil)
    #expect(conversation.fixes.isEmpty)
  }

  @Test(
    arguments: [(.streaming, .stopListening), (.onDemand, .askForQuiet)]
      as [(GPSDSession.Pace, GPSDSession.Action)])
  func aCycleUnderARoofEndsWithoutAFix(pace: GPSDSession.Pace, action: GPSDSession.Action) {
    let conversation = GPSDConversation.awaitingFix(pace)
    conversation.wait(GPSDConversation.fixTimeout)
    #expect(conversation.hears(GPSDLines.noFix) == nil)
    #expect(conversation.deadlineReached() == action)
    #expect(conversation.isConnected)
    #expect(!conversation.isGathering)
    #expect(conversation.deadline == nil)
  }

  @Test func aCycleThatBeginsBeforeTheLastHasItsFixChangesNothing() {
    let conversation = GPSDConversation(.onDemand)
    conversation.cycleDue()
    #expect(conversation.cycleDue() == nil)
    conversation.connected()
    #expect(conversation.cycleDue() == nil)
    _ = conversation.hears(GPSDLines.version)
    let deadline = conversation.deadline
    #expect(conversation.cycleDue(after: .seconds(1)) == nil)
    #expect(conversation.drained() == nil)
    #expect(conversation.deadline == deadline)
  }

  @Test func whatGPSDDoesNotLikeIsToldOnceInAConnection() {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    let line = #"{"class":"ERROR","message":"Unrecognized request"}"# + "\r\n"
    #expect(conversation.hears(line + line) == nil)
    #expect(
      conversation.news == [.failed(.refused(gpsd, found: InlineText("Unrecognized request")))])
    conversation.drains(GPSDLines.fix(second: 1) + line + GPSDLines.fix(second: 2))
    #expect(conversation.news.dropFirst() == [.recovered])
  }

  // MARK: Lines

  @Test func aLineCutAnywhereIsReadWhole() {
    let text = GPSDLines.sky + GPSDLines.fix(second: 7) + GPSDLines.sky
    for chunk in 1...text.utf8.count {
      let conversation = GPSDConversation.awaitingFix(.streaming)
      #expect(conversation.drains(text, chunk: chunk) == .stopListening)
      #expect(conversation.reports == [GPSDLines.report], "\(chunk) at once")
      #expect(conversation.fixes.map(\.time) == [GPSDLines.time(7)])
    }
  }

  @Test func onlyTheNewestCompleteReportOfADrainCounts() {
    let conversation = GPSDConversation.resting(.streaming)
    conversation.cycleDue()
    for second in 1...8 {
      #expect(conversation.hears(GPSDLines.fix(second: second) + GPSDLines.sky) == nil)
    }
    let cut = GPSDLines.fix(second: 9)
    #expect(conversation.takes(String(cut.prefix(cut.count / 2))) == .stopListening)
    #expect(conversation.fixes.map(\.time) == [GPSDLines.time(8)])

    conversation.cycleDue()
    #expect(conversation.hears(String(cut.dropFirst(cut.count / 2))) == nil)
    _ = conversation.drained()
    #expect(conversation.fixes.last?.time == GPSDLines.time(9))
  }

  static let garbage = [
    "HTTP/1.1 400 Bad Request\r\n", "$GPRMC,120000.00,A,5130.0000,N*4C\r\n", "{}\n",
    "{\"clas\":\"TPV\"}\n", "\u{0}\u{1}\u{2}\n", "[1,2]\n", "{\"class\":\"TPV\"\n",
  ]

  /// A peer that begins with something else, and one that goes on with it.
  @Test(arguments: garbage)
  func aPeerThatIsNotGPSDIsNamedMalformed(text: String) throws {
    let lines = String(repeating: text, count: GPSDSession.malformedLinesMax)
    for (version, said) in [("", text), (GPSDLines.version, lines)] {
      let conversation = GPSDConversation(.streaming)
      conversation.cycleDue()
      conversation.connected()
      _ = conversation.hears(version)
      guard case .fail(.malformed(let name, let found)) = conversation.hears(said) else {
        Issue.record("\(text) was believed")
        continue
      }
      #expect(name == gpsd)
      // What follows a digit may be a position.
      let shown = text.utf8.prefix { $0 != 0x0A && !(0x30...0x39).contains($0) }.prefix(24)
      let start = [UInt8](InlineText([UInt8](shown).span).bytes)
      #expect([UInt8](found.bytes) == start)
      #expect(!conversation.isConnected)
    }
  }

  @Test(arguments: garbage)
  func aLineOfGarbageCostsThatLine(text: String) {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    for second in 0..<10 {
      let lines = String(repeating: text, count: GPSDSession.malformedLinesMax - 1)
      #expect(conversation.drains(lines + GPSDLines.fix(second: second)) == .stopListening)
      #expect(conversation.fixes.last?.time == GPSDLines.time(Int64(second)))
    }
  }

  /// A gpsd behind a proxy.
  @Test func spacesEmptyLinesAndTheOrderOfTheKeysDoNotMatter() {
    let conversation = GPSDConversation(.streaming)
    conversation.cycleDue()
    conversation.connected()
    let version = "\r\n  { \"release\": \"3.22\", \"class\" : \"VERSION\" }\r\n\n"
    #expect(conversation.hears(version) == .askForReports)
    conversation.drains(" { \"mode\": 2 , \"class\": \"TPV\",\t\"lat\":1e1 } \n \n")
    #expect(conversation.reports == ["{\"class\":\"TPV\",\"mode\":2,\"lat\":1e1}"])
  }

  @Test(arguments: [1, 1000, Int.max])
  func aLineThatNeverEndsIsMalformed(chunk: Int) {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    let endless =
      #"{"class":"SKY","satellites":["#
      + String(repeating: " ", count: GPSDSession.skippedByteCountMax)
    guard case .fail(.malformed) = conversation.hears(endless, chunk: chunk) else {
      Issue.record("an endless line was waited for")
      return
    }
    #expect(!conversation.isConnected)
  }

  @Test(arguments: [1, 1000, Int.max], [0, 1])
  func aLineThatFillsTheBufferOfGPSDIsWaitedForAndNoLongerOne(chunk: Int, excess: Int) {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    let filling = String(repeating: "x", count: GPSDSession.skippedByteCountMax + excess)
    _ = conversation.hears(filling, chunk: chunk)
    #expect(conversation.isConnected == (excess == 0))
  }

  /// gpsd's own buffer is longer than ours.
  @Test(arguments: [1, 1000, Int.max], [0, 1, 20_000])
  func aLineThatIsTooLongCostsThatLine(chunk: Int, excess: Int) {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    let filling = String(repeating: "x", count: GPSDSession.lineByteCountMax + excess)
    let line = #"{"class":"TPV","device":""# + filling + "\"}\n"
    for second in 1...2 {
      conversation.drains(line + GPSDLines.fix(second: second), chunk: chunk)
      #expect(conversation.fixes.last?.time == GPSDLines.time(Int64(second)))
    }
  }

  /// gpsd is asked to be quiet between cycles in which a receiver says more than the socket holds.
  @Test(
    arguments: [(3, .stopListening), (4, .askForQuiet)] as [(Int, GPSDSession.Action)])
  func aLineThatIsTooLongFillsTheSocketAsOthersDo(count: Int, action: GPSDSession.Action) {
    let conversation = GPSDConversation.resting(.streaming)
    conversation.wait(.seconds(10))
    let line = String(repeating: "x", count: 20_000) + "\n"
    let lines = String(repeating: line, count: count) + GPSDLines.fix(second: 10)
    #expect(conversation.drains(lines) == action)
  }

  @Test func aLineThatJustFitsIsRead() {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    let start = #"{"class":"ERROR","message":"no","x":""#
    let count = GPSDSession.lineByteCountMax - start.utf8.count - 3
    #expect(conversation.hears(start + String(repeating: "x", count: count) + "\"}\n") == nil)
    #expect(conversation.news == [.failed(.refused(gpsd, found: InlineText("no")))])
  }

  @Test(arguments: [0, 1]) func aTPVThatIsLongerThanAnyOfGPSDHidesNoGoodOne(excess: Int) {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    let start =
      #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"2027-05-01T12:00:02.000Z","#
      + #""lat":52,"lon":1,"x":""#
    let count = GPSDSession.reportByteCountMax - start.utf8.count - 2 + excess
    conversation.drains(
      GPSDLines.fix(second: 1) + start + String(repeating: "x", count: count) + "\"}\n")
    #expect(conversation.fixes.map(\.latitude) == (excess == 0 ? [52] : [51.5]))
  }
}

/// A receiver that is not needed is released, so that gpsd switches it off.
@Suite struct GPSDReleaseTests {
  @Test func betweenTwoLongCyclesThereIsNoConnection() {
    let conversation = GPSDConversation.awaitingFix(.releasing)
    #expect(conversation.takes(GPSDLines.fix(second: 1)) == .release)
    #expect(conversation.fixes.count == 1)
    #expect(!conversation.isConnected && !conversation.isGathering && conversation.deadline == nil)
    #expect(conversation.cycleDue(after: .seconds(900)) == .connect)
  }

  /// A cold start takes half a minute; a roof over the receiver is for ever.
  @Test func aReceiverThatWakesUpHasAMinuteForItsFixAndNoMore() {
    let conversation = GPSDConversation.awaitingFix(.releasing)
    conversation.wait(.seconds(59))
    _ = conversation.hears(GPSDLines.noFix)
    #expect(conversation.deadlineReached() == nil)
    #expect(conversation.isGathering)
    #expect(conversation.deadlineReached(after: .seconds(1)) == .release)
    #expect(!conversation.isGathering && conversation.fixes.isEmpty)
  }

  @Test func aPositionThatIsNotWantedIsNotAskedForUntilItIs() {
    let conversation = GPSDConversation.resting(.streaming)
    let cycle: Duration = .seconds(10)
    let off = SamplingPace(cycle: cycle, wantsPosition: false)
    #expect(conversation.paceChanged(to: off) == .release)
    #expect(conversation.paceChanged(to: off) == nil)
    #expect(conversation.cycleDue(after: cycle) == nil)
    #expect(!conversation.isGathering && conversation.deadline == nil)
    #expect(conversation.paceChanged(to: SamplingPace(cycle: cycle)) == nil)
    #expect(conversation.cycleDue() == .connect)
  }

  @Test func aReceiverThatMaySleepIsLeftAtOnce() {
    let conversation = GPSDConversation.resting(.streaming)
    #expect(conversation.paceChanged(to: SamplingPace(cycle: .seconds(7200))) == .release)
    #expect(!conversation.isConnected)
  }

  /// A receiver without a fix, for as many cycles as it takes until that is reported.
  private func withoutFixes() -> GPSDConversation {
    let conversation = GPSDConversation.resting(.streaming)
    for _ in 0..<5 where conversation.news.isEmpty {
      conversation.drains(GPSDLines.noFix, after: .seconds(10))
    }
    guard case .failed? = conversation.news.last else {
      Issue.record("no lack of fixes was told")
      return conversation
    }
    return conversation
  }

  /// A connection that comes and goes is not reported each time: the lack would stay for good.
  @Test func aLackOfFixesEndsWithTheConnection() {
    let conversation = withoutFixes()
    _ = conversation.failed(.silent(InlineText("gpsd")))
    #expect(conversation.news.last == .recovered)
    conversation.forget()
    _ = conversation.failed(.silent(InlineText("gpsd")))
    #expect(conversation.news.isEmpty)
  }

  /// It would be among the failing sources for as long as the battery is low.
  @Test func aLackOfFixesEndsWhereNoneIsWanted() {
    let conversation = withoutFixes()
    let off = SamplingPace(cycle: .seconds(10), wantsPosition: false)
    _ = conversation.paceChanged(to: off)
    #expect(conversation.news.last == .recovered)
    conversation.forget()
    _ = conversation.paceChanged(to: off)
    #expect(conversation.news.isEmpty)
  }

  @Test func aConnectionThatIsBeingMadeIsGivenUpWhereNoPositionIsWanted() {
    let conversation = GPSDConversation(.streaming)
    conversation.cycleDue()
    let off = SamplingPace(cycle: .seconds(10), wantsPosition: false)
    #expect(conversation.paceChanged(to: off) == .release)
    #expect(conversation.deadline == nil)
  }

  // MARK: A receiver whose place stands still

  /// The time goes on, the speed is told, the coordinates stay the same to the last digit.
  @Test func aFrozenReceiverIsReportedOnceAndItsFixesStillCount() {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    for cycle in 0..<10 {
      if cycle > 0 {
        conversation.cycleDue(after: .seconds(1))
      }
      conversation.takes(
        GPSDLines.fix(second: cycle).replacing(#""speed":1.492"#, with: #""speed":7.492"#))
    }
    #expect(conversation.fixes.count == 10)
    #expect(conversation.news == [.failed(.frozen(InlineText("gpsd")))])
    conversation.forget()
    conversation.cycleDue(after: .seconds(10))
    let next = GPSDLines.fix(second: 9).replacing("00:09", with: "00:19")
    conversation.takes(next.replacing("51.5000", with: "51.5001"))
    #expect(conversation.news == [.recovered])
  }
}
