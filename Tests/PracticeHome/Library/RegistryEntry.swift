/// What Home Assistant keeps of an entity beside its state, and does not forget.
struct RegistryEntry: Sendable {
  let id: String
  let createdAt: Moment
  private(set) var modifiedAt: Moment
  /// "user", "integration", or nil for an entity that is enabled.
  private(set) var disabledBy: String?

  init(id: String, disabledBy: String? = nil, now: Moment) {
    self.id = id
    self.disabledBy = disabledBy
    createdAt = now
    modifiedAt = now
  }

  var isDisabled: Bool { disabledBy != nil }

  mutating func disable(by user: String?, now: Moment) {
    disabledBy = user
    modifiedAt = now
  }
}

/// An entity of a registration, as the commands about the registry show it.
struct RegisteredEntity {
  /// The registration, and the place of the sensor in it; nil for the tracker.
  var registration: Int
  var sensor: Int?
  var entry: RegistryEntry
  var entityID: String
  var uniqueID: String
  var name: String
  var category: JSON
  var deviceClass: JSON = .null
  var icon: JSON = .null

  func json(of registration: Registration) -> JSONObject {
    [
      "area_id": nil, "categories": [:], "config_entry_id": .string(registration.entryID),
      "config_subentry_id": nil, "created_at": entry.createdAt.seconds,
      "device_id": .string(registration.registryID), "disabled_by": JSON(entry.disabledBy),
      "entity_category": category, "entity_id": .string(entityID), "has_entity_name": false,
      "hidden_by": nil, "icon": nil, "id": .string(entry.id), "labels": [],
      "modified_at": entry.modifiedAt.seconds, "name": nil, "options": [:],
      "original_name": .string(name), "platform": "mobile_app", "translation_key": nil,
      "unique_id": .string(uniqueID),
    ]
  }

  /// With what only the commands about one entity tell.
  func wholeJSON(of registration: Registration) -> JSON {
    .object(
      json(of: registration).merging([
        "aliases": [], "capabilities": nil, "device_class": nil,
        "original_device_class": deviceClass, "original_icon": icon,
      ]))
  }
}

extension Moment {
  /// Seconds since 1970 with a fraction, as Home Assistant writes some of its times.
  var seconds: JSON { .float(Double(microseconds) / 1_000_000) }
}

// MARK: Commands

extension Command {
  /// Commands about devices and what belongs to them.
  static let devices: [String: Command] = [
    "config/area_registry/list": Command { (home, call) throws(CommandFailure) in
      home.succeed(call, [])
    },
    "config/device_registry/list": Command { (home, call) throws(CommandFailure) in
      home.succeed(call, .array(home.registrations.filter(\.isAlive).map(\.deviceJSON)))
    },
    "config/entity_registry/list": Command { (home, call) throws(CommandFailure) in
      let entities = home.registeredEntities.map { entity in
        JSON.object(entity.json(of: home.registrations[entity.registration]))
      }
      home.succeed(call, .array(entities))
    },
    "config/entity_registry/get_entries": Command([.required("entity_ids", .entityIDs)]) {
      (home, call) throws(CommandFailure) in home.succeed(call, home.entries(call))
    },
    "config/entity_registry/update": Command(
      [
        .required("entity_id", .entityID), .optional("disabled_by", .nullOr(.oneOf(["user"]))),
      ], isForAdministrators: true
    ) { (home, call) throws(CommandFailure) in try home.updateEntity(call) },
    "webhook/handle": Command([
      .required("webhook_id", .text), .required("method", .oneOf(["GET", "HEAD", "POST", "PUT"])),
      .optional("body", .text, default: ""), .optional("headers", .dictionary(of: .text)),
      .optional("query", .text),
    ]) { (home, call) throws(CommandFailure) in home.handleWebhook(call) },
    "mobile_app/push_notification_channel": Command([
      .required("webhook_id", .text), .optional("support_confirm", .strictBoolean, default: false),
    ]) { (home, call) throws(CommandFailure) in try home.openChannel(call) },
    "mobile_app/push_notification_confirm": Command([
      .required("webhook_id", .text), .required("confirm_id", .text),
    ]) { (home, call) throws(CommandFailure) in try home.confirmNotification(call) },
  ]
}

