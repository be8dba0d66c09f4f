import Bytes
import Testing

@testable import Outbox

/// A run that ends by itself, of a board that is switched off afterwards, and a Home Assistant that
/// does not seem to know the board any more.
@Suite struct RegisteringAgainTests {
  private static let timeout: Duration = .seconds(90)

  /// One whose first message is under way.
  private func rig(
    after duration: Duration?, _ change: (inout UplinkRig.Setup) -> Void = { _ in }
  ) -> UplinkRig {
    var setup = UplinkRig.Setup()
    setup.isRegistered = true
    setup.onceTimeout = Self.timeout
    setup.registersAgainAfter = duration
    change(&setup)
    let rig = UplinkRig(setup)
    // The kernel does not say in time where the board is.
    rig.wait(.seconds(10))
    rig.cycle()
    return rig
  }

  private func isDone(_ rig: UplinkRig) -> Bool {
    rig.uplink.isDone(by: Instant(nanoseconds: 0) + Self.timeout)
  }

  private func nextAttempt(_ rig: UplinkRig) throws {
    let moment = try #require(rig.uplink.nextAttemptAt)
    rig.wait(moment - rig.now)
  }

  /// The next run would have to find out anew, and so would each.
  @Test func aRunAsksAgainUntilTheRegistrationMayBeReplaced() throws {
    let rig = rig(after: .seconds(30))
    let began = rig.now
    rig.answer(410)
    for _ in 0..<10 where !rig.uplink.isRegistering {
      #expect(!isDone(rig) && rig.now - began < .seconds(30))
      try nextAttempt(rig)
      rig.answer(410)
    }
    #expect(rig.uplink.isRegistering && rig.now - began >= .seconds(30))
    #expect(!isDone(rig))
    try nextAttempt(rig)
    rig.answer(201, UplinkRig.registered)
    #expect(rig.registrations.count == 1)
    // The run has no other cycle that could bring what was read.
    #expect(rig.uplink.delivery.underWay?.message == .configuration && !isDone(rig))
    rig.answer(503)
    #expect(isDone(rig), "a failed attempt is the last one again")
  }

  @Test func aRegistrationThatIsRefusedEndsTheRun() throws {
    let rig = rig(after: .seconds(30))
    rig.answer(410)
    for _ in 0..<10 where !rig.uplink.isRegistering {
      try nextAttempt(rig)
      rig.answer(410)
    }
    try nextAttempt(rig)
    rig.answer(404)
    #expect(isDone(rig) && rig.registrations.isEmpty)
  }

  /// It starts, and is there before the time is over.
  @Test(arguments: [404, 503])
  func anotherAnswerEndsTheRunAndReplacesNothing(status: Int) throws {
    let rig = rig(after: .seconds(30))
    rig.answer(200)
    try nextAttempt(rig)
    #expect(!isDone(rig))
    rig.answer(status)
    #expect(isDone(rig) && !rig.uplink.isRegistering)
  }

  @Test(arguments: [nil, Duration.seconds(600)])
  func aRunThatMayNotReplaceItOrIsTooShortEndsAtOnce(after duration: Duration?) {
    let rig = rig(after: duration)
    rig.answer(410)
    #expect(isDone(rig))
  }

  @Test func aHomeAssistantThatCannotBeReachedIsNotWaitedFor() {
    let rig = rig(after: .seconds(30))
    rig.event { $0.messageFailed(InlineText("no route"), now: $1) }
    #expect(isDone(rig))
  }

  @Test func whereNoTokenMayBeSentNothingIsWaitedFor() {
    let rig = rig(after: .seconds(30)) {
      $0.knowsHome = true
      $0.hasCloudhook = true
    }
    rig.answer(410)
    #expect(isDone(rig) && !rig.uplink.isRegistering)
  }

  /// With hours between two cycles the board would be without entities for as long.
  @Test func anAgentThatGoesOnSendsAtOnceWithTheNewRegistration() throws {
    let rig = rig(after: .zero) { $0.onceTimeout = nil }
    rig.answer(410)
    try nextAttempt(rig)
    rig.answer(201, UplinkRig.registered)
    #expect(rig.uplink.delivery.underWay?.message == .configuration)
  }
}
