import Bytes
import HomeAssistant
import Testing

@testable import Outbox

@Suite struct OutageTests {
  private var now = Instant(nanoseconds: 0)
  private let events: DeliveryEvents
  private var outage: Outage
  private var told: [DeliveryEvent] = []

  init() {
    events = DeliveryEvents()
    outage = Outage(doubtAfter: .seconds(300), seed: 1, events)
  }

  private mutating func attemptFailed(_ cause: OutageCause = .notLive, isDoubtful: Bool = true) {
    outage.attemptFailed(cause, isDoubtful: isDoubtful, now: now)
    told += events.takeAll()
  }

  /// Waits for the next attempt, which fails as well.
  private mutating func nextAttemptFails(
    _ cause: OutageCause = .notLive, isDoubtful: Bool = true
  ) throws {
    now = try #require(outage.deadline)
    outage.attemptBegan(now: now)
    attemptFailed(cause, isDoubtful: isDoubtful)
  }

  private var doubtCount: Int {
    told.count { if case .registrationDoubted = $0 { true } else { false } }
  }

  // MARK: Waiting

  @Test mutating func thereIsADeadlineBetweenAttemptsAndAtNoOtherTime() {
    #expect(outage.deadline == nil && !outage.isUnderWay)
    attemptFailed()
    #expect(outage.deadline.map { $0 > now } == true && outage.isUnderWay)
    outage.attemptBegan(now: now)
    #expect(outage.deadline == nil && outage.isUnderWay)
    attemptFailed()
    outage.proven()
    #expect(outage.deadline == nil && !outage.isUnderWay && outage.since == nil)
  }

  @Test mutating func inAnotherNetworkTheNextAttemptIsDueAtOnceButNotTwiceInAFewSeconds() throws {
    attemptFailed()
    for _ in 0..<10 { try nextAttemptFails() }
    let attemptedAt = now
    now = now + .seconds(1)
    outage.tryEarlier(now: now)
    #expect(outage.deadline == attemptedAt + Delivery.firstRetryDelay)
    now = now + .seconds(10)
    outage.tryEarlier(now: now)
    #expect(outage.deadline == attemptedAt + Delivery.firstRetryDelay, "it is not put off")
  }

  @Test mutating func withoutARouteNothingWasAttemptedThatAnotherNetworkWaitsFor() {
    attemptFailed(.noRoute, isDoubtful: false)
    now = now + .seconds(1)
    outage.tryEarlier(now: now)
    #expect(outage.deadline == now)
  }

  @Test mutating func anotherNetworkMeansNothingToAnAttemptThatIsUnderWay() {
    attemptFailed()
    outage.attemptBegan(now: now)
    outage.tryEarlier(now: now)
    #expect(outage.deadline == nil)
  }

  /// CrowdSec lets one refused request pass in ten seconds, and bans who makes more.
  @Test(arguments: [ServerRefusal.banned, .forbidden(status: 403), .forbidden(status: 401)])
  mutating func cyclesDoNotHurryWhomOnlyAPersonCanLetInAgain(refusal: ServerRefusal) throws {
    attemptFailed(.server(refusal), isDoubtful: false)
    for _ in 0..<10 { try nextAttemptFails(.server(refusal), isDoubtful: false) }
    let due = try #require(outage.deadline)
    for _ in 0..<4 {
      now = now + .seconds(5)
      outage.cycleDue(now: now)
      outage.changed(now: now)
      #expect(outage.deadline == due)
    }
    outage.tryEarlier(now: now)
    #expect(outage.deadline == now, "another network may let it in")
  }

  /// On a battery each of these attempts wakes the radio, and the next delay was an hour.
  @Test mutating func aLinkThatIsBackBringsAFewAttemptsAndNotAllDelaysAgain() throws {
    let areChanges = [true, true].map { outage.supplyChanged(isOnBattery: $0, now: now) }
    #expect(areChanges == [true, false])
    let cause = OutageCause.noConnection(InlineText("no name"))
    for _ in 0..<12 { attemptFailed(cause, isDoubtful: false) }
    outage.networkChanged(isOther: false, now: now)
    for _ in 0..<Delivery.quickRetriesMax {
      attemptFailed(cause, isDoubtful: false)
      #expect(outage.deadline == now + Delivery.quickRetryDelay)
    }
    attemptFailed(cause, isDoubtful: false)
    #expect(try #require(outage.deadline) > now + Delivery.longestRetryDelayOnBattery * 0.7)
  }

