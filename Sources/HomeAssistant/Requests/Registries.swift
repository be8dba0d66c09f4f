public import Bytes

/// The areas of the home.
public struct GetAreas: Request {
  public typealias Response = [Area]
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "config/area_registry/list" }
}

/// The floors of the home.
public struct GetFloors: Request {
  public typealias Response = [Floor]
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "config/floor_registry/list" }
}

/// The labels that people made.
public struct GetLabels: Request {
  public typealias Response = [Label]
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "config/label_registry/list" }
}

/// All devices. One that does not decode is left out and counted.
public struct GetDevices: Request {
  public typealias Response = LossyArray<Device>
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "config/device_registry/list" }
}

/// All entries of the entity registry. One that does not decode is left out and counted.
public struct GetEntityRegistry: Request {
  public typealias Response = LossyArray<EntityRegistryEntry>
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "config/entity_registry/list" }
}

/// What a user interface needs of the entity registry, which is a tenth of it.
public struct GetDisplayedEntities: Request {
  public typealias Response = DisplayedEntities
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "config/entity_registry/list_for_display" }
}

/// One entry of the entity registry, with all that is known.
public struct GetEntityRegistryEntry: Request {
  public typealias Response = EntityRegistryEntry
  /// Which one.
  public let entityID: EntityID

  /// Asks for the entry of this entity.
  public init(_ entityID: EntityID) { self.entityID = entityID }

  public var command: Text { "config/entity_registry/get" }
  public var payload: JSONObject { ["entity_id": .text(entityID.text)] }
}

/// Entries of the entity registry, with all that is known, by the ids of their entities.
public struct GetEntityRegistryEntries: Request {
  public typealias Response = EntityRegistryEntries
  /// Which ones. One that is not there is left out of the answer.
  public let entityIDs: [EntityID]

  /// Asks for the entries of these entities.
  public init(_ entityIDs: [EntityID]) { self.entityIDs = entityIDs }

  public var command: Text { "config/entity_registry/get_entries" }
  public var payload: JSONObject { ["entity_ids": .ids(entityIDs)] }
}

/// What hangs together with one thing: the entities of a device, the device of an entity, and who
/// uses them.
public struct GetRelated: Request {
  public typealias Response = RelatedItems
  /// What an item is, and by what it is named.
  public enum Kind: Text, Sendable {
    /// By its id.
    case area
    /// By the id of its entity.
    case automation
    /// By its path.
    case automationBlueprint = "automation_blueprint"
    /// By its id.
    case configEntry = "config_entry"
    /// By its id in the device registry.
    case device
    /// By its entity id.
    case entity
    /// By its id.
    case floor
    /// By the id of its entity.
    case group
    /// By its domain.
    case integration
    /// By its id.
    case label
    /// By the id of its entity.
    case person
    /// By the id of its entity.
    case scene
    /// By the id of its entity.
    case script
    /// By its path.
    case scriptBlueprint = "script_blueprint"
  }
  /// What the item is.
  public let kind: Kind
  /// Which one. Of one that is not there nothing is related.
  public let id: Text

  /// What hangs together with this item.
  ///
  /// - Parameters:
  ///   - kind: what the item is.
  ///   - id: which one.
  public init(_ kind: Kind, _ id: Text) {
    self.kind = kind
    self.id = id
  }

  public var command: Text { "search/related" }
  public var payload: JSONObject { ["item_type": .text(kind.rawValue), "item_id": .text(id)] }
}

/// Changes an entry of the entity registry. For administrators.
public struct UpdateEntityRegistryEntry: Request {
  public typealias Response = UpdatedEntityRegistryEntry
  /// Which one, by the id that it has now.
  public let entityID: EntityID
  /// What is not here stays as it is; null takes away what people set: `name`, `icon`, `area_id`,
  /// `labels`, `disabled_by`, `hidden_by`, `new_entity_id` and more.
  public let changes: JSONObject

  /// Changes of one entry.
  ///
  /// - Parameters:
  ///   - entityID: which one, by the id that it has now.
  ///   - changes: what becomes otherwise.
  public init(_ entityID: EntityID, changes: JSONObject) {
    self.entityID = entityID
    self.changes = changes
  }

  public var command: Text { "config/entity_registry/update" }
  public var payload: JSONObject { changes.setting("entity_id", .text(entityID.text)) }
}

/// Changes a device. For administrators.
public struct UpdateDevice: Request {
  public typealias Response = Device
  /// Which one.
  public let deviceID: Text
  /// What is not here stays as it is: `name_by_user`, `area_id`, `labels`, `disabled_by`.
  public let changes: JSONObject

  /// Changes of one device.
  ///
  /// - Parameters:
  ///   - deviceID: which one.
  ///   - changes: what becomes otherwise.
  public init(_ deviceID: Text, changes: JSONObject) {
    self.deviceID = deviceID
    self.changes = changes
  }

  public var command: Text { "config/device_registry/update" }
  public var payload: JSONObject { changes.setting("device_id", .text(deviceID)) }
}

/// Changes an area. For administrators.
public struct UpdateArea: Request {
  public typealias Response = Area
  /// Which one.
  public let areaID: Text
  /// What is not here stays as it is: `name`, `aliases`, `floor_id`, `icon`, `labels`, `picture`.
  public let changes: JSONObject

  /// Changes of one area.
  ///
  /// - Parameters:
  ///   - areaID: which one.
  ///   - changes: what becomes otherwise.
  public init(_ areaID: Text, changes: JSONObject) {
    self.areaID = areaID
    self.changes = changes
  }

  public var command: Text { "config/area_registry/update" }
  public var payload: JSONObject { changes.setting("area_id", .text(areaID)) }
}

/// The people that Home Assistant knows.
public struct GetPeople: Request {
  public typealias Response = People
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "person/list" }
}

/// Changes a person who was added in the user interface. For administrators.
public struct UpdatePerson: Request {
  public typealias Response = Person
  /// Which one, by `Person.id`.
  public let personID: Text
  /// What is not here stays as it is: `name`, `user_id`, `device_trackers`, `picture`.
  public let changes: JSONObject

  /// Changes of one person.
  ///
  /// - Parameters:
  ///   - personID: which one, by `Person.id`.
  ///   - changes: what becomes otherwise.
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
