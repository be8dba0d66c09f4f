import Bytes
import Sensing
import Testing

/// Receivers that say more than a socket holds, and links that are too slow for them.
@Suite struct TalkativeReceiverTests {
  static let receivers = [
    ModelGPSD.Receiver(),
    // A u-blox F9P.
    ModelGPSD.Receiver(skyByteCount: 28_500),
    ModelGPSD.Receiver(period: .milliseconds(200), skyByteCount: 12_000),
    ModelGPSD.Receiver(period: .seconds(5), skyByteCount: 40_000),
  ]

  @Test(arguments: receivers, [5, 10, 30, 60])
  func noLocationIsEverOlderThanOneCycleAndItsPeriod(receiver: ModelGPSD.Receiver, seconds: Int) {
    let cycle: Duration = .seconds(seconds)
    let gpsd = ModelGPSD(receiver, cycle: cycle)
    gpsd.play(.seconds(600))
    let limit = cycle + receiver.period + receiver.latency
    #expect(gpsd.ages.allSatisfy { $0 <= limit })
    #expect(gpsd.ages.count >= gpsd.cycleCount - 2, "and there is one in every cycle")
    #expect(gpsd.failures.isEmpty)
  }

  @Test func noLocationOfADayIsOlderThanOneCycleAndItsPeriod() {
    let receiver = Self.receivers[1]
    let gpsd = ModelGPSD(receiver, cycle: .seconds(30))
    gpsd.play(.seconds(86_400))
    #expect(gpsd.ages.allSatisfy { $0 <= .seconds(30) + receiver.period + receiver.latency })
    #expect(gpsd.ages.count >= gpsd.cycleCount - 2)
    #expect(gpsd.failures.isEmpty)
  }

  @Test(arguments: [5, 10, 30])
  func aReceiverWhoseReportsFitWakesTheAgentInItsCyclesOnly(seconds: Int) {
    let gpsd = ModelGPSD(ModelGPSD.Receiver(), cycle: .seconds(seconds))
    gpsd.play(.seconds(3600))
    #expect(gpsd.wakeUpCount <= gpsd.cycleCount + 3)
    #expect(gpsd.ages.allSatisfy { $0 <= .milliseconds(1100) }, "and has the newest report")
  }

  @Test func afterAStopOfMinutesNothingOldIsTaken() {
    let receiver = ModelGPSD.Receiver()
    let gpsd = ModelGPSD(receiver, cycle: .seconds(10), sendCapacity: 16 * 1024)
    for _ in 0..<5 {
      gpsd.play(.seconds(60))
      gpsd.isAsleep = true
      gpsd.play(.seconds(600))
      gpsd.isAsleep = false
    }
    gpsd.play(.seconds(60))
    #expect(gpsd.ages.allSatisfy { $0 <= .seconds(12) })
    #expect(gpsd.ages.count >= gpsd.cycleCount - 10)
    #expect(gpsd.failures.isEmpty)
  }

  /// 1.2 kB/s are to go over a link of 0.6.
  @Test func aLinkThatIsTooSlowGivesFreshFixesOrIsSaidToBeBehind() {
    let gpsd = ModelGPSD(
      ModelGPSD.Receiver(), cycle: .seconds(10), linkBytesPerSecond: 600, sendCapacity: 80_000)
    gpsd.play(.seconds(3600))
    #expect(gpsd.ages.allSatisfy { $0 <= .seconds(16) })
    #expect(gpsd.ages.count > 100)
  }

  /// The reports of one second take three.
  @Test func aLinkAtItsLimitGivesNothingOld() {
    let gpsd = ModelGPSD(
      ModelGPSD.Receiver(skyByteCount: 12_000), cycle: .seconds(10), linkBytesPerSecond: 4000,
      sendCapacity: 500_000)
    gpsd.play(.seconds(1200))
    #expect(gpsd.ages.allSatisfy { $0 <= .seconds(16) })
    #expect(gpsd.ages.count > 30)
  }

  @Test func aSourceThatStaysBehindIsNamedWithItsSeconds() {
    let conversation = GPSDConversation.resting(.streaming)
    #expect(
      conversation.drains(GPSDLines.fix(second: 3), after: .seconds(60)) == .askForReports,
      "what is said now may be new")
    #expect(conversation.takes(GPSDLines.fix(second: 4)) == nil)
    conversation.wait(GPSDConversation.fixTimeout)
    #expect(
      conversation.deadlineReached() == .fail(.behind(InlineText("gpsd"), seconds: 55)))
    #expect(conversation.fixes.isEmpty)
  }

  @Test func aSocketThatIsNeverEmptyIsBehindToo() {
    let conversation = GPSDConversation.resting(.streaming)
    conversation.cycleDue(after: .seconds(10))
    _ = conversation.hears(GPSDLines.sky)
    conversation.wait(GPSDSession.drainTimeout)
    #expect(
      conversation.deadlineReached() == .fail(.behind(InlineText("gpsd"), seconds: 15)))
  }
}
