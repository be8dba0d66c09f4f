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
    #expect(conversation.hears(GPSDLine.version) == .askForReports)
    #expect(conversation.deadline == conversation.now + GPSDConversation.fixTimeout)
    #expect(conversation.isAwaitingFix)
  }

  @Test func theAnswersToTheCommandAreNoReports() {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    #expect(conversation.hears(GPSDLine.devices + GPSDLine.watch + GPSDLine.sky) == nil)
    #expect(conversation.report == "")
    #expect(conversation.isAwaitingFix)
  }

  @Test func nobodyListensWhileTheReportsOfAStreamWait() {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    #expect(conversation.hears(GPSDLine.fix(second: 1)) == nil)
    #expect(conversation.report == GPSDLine.report(GPSDLine.fix(second: 1)))
    #expect(conversation.fixFound() == .stopListening)
    #expect(!conversation.isAwaitingFix)
    #expect(conversation.deadline == nil)

    conversation.takeReport()
    conversation.wait(.seconds(10))
    #expect(conversation.cycleDue() == .drain)
    #expect(conversation.hears(GPSDLine.fix(second: 2)) == nil)
    #expect(conversation.drained() == nil)
    #expect(conversation.fixFound() == nil)
    #expect(conversation.report == GPSDLine.report(GPSDLine.fix(second: 2)))
  }

  @Test func gpsdIsQuietBetweenTheCyclesOnDemand() {
    let conversation = GPSDConversation.awaitingFix(.onDemand)
    _ = conversation.hears(GPSDLine.fix(second: 1))
    #expect(conversation.fixFound() == .askForQuiet)
    #expect(!conversation.isAwaitingFix)
    #expect(conversation.deadline == nil)

    conversation.wait(.seconds(900))
    #expect(conversation.cycleDue() == .drain)
    #expect(conversation.drained() == .askForReports)
    #expect(conversation.isAwaitingFix)
    #expect(conversation.deadline == conversation.now + GPSDConversation.fixTimeout)
  }

  @Test func whatGPSDSaidBeforeItWasQuietIsNoReportOfTheNextCycle() {
    let conversation = GPSDConversation.resting(.onDemand)
    conversation.takeReport()
    conversation.wait(.seconds(900))
    // It had begun to speak when it was asked to be quiet.
    #expect(conversation.cycleDue() == .drain)
    let late = GPSDLine.fix(second: 1) + GPSDLine.fix(second: 2).prefix(40)
    #expect(conversation.hears(String(late)) == nil)
    #expect(conversation.drained() == .askForReports)
    #expect(conversation.report == "")
    #expect(conversation.hears(GPSDLine.fix(second: 2).dropFirst(40) + GPSDLine.watch) == nil)
    #expect(conversation.isAwaitingFix)
  }

  @Test(
    arguments: [(.streaming, .stopListening), (.onDemand, .askForQuiet)]
      as [(GPSDSession.Pace, GPSDSession.Action)])
  func aCycleUnderARoofEndsWithoutAFix(pace: GPSDSession.Pace, action: GPSDSession.Action) {
    let conversation = GPSDConversation.awaitingFix(pace)
    conversation.wait(GPSDConversation.fixTimeout)
    #expect(conversation.hears(GPSDLine.noFix) == nil)
    #expect(conversation.deadlineReached() == action)
    #expect(conversation.isConnected)
    #expect(!conversation.isAwaitingFix)
    #expect(conversation.deadline == nil)
  }

  @Test func aCycleThatBeginsBeforeTheLastHasItsFixChangesNothing() {
    let conversation = GPSDConversation(.onDemand)
    _ = conversation.cycleDue()
    #expect(conversation.cycleDue() == nil)
    conversation.connected()
    #expect(conversation.cycleDue() == nil)
    _ = conversation.hears(GPSDLine.version)
    let deadline = conversation.deadline
    conversation.wait(.seconds(1))
    #expect(conversation.cycleDue() == nil)
    #expect(conversation.drained() == nil)
    #expect(conversation.deadline == deadline)
  }

  // MARK: Lines

  @Test func aLineCutAnywhereIsReadWhole() {
    let text = GPSDLine.sky + GPSDLine.fix(second: 7) + GPSDLine.sky
    for chunk in 1...text.utf8.count {
      let conversation = GPSDConversation.awaitingFix(.streaming)
      #expect(conversation.hears(text, chunk: chunk) == nil)
      #expect(conversation.report == GPSDLine.report(GPSDLine.fix(second: 7)), "\(chunk) at once")
    }
  }

  @Test func onlyTheNewestCompleteReportOfADrainCounts() {
    let conversation = GPSDConversation.resting(.streaming)
    conversation.takeReport()
    _ = conversation.cycleDue()
    for second in 1...8 {
      #expect(conversation.hears(GPSDLine.fix(second: second) + GPSDLine.sky) == nil)
    }
    let cut = GPSDLine.fix(second: 9)
    #expect(conversation.hears(String(cut.prefix(cut.count / 2))) == nil)
    #expect(conversation.drained() == nil)
    #expect(conversation.report == GPSDLine.report(GPSDLine.fix(second: 8)))

    conversation.takeReport()
    #expect(conversation.report == "")
    #expect(conversation.hears(String(cut.dropFirst(cut.count / 2))) == nil)
    #expect(conversation.report == GPSDLine.report(cut))
  }

  @Test func aReportIsACStringForLibgps() {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    _ = conversation.hears(GPSDLine.fix(second: 1))
    #expect(conversation.reportAsCString() + "\n" == GPSDLine.fix(second: 1))
  }

  @Test(arguments: [
    "HTTP/1.1 400 Bad Request\r\n", "$GPRMC,120000.00,A,5130.0000,N*4C\r\n", "\r\n", "{}\n",
    "{\"clas\":\"TPV\"}\n", "\u{0}\u{1}\u{2}\n", "[1,2]\n", " {\"class\":\"TPV\"}\n",
  ])
  func aPeerThatIsNotGPSDIsNamedMalformed(text: String) throws {
    for line in [text, GPSDLine.version + text] {
      let conversation = GPSDConversation(.streaming)
      _ = conversation.cycleDue()
      conversation.connected()
      guard case .fail(.malformed(let name, let found)) = conversation.hears(line) else {
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

  @Test(arguments: [1, 1000, Int.max])
  func aLineThatNeverEndsIsMalformed(chunk: Int) {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    let endless =
      #"{"class":"SKY","satellites":["#
      + String(repeating: " ", count: GPSDSession.lineByteCountMax)
    guard case .fail(.malformed) = conversation.hears(endless, chunk: chunk) else {
      Issue.record("an endless line was waited for")
      return
    }
    #expect(!conversation.isConnected)
  }

  @Test func aLineThatJustFitsIsRead() {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    let frame = #"{"class":"SKY","x":""}"# + "\n"
    let filling = String(repeating: "x", count: GPSDSession.lineByteCountMax - frame.utf8.count)
    let line = #"{"class":"SKY","x":""# + filling + "\"}\n"
    #expect(conversation.hears(line) == nil)
    #expect(conversation.hears(GPSDLine.fix(second: 1)) == nil)
    #expect(conversation.report == GPSDLine.report(GPSDLine.fix(second: 1)))
  }

  @Test func aReportThatIsTooLongIsMalformedAndNeverHalfRead() {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    let long = String(repeating: "x", count: GPSDSession.reportByteCountMax)
    let line = #"{"class":"TPV","device":""# + long + "\"}\n"
    guard case .fail(.malformed) = conversation.hears(GPSDLine.fix(second: 1) + line) else {
      Issue.record("a report of \(long.count) bytes was believed")
      return
    }
    #expect(conversation.report == "")
  }
}
