import Testing

@testable import PracticeHome

@Suite struct RelatedTests {
  private func related(_ caller: Caller, _ type: String, _ id: JSON?) -> JSON? {
    caller.result("search/related", ["item_type": .string(type), "item_id": id ?? .null])
  }

  @Test func aDeviceHasItsEntitiesAndAnEntityItsDevice() throws {
    let place = Caller.Place()
    place.visitor.sensor("soil")
    let caller = place.call()
    let id = try #require(place.visitor.send("get_config", [:]).opened?["hass_device_id"])
    let items = related(caller, "device", id)
    #expect(items?["entity"] == ["device_tracker.boat", "sensor.boat_soil"])
    #expect(items?["integration"] == ["mobile_app"])
    #expect(items?["person"] == ["person.practice"])
    #expect(items?["config_entry"]?.array?.count == 1)
    #expect(items?["device"] == nil, "itself")
    let others = related(caller, "entity", "sensor.boat_soil")
    #expect(others?["device"] == [id])
    #expect(others?.object?.keys.sorted() == ["config_entry", "device", "integration"])
    #expect(related(caller, "entity", "device_tracker.boat")?["person"] == ["person.practice"])
  }

  @Test func ofWhatIsNotThereNothingIsRelated() {
    let caller = Caller.Place().call()
    #expect(related(caller, "device", "nope") == [:])
    #expect(related(caller, "entity", "sensor.nope") == [:])
  }

  @Test func whatIsNotPlayedIsRefused() {
    let caller = Caller.Place().call()
    let ask = { (type: String, id: JSON) in
      caller.error("search/related", ["item_type": .string(type), "item_id": id])
    }
    #expect(ask("area", "kitchen").code == "not_supported")
    #expect(ask("entity", "zone.home").code == "not_supported")
    #expect(ask("device", 7).code == "invalid_format")
    #expect(
      ask("nope", "a").message.hasPrefix(
        "expected ItemType or one of 'area', 'automation', 'automation_blueprint', "))
  }
}
