import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

@Suite struct DeliveryOutageTests {
  private let rig: DeliveryRig

  init() throws { rig = try DeliveryRig() }

  /// Fails the cycle that is due now, and returns how long is waited after it.
  private func failedCycle(_ answer: Answer = .notLive) throws -> Duration {
    if rig.underWay == nil { rig.cycleDue() }
    rig.answered(answer)
    return try #require(rig.deadline) - rig.now
  }

  // MARK: Its beginning

  @Test(arguments: [
    (Answer.notLive, OutageCause.notLive), (.unproven, .dropped), (.otherKey, .otherKey),
    (.server(.notFound), .server(.notFound)), (.gone, .gone), (.badRequest, .badRequest),
    (.encryptionRequired, .encryptionRequired),
    (.server(.forbidden(status: 403)), .server(.forbidden(status: 403))),
    (.server(.unavailable(status: 503)), .server(.unavailable(status: 503))),
    (.server(.notHomeAssistant(status: 200)), .server(.notHomeAssistant(status: 200))),
  ])
  func everyAnswerThatIsNoProofBeginsAnOutage(answer: Answer, cause: OutageCause) throws {
    _ = try failedCycle(answer)
    #expect(rig.isInOutage && !rig.isIdle)
    #expect(rig.events == [.outage(cause)])
    for _ in 0..<3 {
      try rig.sleepUntilDeadline()
      _ = try failedCycle(answer)
    }
    #expect(rig.events.filter { $0 == .outage(cause) }.count == 1)
  }

  @Test(arguments: [#"{"level":true}"#, #"{"level":{"success":true}"#])
  func aProofThatCannotBeReadIsNone(json: String) throws {
    rig.cycleDue()
    rig.answered(json)
    #expect(rig.events == [.outage(.unreadableAnswer)])
    #expect(rig.deadline != nil)
  }

  @Test func noConnectionIsToldOnceForEachReason() throws {
    rig.cycleDue()
    rig.connectionFailed("Couldn't connect to server")
    try rig.sleepUntilDeadline()
    rig.connectionFailed("Couldn't connect to server")
    try rig.sleepUntilDeadline()
    rig.connectionFailed("Timeout was reached")
    #expect(
      rig.events == [
        .outage(.noConnection(InlineText("Couldn't connect to server"))),
        .outage(.noConnection(InlineText("Timeout was reached"))),
      ])
  }

  @Test func anOutageMayBeginWithAnyMessageOfACycle() throws {
    for answersBefore in 0..<3 {
      let rig = try DeliveryRig()
      _ = try rig.sensor("level", 7)
      rig.record(.here(at: 0))
      rig.cycleDue()
      for _ in 0..<answersBefore { try rig.accept() }
      rig.answered(.server(.notFound))
      #expect(rig.deadline != nil, "after \(answersBefore) answers")
      let last = try #require(try rig.acceptedAttempt().last)
      #expect(try ids(in: last) == ["level"])
    }
  }

  /// Home Assistant may hold another key, and then it drops every registration: that says nothing
  /// about the sensors.
  @Test func noSensorIsCalledUnwantedByAHomeAssistantThatDropsEverything() throws {
    let odd = try rig.sensor("odd", 1)
    let level = try rig.sensor("level", 7)
    for _ in 0..<3 {
      if rig.underWay == nil { rig.cycleDue() }
      while rig.underWay != nil { rig.answered(.unproven) }
      try rig.sleepUntilDeadline()
    }
    #expect(rig.events == [.outage(.dropped)])
    // Once there is a proof, the one that is still dropped is the one that is not wanted.
    rig.unwanted = ["odd"]
    rig.answered(.unproven)
    try rig.acceptAll()
    #expect(rig.events.contains(.sensorRefused(odd)))
    #expect(!rig.events.contains(.sensorRefused(level)))
    #expect(rig.events.contains(.sensorRegistered(level)))
  }

  // MARK: Its course

  @Test func theWaitsDoubleAndNeverExceedTheLongest() throws {
    var waits = [try failedCycle()]
    for _ in 0..<9 {
      try rig.sleepUntilDeadline()
      waits.append(try failedCycle())
    }
    var step = Delivery.firstRetryDelay
    for wait in waits {
      #expect(wait > step * 0.75 && wait <= step)
      step = min(step * 2, Delivery.longestRetryDelay)
    }
  }

  @Test func cyclesDoNotHastenTheRetries() throws {
    _ = try failedCycle()
    rig.cycleDue()
    #expect(rig.underWay == nil)
    rig.wake()
    #expect(rig.underWay == nil)
    try rig.sleepUntilDeadline()
    #expect(rig.underWay != nil)
  }

  @Test func aLateAnswerToAFailedMessageChangesNothing() throws {
    _ = try failedCycle()
    let deadline = rig.deadline
    rig.answered("{}")
    rig.answered(.gone)
    rig.connectionFailed()
    #expect(rig.deadline == deadline)
    #expect(rig.events == [.outage(.notLive)])
  }

  // MARK: Its end

  @Test func afterAnOutageEverythingIsSentAgain() throws {
    let level = try rig.sensor("level", 7)
    _ = try rig.sensor("depth", 1)
    try rig.acceptedCycle()
    rig.record(level, 8)
    _ = try failedCycle()
    let sent = try rig.acceptedAttempt()
    #expect(try ids(in: try #require(sent.last)) == ["level", "depth"])
    #expect(rig.isIdle && !rig.isInOutage)
    // What was written to the disk meanwhile comes with its own time, too.
    try rig.acceptedAttempt()
    #expect(rig.deadline == nil)
    #expect(try rig.isQuietCycle())
  }

  @Test func theEndTellsHowLongItWasAndWhatWasLost() throws {
    let level = try rig.sensor("level", 1)
    try rig.acceptedCycle()
    // What was lost before the last proof is not lost in this outage.
    for number in 2...5 { rig.record(level, Int64(number)) }
    rig.record(.here(at: 0))
    rig.record(.here(at: 1))
    try rig.acceptedCycle()
    rig.forgetWhatWasToldSoFar()

    _ = try failedCycle()
    for number in 6...8 { rig.record(level, Int64(number)) }
    rig.record(.here(at: 2))
    rig.record(.here(at: 3))
    let began = rig.now
    try rig.acceptedAttempt()
    #expect(
      rig.events == [
        .outage(.notLive), .recovered(after: rig.now - began, .init(readings: 2, fixes: 1)),
        .proven(readings: 1, hasLocation: true),
      ])
  }

