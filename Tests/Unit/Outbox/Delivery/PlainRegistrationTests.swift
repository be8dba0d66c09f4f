import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

/// A registration without a key, as very old servers give it.
@Suite struct PlainRegistrationTests {
  private let rig: DeliveryRig

  init() throws {
    rig = try DeliveryRig(beginning: .direct, protection: .plain, answersInquiries: true)
  }

  private static func key() throws -> SecretKey {
    let key = SecretKey(hexadecimal: [UInt8](repeating: UInt8(ascii: "7"), count: 64).span)
    return try #require(key)
  }

  @Test func theFirstThingAskedForIsAKeyAndOneIsEnough() throws {
    rig.cycleDue()
    #expect(rig.underWay == .key)
    rig.keyAnswered(.enabled(try Self.key()))
    #expect(rig.events.first == .sealed)
    #expect(rig.underWay == .states)
    try rig.acceptAll()
    rig.sleep(KnownServer.requestInterval)
    rig.cycleDue()
    #expect(rig.underWay == .states)
  }

  /// The card is read-only: a key that came would be gone with the next start.
  @Test func aKeyThatCannotBeKeptIsAskedForAnotherDay() throws {
    rig.cycleDue()
    rig.keyPostponed()
    try rig.acceptAll()
    #expect(rig.events.last == .proven(readings: 0, hasLocation: false))
    rig.cycleDue()
    #expect(rig.underWay == .states)
    try rig.acceptAll()
    rig.sleep(KnownServer.requestInterval)
    rig.cycleDue()
    #expect(rig.underWay == .key)
  }

  @Test func aServerThatHasNoKeysIsNeverAskedAgain() throws {
    rig.cycleDue()
    rig.keyAnswered(.notAvailable)
    try rig.acceptAll()
    #expect(rig.events.first == .sealingImpossible)
    for _ in 0..<3 {
      rig.sleep(KnownServer.requestInterval)
      rig.cycleDue()
      #expect(rig.underWay == .states)
      try rig.acceptAll()
    }
  }

  @Test func oneThatWasToldSoBeforeARestartAsksNeverAgain() throws {
    let rig = try DeliveryRig(beginning: .direct, protection: .plainForGood, answersInquiries: true)
    for _ in 0..<3 {
      rig.cycleDue()
      #expect(rig.underWay == .states)
      try rig.acceptAll()
      rig.sleep(KnownServer.requestInterval)
    }
  }

  @Test func aServerThatDidNotAnswerIsAskedAgainADayLater() throws {
    rig.cycleDue()
    rig.keyAnswered(.unanswered(.notLive))
    #expect(rig.events == [.outage(.notLive)])
    try rig.sleepUntilDeadline()
    #expect(rig.underWay == .states)
    try rig.acceptAll()
    rig.sleep(KnownServer.requestInterval)
    rig.cycleDue()
    #expect(rig.underWay == .key)
  }

  /// Another client got the key, and not this one.
  @Test func aRegistrationThatIsLockedIsAnOutageAndCastsDoubt() throws {
    rig.cycleDue()
    rig.keyAnswered(.alreadyEnabled)
    #expect(rig.events == [.outage(.encryptionRequired)])
    let began = rig.now
    while rig.now - began <= Delivery.doubtAfter + Delivery.longestRetryDelay {
      try rig.sleepUntilDeadline()
      rig.answered(.encryptionRequired)
    }
    #expect(rig.events.contains { if case .registrationDoubted = $0 { true } else { false } })
  }

  @Test func aPlainAnswerIsAllThatCanBeHad() throws {
    _ = try rig.sensor("level", 7)
    rig.cycleDue()
    rig.keyAnswered(.notAvailable)
    rig.answered(content: #"{"success":true}"#)
    rig.answered(content: #"{"level":{"success":true}}"#)
    #expect(rig.events.last == .proven(readings: 1, hasLocation: false))
    // About no sensor there is nothing to say, but that the message was read.
    rig.cycleDue()
    rig.answered(content: "{}")
    #expect(rig.events.last == .proven(readings: 0, hasLocation: false))
  }

  @Test(arguments: ["{}", #"{"level":{"success":true}}"#, #"{"version":"2025.4.4"}"#])
  func aPlainAnswerToAnotherMessageIsNone(answer: String) throws {
    _ = try rig.sensor("level", 7)
    rig.cycleDue()
    rig.keyAnswered(.notAvailable)
    rig.answered(content: #"{"success":true}"#)
    rig.replayed(answer, isPlain: true)
    #expect(rig.events.last == .outage(.otherAnswer))
  }

  @Test func anAnswerOfNothingToReadingsIsNoPlainProof() throws {
    _ = try rig.sensor("level", 7)
    rig.cycleDue()
    rig.keyAnswered(.notAvailable)
    rig.answered(content: #"{"success":true}"#)
    rig.answered(.unproven)
    #expect(rig.events.last == .outage(.dropped))
  }

  @Test func aKeyThatWasNotAskedForChangesNothing() throws {
    rig.cycleDue()
    rig.keyAnswered(.notAvailable)
    rig.keyAnswered(.enabled(try Self.key()))
    #expect(rig.underWay == .states)
    #expect(!rig.events.contains(.sealed))
  }
}
