public import Bytes
public import HomeAssistant

/// Area of the home, such as a room.
public struct Area: JSONDecodable, Equatable, Sendable {
  /// Identifier of the area; it survives a renaming.
  public let id: Text
  /// Name for people.
  public let name: Text
  /// Other names for voice commands.
  public let aliases: [Text]
  /// Floor of the area; nil if not set.
  public let floorID: Text?
  /// Icon, such as `mdi:sofa`; nil if not set.
  public let icon: Text?
  /// Labels that people assigned.
  public let labelIDs: [Text]
  /// Path of a picture, below the address of Home Assistant.
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

/// Floor of the home.
public struct Floor: JSONDecodable, Equatable, Sendable {
  /// Identifier of the floor; it survives a renaming.
  public let id: Text
  /// Name for people.
  public let name: Text
  /// Other names for voice commands.
  public let aliases: [Text]
  /// Icon, such as `mdi:stairs`; nil if not set.
  public let icon: Text?
  /// Level of the floor; 0 is the ground floor, nil if not set.
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

/// Label for areas, devices and entities.
public struct Label: JSONDecodable, Equatable, Sendable {
  /// Identifier of the label; it survives a renaming.
  public let id: Text
  /// Name for people.
  public let name: Text
  /// Color, such as `red` or `#ff0000`; nil if not set.
  public let color: Text?
  /// Description for people.
  public let description: Text?
  /// Icon, such as `mdi:tag`; nil if not set.
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

/// Person, who may be home or not.
public struct Person: JSONDecodable, Equatable, Sendable {
  /// Identifier of the person, other than the entity's; it survives a renaming.
  public let id: Text
  /// Name of the person.
  public let name: Text
  /// User account; nil if the person has none.
  public let userID: Text?
  /// Device trackers that locate the person.
  public let deviceTrackers: [EntityID]
  /// Path of a picture, below the address of Home Assistant.
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

/// People in Home Assistant.
public struct People: JSONDecodable, Equatable, Sendable {
  /// People from the user interface, which can also change them.
  public let stored: [Person]
  /// People from the configuration.
  public let configured: [Person]

  public init(json: JSON) throws(JSONDecodingError) {
    stored = try json.get("storage")
    configured = try json.get("config", default: [])
  }
}
