import Testing

@testable import PracticeHome

@Suite struct RegistrationTests {
  @Test(arguments: [
    (#"{"app_id":null}"#, "string value is None for dictionary value @ data['app_id']"),
    (#"{"app_id":[]}"#, "value should be a string for dictionary value @ data['app_id']"),
    (
      #"{"supports_encryption":"maybe"}"#,
      "invalid boolean value maybe for dictionary value @ data['supports_encryption']"
    ),
    (
      #"{"app_data":{"push_token":"x"}}"#,
      "some but not all values in the same group of inclusion 'push_cloud' @ data['app_data'][<push_cloud>]"
    ),
    (
      #"{"app_data":5}"#,
      "expected a dictionary for dictionary value @ data['app_data']"
    ),
  ])
  func aWrongValueIsNamedInTheAnswer(change: String, message: String) throws {
    var visitor = Visitor()
    let body = JSON.object(
      Visitor.registration.merging(try #require(JSONParser.parse(Array(change.utf8)).object)))
    let reply = visitor.post("/api/mobile_app/registrations", body.bytes, "practice")
    #expect(reply.status == 400)
    #expect(
      try JSONParser.parse(Array(reply.text.utf8))["message"]?.string
        == "Message format incorrect: \(message)")
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
