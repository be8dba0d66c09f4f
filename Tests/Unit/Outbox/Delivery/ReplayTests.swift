import HomeAssistant
import Sensing
import Testing

@testable import Outbox

/// An on-path attacker keeps sealed answers, and gives them again.
@Suite struct ReplayTests {
  private let rig: DeliveryRig
  private let level: SensorIndex
  private let oldAnswer: String

  /// One answer was kept.
  init() throws {
    rig = try DeliveryRig()
    level = try rig.sensor("level", 1)
    try rig.acceptedCycle()
    oldAnswer =
      #"{"\(rig.challenge.key)":{"success":false,"error":{"code":"not_registered","message":"x"}},"#
      + #""level":{"success":true}}"#
    rig.forgetWhatWasToldSoFar()
  }

  @Test func anOldAnswerProvesNothing() throws {
    rig.record(level, 2)
    rig.cycleDue()
    rig.replayed(oldAnswer)
    #expect(rig.events == [.outage(.otherAnswer)])
    #expect(rig.isInOutage)
    #expect(rig.historyEntryCount == 1)
  }

  @Test(arguments: [
    "{}", #"{"level":{"success":true}}"#, "[]", DeliveryRig.configuration, #"{"success":true}"#,
  ])
  func noOtherSealedAnswerProvesAnything(answer: String) throws {
    rig.record(level, 2)
    rig.cycleDue()
    rig.replayed(answer)
    #expect(rig.events == [.outage(.otherAnswer)])
  }

  /// What is sealed with our key and comes back may be what we sent.
  @Test func ourOwnMessageProvesNothing() throws {
    rig.record(level, 2)
    rig.cycleDue()
    rig.replayed(#"[{"type":"sensor","unique_id":"\(rig.challenge.key)"}]"#)
    #expect(rig.events == [.outage(.otherAnswer)])
  }

  @Test func historyIsNotReleasedByAnOldAnswer() throws {
    rig.outage(level, 2...4)
    try rig.endOutage()
    rig.wake()
    #expect(rig.underWay == .history)
    try rig.accept()
    rig.replayed(oldAnswer)
    #expect(rig.isInOutage)
    #expect(rig.historyEntryCount > 0)
    #expect(!rig.events.contains { if case .historyProven = $0 { true } else { false } })
    #expect(try rig.recoveredChunks().flatMap(\.numbers).contains(3))
  }

  /// What Home Assistant says of the challenge is said of no sensor.
  @Test func theChallengeIsNoSensorThatWasForgotten() throws {
    rig.record(level, 2)
    #expect(try rig.acceptedCycle().count == 1)
    #expect(rig.events == [.proven(readings: 1, hasLocation: false)])
  }

  @Test func noTwoMessagesHaveTheSameChallenge() throws {
    let first = rig.challenge.key
    try rig.acceptedCycle()
    #expect(rig.challenge.key != first)
  }
}