  @Test mutating func anOutageDaysAfterALinkWasBackHasItsUsualDelays() throws {
    outage.networkChanged(isOther: false, now: now)
    outage.attemptBegan(now: now)
    outage.proven()
    for _ in 0..<4 { attemptFailed(.noConnection(InlineText("refused")), isDoubtful: false) }
    #expect(try #require(outage.deadline) > now + Delivery.quickRetryDelay)
  }

  /// CrowdSec counts what it refuses, also at the edge of a network.
  @Test(arguments: [ServerRefusal.banned, .forbidden(status: 403)])
  mutating func aLinkThatComesAndGoesHurriesNoRefusal(refusal: ServerRefusal) throws {
    for _ in 0..<12 { attemptFailed(.server(refusal), isDoubtful: false) }
    let due = try #require(outage.deadline)
    now = now + .seconds(30)
    outage.networkChanged(isOther: false, now: now)
    #expect(outage.deadline == due)
    outage.networkChanged(isOther: true, now: now)
    #expect(outage.deadline == now, "another network may let it in")
    outage.attemptBegan(now: now)
    attemptFailed(.server(refusal), isDoubtful: false)
    #expect(try #require(outage.deadline) > now + Delivery.longestRetryDelay * 0.7)
  }

  // MARK: What is told

  @Test mutating func theStatusIsThatOfTheLastAttemptSinceTheFirst() throws {
    #expect(outage.status == nil)
    attemptFailed(.server(.notFound))
    let began = now
    try nextAttemptFails(.gone)
    #expect(outage.status == .outage(.gone, since: began, isDoubted: false))
    while doubtCount == 0 { try nextAttemptFails(.gone) }
    #expect(outage.status == .outage(.gone, since: began, isDoubted: true))
  }

  // MARK: The doubt

  /// A home that starts when the board wakes up answers as if the board were deleted.
  @Test mutating func aSleepOfTheBoardDoesNotCount() throws {
    attemptFailed()
    now = try #require(outage.deadline) + .seconds(8 * 3600)
    let wokeUpAt = now
    outage.attemptBegan(now: now)
    attemptFailed()
    #expect(doubtCount == 0)
    while doubtCount == 0 { try nextAttemptFails() }
    #expect(now - wokeUpAt >= .seconds(300) - Delivery.firstRetryDelay)
  }

  /// It is not left out twice: as a sleep, and as a part of the silence after it.
  @Test mutating func aSleepBeforeALostAnswerDelaysTheDoubtOnce() throws {
    attemptFailed()
    now = try #require(outage.deadline) + .seconds(200)
    outage.attemptBegan(now: now)
    attemptFailed(.noRoute, isDoubtful: false)
    try nextAttemptFails()
    let answeredAt = now
    while doubtCount == 0 { try nextAttemptFails() }
    #expect(now - answeredAt <= .seconds(300) + Delivery.longestRetryDelay)
  }

  /// The time from one answer to the next counts, that around a lost one does not.
  @Test(arguments: [OutageCause.noRoute, .noConnection(InlineText("Timeout was reached"))])
  mutating func aLinkThatLosesAnswersOnlyDelaysTheDoubt(cause: OutageCause) throws {
    attemptFailed()
    var (counted, wasAnswered) = (Duration.zero, true)
    for number in 1...60 {
      let (before, isAnswered) = (now, !number.isMultiple(of: 3))
      try nextAttemptFails(isAnswered ? .gone : cause, isDoubtful: isAnswered)
      if isAnswered, wasAnswered { counted += now - before }
      wasAnswered = isAnswered
      #expect(doubtCount == (counted >= .seconds(300) ? 1 : 0), "attempt \(number)")
    }
    #expect(doubtCount == 1)
  }

