import Bytes
import HomeAssistant
import Testing

@testable import Outbox

@Suite struct KeyRequestTests {
  private let now = Instant(nanoseconds: 0)
  private let events = DeliveryEvents()

  @Test(arguments: [(Delivery.Protection.sealed, false), (.plain, true), (.plainForGood, false)])
  func onlyAPlainRegistrationAsksAtOnce(protection: Delivery.Protection, asks: Bool) {
    #expect(KeyRequest(protection, events).isDue(now: now) == asks)
  }

  @Test func oneWithoutAnAnswerIsRepeatedAfterADay() {
    var request = KeyRequest(.plain, events)
    request.sent(now: now)
    #expect(request.answered(.unanswered(.notLive)) == .notLive)
    let day = now + KeyRequest.interval
    #expect(!request.isDue(now: day + .nanoseconds(-1)))
    #expect(request.isDue(now: day))
    #expect(events.takeAll().isEmpty)
  }

  @Test func aKeyThatAnotherAppTookIsAnOutage() {
    var request = KeyRequest(.plain, events)
    request.sent(now: now)
    #expect(request.answered(.alreadyEnabled) == .encryptionRequired)
    #expect(request.isDue(now: now + KeyRequest.interval))
  }

  @Test func whereThereIsNoneItIsToldAndNotAskedForAgain() {
    var request = KeyRequest(.plain, events)
    request.sent(now: now)
    #expect(request.answered(.notAvailable) == nil)
    #expect(events.takeFirst() == .sealingImpossible)
    #expect(!request.isDue(now: now + KeyRequest.interval * 10))
  }
}
