public import Bytes

/// What entities were in a time, by their ids.
public struct GetHistory: Request {
  public typealias Response = [Text: [HistoryState]]
  /// Of which entities.
  public let entityIDs: [EntityID]
  /// From when.
  public let startTime: WallTime
  /// Now, where it is nil.
  public let endTime: WallTime?
  /// Whether the state at the start comes first, though it began before.
  public var includesStartState = true
  /// Whether changes of attributes alone are left out, but of the few domains where they matter.
  public var isSignificantOnly = true
  /// Whether attributes stand only in the first state and the last.
  public var isMinimal = false
  /// Whether attributes are told at all.
  public var hasAttributes = true

  /// The history of these entities.
  ///
  /// - Parameters:
  ///   - entityIDs: of which entities.
  ///   - startTime: from when.
  ///   - endTime: until when; now, where it is nil.
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

/// The logbook of a time.
public struct GetLogbook: Request {
  public typealias Response = [LogbookEntry]
  /// From when.
  public let startTime: WallTime
  /// Until when; now, where it is nil.
  public let endTime: WallTime?
  /// Of these alone, where there are any.
  public let entityIDs: [EntityID]

  /// The logbook of a time.
  ///
  /// - Parameters:
  ///   - startTime: from when.
  ///   - endTime: until when; now, where it is nil.
  ///   - entityIDs: of these alone, where there are any.
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

/// The logbook from a time on, and then as it is written.
public struct SubscribeLogbook: SubscriptionRequest {
  public typealias Event = LogbookEvent
  /// From when.
  public let startTime: WallTime
  /// Of these alone, where there are any.
  public let entityIDs: [EntityID]

  /// The logbook from a time on.
  ///
  /// - Parameters:
  ///   - startTime: from when.
  ///   - entityIDs: of these alone, where there are any.
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
