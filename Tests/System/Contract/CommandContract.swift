import Testing

extension Contract {
  /// Single commands over the WebSocket: calling actions, and asking what there is.
  @Suite struct Commands {}
}

// MARK: - Actions

extension Contract.Commands {
  static let notification: JSON = [
    "domain": "persistent_notification", "service": "create", "service_data": ["message": "x"],
  ]

  @Test func anActionThatRanIsAnsweredWithItsContext() async throws {
    let socket = try await WebSocket.opened()
    let result = try await socket.result("call_service", Self.notification)
    #expect(result.keys == ["context"])
    #expect(result["context"]["id"].text != nil)
    #expect(result["context"]["user_id"] == (try await socket.result("auth/current_user")["id"]))
  }

  @Test func anUnknownActionIsNotFound() async throws {
    let socket = try await WebSocket.opened()
    let error = try await socket.ask("call_service", ["domain": "no", "service": "no"])["error"]
    #expect(error["code"] == "not_found")
    #expect(error["translation_key"] == "service_not_found")
  }

  @Test func anActionWithDataThatItDoesNotTakeIsRefused() async throws {
    let socket = try await WebSocket.opened()
    let call = Self.notification.replacing("service_data", ["message": "x", "foo": 1])
    #expect(try await socket.refusal("call_service", call) == "invalid_format")
  }

  @Test func anActionThatAnswersNothingCannotBeAskedForAnAnswer() async throws {
    let socket = try await WebSocket.opened()
    let call = Self.notification.replacing("return_response", true)
    #expect(try await socket.refusal("call_service", call) == "service_validation_error")
  }

  /// Who cannot hold a conversation has no action that answers and is always there.
  static func canConverse() async throws -> Bool {
    let services = try await WebSocket.opened().result("get_services")
    return services["conversation"]["process"] != .absent
  }

  @Test(.enabled("the server cannot hold a conversation", canConverse))
  func anActionThatAnswersDoesSoWhenItIsAsked() async throws {
    let socket = try await WebSocket.opened()
    let services = try await socket.result("get_services")
    #expect(services["conversation"]["process"]["response"] == ["optional": true])
    let call: JSON = [
      "domain": "conversation", "service": "process", "service_data": ["text": "ahoy"],
    ]
    let asked = try await Contract.Messages.understood {
      try await socket.ask("call_service", call.replacing("return_response", true))["result"]
    }
    #expect(asked.keys == ["context", "response"])
    #expect(asked["response"]["response"]["speech"] != .absent)
    let unasked = try await Contract.Messages.understood {
      try await socket.ask("call_service", call)["result"]
    }
    #expect(unasked.keys == ["context"])
  }
}

// MARK: - Who and what there is

extension Contract.Commands {
  @Test func theOwnerIsToldWhoItIs() async throws {
    let me = try await WebSocket.opened().result("auth/current_user")
    #expect(me["id"].text != nil)
    #expect(me["name"].text != nil)
    #expect(me["is_owner"] == true)
    #expect(me["is_admin"] == true)
    #expect(me["credentials"].elements.map { $0["auth_provider_type"] } == ["homeassistant"])
    #expect(me["mfa_modules"].elements.first { $0["id"] == "totp" }?["enabled"] == false)
  }

  @Test(.enabled("the server knows nobody but its owner", User.canBeOthers))
  func aUserIsToldWhoItIs() async throws {
    let user = try await User.sailor()
    let me = try await WebSocket.opened(token: try await user.signedIn().access)
      .result("auth/current_user")
    #expect(me["name"] == .string(user.name))
    #expect(me["is_owner"] == false)
    #expect(me["is_admin"] == false)
  }

  @Test(.enabled("the server knows nobody but its owner", User.canBeOthers))
  func whatIsForAdministratorsIsForNoOtherUser() async throws {
    let tokens = try await User.sailor().signedIn()
    let socket = try await WebSocket.opened(token: tokens.access)
    #expect(try await socket.refusal("config/auth/create", ["name": "x"]) == "unauthorized")
  }

  @Test func theConfigurationIsTheOneOfTheRESTInterface() async throws {
    let config = try await WebSocket.opened().result("get_config")
    let server = try Server.required()
    let other = try await server.request("GET", "/api/config", token: server.token).json
    for key in ["version", "location_name", "latitude", "longitude", "time_zone", "state"] {
      #expect(config[key] != .absent && config[key] == other?[key], "\(key)")
    }
  }

  @Test func theStatesAreWholeStates() async throws {
    let device = try await Device.located()
    let states = try await WebSocket.opened().result("get_states").elements
    let tracker = states.first { $0["entity_id"] == .string(device.tracker) }
    #expect(tracker.flatMap(Entity.init) == (try await device.position()))
  }

  @Test func theServicesAreNamedByDomain() async throws {
    let services = try await WebSocket.opened().result("get_services")
    let create = services["persistent_notification"]["create"]
    #expect(create["fields"]["message"] != .absent)
    #expect(create["response"] == .absent)
  }
}

// MARK: - Registries and persons

extension Contract.Commands {
  @Test func theDeviceRegistryHoldsTheRegistration() async throws {
    let device = try await Device.registered()
    let entry = try await device.registryEntry()
    let registration = device.identity.registration
    #expect(entry["identifiers"] == [["mobile_app", registration["device_id"]]])
    #expect(entry["name"] == registration["device_name"])
    #expect(entry["manufacturer"] == registration["manufacturer"])
    #expect(entry["model"] == registration["model"])
    #expect(entry["sw_version"] == registration["os_version"])
    #expect(entry["config_entries"].elements.count == 1)
    #expect(entry["disabled_by"] == nil)
    let config = try await device.send("get_config", "{}").content
    if try await device.server.version() >= .namesTheDevice {
      #expect(config["hass_device_id"] == entry["id"])
    }
  }

  @Test func theEntityRegistryHoldsTheSensorsAndTheTracker() async throws {
    let device = try await Device.located()
    try await device.register("soil", "sensor", #""state":1,"entity_category":"diagnostic""#)
    let entry = try await device.registryEntry()
    let entities = try await WebSocket.opened().result("config/entity_registry/list").elements
      .filter { $0["device_id"] == entry["id"] }
    #expect(entities.count == 2)
    let soil = try #require(
      entities.first { $0["entity_id"] == .string(device.entityID("soil")) })
    #expect(soil["unique_id"] == .string("\(device.webhookID)_soil"))
    #expect(soil["platform"] == "mobile_app")
    #expect(soil["config_entry_id"] == entry["config_entries"].elements.first)
    #expect(soil["disabled_by"] == nil)
    #expect(soil["entity_category"] == "diagnostic")
    let tracker = try #require(
      entities.first { $0["entity_id"] == .string(device.tracker) })
    #expect(tracker["unique_id"] == device.identity.registration["device_id"])
  }

  @Test func theAreaRegistryIsAList() async throws {
    let areas = try await WebSocket.opened().result("config/area_registry/list")
    #expect(areas == .array(areas.elements))
    for area in areas.elements { #expect(area["area_id"].text != nil && area["name"].text != nil) }
  }

  @Test func theTrackerBelongsToThePersonWhoRegisteredIt() async throws {
    let device = try await Device.located()
    let socket = try await WebSocket.opened()
    let me = try await socket.result("auth/current_user")["id"]
    let persons = try await socket.result("person/list")["storage"].elements
    let owner = try #require(persons.first { $0["user_id"] == me })
    #expect(owner["device_trackers"].elements.contains(.string(device.tracker)))
  }
}
