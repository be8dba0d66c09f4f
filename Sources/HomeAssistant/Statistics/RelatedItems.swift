public import Bytes

/// Items that are related to an item, without the item itself. Kinds that Home Assistant leaves out
/// are empty. The order has no meaning.
public struct RelatedItems: JSONDecodable, Equatable, Sendable {
  /// Entities; for a device, without disabled ones.
  public let entityIDs: [EntityID]
  /// Identifiers of the devices.
  public let deviceIDs: [Text]
  /// Identifiers of the configuration entries that created it.
  public let configEntryIDs: [Text]
  /// Domains of the integrations that created it.
  public let integrations: [Text]
  /// Identifiers of the areas.
  public let areaIDs: [Text]
  /// Entities of the automations that use it.
  public let automationIDs: [EntityID]
  /// Entities of the people who are tracked by it.
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

extension Request where Self == TypedRequest<RelatedItems> {
  /// Request for the items related to one item, such as the entities of a device, the device of an
  /// entity, and their users. An unknown item has none.
  ///
  /// - Parameters:
  ///   - kind: type of the item, which determines the form of its identifier: `area`, `automation`,
  ///     `automation_blueprint`, `config_entry`, `device`, `entity`, `floor`, `group`,
  ///     `integration`, `label`, `person`, `scene`, `script` or `script_blueprint`.
  ///   - id: identifier of the item.
  /// - Returns: the request.
  public static func related(_ kind: Text, _ id: Text) -> Self {
    TypedRequest("search/related", ["item_type": .text(kind), "item_id": .text(id)])
  }
}
