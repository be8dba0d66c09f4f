import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

@Suite struct DeliveryTests {
  private let rig: DeliveryRig

  init() throws { rig = try DeliveryRig() }

  private static let location = #"{"gps":[52.0000000,0.0000000],"gps_accuracy":3}"#

  // MARK: A cycle

  @Test func theFirstCycleRegistersThenSendsTheLocationThenTheStates() throws {
    let level = try rig.sensor("level", 7)
    rig.record(.here(at: 0))
    #expect(
      try rig.acceptedCycle() == [
        #"{"type":"sensor","unique_id":"level","name":"level","state":7,"icon":"mdi:eye"}"#,
        Self.location,
        #"[{"type":"sensor","unique_id":"level","icon":"mdi:eye","state":7}]"#,
      ])
    #expect(rig.events == [.sensorRegistered(level), .proven(readings: 1, hasLocation: true)])
    #expect(rig.isIdle && rig.deadline == nil)
  }

  @Test func aCycleWithoutNewsStillAsksForItsProof() throws {
    #expect(try rig.isQuietCycle())
    #expect(rig.events == [.proven(readings: 0, hasLocation: false)])
  }

  @Test func whatItTellsCanBeLookedUpInItWhileItIsTold() throws {
    _ = try rig.sensor("level", 7)
    rig.cycleDue()
    rig.answered(#"{"success":false}"#)
    rig.answered("{}")
    #expect(rig.events.contains(.sensorRefused(SensorIndex(0))))
    #expect(rig.namesTold == ["level"])
  }

  // MARK: What the proof covers

  @Test func nothingIsAcknowledgedBeforeTheProof() throws {
    _ = try rig.sensor("level", 7)
    rig.record(.here(at: 0))
    try rig.acceptedCycle()
    let level = SensorIndex(0)
    rig.record(level, 8)
    rig.record(.here(at: 1))
    rig.cycleDue()
    try rig.accept()
    rig.answered(.unproven)
    let again = try rig.acceptedAttempt()
    #expect(again.count == 2 && again[1].contains(#""state":8"#))
  }

  @Test func aFixWhoseProofWasLostIsSentAgainWhileItIsFresh() throws {
    rig.record(.here(at: 0))
    rig.cycleDue()
    try rig.accept()
    rig.connectionFailed()
    #expect(try rig.acceptedAttempt() == [Self.location, "[]"])
    #expect(rig.events.last == .proven(readings: 0, hasLocation: true))
    // Now it is acknowledged.
    #expect(try rig.isQuietCycle())
  }

  @Test func aFixWhoseProofWasLostIsNotSentAgainOnceItIsOld() throws {
    rig.record(.here(at: 0))
    rig.cycleDue()
    try rig.accept()
    rig.connectionFailed()
    rig.sleep(Delivery.fixAgeMax + .nanoseconds(1))
    #expect(try rig.acceptedAttempt() == ["[]"])
    #expect(
      rig.events.contains(
        .recovered(
          after: Delivery.fixAgeMax + .nanoseconds(1), Batch.Superseded(readings: 0, fixes: 1))))
  }

  @Test func aFixIsSentUpToItsLastFreshMomentAndNotLater() throws {
    rig.record(.here(at: 0))
    rig.sleep(Delivery.fixAgeMax)
    #expect(try rig.acceptedCycle() == [Self.location, "[]"])
    rig.record(.here(at: 1))
    rig.sleep(.seconds(1) + .nanoseconds(1))
    #expect(try rig.isQuietCycle())
  }

  @Test func aFixThatIsNoLocationIsNotSent() throws {
    var fix = Fix.here(at: 0)
    fix.horizontalErrorMeters = -1
    rig.record(fix)
    #expect(try rig.isQuietCycle())
  }

  @Test func aFixThatGrowsOldWhileSensorsAreRegisteredIsNotSent() throws {
    _ = try rig.sensor("level", 7)
    rig.record(.here(at: 0))
    rig.cycleDue()
    rig.sleep(Delivery.fixAgeMax + .seconds(1))
    let sent = try rig.acceptAll()
    #expect(sent.count == 2 && !sent.contains(Self.location))
  }

  /// The newer one was never sent, so it must not go with the proof of the older.
  @Test(arguments: [0, 1, 2])
  func aFixThatComesWhileTheOneBeforeIsUnderWayIsSentInTheNextCycle(answers: Int) throws {
    rig.record(.here(at: 0))
    rig.cycleDue()
    for _ in 0..<answers { try rig.accept() }
    rig.record(.here(at: 1))
    try rig.acceptAll()
    rig.forgetWhatWasToldSoFar()
    let sent = try rig.acceptedCycle()
    #expect(sent == [#"{"gps":[52.0000000,0.0010000],"gps_accuracy":3}"#, "[]"])
  }

  @Test func aReceiverThatDoesNotKnowItsErrorIsTakenToBeWideOff() throws {
    var fix = Fix.here(at: 0)
    fix.horizontalErrorMeters = nil
    rig.record(fix)
    #expect(try rig.acceptedCycle().first?.contains(#""gps_accuracy":100"#) == true)
  }

  @Test func aSealedAnswerToALocationIsNoTrouble() throws {
    rig.record(.here(at: 0))
    rig.cycleDue()
    rig.answered("{}")
    try rig.accept()
    #expect(rig.events == [.proven(readings: 0, hasLocation: true)])
  }

  // MARK: What Home Assistant says of single sensors

  private static let taken = #""level":{"success":true}"#
  private static let forgotten =
    #""depth":{"success":false,"error":{"code":"not_registered","message":""}}"#

  @Test(arguments: ["{\(taken),\(forgotten)}", "{\(forgotten),\(taken)}"])
  func aForgottenSensorIsRegisteredAndSentInTheSameCycle(answer: String) throws {
    let level = try rig.sensor("level", 7)
    let depth = try rig.sensor("depth", 1)
    try rig.acceptedCycle()
    // It may happen again.
    for number in 2...Int64(3) {
      rig.forgetWhatWasToldSoFar()
      rig.record(level, number + 6)
      rig.record(depth, number)
      rig.cycleDue()
      rig.answered(answer)
      try rig.acceptAll()
      try #require(rig.sent.count == 3)
      #expect(rig.sent[1].contains(#""name":"depth""#))
      #expect(try ids(in: rig.sent[2]) == ["depth"])
      #expect(
        rig.events == [
          .sensorForgotten(depth), .sensorRegistered(depth),
          .proven(readings: 2, hasLocation: false),
        ])
    }
  }

  @Test func aHomeAssistantThatForgetsAtOnceIsNotAskedForEver() throws {
    let level = try rig.sensor("level", 7)
    let forgotten = #"{"level":{"success":false,"error":{"code":"not_registered"}}}"#
    rig.cycleDue()
    for _ in 0..<2 {
      try rig.accept()
      rig.answered(forgotten)
    }
    #expect(rig.underWay == nil && rig.isIdle)
    #expect(rig.events.last == .proven(readings: 0, hasLocation: false))
    // The next cycle tries again, and the value was kept.
    #expect(try rig.acceptedCycle().last?.contains(#""state":7"#) == true)
    #expect(rig.events.filter { $0 == .sensorForgotten(level) }.count == 2)
  }

  @Test func aSensorThatIsNotWantedIsToldOnceAndDoesNotHinderTheOthers() throws {
    let odd = try rig.sensor("odd", 1)
    _ = try rig.sensor("level", 7)
    rig.unwanted = ["odd"]
    rig.cycleDue()
    rig.answered(.unproven)
    try rig.acceptAll()
    // The proof is what is said of it here.
    #expect(try ids(in: try #require(rig.sent.last)) == ["odd", "level"])
    #expect(rig.events.filter { $0 == .sensorRefused(odd) }.count == 1)
    // Neither it nor its changes are offered again.
    rig.record(odd, 2)
    #expect(try rig.isQuietCycle())
  }

  /// Nothing binds the answer to a registration to its question: it may be an old one.
  @Test(arguments: [#"{"success":false}"#, "{}", "[]", "{"])
  func aLieAboutASensorIsContradictedByTheProof(lie: String) throws {
    let level = try rig.sensor("level", 7)
    rig.cycleDue()
    rig.replayed(lie)
    try rig.acceptAll()
    #expect(
      rig.events == [.sensorRegistered(level), .proven(readings: 1, hasLocation: false)])
    rig.record(level, 8)
    #expect(try rig.acceptedCycle().last?.contains(#""state":8"#) == true)
  }

  /// It looks at the value of sensors only that it has.
  @Test func whereOnlyTheValueIsRefusedTheSensorIsThere() throws {
    let level = try rig.sensor("level", 7)
    rig.cycleDue()
    rig.replayed(#"{"success":false}"#)
    rig.answered(#"{"level":{"success":false,"error":{"code":"invalid_format","message":""}}}"#)
    #expect(
      rig.events == [
        .sensorRegistered(level), .readingRefused(level), .proven(readings: 0, hasLocation: false),
      ])
    rig.record(level, 8)
    #expect(try rig.acceptedCycle().last?.contains(#""state":8"#) == true)
  }

  @Test func aSensorThatIsDeclinedInAFailedCycleIsOfferedAgain() throws {
    let level = try rig.sensor("level", 7)
    rig.cycleDue()
    rig.replayed(#"{"success":false}"#)
    rig.connectionFailed()
    let sent = try rig.acceptedAttempt()
    #expect(sent.contains { $0.contains(#""name":"level""#) })
    #expect(rig.events.contains(.sensorRegistered(level)))
    #expect(!rig.events.contains(.sensorRefused(level)))
  }

  @Test func aRefusedSensorIsOfferedAgainAfterAnOutage() throws {
    _ = try rig.sensor("odd", 1)
    rig.unwanted = ["odd"]
    try rig.acceptedCycle()
    rig.unwanted = []
    rig.cycleDue()
    rig.connectionFailed()
    let sent = try rig.acceptedAttempt()
    #expect(sent.count == 2 && sent[0].contains(#""name":"odd""#))
  }

  @Test func aRefusedValueIsToldAndNotSentAgainUntilItChanges() throws {
    let level = try rig.sensor("level", 7)
    rig.cycleDue()
    try rig.accept()
    rig.answered(#"{"level":{"success":false,"error":{"code":"invalid_format","message":""}}}"#)
    #expect(
      rig.events.suffix(2) == [.readingRefused(level), .proven(readings: 0, hasLocation: false)])
    #expect(try rig.isQuietCycle())
    rig.record(level, 8)
    #expect(try rig.acceptedCycle().last?.contains(#""state":8"#) == true)
  }

  @Test func aDisabledSensorCountsAsTaken() throws {
    _ = try rig.sensor("level", 7)
    rig.cycleDue()
    try rig.accept()
    rig.answered(#"{"level":{"success":true,"is_disabled":true}}"#)
    #expect(rig.events.last == .proven(readings: 1, hasLocation: false))
    #expect(try rig.isQuietCycle())
  }

  /// Home Assistant before 2025.12 shows what it is told half a minute after the user enables it.
  @Test func aSensorThatIsEnabledAgainGetsItsValueForHalfAMinute() throws {
    _ = try rig.sensor("depth", 1)
    _ = try rig.sensor("level", 7)
    rig.cycleDue()
    for _ in 0..<2 { try rig.accept() }
    for _ in 0..<20 {
      rig.answered(#"{"depth":{"success":true},"level":{"success":true,"is_disabled":true}}"#)
      rig.cycleDue()
      #expect(try ids(in: try #require(rig.sent.last)) == ["level", "depth"])
    }
    try rig.acceptAll()
    for _ in 1..<Batch.repeatsMax {
      let sent = try rig.acceptedCycle()
      #expect(sent.count == 1)
      #expect(try ids(in: sent[0]).contains("level"))
      #expect(rig.events.last == .proven(readings: 0, hasLocation: false))
    }
    let sent = try rig.acceptedCycle()
    #expect(try ids(in: sent[0]) == ["depth"])
  }

  @Test func aSensorThatTheAnswerDoesNotNameIsSentAgain() throws {
    _ = try rig.sensor("level", 7)
    rig.cycleDue()
    try rig.accept()
    rig.answered(#"{"somebody_elses":{"success":true}}"#)
    #expect(rig.events.last == .proven(readings: 0, hasLocation: false))
    #expect(try rig.acceptedCycle().last?.contains(#""state":7"#) == true)
  }

  // MARK: Between two cycles

  @Test func readingsThatAreReplacedBeforeTheirCycleAreTold() throws {
    let level = try rig.sensor("level", 1)
    try rig.acceptedCycle()
    rig.forgetWhatWasToldSoFar()
    for number in 2...4 { rig.record(level, Int64(number)) }
    try rig.acceptedCycle()
    #expect(
      rig.events == [
        .superseded(.init(readings: 2, fixes: 0)), .proven(readings: 1, hasLocation: false),
      ])
  }

  @Test func aConnectionThatEndedMayBeARestartAndEveryValueIsSentAgain() throws {
    _ = try rig.sensor("level", 1)
    _ = try rig.sensor("rain", 2)
    try rig.acceptedCycle()
    #expect(try rig.isQuietCycle())
    rig.delivery.connectionEnded()
    let sent = try rig.acceptedCycle()
    #expect(sent.count == 1)
    #expect(try ids(in: try #require(sent.last)) == ["level", "rain"])
    #expect(try rig.isQuietCycle())
  }

  /// While a message is on its way, no connection is kept for the next one.
  @Test func aConnectionInUseIsNotTakenForARestart() throws {
    let level = try rig.sensor("level", 1)
    try rig.acceptedCycle()
    rig.answersInquiries = false
    rig.record(level, 2)
    rig.cycleDue()
    rig.delivery.connectionEnded()
    #expect(try rig.acceptAll().count == 1)
    #expect(try rig.isQuietCycle())
  }

  /// Behind a proxy the agent does not see that Home Assistant restarted and shows old values.
  @Test func everythingIsToldAgainOnceAnHour() throws {
    _ = try rig.sensor("level", 1)
    try rig.acceptedCycle()
    var told = 0
    for _ in 0..<180 {
      rig.sleep(.seconds(60))
      if try !rig.isQuietCycle() { told += 1 }
    }
    #expect(told == 3)
  }
}
