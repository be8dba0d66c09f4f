import Bytes
import HomeAssistant
import Testing

@testable import Outbox

@Suite struct KeyRequestTests {
  private let now = Instant(nanoseconds: 0)
  private var tellings = Queue<DeliveryEvent>()

  @Test(arguments: [(Delivery.Protection.sealed, false), (.plain, true), (.plainForGood, false)])
  func onlyAPlainRegistrationAsksAtOnce(protection: Delivery.Protection, asks: Bool) {
    #expect(KeyRequest(protection).isDue(now: now) == asks)
  }

  @Test mutating func oneWithoutAnAnswerIsRepeatedAfterADay() {
    var request = KeyRequest(.plain)
    request.sent(now: now)
    #expect(request.answered(.unanswered(.notLive), telling: &tellings) == .notLive)
    let day = now + KeyRequest.interval
    #expect(!request.isDue(now: day + .nanoseconds(-1)))
    #expect(request.isDue(now: day))
    #expect(tellings.isEmpty)
  }

  @Test mutating func aKeyThatAnotherAppTookIsAnOutage() {
    var request = KeyRequest(.plain)
    request.sent(now: now)
    #expect(request.answered(.alreadyEnabled, telling: &tellings) == .encryptionRequired)
    #expect(request.isDue(now: now + KeyRequest.interval))
  }

  @Test mutating func whereThereIsNoneItIsToldAndNotAskedForAgain() {
    var request = KeyRequest(.plain)
    request.sent(now: now)
    #expect(request.answered(.notAvailable, telling: &tellings) == nil)
    #expect(tellings.takeFirst() == .sealingImpossible)
    #expect(!request.isDue(now: now + KeyRequest.interval * 10))
  }
}
