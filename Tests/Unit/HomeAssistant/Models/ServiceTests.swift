import Bytes
import HomeAssistant
import HomeAssistantClient
import Testing

@Suite struct ServiceTests {
  @Test func aCallAlwaysHasDataAndNoTargetUnlessThereIsOne() {
    let request: TypedRequest<ServiceOutcome> = .callService("light", "turn_on")
    #expect(request.command == "call_service")
    #expect(request.payload == ["domain": "light", "service": "turn_on", "service_data": [:]])
    #expect(request.retry == .within(.seconds(10)))
  }

  @Test func aCallSaysWhatAndWhereAndWhetherAnAnswerIsWanted() {
    let request: TypedRequest<ServiceOutcome> = .callService(
      "weather", "get_forecasts", data: ["type": "daily"],
      target: ServiceTarget(
        entities: ["weather.a", "weather.b"], devices: ["d"], areas: ["a"], floors: ["f"],
        labels: ["l"]),
      wantsResponse: true, retry: .never)
    #expect(
      request.payload == [
        "domain": "weather", "service": "get_forecasts", "service_data": ["type": "daily"],
        "target": [
          "entity_id": ["weather.a", "weather.b"], "device_id": ["d"], "area_id": ["a"],
          "floor_id": ["f"], "label_id": ["l"],
        ],
        "return_response": true,
      ])
    #expect(request.retry == .never)
  }

  @Test func whatCameOfACallIsDecoded() throws {
    let plain: ServiceOutcome = try decode(
      #"{"context":{"id":"c","parent_id":null,"user_id":"u"}}"#)
    #expect(plain.context == Context(id: "c", userID: "u"))
    #expect(plain.response == nil)
    let answered: ServiceOutcome = try decode(
      #"{"context":{"id":"c"},"response":{"weather.a":{"forecast":[]}}}"#)
    #expect(answered.response == ["weather.a": ["forecast": []]])
  }

  private static let services = """
    {"weather":{"get_forecasts":{"name":"Get forecasts","description":"Gets them.",
    "fields":{"type":{"required":true}},"target":{"entity":[{"domain":["weather"]}]},
    "response":{"optional":false}}},
    "homeassistant":{"turn_on":{"name":"","description":"Turns on.","fields":{},
    "response":{"optional":true}},"restart":{"fields":{}},
    "check_config":{"name":"Check","description":"","fields":{}}}}
    """

  @Test func servicesAreFoundByDomainAndNameAndListedInOrder() throws {
    let services: Services = try decode(Self.services)
    #expect(
      services.all.map(\.fullName) == [
        "homeassistant.check_config", "homeassistant.restart", "homeassistant.turn_on",
        "weather.get_forecasts",
      ])
    let forecasts = try #require(services["weather", "get_forecasts"])
    #expect(forecasts.domain == "weather")
    #expect(forecasts.service == "get_forecasts")
    #expect(forecasts.name == "Get forecasts")
    #expect(forecasts.description == "Gets them.")
    #expect(forecasts.fields["type"] == ["required": true])
    #expect(forecasts.target == ["entity": [["domain": ["weather"]]]])
    #expect(forecasts.response == .always)
    #expect(services["weather", "other"] == nil)
    #expect(services["other", "get_forecasts"] == nil)
  }

  @Test func aServiceWithoutANameHasItsDescriptionOrItsFullName() throws {
    let services: Services = try decode(Self.services)
    let named = services["homeassistant", "check_config"]
    #expect(named?.name == "Check")
    #expect(named?.description == nil)
    #expect(services["homeassistant", "turn_on"]?.name == "Turns on.")
    #expect(services["homeassistant", "restart"]?.name == "homeassistant.restart")
  }

  @Test func aServiceSaysWhetherItAnswers() throws {
    let services: Services = try decode(Self.services)
    #expect(services["homeassistant", "turn_on"]?.response == .optional)
    let restart = try #require(services["homeassistant", "restart"])
    #expect(restart.response == .none)
    #expect(services["homeassistant", "restart"]?.target == nil)
  }

  @Test func theRESTAPIGivesTheSameAsAList() throws {
    let domains = try json(Self.services).object().members.map { member in
      JSON.object(["domain": .text(member.key), "services": member.value])
    }
    #expect(try Services(json: .array(domains)) == decode(Self.services))
  }

  @Test(arguments: ["{}", #"{"fields":null}"#])
  func aServiceWithoutFieldsHasNone(service: String) throws {
    let services: Services = try decode(#"{"a":{"b":\#(service)}}"#)
    #expect(services["a", "b"]?.fields == [:])
  }

  @Test(arguments: ["1", "null", #"{"fields":[]}"#, #"{"name":5}"#])
  func aServiceThatDoesNotDecodeHidesNoOther(service: String) throws {
    let object = #"{"b":\#(service),"c":{"fields":{}}}"#
    for text in [#"{"a":\#(object)}"#, #"[{"domain":"a","services":\#(object)}]"#] {
      let services: Services = try decode(text)
      #expect(services.all.map(\.fullName) == ["a.c"])
      #expect(services.skippedCount == 1)
    }
  }

  @Test(arguments: ["7", #"{"a":1}"#])
  func whatAreNoServicesIsRefused(text: String) {
    let error = JSONDecodingError.wrongKind(key: "root", expected: .object, found: .number)
    #expect(throws: error) { try decode(text, as: Services.self) }
  }
}
