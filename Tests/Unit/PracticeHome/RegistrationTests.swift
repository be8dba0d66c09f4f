import Testing

@testable import PracticeHome

@Suite struct RegistrationTests {
  @Test func aSealedRegistrationGetsASecretAndAPlainOneGetsNone() throws {
    var visitor = Visitor()
    let answer = try JSONParser.parse(Array(visitor.register().text.utf8))
    #expect(answer["secret"]?.string?.count == 64)
    #expect(answer["webhook_id"]?.string?.count == 64)
    #expect(answer["cloudhook_url"] == .null)
    #expect(answer["remote_ui_url"] == .null)

    let plain = visitor.register(sealed: false, changes: ["device_id": "board-2"])
    #expect(plain.status == 201)
    #expect(plain.contentType == "application/json")
    #expect(try JSONParser.parse(Array(plain.text.utf8))["secret"] == .null)
  }

  @Test func withoutTheTokenNoCallerRegistersOrReads() {
    var visitor = Visitor()
    for token in [nil, "wrong"] {
      let reply = visitor.post("/api/mobile_app/registrations", Array("{}".utf8), token)
      #expect(reply.status == 401)
      #expect(reply.text == "401: Unauthorized")
      #expect(visitor.ask(Request(method: "GET", path: "/api/states")).status == 401)
    }
    #expect(visitor.lastRefusal == .unauthorized)
  }

  @Test(arguments: [
    "app_id", "app_name", "app_version", "device_name", "manufacturer", "model", "os_name",
  ])
  func aMissingKeyIsNamedInTheAnswer(key: String) {
    var visitor = Visitor()
    let reply = visitor.register(changes: [key: nil])
    #expect(reply.status == 400)
    #expect(
      reply.text
        == "{\"message\":\"Message format incorrect: required key not provided @ data['\(key)']\"}")
  }

  @Test func whatIsNotJSONIsToldSo() {
    var visitor = Visitor()
    let reply = visitor.post("/api/mobile_app/registrations", Array("{x".utf8), "practice")
    #expect(reply.status == 400)
    #expect(reply.text == "{\"message\":\"Invalid JSON.\"}")
  }

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

  @Test(arguments: [JSON.string("yes"), 1, "on", true, 2.5])
  func sealingIsAskedForInManyWays(wish: JSON) throws {
    var visitor = Visitor()
    visitor.register(sealed: false, changes: ["supports_encryption": wish])
    #expect(visitor.secret != nil)
  }

  @Test func withoutOsVersionTheRegistrationIsWelcomedAndNeverHeardAgain() {
    var visitor = Visitor()
    let reply = visitor.register(changes: ["os_version": nil, "device_id": "board-2"])
    #expect(reply.status == 201)
    #expect(visitor.send("get_config", [:]) == .noBody)
    #expect(visitor.lastRefusal == .failedSetUp)
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

  @Test func withoutDeviceIdEveryRegistrationIsANewDevice() {
    var visitor = Visitor(changes: ["device_id": nil])
    let first = visitor.webhookID
    visitor.register(changes: ["device_id": nil])
    #expect(visitor.webhookID != first)
    #expect(visitor.home.state(of: "device_tracker.boat_2") != nil)
  }

  @Test func twoAppsWithOneDeviceIdShareNoTracker() {
    var visitor = Visitor()
    visitor.register(changes: ["app_id": "other"])
    #expect(
      visitor.send("update_location", ["gps": [1, 1], "gps_accuracy": 1]) == .silence)
    #expect(visitor.lastRefusal == .trackerTaken)
    #expect(visitor.shown("device_tracker.boat") == "unknown")
    #expect(visitor.send("get_config", [:]).opened?["entities"] == [:])
  }

  @Test func anEmptyNameFallsBackToTheDeviceIdAndFailsWithoutOne() {
    var visitor = Visitor()
    visitor.register(changes: ["device_name": "", "device_id": "board-7"])
    #expect(visitor.shown("device_tracker.board_7") == "unknown")
    #expect(visitor.register(changes: ["device_name": "", "device_id": nil]).status == 500)
  }

  @Test func everyMessageThroughAnUntrustedProxyIsBad() {
    var visitor = Visitor()
    let reply = visitor.ask(
      Request(
        method: "POST", path: "/api/webhook/\(visitor.webhookID)",
        headers: [(name: "x-forwarded-for", value: "1.2.3.4")], body: Array("{}".utf8)))
    #expect(reply.status == 400)
    #expect(reply.text == "400: Bad Request")
  }
}
