import Testing

@testable import PracticeHome

@Suite struct OtherMessageTests {
  @Test func unknownTypesAreDropped() {
    var visitor = Visitor()
    for type in ["nope", "live_activity_token", "Update_location", "5"] {
      #expect(visitor.send(type, [:]) == .silence)
      #expect(visitor.lastReason == "unknown type \"\(type)\"")
    }
  }

  @Test func thereIsOneZone() {
    var visitor = Visitor()
    let zones = visitor.send("get_zones", [:]).opened
    #expect(zones?.array?.count == 1)
    #expect(zones?[0]?["entity_id"] == "zone.home")
    #expect(zones?[0]?["attributes"]?["radius"] == 100)
  }

  @Test(
    arguments: [
      ("1", 1), (" 1 ", 1), ("2.50", 2.5), ("-1.5", -1.5), ("+7", 7), ("01", "01"), ("1e5", "1e5"),
      ("hello", "hello"), ("True", true), ("None", nil), ("", ""), ("1-1", "1-1"),
    ] as [(String, JSON)])
  func literalTemplatesBecomeWhatTheySay(template: String, value: JSON) {
    var visitor = Visitor()
    let reply = visitor.send(
      "render_template", ["t": ["template": .string(template)]])
    #expect(reply.opened == ["t": value])
  }

  @Test func anEventNeedsAnObjectAndAShortType() {
    var visitor = Visitor()
    #expect(visitor.send("fire_event", ["event_type": "x", "event_data": ["a": 1]]) == .silence)
    #expect(
      visitor.home.journal.last?.event == .eventFired(type: "x", data: ["a": 1]))
    #expect(visitor.send("fire_event", ["event_type": "x", "event_data": "a"]) == .silence)
    #expect(visitor.lastReason?.contains("event_data") == true)
    let long = JSON.string(String(repeating: "x", count: 65))
    #expect(visitor.send("fire_event", ["event_type": long]) == .noBody)
    #expect(visitor.lastRefusal == .eventTypeTooLong)
  }

  @Test func anActionThatFailsIsToldToNoCaller() {
    var visitor = Visitor()
    let create: JSONObject = ["domain": "persistent_notification", "service": "create"]
    let message: JSONObject = ["service_data": ["message": "x"]]
    #expect(visitor.send("call_service", .object(create.merging(message))) == .silence)
    #expect(visitor.lastRefusal == nil)
    #expect(visitor.send("call_service", .object(create)) == .noBody)
    #expect(visitor.lastReason?.contains("message") == true)
    #expect(visitor.send("call_service", ["domain": "light", "service": "turn_on"]) == .noBody)
    #expect(visitor.send("call_service", ["domain": "light"]) == .silence)
    #expect(
      visitor.send(
        "call_service", ["domain": "homeassistant", "service": "turn_on", "target": [:]])
        == .silence)
    #expect(visitor.lastReason == "extra key \"target\" in call_service")
  }

  @Test func aTagIsScanned() {
    var visitor = Visitor()
    #expect(visitor.send("scan_tag", ["tag_id": "t"]) == .silence)
    #expect(visitor.home.journal.last?.event == .tagScanned("t"))
    #expect(visitor.send("scan_tag", [:]) == .silence)
    #expect(visitor.lastReason == "required key \"tag_id\" is missing in scan_tag")
  }

  @Test func aConversationIsAnswered() {
    var visitor = Visitor()
    let reply = visitor.send("conversation_process", ["text": "hello", "language": "nl"])
    let answer = reply.opened
    #expect(answer?["response"]?["speech"]?["plain"]?["speech"]?.string?.isEmpty == false)
    #expect(answer?["response"]?["language"] == "nl")
    #expect(answer?["continue_conversation"] == false)
    #expect(answer?["conversation_id"]?.string?.count == 26)
    #expect(visitor.send("conversation_process", ["text": "a", "agent_id": "b"]) == .silence)
  }

  @Test func theCameraOfTheHomeHasAStream() {
    var visitor = Visitor()
    let reply = visitor.send("stream_camera", ["camera_entity_id": "camera.practice"])
    #expect(
      reply.opened
        == ["mjpeg_path": "/api/camera_proxy_stream/camera.practice", "hls_path": nil])
    #expect(visitor.send("stream_camera", ["camera_entity_id": "zone.home"]) == .noBody)
  }

  @Test func aRegistrationIsUpdatedInFullOrNotAtAll() {
    var visitor = Visitor()
    let full: JSONObject = [
      "app_version": "2", "device_name": "Ship", "manufacturer": "a", "model": "b",
    ]
    let reply = visitor.send("update_registration", .object(full))
    #expect(
      reply.opened == [
        "app_data": [:], "app_id": "homeward", "app_name": "Homeward", "app_version": "2",
        "device_name": "Ship", "manufacturer": "a", "model": "b", "os_version": "6.12",
        "supports_encryption": true,
      ])
    for key in full.keys {
      var partial = full
      partial[key] = nil
      #expect(visitor.send("update_registration", .object(partial)) == .silence)
    }
    #expect(
      visitor.send("update_registration", .object(full.merging(["os_name": "x"]))) == .silence)
    visitor.sensor("cpu", ["state": 1])
    #expect(visitor.shown("sensor.ship_cpu") == "1")
  }

  @Test func theSecretOfALateEncryptionIsToldOnceAndInTheClear() throws {
    var visitor = Visitor(sealed: false)
    let reply = visitor.send(raw: #"{"type":"enable_encryption"}"#)
    #expect(reply.status == 200)
    #expect(reply.contentType == "application/json; charset=utf-8")
    #expect(
      try JSONParser.parse(Array(reply.text.utf8))["secret"]?.string?.count == 64)
    #expect(visitor.send(raw: #"{"type":"enable_encryption"}"#).status == 400)
    #expect(visitor.lastRefusal == .encryptionRequired)
  }

  @Test func encryptionIsNotEnabledTwice() {
    var visitor = Visitor()
    let reply = visitor.send("enable_encryption", [:])
    #expect(reply.status == 400)
    #expect(reply.text.contains("encryption_already_enabled"))
  }
}
