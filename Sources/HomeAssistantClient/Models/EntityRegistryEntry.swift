public import Bytes
public import HomeAssistant

/// Registry entry of an entity, which may be unavailable now.
public struct EntityRegistryEntry: JSONDecodable, Equatable, Sendable {
  /// Current identifier of the entity.
  public let entityID: EntityID
  /// Identifier of the entry; it survives a renaming of the entity.
  public let id: Text?
  /// Identifier from the integration. Some integrations use numbers, which appear here as text.
  public let uniqueID: Text
  /// Integration of the entity.
  public let platform: Text
  /// Name that people gave it; nil if they did not.
  public let name: Text?
  /// Name from the integration.
  public let originalName: Text?
  /// Icon that people chose; nil if they did not.
  public let icon: Text?
  /// Area of the entity; nil if it is in its device's area.
  public let areaID: Text?
  /// Device of the entity.
  public let deviceID: Text?
  /// Labels that people assigned.
  public let labelIDs: [Text]
  /// Categories by scope.
  public let categoryIDs: [Text: Text]
  /// Category `config` or `diagnostic`; nil for neither.
  public let entityCategory: Text?
  /// Party that disabled it, such as `user` or `integration`; nil if enabled.
  public let disabledBy: Text?
  /// Party that hid it, such as `user`; nil if shown.
  public let hiddenBy: Text?
  /// Whether its name follows the name of its device.
  public let hasEntityName: Bool
  /// Configuration entry that created it.
  public let configEntryID: Text?
  /// Settings of other integrations, by their domain.
  public let options: JSONObject
  /// Aliases; nil in a list of all entries. A null among them, which stands for the entity's own
  /// name, is left out.
  public let aliases: [Text]?
  /// Device class that people chose; nil if they did not.
  public let deviceClass: Text?
  /// Device class from the integration, such as `moisture`.
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
