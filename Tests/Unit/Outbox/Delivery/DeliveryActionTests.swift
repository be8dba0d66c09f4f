import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

/// What an event makes of the message that is due and was not given yet. The rig takes every
/// message at once; these tests do not.
@Suite final class DeliveryActionTests {
  private var now = Instant(nanoseconds: 0)
  private var delivery: Delivery
  private var told: [DeliveryEvent] = []

  init() {
    delivery = Delivery(
      routes: .forTests("https://ha.example", home: "http://10.0.0.2"),
      history: .forTests(), trackerID: [UInt8]("board".utf8), seed: 1)
  }

  /// Takes what is told, and returns the message that is due.
  private func message() -> Delivery.Message? {
    while let action = delivery.nextAction() {
      switch action {
      case .send(let message): return message
      case .tell(let event): told.append(event)
      }
    }
    return nil
  }

  private func answered(_ answer: Answer) {
    let body = ByteBuffer(capacity: 1)
    delivery.answerReceived(answer, body: body, now: now)
  }

  @Test func aMessageIsUnderWayFromTheMomentWhenItWasGiven() {
    delivery.cycleDue(now: now)
    #expect(delivery.underWay?.route == nil)
    // No answer can be the one to a message that was not sent.
    answered(.gone)
    delivery.connectionFailed(InlineText("Timeout was reached"), now: now)
    #expect(message() == .configuration)
    #expect(delivery.underWay?.route == .home && told.isEmpty)
    #expect(message() == nil, "it is given once")
  }

  @Test func whatIsToldComesBeforeTheMessageThatFollowsIt() {
    delivery.cycleDue(now: now)
    _ = message()
    answered(.gone)
    #expect(delivery.nextAction() == .tell(.routeFailed(.home, .gone)))
    #expect(delivery.nextAction() == .send(.configuration))
    #expect(delivery.nextAction() == nil)
  }

  @Test func whereTheBoardLeavesNothingGoesOverTheWayAtHome() {
    delivery.cycleDue(now: now)
    delivery.presenceChanged(.away, now: now)
    #expect(message() == .configuration)
    #expect(delivery.underWay?.route == .instance)
  }

  @Test func whereTheBoardLeavesAndThereIsNoOtherWayNothingIsSent() {
    delivery = Delivery(
      routes: .forTests(home: "http://10.0.0.2"), history: .forTests(),
      trackerID: [UInt8]("board".utf8), seed: 1)
    delivery.cycleDue(now: now)
    delivery.presenceChanged(.away, now: now)
    #expect(message() == nil)
    #expect(told == [.outage(.noRoute)])
    #expect(delivery.deadline != nil)
  }

  @Test func whereTheWayStaysTheMessageStays() {
    delivery.cycleDue(now: now)
    delivery.presenceChanged(.home, now: now)
    delivery.cycleDue(now: now)
    delivery.urgentChange(now: now)
    delivery.connectionEnded()
    delivery.deadlineReached(now: now)
    #expect(message() == .configuration)
    #expect(message() == nil)
  }

  @Test func aNewRegistrationTakesNothingOverFromTheFormerOne() {
    delivery.cycleDue(now: now)
    delivery.registrationReplaced(.sealed, now: now)
    #expect(message() == nil)
    #expect(delivery.isIdle)
  }

  @Test func whereNoRegistrationIsToBeHadAMessageThatWasNeverSentHasFailed() {
    for isGiven in [false, true] {
      delivery.cycleDue(now: now)
      if isGiven { _ = message() }
      // Over both ways.
      delivery.registrationRefused(now: now)
      delivery.registrationRefused(now: now)
      #expect(message() == nil && delivery.deadline != nil)
      #expect(told.last == .outage(.noConnection(InlineText("there was no registration"))))
      delivery.registrationReplaced(.sealed, now: now)
      told = []
    }
  }

  @Test func anAgentThatEndsBeginsNothing() {
    delivery.cycleDue(now: now)
    delivery.stopping()
    #expect(message() == nil)
  }
}
