public import Bytes

/// What hangs together with an item, without the item itself. Home Assistant leaves out a kind of
/// which there is nothing, and here it is empty. The order means nothing.
public struct RelatedItems: JSONDecodable, Equatable, Sendable {
  /// Of a device its entities, but those that are disabled.
  public let entityIDs: [EntityID]
  /// The ids of the devices.
  public let deviceIDs: [Text]
  /// The ids of the entries of the configuration that brought it.
  public let configEntryIDs: [Text]
  /// The domains of the integrations that brought it.
  public let integrations: [Text]
  /// The ids of the areas.
  public let areaIDs: [Text]
  /// The entities of the automations that use it.
  public let automationIDs: [EntityID]
  /// The entities of the people who are tracked by it.
  public let personIDs: [EntityID]

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    entityIDs = try members.get("entity", default: [])
    deviceIDs = try members.get("device", default: [])
    configEntryIDs = try members.get("config_entry", default: [])
    integrations = try members.get("integration", default: [])
    areaIDs = try members.get("area", default: [])
    automationIDs = try members.get("automation", default: [])
    personIDs = try members.get("person", default: [])
  }
}
