public import Bytes

/// What Home Assistant remembers of an entity, whether it is there now or not.
public struct EntityRegistryEntry: JSONDecodable, Equatable, Sendable {
  /// What names the entity now.
  public let entityID: EntityID
  /// Of the entry; it stays when the entity is renamed.
  public let id: Text?
  /// What the integration knows the entity by. Some integrations use numbers; those are here as
  /// they are written.
  public let uniqueID: Text
  /// The integration that it belongs to.
  public let platform: Text
  /// What people named it; nil where they did not.
  public let name: Text?
  /// What the integration named it.
  public let originalName: Text?
  /// What people chose; nil where they did not.
  public let icon: Text?
  /// The area it is in itself; nil where that is its device's.
  public let areaID: Text?
  /// The device that it belongs to.
  public let deviceID: Text?
  /// The labels that people put on it.
  public let labelIDs: [Text]
  /// By scope.
  public let categoryIDs: [Text: Text]
  /// `config` or `diagnostic`; nil of an entity that is neither.
  public let entityCategory: Text?
  /// Who disabled it, such as `user` or `integration`; nil where it is enabled.
  public let disabledBy: Text?
  /// Who hid it, such as `user`; nil where it is shown.
  public let hiddenBy: Text?
  /// Whether its name is to be read behind the name of its device.
  public let hasEntityName: Bool
  /// The entry of the configuration that brought it.
  public let configEntryID: Text?
  /// Settings of other integrations, by their domain.
  public let options: JSONObject
  /// Only where one entry was asked for, not in the list of all. A null among them, which stands
  /// for the entity's own name, is left out.
  public let aliases: [Text]?
  /// What people chose; nil where they did not.
  public let deviceClass: Text?
  /// What the integration says it is, such as `moisture`.
  public let originalDeviceClass: Text?

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    entityID = try members.get("entity_id")
    id = try members.getIfPresent("id")
    let uniqueID: JSON = try members.get("unique_id")
    self.uniqueID = if case .text(let text) = uniqueID { text } else { Text(uniqueID.serialized()) }
    platform = try members.get("platform")
    name = try members.getIfPresent("name")
    originalName = try members.getIfPresent("original_name")
    icon = try members.getIfPresent("icon")
    areaID = try members.getIfPresent("area_id")
    deviceID = try members.getIfPresent("device_id")
    labelIDs = try members.get("labels", default: [])
    categoryIDs = try members.get("categories", default: [:])
    entityCategory = try members.getIfPresent("entity_category")
    disabledBy = try members.getIfPresent("disabled_by")
    hiddenBy = try members.getIfPresent("hidden_by")
    hasEntityName = try members.get("has_entity_name", default: false)
    configEntryID = try members.getIfPresent("config_entry_id")
    options = try members.get("options", default: [:])
    let aliases: [Text?]? = try members.getIfPresent("aliases")
    self.aliases = aliases?.compactMap { $0 }
    deviceClass = try members.getIfPresent("device_class")
    originalDeviceClass = try members.getIfPresent("original_device_class")
  }
}

/// Entries that were asked for by the ids of their entities.
public struct EntityRegistryEntries: JSONDecodable, Equatable, Sendable {
  /// Those that are there, in the order in which they were asked for.
  public let entries: [EntityRegistryEntry]
  /// How many are there and do not decode.
  public let skippedCount: Int

  public init(json: JSON) throws(JSONDecodingError) {
    // Null stands for one that is not there.
    let found = try json.object().members.map { $0.value }.filter { $0 != .null }
    let entries = try LossyArray<EntityRegistryEntry>(json: .array(found))
    self.entries = entries.elements
    skippedCount = entries.skippedCount
  }
}

/// The answer to changing an entry.
public struct UpdatedEntityRegistryEntry: JSONDecodable, Equatable, Sendable {
  /// The entry as it is now.
  public let entry: EntityRegistryEntry
  /// Where the integration must be loaded again first, how many seconds Home Assistant waits
  /// before it does that.
  public let reloadDelay: Duration?
  /// Whether the change is seen only after Home Assistant restarts.
  public let requiresRestart: Bool

  public init(json: JSON) throws(JSONDecodingError) {
    entry = try json.get("entity_entry")
    reloadDelay = (try json.getIfPresent("reload_delay") as Int64?).map { .seconds($0) }
    requiresRestart = try json.get("require_restart", default: false)
  }
}

/// What a user interface needs of an entity's entry, and no more. There is none for one that is
/// disabled.
public struct DisplayedEntity: JSONDecodable, Equatable, Sendable {
  /// What names the entity now.
  public let entityID: EntityID
  /// The integration that it belongs to.
  public let platform: Text
  /// What it is called; nil where that is the name of its device.
  public let name: Text?
  /// What is drawn; nil where that follows from what it is.
  public let icon: Text?
  /// The area it is in itself; nil where that is its device's.
  public let areaID: Text?
  /// The device that it belongs to.
  public let deviceID: Text?
  /// The labels that people put on it.
  public let labelIDs: [Text]
  /// An index into `DisplayedEntities.categories`.
  public let categoryIndex: Int?
  /// Whether it is left out of what shows all entities.
  public let isHidden: Bool
  /// Whether its name is to be read behind the name of its device.
  public let hasEntityName: Bool
  /// What its integration translates its name and states by.
  public let translationKey: Text?
  /// How many digits of a number are shown behind the point.
  public let decimals: Int?

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    entityID = try members.get("ei")
    platform = try members.get("pl")
    name = try members.getIfPresent("en")
    icon = try members.getIfPresent("ic")
    areaID = try members.getIfPresent("ai")
    deviceID = try members.getIfPresent("di")
    labelIDs = try members.get("lb", default: [])
    categoryIndex = try members.getIfPresent("ec")
    isHidden = try members.get("hb", default: false)
    hasEntityName = try members.get("hn", default: false)
    translationKey = try members.getIfPresent("tk")
    decimals = try members.getIfPresent("dp")
  }
}

/// All entities that a user interface may show. One that does not decode is left out and counted.
public struct DisplayedEntities: JSONDecodable, Equatable, Sendable {
  /// All that are not disabled.
  public let entities: LossyArray<DisplayedEntity>
  /// By the index written as text: `0` is `config`.
  public let categories: [Text: Text]

  public init(json: JSON) throws(JSONDecodingError) {
    entities = try json.getLossy("entities")
    categories = try json.get("entity_categories", default: [:])
  }

  /// `config` or `diagnostic`; nil of an entity that is neither.
  public func category(of entity: DisplayedEntity) -> Text? {
    entity.categoryIndex.flatMap { categories[Text("\($0)")] }
  }
}
