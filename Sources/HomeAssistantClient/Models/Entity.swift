public import Bytes
public import HomeAssistant

/// Entity with a current or past state.
public struct Entity: Equatable, Sendable {
  /// Identifier of the entity.
  public let id: EntityID
  /// State, always as text: `on`, `21.5`, `unavailable`.
  public var state: Text
  /// Attributes, such as `unit_of_measurement`; each integration has its own.
  public var attributes: JSONObject
  /// Time at which the state changed last.
  public var lastChanged: WallTime
  /// Time at which the state or an attribute changed last.
  public var lastUpdated: WallTime
  /// Time at which the state was written last, changed or not; nil if not reported.
  public var lastReported: WallTime?
  /// Cause of the last change.
  public var context: Context

  /// Creates an entity for tests and previews.
  public init(
    id: EntityID, state: Text, attributes: JSONObject = [:], lastChanged: WallTime,
    lastUpdated: WallTime, lastReported: WallTime? = nil, context: Context
  ) {
    self.id = id
    self.state = state
    self.attributes = attributes
    self.lastChanged = lastChanged
    self.lastUpdated = lastUpdated
    self.lastReported = lastReported
    self.context = context
  }

  /// Domain, such as `light`.
  public var domain: Text { id.domain }
  /// Value of `friendly_name`, the name for people.
  public var friendlyName: Text? { attributes.get("friendly_name", orOnFailure: nil) }
  /// Icon, such as `mdi:water`.
  public var icon: Text? { attributes.get("icon", orOnFailure: nil) }

  /// Circle of a zone, read from the current attributes; nil if the entity is not a complete zone.
  public var zone: ZoneAttributes? {
    guard id.isOf(domain: "zone") else { return nil }
    do throws(JSONDecodingError) {
      return try ZoneAttributes(json: .object(attributes))
    } catch {
      return nil
    }
  }
}

extension Entity: JSONDecodable {
  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    id = try members.get("entity_id")
    state = try members.get("state")
    attributes = try members.get("attributes")
    lastChanged = try members.get("last_changed")
    lastUpdated = try members.get("last_updated")
    lastReported = try members.getIfPresent("last_reported")
    context = try members.get("context")
  }
}

/// Cause of a change or an event.
public struct Context: JSONDecodable, Equatable, Sendable {
  /// Identifier that all effects of one cause share.
  public var id: Text
  /// User behind it; nil if there is none.
  public var userID: Text?
  /// Context of its own cause, such as the automation that called a service.
  public var parentID: Text?

  /// Creates a context for tests and previews.
  public init(id: Text, userID: Text? = nil, parentID: Text? = nil) {
    self.id = id
    self.userID = userID
    self.parentID = parentID
  }

  public init(json: JSON) throws(JSONDecodingError) {
    id = try json.get("id")
    userID = try json.getIfPresent("user_id")
    parentID = try json.getIfPresent("parent_id")
  }
}

/// Circle of a zone.
public struct ZoneAttributes: JSONDecodable, Equatable, Sendable {
  /// Latitude of the center, in degrees.
  public let latitude: Double
  /// Longitude of the center, in degrees.
  public let longitude: Double
  /// Radius, in meters.
  public let radiusMeters: Double
  /// Whether the zone is for automations only, and never the state of a person.
  public let isPassive: Bool

  public init(json: JSON) throws(JSONDecodingError) {
    latitude = try json.get("latitude")
    longitude = try json.get("longitude")
    radiusMeters = try json.get("radius")
    isPassive = try json.get("passive")
  }
}
