import Testing

@testable import PracticeHome

@Suite struct RegistrationTests {
  @Test func aWrongValueIsNamedInTheAnswer() {
    var visitor = Visitor()
    let reply = visitor.register(changes: ["supports_encryption": "maybe"])
    #expect(reply.status == 400)
    #expect(
      reply.text == #"{"message":"Message format incorrect: supports_encryption: "#
        + #"invalid boolean value (got \"maybe\")"}"#)
  }

  @Test func registeringAgainSilencesTheOldWebhookAndARestartBuriesIt() {
    var visitor = Visitor()
    visitor.sensor("cpu", ["state": 5])
    let old = visitor.webhookID
    visitor.register()
    #expect(visitor.webhookID != old)
    #expect(visitor.post("/api/webhook/\(old)", Array("{}".utf8)) == .noBody)
    #expect(visitor.lastRefusal == .supersededWebhook)
    #expect(visitor.shown("sensor.boat_cpu") == nil, "the sensors went with the registration")

    visitor.home.restart(now: visitor.now)
    let reply = visitor.post("/api/webhook/\(old)", Array("{}".utf8))
    #expect(reply.status == 410)
    #expect(reply.text.isEmpty)
    #expect(visitor.send("get_config", [:]).opened != nil, "the new one survives the restart")
  }

  @Test func theTrackerSurvivesRegisteringAgainWithItsPosition() {
    var visitor = Visitor()
    visitor.send(
      "update_location", ["gps": [52.5, 4], "gps_accuracy": 5, "location_name": "Pier"])
    visitor.register(changes: ["device_name": "Ship"])
    #expect(visitor.attribute("latitude", "device_tracker.boat") == 52.5)
    #expect(visitor.attribute("friendly_name", "device_tracker.boat") == "Ship")
    #expect(visitor.shown("device_tracker.boat") == "not_home", "the name of the place is lost")
  }

  @Test func aSensorRegisteredAfterTheDeviceRegisteredAgainShowsItsOldValue() {
    var visitor = Visitor()
    visitor.sensor("cpu", ["state": 5])
    visitor.register()
    visitor.sensor("cpu", ["state": 6])
    #expect(visitor.shown("sensor.boat_cpu") == "5")
    visitor.update("cpu", 7)
    #expect(visitor.shown("sensor.boat_cpu") == "7")
  }

  @Test func anEmptyNameFallsBackToTheDeviceIdAndFailsWithoutOne() {
    var visitor = Visitor()
    visitor.register(changes: ["device_name": "", "device_id": "board-7"])
    #expect(visitor.shown("device_tracker.board_7") == "unknown")
    #expect(visitor.register(changes: ["device_name": "", "device_id": nil]).status == 500)
  }
}
