import Bytes
import HomeAssistant
import HomeAssistantClient
import Testing

@Suite struct RESTTests {
  @Test func whatIsOnlyReadHasAPathAndNoBody() {
    #expect(REST.states.path == "states")
    #expect(REST.states.method == .get)
    #expect(REST.states.body == nil)
    #expect(REST.states.query.isEmpty)
    #expect(REST.state(of: "sun.sun").path == "states/sun.sun")
    #expect(REST.config.path == "config")
    #expect(REST.services.path == "services")
    #expect(REST.errorLog.path == "error_log")
    #expect(REST.cameraImage(of: "camera.door").path == "camera_proxy/camera.door")
  }

  @Test func aCallOfAServiceHasItsTargetAmongTheData() {
    let call = REST.callService(
      "light", "turn_on", data: ["brightness": 5], target: .entities("light.a", "light.b"))
    #expect(call.method == .post)
    #expect(call.path == "services/light/turn_on")
    #expect(call.query.isEmpty)
    #expect(call.body == ["brightness": 5, "entity_id": ["light.a", "light.b"]])
    let asking = REST.callService("todo", "get_items", wantsResponse: true)
    #expect(asking.query.map(\.name) == ["return_response"])
    #expect(asking.body == [:])
  }

  @Test func aCallAnswersWithWhatChanged() throws {
    let plain: REST.CalledService = try decode("[\(EntityTests.zone)]")
    #expect(plain.changedStates.elements.map(\.id) == ["zone.home"])
    #expect(plain.response == nil)
    let answered: REST.CalledService = try decode(
      #"{"changed_states":[],"service_response":{"todo.a":{"items":[]}}}"#)
    #expect(answered.changedStates.elements.isEmpty)
    #expect(answered.response == ["todo.a": ["items": []]])
  }

  @Test func templatesAndEventsArePosted() {
    #expect(REST.template("{{ 1 }}").method == .post)
    #expect(REST.template("{{ 1 }}").path == "template")
    #expect(REST.template("{{ 1 }}").body == ["template": "{{ 1 }}"])
    #expect(
      REST.template("{{ a }}", variables: ["a": 1]).body
        == ["template": "{{ a }}", "variables": ["a": 1]])
    let event = REST.fireEvent("homeward_note", data: ["a": 1])
    #expect(event.method == .post)
    #expect(event.path == "events/homeward_note")
    #expect(event.body == ["a": 1])
  }

  @Test func historyNamesItsEntitiesInTheQuery() {
    let request = REST.history(
      of: ["sun.sun", "zone.home"], from: time("2026-01-01T00:00:00Z"),
      to: time("2026-01-02T00:00:00Z"))
    #expect(request.path == "history/period/2026-01-01T00:00:00+00:00")
    #expect(request.query.map(\.name) == ["filter_entity_id", "end_time"])
    #expect(request.query.map(\.value) == ["sun.sun,zone.home", "2026-01-02T00:00:00+00:00"])
  }

  @Test func historyIsKeptByTheEntity() throws {
    let history: REST.History = try decode(
      """
      [[{"entity_id":"input_boolean.pump","state":"off","attributes":{"friendly_name":"Pump"},
      "last_changed":"2026-11-21T14:52:59.078929+00:00",
      "last_updated":"2026-11-21T14:53:59.078929+00:00"},
      {"entity_id":"input_boolean.pump","state":"on","last_changed":"2026-11-21T14:54:00+00:00"}],
      []]
      """)
    let states = try #require(history.states["input_boolean.pump"])
    #expect(history.states.count == 1)
    #expect(states.map(\.state) == ["off", "on"])
    #expect(states[0].lastChanged == time("2026-11-21T14:52:59.078929Z"))
    #expect(states[0].lastUpdated == time("2026-11-21T14:53:59.078929Z"))
    #expect(states[1].lastUpdated == time("2026-11-21T14:54:00Z"))
    #expect(states[1].attributes == nil)
  }
}
