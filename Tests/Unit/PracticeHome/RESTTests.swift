import Testing

@testable import PracticeHome

@Suite struct RESTTests {
  private func ask(
    _ visitor: inout Visitor, _ method: String, _ path: String, _ body: String = ""
  ) -> Visitor.Reply {
    visitor.ask(
      Request(
        method: method, path: path,
        headers: [(name: "Authorization", value: "Bearer practice")], body: Array(body.utf8)))
  }

  private func json(_ reply: Visitor.Reply) -> JSON? {
    try? JSONParser.parse(Array(reply.text.utf8))
  }

  @Test func actionsAreCalled() {
    var visitor = Visitor()
    let path = "/api/services/persistent_notification/create"
    #expect(ask(&visitor, "POST", path, #"{"message":"x"}"#).text == "[]")
    for body in ["{}", "[]"] {
      let reply = ask(&visitor, "POST", path, body)
      #expect(reply.status == 400)
      #expect(reply.text == "400: Bad Request")
    }
    #expect(
      json(ask(&visitor, "POST", path, "{"))?["message"] == "Data should be valid JSON.")
    #expect(ask(&visitor, "POST", "/api/services/light/turn_on").status == 400)
    #expect(ask(&visitor, "GET", path).status == 405)
    _ = ask(&visitor, "POST", "/api/services/conversation/process", #"{"text":"x"}"#)
    #expect(
      visitor.home.journal.last?.event
        == .serviceCalled(domain: "conversation", service: "process", data: ["text": "x"]))
  }

  @Test func aDeletedEntryTakesItsDeviceAlong() throws {
    let place = Caller.Place()
    place.visitor.sensor("cpu", ["state": 5])
    let caller = place.call()
    let device = caller.result("config/device_registry/list")?[0]
    let entry = try #require(device?["config_entries"]?[0]?.string)
    let registry = caller.command(
      "subscribe_events", ["event_type": "entity_registry_updated"])
    _ = caller.all()
    _ = ask(&place.visitor, "DELETE", "/api/config/config_entries/entry/\(entry)")
    #expect(caller.events(registry).map { $0["data"]?["action"] } == ["remove", "remove"])
    #expect(caller.result("person/list")?["storage"]?[0]?["device_trackers"] == [])
  }
}
