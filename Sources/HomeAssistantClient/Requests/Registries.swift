public import Bytes
public import HomeAssistant

/// Request for the areas of the home.
public struct GetAreas: Request {
  public typealias Response = [Area]
  /// Creates the request.
  public init() {}
  public var command: Text { "config/area_registry/list" }
}

/// Request for the floors of the home.
public struct GetFloors: Request {
  public typealias Response = [Floor]
  /// Creates the request.
  public init() {}
  public var command: Text { "config/floor_registry/list" }
}

/// Request for the labels.
public struct GetLabels: Request {
  public typealias Response = [Label]
  /// Creates the request.
  public init() {}
  public var command: Text { "config/label_registry/list" }
}

/// Request for all devices. Devices that do not decode are left out and counted.
public struct GetDevices: Request {
  public typealias Response = LossyArray<Device>
  /// Creates the request.
  public init() {}
  public var command: Text { "config/device_registry/list" }
}

/// Request for the entity registry. Entries that do not decode are left out and counted.
public struct GetEntityRegistry: Request {
  public typealias Response = LossyArray<EntityRegistryEntry>
  /// Creates the request.
  public init() {}
  public var command: Text { "config/entity_registry/list" }
}

/// Request for the part of the entity registry that a user interface needs, a tenth of it.
public struct GetDisplayedEntities: Request {
  public typealias Response = DisplayedEntities
  /// Creates the request.
  public init() {}
  public var command: Text { "config/entity_registry/list_for_display" }
}

/// Request for one complete entry of the entity registry.
public struct GetEntityRegistryEntry: Request {
  public typealias Response = EntityRegistryEntry
  /// Entity of the entry.
  public let entityID: EntityID

  /// Creates a request for the entry of this entity.
  public init(_ entityID: EntityID) { self.entityID = entityID }

  public var command: Text { "config/entity_registry/get" }
  public var payload: JSONObject { ["entity_id": .text(entityID.text)] }
}

/// Request to change an entry of the entity registry. For administrators.
public struct UpdateEntityRegistryEntry: Request {
  public typealias Response = UpdatedEntityRegistryEntry
  /// Current identifier of the entity.
  public let entityID: EntityID
  /// Members to change; null removes a setting of people: `name`, `icon`, `area_id`, `labels`,
  /// `disabled_by`, `hidden_by`, `new_entity_id` and more.
  public let changes: JSONObject

  /// Creates a request to change one entry.
  ///
  /// - Parameters:
  ///   - entityID: current identifier of the entity.
  ///   - changes: members to change.
  public init(_ entityID: EntityID, changes: JSONObject) {
    self.entityID = entityID
    self.changes = changes
  }

  public var command: Text { "config/entity_registry/update" }
  public var payload: JSONObject { changes.setting("entity_id", .text(entityID.text)) }
}

/// Request to change a device. For administrators.
public struct UpdateDevice: Request {
  public typealias Response = Device
  /// Identifier of the device.
  public let deviceID: Text
  /// Members to change: `name_by_user`, `area_id`, `labels`, `disabled_by`.
  public let changes: JSONObject

  /// Creates a request to change one device.
  ///
  /// - Parameters:
  ///   - deviceID: identifier of the device.
  ///   - changes: members to change.
  public init(_ deviceID: Text, changes: JSONObject) {
    self.deviceID = deviceID
    self.changes = changes
  }

  public var command: Text { "config/device_registry/update" }
  public var payload: JSONObject { changes.setting("device_id", .text(deviceID)) }
}

/// Request to change an area. For administrators.
public struct UpdateArea: Request {
  public typealias Response = Area
  /// Identifier of the area.
  public let areaID: Text
  /// Members to change: `name`, `aliases`, `floor_id`, `icon`, `labels`, `picture`.
  public let changes: JSONObject

  /// Creates a request to change one area.
  ///
  /// - Parameters:
  ///   - areaID: identifier of the area.
  ///   - changes: members to change.
  public init(_ areaID: Text, changes: JSONObject) {
    self.areaID = areaID
    self.changes = changes
  }

  public var command: Text { "config/area_registry/update" }
  public var payload: JSONObject { changes.setting("area_id", .text(areaID)) }
}

/// Request for the people in Home Assistant.
public struct GetPeople: Request {
  public typealias Response = People
  /// Creates the request.
  public init() {}
  public var command: Text { "person/list" }
}

/// Request to change a person from the user interface. For administrators.
public struct UpdatePerson: Request {
  public typealias Response = Person
  /// Identifier of the person: `Person.id`.
  public let personID: Text
  /// Members to change: `name`, `user_id`, `device_trackers`, `picture`.
  public let changes: JSONObject

  /// Creates a request to change one person.
  ///
  /// - Parameters:
  ///   - personID: identifier of the person: `Person.id`.
  ///   - changes: members to change.
  public init(_ personID: Text, changes: JSONObject) {
    self.personID = personID
    self.changes = changes
  }

  public var command: Text { "person/update" }
  public var payload: JSONObject { changes.setting("person_id", .text(personID)) }
}

extension JSONObject {
  func setting(_ key: Text, _ value: JSON) -> JSONObject {
    var changed = self
    changed[key] = value
    return changed
  }
}
