import Bytes
import HomeAssistant
import Testing

@testable import Outbox

/// What stands between a question and the proof of its cycle.
@Suite struct DeviceUpdateTests {
  private let events: DeliveryEvents
  private var update: DeviceUpdate

  init() {
    events = DeliveryEvents()
    update = DeviceUpdate(.boat, events)
  }

  private mutating func answered(_ json: String) {
    let bytes = [UInt8](json.utf8)
    update.answered(bytes.span)
  }

  @Test mutating func itIsToldWithTheProofOfItsCycleAndOnce() {
    #expect(update.isDue)
    answered(Webhook.UpdateRegistration.answeredForBoat)
    #expect(!update.isDue && events.takeAll().isEmpty)
    update.proven()
    #expect(
      events.takeFirst()
        == .registrationTold(fingerprint: Webhook.UpdateRegistration.boat.fingerprint))
    update.cycleBegan()
    update.proven()
    #expect(!update.isDue && events.takeAll().isEmpty)
  }

  @Test mutating func whereTheCycleIsNotProvenItIsSaidAgain() {
    answered(Webhook.UpdateRegistration.answeredForBoat)
    update.cycleBegan()
    #expect(update.isDue)
    update.proven()
    #expect(update.isDue && events.takeAll().isEmpty, "a proof of other messages says nothing of it")
  }

  @Test(arguments: [
    "{}", "null", Webhook.UpdateRegistration.answeredForBoat.replacing("Boat", with: "Before"),
  ])
  mutating func anotherAnswerMeansThatItIsNotWanted(json: String) {
    answered(json)
    #expect(events.takeFirst() == .registrationDropped)
    update.cycleBegan()
    #expect(!update.isDue)
    update.proven()
    #expect(events.takeAll().isEmpty)
  }

  @Test func whereNothingHasChangedNothingIsSaid() { #expect(!DeviceUpdate(nil, events).isDue) }
}
