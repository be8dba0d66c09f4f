public import Bytes

/// An entity as it is now, or was.
public struct Entity: Equatable, Sendable {
  /// What names it.
  public let id: EntityID
  /// Text whatever it means: `on`, `21.5`, `unavailable`.
  public var state: Text
  /// What it says beside its state, such as `unit_of_measurement`; each integration has its own.
  public var attributes: JSONObject
  /// When the state became what it is.
  public var lastChanged: WallTime
  /// When the state or an attribute became what it is.
  public var lastUpdated: WallTime
  /// When it was last written, be it with what it was. Only where Home Assistant says so.
  public var lastReported: WallTime?
  /// What made it become what it is.
  public var context: Context

  /// An entity that did not come from Home Assistant, for tests and previews.
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

  /// Such as `light`.
  public var domain: Text { id.domain }
  /// `friendly_name`, which is what people read.
  public var friendlyName: Text? { attributes.get("friendly_name", orOnFailure: nil) }
  /// Such as `mdi:water`.
  public var icon: Text? { attributes.get("icon", orOnFailure: nil) }

  /// Where a zone is, from the attributes as they are now; nil of anything but a whole zone.
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

/// What made something happen, and for whom.
public struct Context: JSONDecodable, Equatable, Sendable {
  /// What made it happen has this id wherever it shows.
  public var id: Text
  /// The user who was behind it; nil where none was.
  public var userID: Text?
  /// The context of what caused this, such as of the automation that called a service.
  public var parentID: Text?

  /// A context that did not come from Home Assistant, for tests and previews.
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

/// The circle that a zone is.
public struct ZoneAttributes: JSONDecodable, Equatable, Sendable {
  /// Degrees.
  public let latitude: Double
  /// Degrees.
  public let longitude: Double
  /// From the middle to the edge.
  public let radiusMeters: Double
  /// A passive zone is for automations only and is the state of no person.
  public let isPassive: Bool

  public init(json: JSON) throws(JSONDecodingError) {
    latitude = try json.get("latitude")
    longitude = try json.get("longitude")
    radiusMeters = try json.get("radius")
    isPassive = try json.get("passive")
  }
}
