import Bytes
import Sensing
import Testing

@Suite struct GPSDSilenceTests {
  private let silent = GPSDSession.Action.fail(.silent(InlineText("gpsd")))
  private let moment: Duration = .nanoseconds(1)

  @Test func aConnectionThatIsNeverMadeIsGivenUp() {
    let conversation = GPSDConversation(.streaming)
    conversation.cycleDue()
    #expect(conversation.deadlineReached(after: GPSDSession.connectionTimeout) == silent)
    #expect(conversation.deadline == nil)
    #expect(!conversation.isGathering)
  }

  @Test(arguments: ["", String(GPSDLines.version.dropLast()), GPSDLines.devices])
  func aPeerThatNeverSaysItsVersionIsGivenUp(words: String) {
    let conversation = GPSDConversation(.streaming)
    conversation.cycleDue()
    conversation.connected()
    conversation.wait(GPSDSession.versionTimeout - moment)
    #expect(conversation.hears(words) == nil)
    #expect(conversation.deadlineReached() == nil, "there is still a moment")
    #expect(conversation.deadlineReached(after: moment) == silent)
    #expect(!conversation.isConnected)
  }

  @Test func aStreamWithoutReportsHasLostItsReceiver() {
    let conversation = GPSDConversation.resting(.streaming)
    #expect(
      conversation.drains(GPSDLines.sky, after: GPSDSession.silenceMax) == .stopListening,
      "it may be silent for so long")
    #expect(conversation.drains("", after: moment) == silent)
    #expect(!conversation.isConnected)
  }

  @Test func aReceiverWithoutAFixIsNotSilent() {
    let conversation = GPSDConversation.resting(.streaming)
    for _ in 0..<10 {
      #expect(
        conversation.drains(GPSDLines.noFix, after: GPSDSession.streamingCycleMax) == .stopListening
      )
    }
  }

  @Test func aReceiverThatSaysNothingWhenItIsAskedIsLost() {
    let conversation = GPSDConversation.resting(.onDemand)
    conversation.drains("", after: .seconds(900))
    #expect(conversation.hears(GPSDLines.devices + GPSDLines.watch) == nil)
    #expect(conversation.deadlineReached(after: GPSDConversation.fixTimeout) == silent)
  }

  @Test func aNewConnectionKnowsNothingOfTheOldOne() {
    let conversation = GPSDConversation.awaitingFix(.streaming)
    _ = conversation.hears(GPSDLines.fix(second: 1) + GPSDLines.fix(second: 2).prefix(50))
    let reset = SourceFailure.failed(InlineText("gpsd"), errno: 104)
    #expect(conversation.failed(reset) == .fail(reset))
    #expect(conversation.deadline == nil)
    conversation.forget()

    #expect(conversation.cycleDue(after: .seconds(120)) == .connect)
    conversation.connected()
    #expect(conversation.hears(GPSDLines.watch) == nil, "the version is said anew")
    #expect(conversation.reports.isEmpty, "no line begins on one connection and ends on another")
    #expect(conversation.hears(GPSDLines.version) == .askForReports)
    #expect(
      conversation.deadlineReached(after: GPSDConversation.fixTimeout) == .stopListening,
      "the silence is counted anew")
  }

  @Test(arguments: [GPSDSession.Pace.streaming, .onDemand])
  func whateverHappensNothingIsAwaitedForEver(pace: GPSDSession.Pace) {
    for seed in UInt64(0)..<60 {
      var random = SplitMix64(seed: seed)
      let conversation = GPSDConversation(pace)
      for step in 0..<200 {
        conversation.wait(.milliseconds(Int64.random(in: 0...40_000, using: &random)))
        let action: GPSDSession.Action? =
          switch Int.random(in: 0..<7, using: &random) {
          case 0: conversation.cycleDue()
          case 1: conversation.deadlineReached()
          case 2 where conversation.isConnected: conversation.hears(GPSDLines.version)
          case 3 where conversation.isConnected: conversation.hears(GPSDLines.fix(second: 1))
          case 4 where conversation.isConnected: conversation.drained()
          case 5 where conversation.isConnected: conversation.hears(GPSDLines.noFix)
          case 6 where conversation.isConnected: conversation.hears("garbage\n")
          default: nil
          }
        let isConnecting = conversation.isGathering && !conversation.isConnected
        if isConnecting, Bool.random(using: &random) { conversation.connected() }
        #expect(
          conversation.isGathering == (conversation.deadline != nil), "seed \(seed), step \(step)"
        )
        if case .fail = action { #expect(!conversation.isConnected) }
      }
      if let deadline = conversation.deadline {
        #expect(
          conversation.deadlineReached(after: deadline - conversation.now) != nil, "seed \(seed)")
        #expect(conversation.deadline == nil, "seed \(seed)")
      }
    }
  }
}
