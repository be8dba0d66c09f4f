public import Bytes

/// What an entity was at some time, out of Home Assistant's records.
public struct HistoryState: Equatable, Sendable {
  /// Text whatever it means: `on`, `21.5`, `unavailable`.
  public let state: Text
  /// Nil where they were not asked for.
  public let attributes: JSONObject?
  /// When the state became what it was.
  public let lastChanged: WallTime
  /// When the state or an attribute became what it was.
  public let lastUpdated: WallTime
}

extension HistoryState: JSONDecodable {
  /// The short form of the WebSocket; in it `lc` stands only where it is not `lu`.
  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    state = try members.get("s")
    attributes = try members.getIfPresent("a")
    lastUpdated = try members.get("lu")
    lastChanged = try members.get("lc", default: lastUpdated)
  }

  /// The long form of the REST API.
  init(longForm members: JSONObject) throws(JSONDecodingError) {
    state = try members.get("state")
    attributes = try members.getIfPresent("attributes")
    lastChanged = try members.get("last_changed")
    lastUpdated = try members.get("last_updated", default: lastChanged)
  }
}

/// Some of Home Assistant's logbook.
public struct LogbookEntry: JSONDecodable, Equatable, Sendable {
  /// When it happened.
  public let time: WallTime
  /// The entity that it is about; nil where it is about none.
  public let entityID: Text?
  /// What it is about, for people.
  public let name: Text?
  /// What happened, for people; nil where `state` says it.
  public let message: Text?
  /// What the entity became.
  public let state: Text?
  /// What is drawn, where an integration said so.
  public let icon: Text?
  /// The integration that wrote it.
  public let domain: Text?
  /// Who did it.
  public let contextUserID: Text?
  /// The entity behind it, such as an automation.
  public let contextEntityID: Text?
  /// What did it, such as the event `automation_triggered`.
  public let contextEventType: Text?

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    time = try members.get("when")
    entityID = try members.getIfPresent("entity_id")
    name = try members.getIfPresent("name")
    message = try members.getIfPresent("message")
    state = try members.getIfPresent("state")
    icon = try members.getIfPresent("icon")
    domain = try members.getIfPresent("domain")
    contextUserID = try members.getIfPresent("context_user_id")
    contextEntityID = try members.getIfPresent("context_entity_id")
    contextEventType = try members.getIfPresent("context_event_type")
  }
}

/// A piece of the logbook as it is watched.
public struct LogbookEvent: JSONDecodable, Equatable, Sendable {
  /// Oldest first.
  public let entries: [LogbookEntry]
  /// Of the records that this piece is of; nil of what happens now.
  public let startTime: WallTime?
  /// The end of those records; nil of what happens now.
  public let endTime: WallTime?
  /// Older records follow.
  public let isPartial: Bool

  public init(json: JSON) throws(JSONDecodingError) {
    entries = try json.get("events")
    startTime = try json.getIfPresent("start_time")
    endTime = try json.getIfPresent("end_time")
    isPartial = try json.get("partial", default: false)
  }
}

/// A line of Home Assistant's log, and how often it came.
public struct SystemLogEntry: JSONDecodable, Equatable, Sendable {
  /// Which part of Home Assistant wrote it, such as `homeassistant.components.mqtt`.
  public let logger: Text
  /// `WARNING`, `ERROR` or `CRITICAL`.
  public let level: Text
  /// The last different texts of it, oldest first.
  public let messages: [Text]
  /// Of the exception; empty without one.
  public let exception: Text
  /// How often it came.
  public let count: Int
  /// When it came first.
  public let firstOccurred: WallTime
  /// When it came last.
  public let lastOccurred: WallTime

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    logger = try members.get("name")
    level = try members.get("level")
    messages = try members.get("message")
    exception = try members.get("exception", default: "")
    count = try members.get("count")
    firstOccurred = try members.get("first_occurred")
    lastOccurred = try members.get("timestamp")
  }
}
