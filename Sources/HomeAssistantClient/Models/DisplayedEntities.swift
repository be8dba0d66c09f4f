public import Bytes
public import HomeAssistant

/// Answer to a change of an entry.
public struct UpdatedEntityRegistryEntry: JSONDecodable, Equatable, Sendable {
  /// Current entry.
  public let entry: EntityRegistryEntry
  /// Delay before Home Assistant reloads the integration, if that is necessary; in whole seconds.
  public let reloadDelay: Duration?
  /// Whether the change takes effect only after Home Assistant restarts.
  public let requiresRestart: Bool

  public init(json: JSON) throws(JSONDecodingError) {
    entry = try json.get("entity_entry")
    reloadDelay = (try json.getIfPresent("reload_delay") as Int64?).map { .seconds($0) }
    requiresRestart = try json.get("require_restart", default: false)
  }
}

/// Part of an entity's entry that a user interface needs. Disabled entities have none.
public struct DisplayedEntity: JSONDecodable, Equatable, Sendable {
  /// Current identifier of the entity.
  public let entityID: EntityID
  /// Integration of the entity.
  public let platform: Text
  /// Name; nil if it is the name of its device.
  public let name: Text?
  /// Icon; nil if it follows from the type of the entity.
  public let icon: Text?
  /// Area of the entity; nil if it is in its device's area.
  public let areaID: Text?
  /// Device of the entity.
  public let deviceID: Text?
  /// Labels that people assigned.
  public let labelIDs: [Text]
  /// Index into `DisplayedEntities.categories`.
  public let categoryIndex: Int?
  /// Whether it is left out of views of all entities.
  public let isHidden: Bool
  /// Whether its name follows the name of its device.
  public let hasEntityName: Bool
  /// Key of the integration's translations of its name and states.
  public let translationKey: Text?
  /// Number of decimals to show.
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

/// Entities for a user interface. Entities that do not decode are left out and counted.
public struct DisplayedEntities: JSONDecodable, Equatable, Sendable {
  /// All entities that are not disabled.
  public let entities: LossyArray<DisplayedEntity>
  /// Categories by their index as text: `0` is `config`.
  public let categories: [Text: Text]

  public init(json: JSON) throws(JSONDecodingError) {
    entities = try json.getLossy("entities")
    categories = try json.get("entity_categories", default: [:])
  }

  /// Returns `config` or `diagnostic`; nil for an entity that is neither.
  public func category(of entity: DisplayedEntity) -> Text? {
    entity.categoryIndex.flatMap { categories[Text("\($0)")] }
  }
}
