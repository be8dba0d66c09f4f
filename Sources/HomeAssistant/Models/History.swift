public import Bytes

/// What an entity was at some time, out of Home Assistant's records.
public struct HistoryState: Equatable, Sendable {
  public let state: Text
  /// Nil where they were not asked for.
  public let attributes: JSONObject?
  public let lastChanged: WallTime
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
  public let time: WallTime
  public let entityID: Text?
  public let name: Text?
  public let message: Text?
  public let state: Text?
  public let icon: Text?
  public let domain: Text?
  /// Who did it.
  public let contextUserID: Text?
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
  public let entries: [LogbookEntry]
  /// Of the records that this piece is of; nil of what happens now.
  public let startTime: WallTime?
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
  public let logger: Text
  /// `WARNING`, `ERROR` or `CRITICAL`.
  public let level: Text
  public let messages: [Text]
  /// Of the exception; empty without one.
  public let exception: Text
  public let count: Int
  public let firstOccurred: WallTime
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
