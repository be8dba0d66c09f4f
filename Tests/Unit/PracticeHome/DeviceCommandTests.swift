import Testing

@testable import PracticeHome

@Suite struct DeviceCommandTests {
  private static let update = "config/entity_registry/update"

  private func disable(_ caller: Caller, _ id: String, _ somebody: JSON = "user") -> JSON? {
    caller.result(Self.update, ["entity_id": .string(id), "disabled_by": somebody])
  }

  @Test func anEnabledTrackerIsThereAgainAfterHalfAMinute() {
    let place = Caller.Place()
    place.visitor.send("update_location", ["gps": [52.5, 4], "gps_accuracy": 5])
    let caller = place.call()
    _ = disable(caller, "device_tracker.boat")
    _ = disable(caller, "device_tracker.boat", .null)
    let fix: JSON = ["gps": [53, 4], "gps_accuracy": 5]
    #expect(place.visitor.send("update_location", fix) == .silence)
    #expect(readBack(place) == ["e": "device_tracker.boat"], "known, and not there yet")
    place.pass(.seconds(30))
    #expect(readBack(place)?["lat"] == 52.5, "what came meanwhile is lost")
    place.visitor.send("update_location", fix)
    #expect(readBack(place)?["lat"] == 53.0)
  }

  private func readBack(_ place: Caller.Place) -> JSON? {
    let device = place.visitor.send("get_config", [:]).opened?["hass_device_id"] ?? .null
    let template: JSON = ["template": .string(Template.readBack), "variables": ["id": device]]
    return place.visitor.send("render_template", ["p": template]).opened?["p"]
  }

  @Test func nobodyDisablesInTheNameOfTheIntegration() {
    let content: JSONObject = ["entity_id": "device_tracker.boat", "disabled_by": "integration"]
    #expect(Caller.Place().call().error(Self.update, content).code == "invalid_format")
  }

  @Test func switchingAnEntityIsAnEvent() {
    let caller = Caller.Place().call()
    let id = caller.command("subscribe_events", ["event_type": "entity_registry_updated"])
    _ = disable(caller, "device_tracker.boat")
    #expect(
      caller.events(id).first?["data"] == [
        "action": "update", "entity_id": "device_tracker.boat",
        "changes": ["disabled_by": nil],
      ])
  }

  @Test func aDeviceIsAddedToThePersonAndCanBeTakenAway() {
    let place = Caller.Place()
    let caller = place.call()
    let person = { caller.result("person/list")?["storage"]?[0] }
    #expect(person()?["device_trackers"] == ["device_tracker.boat"])
    place.visitor.send("update_location", ["gps": [52, 4], "gps_accuracy": 5])
    _ = caller.all()
    #expect(place.visitor.shown("person.practice") == "home")
    #expect(place.visitor.attribute("source", "person.practice") == "device_tracker.boat")
    let taken = caller.result(
      "person/update", ["person_id": "practice", "device_trackers": []])
    #expect(taken?["device_trackers"] == [])
    #expect(place.visitor.shown("person.practice") == "unknown")
    #expect(place.visitor.shown("zone.home") == "0")
    _ = caller.result(
      "person/update", ["person_id": "practice", "device_trackers": ["device_tracker.boat"]])
    let renamed = caller.result("person/update", ["person_id": "practice", "name": "Ann"])
    #expect(renamed?["name"] == "Ann")
    #expect(renamed?["device_trackers"] == [], "whoever does not mention them, removes them")
    #expect(
      caller.error("person/update", ["person_id": "nope"])
        == ("not_found", "Unable to find person_id nope"))
  }

  @Test func actionsAnswerWithTheirErrorsAndTheirResponses() {
    let caller = Caller.Place().call()
    let call = { (domain: JSON, service: JSON, more: JSONObject) in
      let content: JSONObject = ["domain": domain, "service": service]
      return caller.ask("call_service", content.merging(more))
    }
    let missing = call("light", "turn_on", [:])?["error"]
    #expect(missing?["code"] == "not_found")
    #expect(missing?["message"] == "Service light.turn_on not found.")
    #expect(missing?["translation_key"] == "service_not_found")
    let unfit = call("persistent_notification", "create", [:])?["error"]
    #expect(unfit?["code"] == "invalid_format")
    #expect(unfit?["message"] == "required key \"message\" is missing")
    let data: JSONObject = ["service_data": ["message": "a"]]
    #expect(call("persistent_notification", "create", data)?["result"]?["context"] != nil)
    let wish: JSONObject = ["return_response": true]
    let silent = call("persistent_notification", "create", data.merging(wish))?["error"]
    #expect(silent?["code"] == "service_validation_error")
    let talk = call("conversation", "process", wish.merging(["service_data": ["text": "x"]]))
    #expect(talk?["result"]?["response"]?["response"]?["speech"] != nil)
    let target: JSONObject = ["target": ["entity_id": "light.x"]]
    #expect(call("homeassistant", "turn_on", target)?["success"] == true)
    #expect(
      call("homeassistant", "turn_on", ["target": ["x": 1]])?["error"]?["code"]
        == "invalid_format")
  }
}

@Suite struct RelatedTests {
  private func related(_ caller: Caller, _ type: String, _ id: JSON?) -> JSON? {
    caller.result("search/related", ["item_type": .string(type), "item_id": id ?? .null])
  }

  @Test func aPersonIsRelatedToTheirTrackerAndItsDevice() {
    let place = Caller.Place()
    let caller = place.call()
    let id = place.visitor.send("get_config", [:]).opened?["hass_device_id"]
    #expect(related(caller, "device", id)?["person"] == ["person.practice"])
    #expect(related(caller, "entity", "device_tracker.boat")?["person"] == ["person.practice"])
    #expect(related(caller, "entity", "sensor.nope") == [:])
  }

  @Test func whatIsNotPlayedIsRefused() {
    let caller = Caller.Place().call()
    let ask = { (type: JSON, id: JSON) in
      caller.error("search/related", ["item_type": type, "item_id": id]).code
    }
    #expect(ask("entity", "zone.home") == "not_supported")
    #expect(ask("device", 7) == "invalid_format")
  }
}
