public import Bytes
public import HomeAssistant

extension Request where Self == TypedRequest<[Text: [HistoryState]]> {
  /// Request for the past states of entities, by their identifiers. Without an end, it is until
  /// now.
  ///
  /// The start state comes first, although it began before. `isSignificantOnly` leaves out changes
  /// of attributes alone, except in the few domains that depend on them; if `isMinimal`, only the
  /// first and the last state have attributes.
  public static func history(
    of entityIDs: [EntityID], from startTime: WallTime, to endTime: WallTime? = nil,
    includesStartState: Bool = true, isSignificantOnly: Bool = true, isMinimal: Bool = false,
    hasAttributes: Bool = true
  ) -> Self {
    var payload: JSONObject = [
      "entity_ids": .ids(entityIDs), "start_time": .time(startTime),
      "include_start_time_state": .boolean(includesStartState),
      "significant_changes_only": .boolean(isSignificantOnly),
      "minimal_response": .boolean(isMinimal), "no_attributes": .boolean(!hasAttributes),
    ]
    payload["end_time"] = endTime.map { .time($0) }
    return TypedRequest("history/history_during_period", payload)
  }
}

extension Request where Self == TypedRequest<[LogbookEntry]> {
  /// Request for a period of the logbook, of these entities, or of all if the list is empty.
  /// Without an end, it is until now.
  public static func logbook(
    from startTime: WallTime, to endTime: WallTime? = nil, entities entityIDs: [EntityID] = []
  ) -> Self {
    var payload: JSONObject = ["start_time": .time(startTime)]
    payload["end_time"] = endTime.map { .time($0) }
    if !entityIDs.isEmpty { payload["entity_ids"] = .ids(entityIDs) }
    return TypedRequest("logbook/get_events", payload)
  }
}

extension SubscriptionRequest where Self == TypedSubscription<LogbookEvent> {
  /// Subscription to the logbook, with its entries since a start; of all entities if none is named.
  public static func logbook(
    from startTime: WallTime, entities entityIDs: [EntityID] = []
  ) -> Self {
    var payload: JSONObject = ["start_time": .time(startTime)]
    if !entityIDs.isEmpty { payload["entity_ids"] = .ids(entityIDs) }
    return TypedSubscription("logbook/event_stream", payload)
  }
}
