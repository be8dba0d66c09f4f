import Bytes
import HomeAssistant
import Testing

@testable import Outbox

/// What stands between a question and the proof of its cycle.
@Suite struct DeviceUpdateTests {
  private var update = DeviceUpdate(.boat)
  private var tellings = Queue<DeliveryEvent>()

  private mutating func answered(_ json: String) {
    let bytes = [UInt8](json.utf8)
    update.answered(bytes.span, telling: &tellings)
  }

  @Test mutating func itIsToldWithTheProofOfItsCycleAndOnce() {
    #expect(update.isDue)
    answered(Webhook.UpdateRegistration.answeredForBoat)
    #expect(!update.isDue && tellings.isEmpty)
    update.proven(telling: &tellings)
    #expect(
      tellings.takeFirst()
        == .registrationTold(fingerprint: Webhook.UpdateRegistration.boat.fingerprint))
    update.cycleBegan()
    update.proven(telling: &tellings)
    #expect(!update.isDue && tellings.isEmpty)
  }

  @Test mutating func whereTheCycleIsNotProvenItIsSaidAgain() {
    answered(Webhook.UpdateRegistration.answeredForBoat)
    update.cycleBegan()
    #expect(update.isDue)
    update.proven(telling: &tellings)
    #expect(update.isDue && tellings.isEmpty, "a proof of other messages says nothing of it")
  }

  @Test(arguments: [
    "{}", "null", Webhook.UpdateRegistration.answeredForBoat.replacing("Boat", with: "Before"),
  ])
  mutating func anotherAnswerMeansThatItIsNotWanted(json: String) {
    answered(json)
    #expect(tellings.takeFirst() == .registrationDropped)
    update.cycleBegan()
    #expect(!update.isDue)
    update.proven(telling: &tellings)
    #expect(tellings.isEmpty)
  }

  @Test func whereNothingHasChangedNothingIsSaid() { #expect(!DeviceUpdate(nil).isDue) }
}
