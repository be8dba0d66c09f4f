import Testing

@testable import PracticeHome

@Suite struct RESTTests {
  private func ask(
    _ visitor: inout Visitor, _ method: String, _ path: String, _ body: String = "",
    query: [String: String] = [:]
  ) -> Visitor.Reply {
    visitor.ask(
      Request(
        method: method, path: path, query: query,
        headers: [(name: "Authorization", value: "Bearer practice")], body: Array(body.utf8)))
  }

  private func json(_ reply: Visitor.Reply) -> JSON? {
    try? JSONParser.parse(Array(reply.text.utf8))
  }

  @Test func theHomeTellsOfItself() {
    var visitor = Visitor()
    let config = json(ask(&visitor, "GET", "/api/config"))
    #expect(config?["version"] == "2025.4.4")
    #expect(config?["state"] == "RUNNING")
    let services = json(ask(&visitor, "GET", "/api/services"))?.array ?? []
    #expect(services.contains { $0["domain"] == "persistent_notification" })
    #expect(visitor.ask(Request(method: "GET", path: "/api/config")).status == 401)
    #expect(ask(&visitor, "POST", "/api/config").status == 405)
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
    let wish = ["return_response": ""]
    #expect(
      json(ask(&visitor, "POST", path, #"{"message":"x"}"#, query: wish))?["message"]?.string?
        .hasPrefix("Service does not support responses.") == true)
    let talk = ask(
      &visitor, "POST", "/api/services/conversation/process", #"{"text":"x"}"#, query: wish)
    #expect(json(talk)?["service_response"]?["response"] != nil)
    #expect(
      visitor.home.journal.last?.event
        == .serviceCalled(domain: "conversation", service: "process", data: ["text": "x"]))
  }

  @Test func eventsAreFired() {
    let place = Caller.Place()
    let caller = place.call()
    let id = caller.command("subscribe_events", ["event_type": "mine"])
    _ = caller.all()
    #expect(
      json(ask(&place.visitor, "POST", "/api/events/mine", #"{"c":3}"#))
        == ["message": "Event mine fired."])
    #expect(caller.events(id).first?["data"] == ["c": 3])
    #expect(ask(&place.visitor, "POST", "/api/events/mine").status == 200)
    #expect(ask(&place.visitor, "POST", "/api/events/mine", "{").status == 400)
    #expect(ask(&place.visitor, "POST", "/api/events/mine", "[]").status == 400)
    let long = "/api/events/" + String(repeating: "x", count: 65)
    #expect(ask(&place.visitor, "POST", long).status == 500)
  }

  @Test func templatesAreRenderedAsText() {
    var visitor = Visitor()
    let render = { (body: String, visitor: inout Visitor) in
      self.ask(&visitor, "POST", "/api/template", body)
    }
    let reply = render(#"{"template":"{{ states('zone.home') }}"}"#, &visitor)
    #expect(reply.text == "0")
    #expect(reply.contentType == "text/plain; charset=utf-8")
    #expect(render(#"{"template":"{{ state_attr('zone.home','z') }}"}"#, &visitor).text == "None")
    #expect(render(#"{"template":"{{ "}"#, &visitor).status == 400)
    #expect(render("{", &visitor).status == 400)
    #expect(render("{}", &visitor).status == 500)
  }

  @Test func aDeletedEntryTakesItsDeviceAlong() throws {
    let place = Caller.Place()
    place.visitor.sensor("cpu", ["state": 5])
    let caller = place.call()
    let device = caller.result("config/device_registry/list")?[0]
    let entry = try #require(device?["config_entries"]?[0]?.string)
    let path = "/api/config/config_entries/entry/"
    #expect(ask(&place.visitor, "DELETE", path + "nope").status == 404)
    #expect(ask(&place.visitor, "GET", path + entry).status == 405)
    let id = caller.command("subscribe_entities", ["entity_ids": ["sensor.boat_cpu"]])
    let registry = caller.command(
      "subscribe_events", ["event_type": "entity_registry_updated"])
    _ = caller.all()
    #expect(
      json(ask(&place.visitor, "DELETE", path + entry)) == ["require_restart": false])
    let heard = caller.all()
    #expect(heard.first { $0["id"] == .integer(id) }?["event"] == ["r": ["sensor.boat_cpu"]])
    #expect(
      heard.filter { $0["id"] == .integer(registry) }.map { $0["event"]?["data"]?["action"] }
        == ["remove", "remove"])
    #expect(place.visitor.send("get_zones", [:]) == .noBody)
    #expect(caller.result("config/device_registry/list") == [])
    #expect(caller.result("person/list")?["storage"]?[0]?["device_trackers"] == [])
    #expect(ask(&place.visitor, "DELETE", path + entry).status == 404)
  }
}
