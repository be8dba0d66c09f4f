public import Bytes
public import HomeAssistant

/// Request for the past states of entities, by their identifiers.
public struct GetHistory: Request {
  public typealias Response = [Text: [HistoryState]]
  /// Entities to report.
  public let entityIDs: [EntityID]
  /// Start of the period.
  public let startTime: WallTime
  /// End of the period; nil for now.
  public let endTime: WallTime?
  /// Whether the state at the start comes first, although it began before.
  public var includesStartState = true
  /// Whether changes of attributes alone are left out, except in the few domains that depend on
  /// them.
  public var isSignificantOnly = true
  /// Whether only the first and the last state have attributes.
  public var isMinimal = false
  /// Whether states have attributes.
  public var hasAttributes = true

  /// Creates a request for the history of these entities.
  ///
  /// - Parameters:
  ///   - entityIDs: entities to report.
  ///   - startTime: start of the period.
  ///   - endTime: end of the period; nil for now.
  public init(_ entityIDs: [EntityID], from startTime: WallTime, to endTime: WallTime? = nil) {
    self.entityIDs = entityIDs
    self.startTime = startTime
    self.endTime = endTime
  }

  public var command: Text { "history/history_during_period" }
  public var payload: JSONObject {
    var payload: JSONObject = [
      "entity_ids": .ids(entityIDs), "start_time": .time(startTime),
      "include_start_time_state": .boolean(includesStartState),
      "significant_changes_only": .boolean(isSignificantOnly),
      "minimal_response": .boolean(isMinimal), "no_attributes": .boolean(!hasAttributes),
    ]
    payload["end_time"] = endTime.map { .time($0) }
    return payload
  }
}

/// Request for a period of the logbook.
public struct GetLogbook: Request {
  public typealias Response = [LogbookEntry]
  /// Start of the period.
  public let startTime: WallTime
  /// End of the period; nil for now.
  public let endTime: WallTime?
  /// Entities to report; all if empty.
  public let entityIDs: [EntityID]

  /// Creates a request for a period of the logbook.
  ///
  /// - Parameters:
  ///   - startTime: start of the period.
  ///   - endTime: end of the period; nil for now.
  ///   - entityIDs: entities to report; all if empty.
  public init(
    from startTime: WallTime, to endTime: WallTime? = nil, entities entityIDs: [EntityID] = []
  ) {
    self.startTime = startTime
    self.endTime = endTime
    self.entityIDs = entityIDs
  }

  public var command: Text { "logbook/get_events" }
  public var payload: JSONObject {
    var payload: JSONObject = ["start_time": .time(startTime)]
    payload["end_time"] = endTime.map { .time($0) }
    if !entityIDs.isEmpty { payload["entity_ids"] = .ids(entityIDs) }
    return payload
  }
}

/// Subscription to the logbook, with its entries since a start.
public struct SubscribeLogbook: SubscriptionRequest {
  public typealias Event = LogbookEvent
  /// Time of the oldest entries.
  public let startTime: WallTime
  /// Entities to report; all if empty.
  public let entityIDs: [EntityID]

  /// Creates a subscription to the logbook.
  ///
  /// - Parameters:
  ///   - startTime: time of the oldest entries.
  ///   - entityIDs: entities to report; all if empty.
  public init(from startTime: WallTime, entities entityIDs: [EntityID] = []) {
    self.startTime = startTime
    self.entityIDs = entityIDs
  }

  public var command: Text { "logbook/event_stream" }
  public var payload: JSONObject {
    var payload: JSONObject = ["start_time": .time(startTime)]
    if !entityIDs.isEmpty { payload["entity_ids"] = .ids(entityIDs) }
    return payload
  }
}
