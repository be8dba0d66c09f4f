public import Bytes

/// A room, or another part of the home.
public struct Area: JSONDecodable, Equatable, Sendable {
  /// It stays when people rename the area.
  public let id: Text
  /// What people call it.
  public let name: Text
  /// What people call it too, when they speak.
  public let aliases: [Text]
  /// The floor it is on; nil where none is set.
  public let floorID: Text?
  /// Such as `mdi:sofa`; nil where none is set.
  public let icon: Text?
  /// The labels that people put on it.
  public let labelIDs: [Text]
  /// The path of a picture below the address of Home Assistant.
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
  /// It stays when people rename the floor.
  public let id: Text
  /// What people call it.
  public let name: Text
  /// What people call it too, when they speak.
  public let aliases: [Text]
  /// Such as `mdi:stairs`; nil where none is set.
  public let icon: Text?
  /// 0 is the ground floor; nil where none is set.
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
  /// It stays when people rename the label.
  public let id: Text
  /// What people call it.
  public let name: Text
  /// Such as `red` or `#ff0000`; nil where none is set.
  public let color: Text?
  /// What people say it is for.
  public let description: Text?
  /// Such as `mdi:tag`; nil where none is set.
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

/// A person, who may be home or not.
public struct Person: JSONDecodable, Equatable, Sendable {
  /// It stays when people rename the person; not the entity's id.
  public let id: Text
  /// What people call them.
  public let name: Text
  /// The user that they log in as; nil where they do not.
  public let userID: Text?
  /// What tells where they are.
  public let deviceTrackers: [EntityID]
  /// The path of a picture below the address of Home Assistant.
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
