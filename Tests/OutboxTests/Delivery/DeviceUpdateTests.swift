import Bytes
import HomeAssistant
import Testing

@testable import Outbox

/// What stands between a question and the proof of its cycle.
@Suite struct DeviceUpdateTests {
  private static let update = Webhook.UpdateRegistration(
    appVersion: "1", deviceName: "Boat", manufacturer: "m", model: "m", osVersion: "6",
    push: .none)
  private static let known =
    #"{"app_id":"homeward","app_name":"Homeward","app_version":"1","device_name":"Boat","#
    + #""manufacturer":"m","model":"m","os_version":"6","supports_encryption":true}"#

  private var update = DeviceUpdate(Self.update)
  private var tellings = Queue<DeliveryEvent>()

  private mutating func answered(_ json: String) {
    let bytes = [UInt8](json.utf8)
    update.answered(bytes.span, telling: &tellings)
  }

  @Test mutating func itIsToldWithTheProofOfItsCycleAndOnce() {
    #expect(update.isDue)
    answered(Self.known)
    #expect(!update.isDue && tellings.isEmpty)
    update.proven(telling: &tellings)
    #expect(
      tellings.takeFirst() == .registrationTold(fingerprint: Self.update.fingerprint))
    update.cycleBegan()
    update.proven(telling: &tellings)
    #expect(!update.isDue && tellings.isEmpty)
  }

  @Test mutating func whereTheCycleIsNotProvenItIsSaidAgain() {
    answered(Self.known)
    update.cycleBegan()
    #expect(update.isDue)
    update.proven(telling: &tellings)
    #expect(update.isDue && tellings.isEmpty, "a proof of other messages says nothing of it")
  }

  @Test(arguments: ["{}", "null", Self.known.replacing("Boat", with: "Before")])
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
