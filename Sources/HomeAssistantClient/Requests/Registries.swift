public import Bytes
public import HomeAssistant

extension Request where Self == TypedRequest<[Area]> {
  /// Request for the areas of the home.
  public static var areas: Self { TypedRequest("config/area_registry/list") }
}
extension Request where Self == TypedRequest<[Floor]> {
  /// Request for the floors of the home.
  public static var floors: Self { TypedRequest("config/floor_registry/list") }
}
extension Request where Self == TypedRequest<[Label]> {
  /// Request for the labels.
  public static var labels: Self { TypedRequest("config/label_registry/list") }
}
extension Request where Self == TypedRequest<LossyArray<Device>> {
  /// Request for all devices. Devices that do not decode are left out and counted.
  public static var devices: Self { TypedRequest("config/device_registry/list") }
}
extension Request where Self == TypedRequest<LossyArray<EntityRegistryEntry>> {
  /// Request for the entity registry. Entries that do not decode are left out and counted.
  public static var entityRegistry: Self { TypedRequest("config/entity_registry/list") }
}
extension Request where Self == TypedRequest<DisplayedEntities> {
  /// Request for what a user interface needs of all entities.
  public static var displayedEntities: Self {
    TypedRequest("config/entity_registry/list_for_display")
  }
}
extension Request where Self == TypedRequest<EntityRegistryEntry> {
  /// Request for one complete entry of the entity registry.
  public static func entityRegistryEntry(_ id: EntityID) -> Self {
    TypedRequest("config/entity_registry/get", ["entity_id": .text(id.text)])
  }
}
extension Request where Self == TypedRequest<People> {
  /// Request for the people in Home Assistant.
  public static var people: Self { TypedRequest("person/list") }
}

extension Request where Self == TypedRequest<UpdatedEntityRegistryEntry> {
  /// Request to change members of an entry of the entity registry; null removes a setting of
  /// people: `name`, `icon`, `area_id`, `labels`, `disabled_by`, `hidden_by`, `new_entity_id` and
  /// more. For administrators.
  public static func updateEntityRegistryEntry(_ id: EntityID, changes: JSONObject) -> Self {
    TypedRequest("config/entity_registry/update", changes.setting("entity_id", id.text))
  }
}
extension Request where Self == TypedRequest<Device> {
  /// Request to change members of a device: `name_by_user`, `area_id`, `labels`, `disabled_by`.
  /// For administrators.
  public static func updateDevice(_ id: Text, changes: JSONObject) -> Self {
    TypedRequest("config/device_registry/update", changes.setting("device_id", id))
  }
}
extension Request where Self == TypedRequest<Area> {
  /// Request to change members of an area: `name`, `aliases`, `floor_id`, `icon`, `labels`,
  /// `picture`. For administrators.
  public static func updateArea(_ id: Text, changes: JSONObject) -> Self {
    TypedRequest("config/area_registry/update", changes.setting("area_id", id))
  }
}
extension Request where Self == TypedRequest<Person> {
  /// Request to change members of a person from the user interface, with its `Person.id`: `name`,
  /// `user_id`, `device_trackers`, `picture`. For administrators.
  public static func updatePerson(_ id: Text, changes: JSONObject) -> Self {
    TypedRequest("person/update", changes.setting("person_id", id))
  }
}

extension JSONObject {
  fileprivate func setting(_ key: Text, _ id: Text) -> JSONObject {
    var changed = self
    changed[key] = .text(id)
    return changed
  }
}
