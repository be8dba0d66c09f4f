public import Bytes

/// State of an entity in Home Assistant's recorder.
public struct HistoryState: Equatable, Sendable {
  /// State, always as text: `on`, `21.5`, `unavailable`.
  public let state: Text
  /// Attributes; nil if not requested.
  public let attributes: JSONObject?
  /// Time at which the state changed.
  public let lastChanged: WallTime
  /// Time at which the state or an attribute changed.
  public let lastUpdated: WallTime
}

extension HistoryState: JSONDecodable {
  /// Reads the short form of the WebSocket; it has `lc` only if that differs from `lu`.
  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    state = try members.get("s")
    attributes = try members.getIfPresent("a")
    lastUpdated = try members.get("lu")
    lastChanged = try members.get("lc", default: lastUpdated)
  }

  /// Reads the long form of the REST API.
  init(longForm members: JSONObject) throws(JSONDecodingError) {
    state = try members.get("state")
    attributes = try members.getIfPresent("attributes")
    lastChanged = try members.get("last_changed")
    lastUpdated = try members.get("last_updated", default: lastChanged)
  }
}

/// Entry of Home Assistant's logbook.
public struct LogbookEntry: JSONDecodable, Equatable, Sendable {
  /// Time of the entry.
  public let time: WallTime
  /// Entity of the entry; nil if there is none.
  public let entityID: Text?
  /// Subject of the entry, for people.
  public let name: Text?
  /// Description for people; nil if `state` replaces it.
  public let message: Text?
  /// New state of the entity.
  public let state: Text?
  /// Icon from the integration, if any.
  public let icon: Text?
  /// Integration that wrote the entry.
  public let domain: Text?
  /// User who caused it.
  public let contextUserID: Text?
  /// Entity that caused it, such as an automation.
  public let contextEntityID: Text?
  /// Event that caused it, such as `automation_triggered`.
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

/// Part of the logbook in a subscription.
public struct LogbookEvent: JSONDecodable, Equatable, Sendable {
  /// Entries, oldest first.
  public let entries: [LogbookEntry]
  /// Start of the covered records; nil for new entries.
  public let startTime: WallTime?
  /// End of the covered records; nil for new entries.
  public let endTime: WallTime?
  /// Whether older records follow.
  public let isPartial: Bool

  public init(json: JSON) throws(JSONDecodingError) {
    entries = try json.get("events")
    startTime = try json.getIfPresent("start_time")
    endTime = try json.getIfPresent("end_time")
    isPartial = try json.get("partial", default: false)
  }
}