  @Test func theWaitsStartOverAfterAProof() throws {
    for _ in 0..<5 {
      _ = try failedCycle()
      try rig.sleepUntilDeadline()
    }
    try rig.acceptAll()
    #expect(try failedCycle() <= Delivery.firstRetryDelay)
    #expect(rig.events.filter { $0 == .outage(.notLive) }.count == 2)
  }

  // MARK: The doubt

  private func doubts() -> Int {
    rig.events.count { if case .registrationDoubted = $0 { true } else { false } }
  }

  @Test(arguments: [Answer.notLive, .unproven, .otherKey, .encryptionRequired, .gone])
  func theRegistrationIsDoubtedAfterMinutesAndOnce(answer: Answer) throws {
    _ = try failedCycle(answer)
    let began = rig.now
    while rig.now - began < .seconds(3600) {
      #expect(doubts() == (rig.now - began >= Delivery.doubtAfter ? 1 : 0))
      try rig.sleepUntilDeadline()
      _ = try failedCycle(answer)
    }
  }

  @Test(arguments: [
    Answer.server(.notFound), .server(.unavailable(status: 503)), .server(.forbidden(status: 403)),
    .badRequest,
    .server(.notHomeAssistant(status: 200)),
  ])
  func aHomeAssistantThatIsDownDoesNotCastDoubt(answer: Answer) throws {
    _ = try failedCycle(answer)
    for _ in 0..<50 {
      try rig.sleepUntilDeadline()
      _ = try failedCycle(answer)
    }
    #expect(doubts() == 0)
  }

  /// One empty answer is a Home Assistant that starts; that it is off afterwards is no answer.
  @Test func anEmptyAnswerBeforeAnOutageWithoutAnswersDoesNotCastDoubt() throws {
    _ = try failedCycle(.notLive)
    let began = rig.now
    while rig.now - began < .seconds(3600) {
      try rig.sleepUntilDeadline()
      rig.connectionFailed()
    }
    #expect(doubts() == 0)
  }

  @Test func whereNoNewRegistrationIsToBeHadTheOldOneIsDoubtedAgainAfterMinutes() throws {
    _ = try failedCycle(.gone)
    while doubts() == 0 {
      try rig.sleepUntilDeadline()
      _ = try failedCycle(.gone)
    }
    rig.sleep(.seconds(20))
    rig.registrationRefused()
    let refusedAt = rig.now
    while rig.now - refusedAt < Delivery.doubtAfter {
      #expect(doubts() == 1)
      try rig.sleepUntilDeadline()
      _ = try failedCycle(.gone)
    }
    #expect(doubts() == 2)
  }

  // MARK: A new registration

  @Test func aRegistrationThatWasLongInComingCostsWhatWasReplaced() throws {
    let level = try rig.sensor("level", 7)
    let began = rig.now
    for number in 1...3 {
      rig.delivery.registrationFailed(now: rig.now)
      rig.sleep(.seconds(60))
      rig.record(level, Int64(number))
    }
    rig.delivery.registrationReplaced(.sealed, now: rig.now)
    try rig.acceptedCycle()
    #expect(rig.events.contains(.recovered(after: rig.now - began, .init(readings: 3, fixes: 0))))
    rig.forgetWhatWasToldSoFar()
    try rig.acceptedCycle()
    #expect(rig.events == [.proven(readings: 0, hasLocation: false)])
  }

  @Test func aNewRegistrationEndsTheOutageOfTheOldOne() throws {
    _ = try rig.sensor("level", 7)
    try rig.acceptedCycle()
    _ = try failedCycle(.gone)
    rig.delivery.registrationReplaced(.sealed, now: rig.now)
    #expect(rig.isIdle && !rig.isInOutage && rig.deadline == nil)
    let sent = try rig.acceptedCycle()
    #expect(sent.count == 2 && sent[0].contains(#""name":"level""#))
  }

  @Test func theLossOfARegistrationIsToldWithTheProofOfTheNext() throws {
    let level = try rig.sensor("level", 7)
    try rig.acceptedCycle()
    let began = rig.now
    _ = try failedCycle(.gone)
    for number in 1...3 { rig.record(level, Int64(number)) }
    rig.sleep(.seconds(60))
    rig.delivery.registrationReplaced(.sealed, now: rig.now)
    try rig.acceptedCycle()
    #expect(rig.events.contains(.recovered(after: rig.now - began, .init(readings: 2, fixes: 0))))
  }
}
