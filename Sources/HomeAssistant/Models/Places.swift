public import Bytes

/// A room, or another part of the home.
public struct Area: JSONDecodable, Equatable, Sendable {
  public let id: Text
  public let name: Text
  public let aliases: [Text]
  public let floorID: Text?
  public let icon: Text?
  public let labelIDs: [Text]
  public let picture: Text?

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    id = try members.get("area_id")
    name = try members.get("name")
    aliases = try members.get("aliases", default: [])
    floorID = try members.getIfPresent("floor_id")
    icon = try members.getIfPresent("icon")
    labelIDs = try members.get("labels", default: [])
    picture = try members.getIfPresent("picture")
  }
}

/// A storey of the home.
public struct Floor: JSONDecodable, Equatable, Sendable {
  public let id: Text
  public let name: Text
  public let aliases: [Text]
  public let icon: Text?
  /// 0 is the ground floor; nil where nobody said.
  public let level: Int?

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    id = try members.get("floor_id")
    name = try members.get("name")
    aliases = try members.get("aliases", default: [])
    icon = try members.getIfPresent("icon")
    level = try members.getIfPresent("level")
  }
}

/// A word that people put on areas, devices and entities.
public struct Label: JSONDecodable, Equatable, Sendable {
  public let id: Text
  public let name: Text
  public let color: Text?
  public let description: Text?
  public let icon: Text?

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    id = try members.get("label_id")
    name = try members.get("name")
    color = try members.getIfPresent("color")
    description = try members.getIfPresent("description")
    icon = try members.getIfPresent("icon")
  }
}

/// Somebody who may be home or not.
public struct Person: JSONDecodable, Equatable, Sendable {
  public let id: Text
  public let name: Text
  public let userID: Text?
  public let deviceTrackers: [EntityID]
  public let picture: Text?

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    id = try members.get("id")
    name = try members.get("name")
    userID = try members.getIfPresent("user_id")
    deviceTrackers = try members.get("device_trackers", default: [])
    picture = try members.getIfPresent("picture")
  }
}

/// The people that Home Assistant knows.
public struct People: JSONDecodable, Equatable, Sendable {
  /// Those who were added in the user interface, and can be changed there.
  public let stored: [Person]
  /// Those who stand in the configuration.
  public let configured: [Person]

  public init(json: JSON) throws(JSONDecodingError) {
    stored = try json.get("storage")
    configured = try json.get("config", default: [])
  }
}
