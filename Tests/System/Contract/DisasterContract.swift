import Testing

extension Contract {
  /// What a person or an accident does to a registration while its device is away.
  @Suite struct Disasters {}
}

// MARK: - The registration is deleted

extension Device {
  /// Deletes the registration, as its owner does in the settings.
  func delete() async throws -> Response {
    try await server.deleteRegistration(of: try await registryEntry())
  }
}

extension Server {
  func deleteRegistration(of device: JSON) async throws -> Response {
    let entry: String = try #require(device["config_entries"].elements.first?.text)
    return try await request("DELETE", "/api/config/config_entries/entry/\(entry)", token: token)
  }
}

extension Contract.Disasters {
  @Test func aDeletedRegistrationAnswersWithNothing() async throws {
    let device = try await Device.located()
    let answer = try await device.delete()
    #expect(answer.status == 200)
    #expect(answer.json?["require_restart"] == false)
    #expect(try await device.prove() == .nobody)
    #expect(try await device.send("update_location", Device.firstFix) == .nobody)
    #expect(try await device.post("{}") == .nobody)
  }

  @Test func aDeletedRegistrationTakesItsEntitiesAndItsDeviceAlong() async throws {
    let device = try await Device.located()
    try await device.register("soil", "sensor", #""state":1"#)
    _ = try await device.delete()
    for entity in [device.tracker, device.entityID("soil")] {
      #expect(try await device.server.entity(entity) { $0 == nil } == nil)
    }
    let devices = try await WebSocket.opened().result("config/device_registry/list").elements
    let identifiers: JSON = [["mobile_app", device.identity.registration["device_id"]]]
    #expect(!devices.contains { $0["identifiers"] == identifiers })
  }

  @Test func aDeletedRegistrationCanBeNotifiedNoMore() async throws {
    let (recipient, _) = try await Recipient.listening()
    #expect(try await recipient.isListed(true))
    let device = recipient.device
    _ = try await device.delete()
    #expect(try await recipient.socket.refusedChannel(of: device.webhookID) == "not_found")
    #expect(try await recipient.socket.ask("ping")["type"] == "pong")
  }

  @Test func aDeletedDeviceCanRegisterAgainAndStartsEmpty() async throws {
    let old = try await Device.located()
    try await old.register("soil", "sensor", #""state":1"#)
    _ = try await old.delete()
    let new = try await Device.registered(old.identity)
    #expect(try await new.prove() == Device.proof)
    #expect(try await old.prove() == .nobody)
    let update = try await new.update("soil", #""state":2"#)
    #expect(update["error"]["code"] == "not_registered")
  }

  @Test func anUnknownRegistrationCannotBeDeleted() async throws {
    let server = try Server.required()
    let answer = try await server.request(
      "DELETE", "/api/config/config_entries/entry/unknown", token: server.token)
    #expect(answer.status == 404)
  }

  @Test(.enabled("the server knows nobody but its owner", User.canBeOthers))
  func withItsUserARegistrationGoesToo() async throws {
    let user = try await User.created()
    let tokens = try await user.signedIn()
    let id = try await WebSocket.opened(token: tokens.access).result("auth/current_user")["id"]
    let device = try await Device.registered(token: tokens.access)
    #expect(try await device.prove() == Device.proof)
    try await WebSocket.opened().result("config/auth/delete", ["user_id": id])
    #expect(
      try await Server.settled(until: { $0 == .nobody }) { try await device.prove() } == .nobody)
    #expect(try await tokens.refreshed().json?["error"] == "invalid_grant")
  }
}

// MARK: - The key is another one

extension Contract.Disasters {
  @Test func theOldKeyOpensNothingUnderTheNewWebhook() async throws {
    let old = try await Device.registered()
    let new = try await Device.registered(old.identity)
    let mixed = Device(
      server: new.server, identity: new.identity, webhookID: new.webhookID, secret: old.secret)
    #expect(try await mixed.prove() == .emptyObject)
    #expect(try await new.prove() == Device.proof)
  }

  @Test func whoRegistersAgainMustListenAgain() async throws {
    let (recipient, old) = try await Recipient.listening()
    let identity = recipient.device.identity
    let new = try await Device.registered(
      identity,
      as: identity.registration.replacing("app_data", ["push_websocket_channel": true]))
    #expect(try await recipient.notify("lost")["error"]["code"] == "home_assistant_error")
    #expect(try await recipient.socket.events(old).isEmpty)
    let channel = try await recipient.socket.subscribe(
      "mobile_app/push_notification_channel", ["webhook_id": .string(new.webhookID)])
    #expect(try await recipient.notify("Ahoy")["success"] == true)
    #expect(try await recipient.socket.event(channel)["message"] == "Ahoy")
  }
}

// MARK: - Something is disabled

extension Contract.Disasters {
  /// Disables an entity as its owner does in the settings, or lets it be again.
  private func disable(_ entity: String, by whom: JSON = "user") async throws -> JSON {
    try await WebSocket.opened().result(
      "config/entity_registry/update", ["entity_id": .string(entity), "disabled_by": whom])
  }

  @Test func aSensorThatTheUserDisabledSaysSoInEveryAnswer() async throws {
    let device = try await Device.withSoil(#""state":1"#)
    #expect(try await device.update("soil", #""state":2"#) == ["success": true])
    let result = try await disable(device.entityID("soil"))
    #expect(result["entity_entry"]["disabled_by"] == "user")
    #expect(try await device.server.entity(device.entityID("soil")) { $0 == nil } == nil)
    #expect(
      try await device.update("soil", #""state":3"#) == ["success": true, "is_disabled": true])
    let entities = try await device.send("get_config", "{}").content["entities"]
    #expect(entities["soil"]["disabled"] == true)
  }

  @Test func aSensorThatTheUserEnabledAgainIsThereOnlyHalfAMinuteLater() async throws {
    let device = try await Device.withSoil(#""state":1"#)
    let entity = device.entityID("soil")
    _ = try await disable(entity)
    #expect(try await device.server.entity(entity) { $0 == nil } == nil)
    #expect(try await disable(entity, by: nil)["reload_delay"] == 30)
    #expect(try await device.update("soil", #""state":2"#) == ["success": true])
    #expect(try await device.server.entity(entity) == nil)
    let entities = try await device.send("get_config", "{}").content["entities"]
    #expect(entities["soil"]["disabled"] == false)
  }

  @Test func aTrackerThatTheUserDisabledTakesFixesThatGoNowhere() async throws {
    let device = try await Device.located()
    _ = try await disable(device.tracker)
    #expect(try await device.server.entity(device.tracker) { $0 == nil } == nil)
    #expect(try await device.send("update_location", Device.firstFix) == .emptyObject)
    #expect(try await device.prove() == Device.proof)
    #expect(try await device.server.entity(device.tracker) == nil)
    let id = try #require(device.identity.registration["device_id"].text)
    let entities = try await device.send("get_config", "{}").content["entities"]
    #expect(entities[id]["disabled"] == true)
  }

  @Test(.enabled("the server cannot be asked where a device is", Contract.Asking.canReadBack))
  func aDisabledTrackerReadsBackAsNone() async throws {
    let device = try await Device.located()
    _ = try await disable(device.tracker)
    #expect(try await device.server.entity(device.tracker) { $0 == nil } == nil)
    #expect(try await Contract.Asking.readBack(device) == ["e": nil])
  }

  @Test func anUnknownEntityCannotBeDisabled() async throws {
    let socket = try await WebSocket.opened()
    let request: JSON = ["entity_id": "sensor.no_such_sensor", "disabled_by": "user"]
    #expect(try await socket.refusal("config/entity_registry/update", request) == "not_found")
  }
}
