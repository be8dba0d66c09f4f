import Testing

@testable import PracticeHome

@Suite struct SubscriptionTests {
  private let tracker = "device_tracker.boat"

  @Test func withoutIdsEveryEntityIsTold() {
    let place = Caller.Place()
    let caller = place.call()
    for content: JSONObject in [[:], ["entity_ids": []], ["entity_ids": ""]] {
      let id = caller.command("subscribe_entities", content)
      let told = caller.events(id).first?["a"]?.object?.keys
      #expect(told == ["zone.home", "person.practice", "camera.practice", tracker])
    }
    #expect(
      caller.error("subscribe_entities", ["entity_ids": ["bad"]])
        == ("invalid_format", #"entity_ids, element 0: not the id of an entity (got "bad")"#))
  }

  @Test func aFixMovesThePersonAndThePersonTheZone() {
    let place = Caller.Place()
    let caller = place.call()
    let id = caller.command(
      "subscribe_entities", ["entity_ids": "device_tracker.boat,person.practice,zone.home"])
    _ = caller.all()
    place.visitor.send("update_location", ["gps": [52, 4], "gps_accuracy": 5])
    let changes = caller.events(id).compactMap { $0["c"]?.object }
    #expect(changes.map(\.keys) == [[tracker], ["person.practice"], ["zone.home"]])
    #expect(changes.last?["zone.home"]?["+"]?["s"] == "1")
    #expect(changes.last?["zone.home"]?["+"]?["a"] == ["persons": ["person.practice"]])
    place.visitor.send("update_location", ["gps": [52, 4], "gps_accuracy": 5])
    #expect(caller.events(id).count == 1, "the same fix is news of the tracker alone")
  }

  @Test func oneIntegerTooWideSpoilsTheWholeAnswer() {
    let place = Caller.Place()
    let caller = place.call()
    place.visitor.send("update_location", text: #"{"gps":[52,4],"gps_accuracy":1e30}"#)
    let id = caller.command("subscribe_entities", ["entity_ids": [.string(tracker)]])
    #expect(caller.events(id).first?["a"]?["zone.home"] != nil, "all others are told instead")
    place.visitor.send("update_location", text: #"{"gps":[53,4],"gps_accuracy":2e30}"#)
    let answer = caller.all().last
    #expect(answer?["error"] == ["code": "unknown_error", "message": "Invalid JSON in response"])
    #expect(answer?["id"] == .integer(id))
    let told = caller.result("get_states")?.array?.compactMap { $0["entity_id"]?.string } ?? []
    #expect(!told.contains(tracker))
    #expect(told.contains("zone.home"))
  }

  @Test func withoutATypeAllEventsAreTold() {
    let place = Caller.Place()
    let caller = place.call()
    let every = caller.command("subscribe_events")
    _ = caller.all()
    place.visitor.sensor("cpu", ["state": 1])
    let changed = caller.events(every).last
    #expect(changed?["event_type"] == "state_changed")
    #expect(changed?["data"]?["old_state"] == .null)
    #expect(changed?["data"]?["new_state"]?["state"] == "1")
  }

  @Test func anEventFiredOverTheSocketIsHeardBeforeItsResult() {
    let caller = Caller.Place().call()
    let id = caller.command("subscribe_events", ["event_type": "mine"])
    _ = caller.all()
    caller.command("fire_event", ["event_type": "mine"])
    #expect(caller.all().map { $0["id"] } == [.integer(id), .integer(id + 1)])
    let long = JSON.string(String(repeating: "x", count: 65))
    #expect(caller.error("fire_event", ["event_type": long]).code == "home_assistant_error")
  }
}

@Suite struct TemplateTests {
  private func rendered(_ visitor: inout Visitor, _ template: String, id: JSON? = nil) -> JSON? {
    var content: JSONObject = ["template": .string(template)]
    if let id { content["variables"] = ["id": id] }
    return visitor.send("render_template", ["p": .object(content)]).opened?["p"]
  }

  @Test(
    arguments: [
      ("1", 1), (" 1 ", 1), ("2.50", 2.5), ("-1.5", -1.5), ("+7", 7), ("01", "01"), ("1e5", "1e5"),
      ("hello", "hello"), ("True", true), ("None", nil), ("", ""), ("1-1", "1-1"),
    ] as [(String, JSON)])
  func literalTemplatesBecomeWhatTheySay(template: String, value: JSON) {
    var visitor = Visitor()
    #expect(rendered(&visitor, template) == value)
  }

  @Test func anExpressionMayBeWrittenInManyWaysAndThereIsOne() {
    var visitor = Visitor()
    visitor.sensor("cpu", ["state": 5, "attributes": ["b": "7"]])
    #expect(rendered(&visitor, #" {{states("sensor.boat_cpu")}} "#) == 5)
    #expect(rendered(&visitor, "{{ state_attr('sensor.boat_cpu', \"b\") }}") == 7)
    #expect(rendered(&visitor, "{{ states('a.b') }}{{ states('a.b') }}")?["error"] != nil)
  }

  @Test func aDeviceReadsItsOwnFixBack() {
    var visitor = Visitor()
    let device = visitor.send("get_config", [:]).opened?["hass_device_id"]
    #expect(rendered(&visitor, Template.readBack, id: device)?["lat"] == .null)
    visitor.send("update_location", ["gps": [51.5, 3.5], "gps_accuracy": 12])
    visitor.now = visitor.now + .milliseconds(505)
    #expect(rendered(&visitor, Template.readBack, id: device)?["age"] == 0.505)
    #expect(rendered(&visitor, Template.readBack, id: "nope") == ["e": nil])
    #expect(rendered(&visitor, Template.readBack) == ["e": nil])
  }

  @Test func anAnswerWithAnIntegerTooWideIsNone() {
    var visitor = Visitor()
    visitor.send("update_location", text: #"{"gps":[52,4],"gps_accuracy":1e30}"#)
    let template: JSON = ["template": "{{ state_attr('device_tracker.boat','gps_accuracy') }}"]
    #expect(visitor.send("render_template", ["p": template]) == .noBody)
  }

  @Test func aTemplateIsToldWhenItsResultIsAnotherAndItsErrorsToWhoAsks() {
    let place = Caller.Place()
    place.visitor.sensor("cpu", ["state": 5])
    let caller = place.call()
    let id = caller.command("render_template", ["template": "{{ states('sensor.boat_cpu') }}"])
    _ = caller.all()
    place.visitor.update("cpu", 5, ["attributes": ["a": 1]])
    #expect(caller.events(id).isEmpty)
    let bad = caller.command("render_template", ["template": "{{ 1 }}", "report_errors": true])
    #expect(caller.events(bad).first?["level"] == "ERROR")
    let mute = caller.command("render_template", ["template": "{{ 1 }}"])
    #expect(caller.events(mute).isEmpty)
  }
}