  /// Every other answer is lost: no two answers show that nothing else came between them.
  @Test mutating func withoutTwoAnswersInARowNothingIsDoubted() throws {
    attemptFailed()
    for number in 1...60 {
      let isAnswered = number.isMultiple(of: 2)
      try nextAttemptFails(isAnswered ? .notLive : .noRoute, isDoubtful: isAnswered)
    }
    #expect(doubtCount == 0)
  }

  /// Lets the doubt grow for half of its time, and returns after what ends it.
  private mutating func doubtEnds(_ ending: (inout Self) throws -> Void) throws {
    attemptFailed()
    while now - Instant(nanoseconds: 0) < .seconds(150) { try nextAttemptFails() }
    #expect(doubtCount == 0)
    try ending(&self)
    for _ in 0..<3 { try nextAttemptFails() }
    #expect(doubtCount == 0, "what was before does not count")
    while doubtCount == 0 { try nextAttemptFails() }
  }

  /// It was off for a night, answered with nothing as it ended, and does as it starts.
  @Test mutating func aLongTimeWithoutAnAnswerEndsTheDoubt() throws {
    try doubtEnds { test throws in
      let end = test.now + .seconds(300)
      while test.now <= end { try test.nextAttemptFails(.noRoute, isDoubtful: false) }
    }
  }

  @Test(arguments: [OutageCause.server(.notFound), .otherAnswer, .badRequest])
  mutating func oneOtherAnswerEndsTheDoubt(cause: OutageCause) throws {
    try doubtEnds { test throws in try test.nextAttemptFails(cause, isDoubtful: false) }
  }

  @Test mutating func aLimitedRunSeesWhetherTheDoubtComesInItsTime() throws {
    let end = Instant(nanoseconds: 0) + .seconds(301)
    #expect(!outage.isDoubtDue(before: end))
    attemptFailed(.noRoute, isDoubtful: false)
    #expect(!outage.isDoubtDue(before: end), "no answer is no reason")
    try nextAttemptFails()
    let due = now + .seconds(300)
    #expect(outage.isDoubtDue(before: due + .nanoseconds(1)) && !outage.isDoubtDue(before: due))
    while doubtCount == 0 { try nextAttemptFails() }
    #expect(!outage.isDoubtDue(before: now + .seconds(3600)), "it is there")
    outage.registrationRefused(now: now)
    #expect(outage.isDoubtDue(before: now + .seconds(301)))
  }

  /// On a battery the attempts become rare, and the next one may come after the run.
  @Test mutating func aLimitedRunDoesNotWaitForAnAttemptAfterItsEnd() throws {
    outage = Outage(doubtAfter: .seconds(1), seed: 1, events)
    attemptFailed()
    let due = try #require(outage.deadline)
    #expect(!outage.isDoubtDue(before: due) && outage.isDoubtDue(before: due + .nanoseconds(1)))
  }

  /// What was not answered does not count, so each lost answer makes it later.
  @Test mutating func aLimitedRunDoesNotWaitThroughASilence() throws {
    attemptFailed()
    let end = now + .seconds(330)
    #expect(outage.isDoubtDue(before: end))
    for _ in 0..<4 { try nextAttemptFails(.noRoute, isDoubtful: false) }
    #expect(now < end && !outage.isDoubtDue(before: end))
  }

  // MARK: The registration

  @Test mutating func theLossOfARegistrationLastsUntilAProof() {
    outage.registrationFailed(now: now)
    let began = now
    now = now + .seconds(60)
    outage.registrationFailed(now: now)
    #expect(outage.since == began && outage.unregisteredSince == began && !outage.isUnderWay)
    outage.registrationReplaced()
    #expect(outage.since == began)
    outage.proven()
    #expect(outage.since == nil && outage.unregisteredSince == nil)
  }

  @Test mutating func aFirstRegistrationCostsNothing() {
    outage.registrationReplaced()
    #expect(outage.since == nil && outage.unregisteredSince == nil)
  }
}
