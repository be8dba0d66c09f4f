import Testing

@testable import PracticeHome

@Suite struct SubscriptionTests {
  private let tracker = "device_tracker.boat"

  @Test func entitiesComeWholeFirstAndThenAsDifferences() {
    let place = Caller.Place()
    place.visitor.sensor("cpu", ["state": 5, "unit_of_measurement": "%"])
    let caller = place.call()
    let id = caller.command("subscribe_entities", ["entity_ids": ["sensor.boat_cpu"]])
    let first = caller.events(id)
    #expect(first.count == 1)
    let whole = first.first?["a"]?["sensor.boat_cpu"]
    #expect(first.first?["a"]?.object?.count == 1)
    #expect(whole?["s"] == "5")
    #expect(whole?["a"]?["unit_of_measurement"] == "%")
    #expect(whole?["lc"]?.number == 1_795_000_000)
    #expect(whole?["c"]?.string?.count == 26)

    place.visitor.now = place.now + .milliseconds(500)
    place.visitor.update("cpu", 6, ["attributes": ["a": 1]])
    let second = caller.events(id).first?["c"]?["sensor.boat_cpu"]
    #expect(second?["+"]?["s"] == "6")
    #expect(second?["+"]?["lc"]?.number == 1_795_000_000.5)
    #expect(second?["+"]?["a"] == ["a": 1])
    #expect(second?["-"] == nil)

    place.visitor.now = place.now + .milliseconds(500)
    place.visitor.update("cpu", 6)
    let third = caller.events(id).first?["c"]?["sensor.boat_cpu"]
    #expect(third?["+"]?.object?.keys == ["lu", "c"])
    #expect(third?["-"] == ["a": ["a"]])

    place.visitor.update("cpu", 6)
    #expect(caller.events(id).isEmpty, "what stays as it is, is no news")
    place.visitor.home.forget("sensor.boat_cpu")
    #expect(caller.events(id) == [["r": ["sensor.boat_cpu"]]])
    place.visitor.sensor("cpu", ["state": 7])
    #expect(caller.events(id).first?["a"]?["sensor.boat_cpu"] != nil)
  }

  @Test func withoutIdsEveryEntityIsTold() {
    let place = Caller.Place()
    let caller = place.call()
    for content: JSONObject in [[:], ["entity_ids": []], ["entity_ids": ""]] {
      let id = caller.command("subscribe_entities", content)
      let told = caller.events(id).first?["a"]?.object?.keys
      #expect(told == ["zone.home", "person.practice", "camera.practice", tracker])
    }
    #expect(
      caller.error("subscribe_entities", ["entity_ids": ["bad"]]).message
        == "Entity ID bad is an invalid entity ID for dictionary value @ data['entity_ids']. "
        + "Got ['bad']")
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

  @Test func eventsOfOneTypeOrOfAllReachWhoAsked() {
    let place = Caller.Place()
    let (one, all) = (place.call(), place.call())
    let mine = one.command("subscribe_events", ["event_type": "mine"])
    let every = all.command("subscribe_events")
    _ = one.all()
    _ = all.all()
    place.visitor.send("fire_event", ["event_type": "mine", "event_data": ["a": 1]])
    let event = one.events(mine).first
    #expect(event?["event_type"] == "mine")
    #expect(event?["data"] == ["a": 1])
    #expect(event?["origin"] == "REMOTE")
    #expect(event?["context"]?["user_id"]?.string?.count == 32)
    place.visitor.update("nope", 1)
    place.visitor.sensor("cpu", ["state": 1])
    #expect(one.events(mine).isEmpty)
    let changed = all.events(every).last
    #expect(changed?["event_type"] == "state_changed")
    #expect(changed?["data"]?["old_state"] == .null)
    #expect(changed?["data"]?["new_state"]?["state"] == "1")
  }

  @Test func anEventFiredOverTheSocketIsHeardBeforeItsResult() {
    let caller = Caller.Place().call()
    let id = caller.command("subscribe_events", ["event_type": "mine"])
    _ = caller.all()
    caller.command("fire_event", ["event_type": "mine", "event_data": ["b": 2]])
    let heard = caller.all()
    #expect(heard.map { $0["id"] } == [.integer(id), .integer(id + 1)])
    #expect(heard.first?["event"]?["origin"] == "LOCAL")
    #expect(heard.last?["result"]?["context"]?["id"] != nil)
    let long = JSON.string(String(repeating: "x", count: 65))
    #expect(caller.error("fire_event", ["event_type": long]).code == "home_assistant_error")
  }