extension Registration {
  fileprivate var deviceJSON: JSON {
    [
      "area_id": nil, "configuration_url": nil, "config_entries": [.string(entryID)],
      "config_entries_subentries": .object(JSONObject([(entryID, .array([.null]))])),
      "connections": [],
      "created_at": createdAt.seconds, "disabled_by": nil, "entry_type": nil, "hw_version": nil,
      "id": .string(registryID), "identifiers": [["mobile_app", .string(deviceID)]],
      "labels": [], "manufacturer": .string(text("manufacturer")),
      "model": .string(text("model")), "model_id": nil, "modified_at": createdAt.seconds,
      "name_by_user": nil, "name": .string(deviceName), "primary_config_entry": .string(entryID),
      "serial_number": nil, "sw_version": .string(text("os_version")), "via_device_id": nil,
    ]
  }
}

extension Home {
  var registeredEntities: [RegisteredEntity] {
    registrations.enumerated().flatMap { index, registration in
      let tracker = registration.tracker.map { [entity($0, index)] } ?? []
      return tracker + registration.sensors.indices.map { sensor($0, index) }
    }
  }

  private func entity(_ tracker: Tracker, _ index: Int) -> RegisteredEntity {
    RegisteredEntity(
      registration: index, entry: tracker.entry, entityID: tracker.entityID,
      uniqueID: registrations[index].deviceID, name: registrations[index].deviceName,
      category: "diagnostic")
  }

  private func sensor(_ place: Int, _ index: Int) -> RegisteredEntity {
    let sensor = registrations[index].sensors[place]
    return RegisteredEntity(
      registration: index, sensor: place, entry: sensor.entry, entityID: sensor.entityID,
      uniqueID: "\(registrations[index].webhookID)_\(sensor.uniqueID)",
      name: sensor.registeredName, category: sensor.config["entity_category"] ?? .null,
      deviceClass: sensor.config["device_class"] ?? .null, icon: sensor.config["icon"] ?? .null)
  }

  fileprivate func registeredEntity(_ call: Call) throws(CommandFailure) -> RegisteredEntity {
    let id = call.text("entity_id")
    guard let entity = registeredEntities.first(where: { $0.entityID == id }) else {
      throw .notFound("Entity not found")
    }
    return entity
  }

  /// Each of the entities that are asked for by its id, with null for one that is not there.
  fileprivate func entries(_ call: Call) -> JSON {
    let entities = registeredEntities
    let ids = call.content["entity_ids"]?.array?.compactMap(\.string) ?? []
    return .object(
      JSONObject(
        ids.map { id in
          let entity = entities.first { $0.entityID == id }
          return (id, entity.map { $0.wholeJSON(of: registrations[$0.registration]) } ?? .null)
        }))
  }

  fileprivate mutating func updateEntity(_ call: Call) throws(CommandFailure) {
    let entity = try registeredEntity(call)
    var result: JSONObject = [:]
    if let wish = call.content["disabled_by"], wish.string != entity.entry.disabledBy {
      disable(entity, by: wish.string, now: call.now)
      settle(call.now)
      emit(
        "entity_registry_updated",
        [
          "action": "update", "entity_id": .string(entity.entityID),
          "changes": ["disabled_by": JSON(entity.entry.disabledBy)],
        ], isRemote: false, user: false, now: call.now)
      if wish.isNull {
        result["reload_delay"] = .integer(Int128(Self.reloadDelay.components.seconds))
      }
      note(.entitySwitched(entity.entityID, isDisabled: !wish.isNull), at: call.now)
    }
    let updated = try registeredEntity(call)
    let content: JSONObject = [
      "entity_entry": updated.wholeJSON(of: registrations[updated.registration])
    ]
    succeed(call, .object(content.merging(result)))
  }

  private mutating func disable(_ entity: RegisteredEntity, by user: String?, now: Moment) {
    let index = entity.registration
    if let place = entity.sensor {
      disableSensor(place, of: index, by: user, now: now)
      return
    }
    registrations[index].tracker?.entry.disable(by: user, now: now)
    registrations[index].tracker?.returnsAt = user == nil ? now + Self.reloadDelay : nil
    if user != nil { states.remove(entity.entityID) }
  }
}
