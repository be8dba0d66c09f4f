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

/// Request for the items related to one item, such as the entities of a device, the device of an
/// entity, and their users.
public struct GetRelated: Request {
  public typealias Response = RelatedItems
  /// Type of an item, which determines the form of its identifier.
  public enum Kind: Text, Sendable {
    /// Area, with its identifier.
    case area
    /// Automation, with its entity.
    case automation
    /// Blueprint of an automation, with its path.
    case automationBlueprint = "automation_blueprint"
    /// Configuration entry, with its identifier.
    case configEntry = "config_entry"
    /// Device, with its identifier in the device registry.
    case device
    /// Entity, with its identifier.
    case entity
    /// Floor, with its identifier.
    case floor
    /// Group, with its entity.
    case group
    /// Integration, with its domain.
    case integration
    /// Label, with its identifier.
    case label
    /// Person, with its entity.
    case person
    /// Scene, with its entity.
    case scene
    /// Script, with its entity.
    case script
    /// Blueprint of a script, with its path.
    case scriptBlueprint = "script_blueprint"
  }
  /// Type of the item.
  public let kind: Kind
  /// Identifier of the item. An unknown one has no related items.
  public let id: Text

  /// Creates a request for the items related to this one.
  ///
  /// - Parameters:
  ///   - kind: type of the item.
  ///   - id: identifier of the item.
  public init(_ kind: Kind, _ id: Text) {
    self.kind = kind
    self.id = id
  }

  public var command: Text { "search/related" }
  public var payload: JSONObject { ["item_type": .text(kind.rawValue), "item_id": .text(id)] }
}