  @Test func aSubscriptionEndsOnce() {
    let place = Caller.Place()
    let caller = place.call()
    let id = caller.command("subscribe_events", ["event_type": "mine"])
    let content: JSONObject = ["subscription": .integer(id)]
    #expect(caller.ask("unsubscribe_events", content)?["success"] == true)
    #expect(caller.error("unsubscribe_events", content) == ("not_found", "Subscription not found."))
    place.visitor.send("fire_event", ["event_type": "mine"])
    #expect(caller.events(id).isEmpty)
  }
}

@Suite struct TemplateTests {
  private func rendered(_ visitor: inout Visitor, _ template: String, id: JSON? = nil) -> JSON? {
    var content: JSONObject = ["template": .string(template)]
    if let id { content["variables"] = ["id": id] }
    return visitor.send("render_template", ["p": .object(content)]).opened?["p"]
  }

  @Test func aStateAndAnAttributeAreReadBack() {
    var visitor = Visitor()
    visitor.sensor("cpu", ["state": 5, "attributes": ["a": [1, 2], "b": "7"]])
    #expect(rendered(&visitor, "{{ states('sensor.boat_cpu') }}") == 5)
    #expect(rendered(&visitor, #" {{states("sensor.boat_cpu")}} "#) == 5)
    #expect(rendered(&visitor, "{{ states('sensor.nope') }}") == "unknown")
    #expect(rendered(&visitor, "{{ state_attr('sensor.boat_cpu','a') }}") == [1, 2])
    #expect(rendered(&visitor, "{{ state_attr('sensor.boat_cpu', \"b\") }}") == 7)
    #expect(rendered(&visitor, "{{ state_attr('sensor.boat_cpu','z') }}") == .null)
    #expect(rendered(&visitor, "{{ states('a.b') }}{{ states('a.b') }}")?["error"] != nil)
  }

  @Test func aDeviceReadsItsOwnFixBack() {
    var visitor = Visitor()
    let device = visitor.send("get_config", [:]).opened?["hass_device_id"]
    #expect(rendered(&visitor, Template.readBack, id: device)?["lat"] == .null)
    visitor.send("update_location", ["gps": [51.5, 3.5], "gps_accuracy": 12])
    visitor.now = visitor.now + .milliseconds(505)
    #expect(
      rendered(&visitor, Template.readBack, id: device) == [
        "e": "device_tracker.boat", "lat": 51.5, "lon": 3.5, "acc": 12, "age": 0.505,
      ])
    visitor.send("update_location", ["gps": [50, 3]])
    #expect(
      rendered(&visitor, Template.readBack, id: device)?["lat"] == 51.5, "a dropped fix shows")
    visitor.send("update_location", ["battery": 3])
    #expect(rendered(&visitor, Template.readBack, id: device)?["lat"] == .null)
    #expect(rendered(&visitor, Template.readBack, id: "nope") == ["e": nil])
    #expect(rendered(&visitor, Template.readBack) == ["e": nil])
  }

  @Test func anAnswerWithAnIntegerTooWideIsNone() {
    var visitor = Visitor()
    visitor.send("update_location", text: #"{"gps":[52,4],"gps_accuracy":1e30}"#)
    let template: JSON = ["template": "{{ state_attr('device_tracker.boat','gps_accuracy') }}"]
    #expect(visitor.send("render_template", ["p": template]) == .noBody)
  }

  @Test func aTemplateWithASubscriberIsRenderedAnew() {
    let place = Caller.Place()
    place.visitor.sensor("cpu", ["state": 5])
    let caller = place.call()
    let id = caller.command("render_template", ["template": "{{ states('sensor.boat_cpu') }}"])
    #expect(
      caller.events(id) == [
        [
          "result": 5,
          "listeners": [
            "all": false, "entities": ["sensor.boat_cpu"], "domains": [], "time": false,
          ],
        ]
      ])
    place.visitor.update("cpu", 5, ["attributes": ["a": 1]])
    #expect(caller.events(id).isEmpty)
    place.visitor.update("cpu", 6)
    #expect(caller.events(id).first?["result"] == 6)
    let bad = caller.command("render_template", ["template": "{{ 1 }}", "report_errors": true])
    #expect(caller.events(bad).first?["level"] == "ERROR")
    let mute = caller.command("render_template", ["template": "{{ 1 }}"])
    #expect(caller.events(mute).isEmpty)
  }
}
