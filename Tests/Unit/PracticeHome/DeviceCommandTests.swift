import Testing

@testable import PracticeHome

@Suite struct DeviceCommandTests {
  private static let update = "config/entity_registry/update"

  private func disable(_ caller: Caller, _ id: String, _ somebody: JSON = "user") -> JSON? {
    caller.result(Self.update, ["entity_id": .string(id), "disabled_by": somebody])
  }

  @Test func aDeviceIsFoundByItsIdentifier() {
    let place = Caller.Place()
    let caller = place.call()
    let id = place.visitor.send("get_config", [:]).opened?["hass_device_id"]
    let device = caller.result("config/device_registry/list")?[0]
    #expect(device?["identifiers"] == [["mobile_app", "board-1"]])
    #expect(device?["id"] == id)
    #expect(device?["config_entries"]?.array?.count == 1)
    #expect(device?["name"] == "Boat")
    #expect(caller.result("config/area_registry/list")?.array?.count == 3)
  }

  @Test func everyEntityIsInTheRegistryTheDisabledToo() {
    let place = Caller.Place()
    place.visitor.sensor("cpu", ["entity_category": "diagnostic"])
    place.visitor.sensor("dark", ["disabled": true])
    let entities = place.call().result("config/entity_registry/list")?.array ?? []
    #expect(
      entities.map { $0["entity_id"] } == [
        "device_tracker.boat", "sensor.boat_cpu", "sensor.boat_dark",
      ])
    #expect(entities.map { $0["disabled_by"] } == [.null, .null, "integration"])
    #expect(entities[0]["unique_id"] == "board-1")
    #expect(entities[1]["unique_id"] == .string("\(place.visitor.webhookID)_cpu"))
    #expect(entities[1]["entity_category"] == "diagnostic")
  }

  @Test func aDisabledSensorIsToldSoAndAnEnabledOneTakesHalfAMinute() {
    let place = Caller.Place()
    place.visitor.sensor("cpu", ["state": 5])
    let caller = place.call()
    #expect(disable(caller, "sensor.boat_cpu")?["entity_entry"]?["disabled_by"] == "user")
    #expect(place.visitor.shown("sensor.boat_cpu") == nil)
    #expect(
      place.visitor.update("cpu", 6).opened == ["cpu": ["success": true, "is_disabled": true]])
    #expect(disable(caller, "sensor.boat_cpu", .null)?["reload_delay"] == 30)
    #expect(place.visitor.update("cpu", 7).opened == ["cpu": ["success": true]])
    #expect(place.visitor.shown("sensor.boat_cpu") == nil)
    place.pass(.seconds(30))
    #expect(place.visitor.shown("sensor.boat_cpu") == "5", "as it was before")
    place.visitor.update("cpu", 8)
    #expect(place.visitor.shown("sensor.boat_cpu") == "8")
  }

  @Test func aDisabledTrackerSwallowsEveryFix() {
    let place = Caller.Place()
    place.visitor.send("update_location", ["gps": [52.5, 4], "gps_accuracy": 5])
    let caller = place.call()
    let changes = caller.command(
      "subscribe_entities", ["entity_ids": ["device_tracker.boat"]])
    _ = caller.all()
    _ = disable(caller, "device_tracker.boat")
    #expect(caller.events(changes) == [["r": ["device_tracker.boat"]]])
    let fix: JSON = ["gps": [53, 4], "gps_accuracy": 5]
    #expect(place.visitor.send("update_location", fix) == .silence)
    #expect(place.visitor.lastRefusal == .trackerDisabled)
    let config = place.visitor.send("get_config", [:]).opened
    #expect(config?["entities"]?["board-1"] == ["disabled": true])
    #expect(readBack(place, config) == ["e": nil])

    _ = disable(caller, "device_tracker.boat", .null)
    #expect(place.visitor.send("update_location", fix) == .silence)
    #expect(readBack(place, config) == ["e": "device_tracker.boat"], "known, and not there yet")
    place.pass(.seconds(30))
    #expect(readBack(place, config)?["lat"] == 52.5, "what came meanwhile is lost")
    place.visitor.send("update_location", fix)
    #expect(readBack(place, config)?["lat"] == 53.0)
  }

  private func readBack(_ place: Caller.Place, _ config: JSON?) -> JSON? {
    let template: JSON = [
      "template": .string(Template.readBack),
      "variables": ["id": config?["hass_device_id"] ?? .null],
    ]
    return place.visitor.send("render_template", ["p": template]).opened?["p"]
  }

  @Test func whatTheRegistryRefuses() {
    let caller = Caller.Place().call()
    #expect(
      caller.error(Self.update, ["entity_id": "sensor.nope", "disabled_by": "user"])
        == ("not_found", "Entity not found"))
    #expect(
      caller.error(
        Self.update, ["entity_id": "device_tracker.boat", "disabled_by": "integration"]
      ).code == "invalid_format")
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
    #expect(unfit?["message"] == "required key not provided @ data['message']")
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
