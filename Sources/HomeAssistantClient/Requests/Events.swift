public import Bytes
public import HomeAssistant

extension Request where Self == TypedRequest<FiredEvent> {
  /// Request to fire an event on Home Assistant's bus, whose type has at most 64 characters. For
  /// administrators. Like a service call, it may take effect twice if the connection is lost.
  public static func fireEvent(
    _ type: EventType, data: JSONObject = [:], retry: Retry = .within(.seconds(10))
  ) -> Self {
    TypedRequest(
      "fire_event", ["event_type": .text(type.text), "event_data": .object(data)], retry: retry)
  }
}

/// Result of firing an event.
public struct FiredEvent: JSONDecodable, Equatable, Sendable {
  /// Context of the event, which its effects name.
  public let context: Context

  public init(json: JSON) throws(JSONDecodingError) { context = try json.get("context") }
}

extension SubscriptionRequest where Self == TypedSubscription<HomeAssistantClient.Event> {
  /// Subscription to all events of Home Assistant's bus. Users who are not administrators may watch
  /// only the types in a list of Home Assistant.
  public static var events: Self { TypedSubscription("subscribe_events") }
  /// Subscription to the events of one type.
  public static func events(_ type: EventType) -> Self {
    TypedSubscription("subscribe_events", ["event_type": .text(type.text)])
  }
}

extension SubscriptionRequest where Self == TypedSubscription<StateChange> {
  /// Subscription to every change of every entity, with the state before. To follow the states, use
  /// `SubscribeEntities`: it reports each state once and then only differences.
  public static var stateChanges: Self {
    TypedSubscription("subscribe_events", ["event_type": "state_changed"])
  }
}

/// Subscription to the states of entities, in the short form that `EntityStore` reads.
///
/// Pass each event's bytes to the store's `apply`, and call its `subscriptionStarted` each time
/// Home Assistant accepts the subscription.
public struct SubscribeEntities: SubscriptionRequest {
  public typealias Event = JSON
  /// Entities to report, if not empty.
  public var entityIDs: [EntityID]
  /// Entities to include; all if empty.
  public var include: EntityFilter
  /// Entities to exclude from these.
  public var exclude: EntityFilter

  /// Creates a subscription; without arguments, to all entities.
  public init(
    _ entityIDs: [EntityID] = [], include: EntityFilter = EntityFilter(),
    exclude: EntityFilter = EntityFilter()
  ) {
    self.entityIDs = entityIDs
    self.include = include
    self.exclude = exclude
  }

  public var command: Text { "subscribe_entities" }
  public var payload: JSONObject {
    var payload = JSONObject()
    if !entityIDs.isEmpty { payload["entity_ids"] = .ids(entityIDs) }
    if !include.isEmpty { payload["include"] = .object(include.members) }
    if !exclude.isEmpty { payload["exclude"] = .object(exclude.members) }
    return payload
  }
}

/// Filter of entities. Home Assistant supports identifiers since 2022.4, and the rest since
/// 2024.11; older versions refuse the subscription.
public struct EntityFilter: Equatable, Sendable {
  /// Domains whose entities pass the filter.
  public var domains: [Text]
  /// Entities that pass the filter.
  public var entityIDs: [EntityID]
  /// Patterns of identifiers that pass the filter, with `*` and `?`: `sensor.boat_*`.
  public var globs: [Text]

  /// Creates a filter; an entity passes if any of these matches.
  public init(domains: [Text] = [], entities entityIDs: [EntityID] = [], globs: [Text] = []) {
    self.domains = domains
    self.entityIDs = entityIDs
    self.globs = globs
  }

  /// Whether the filter names nothing.
  public var isEmpty: Bool { domains.isEmpty && entityIDs.isEmpty && globs.isEmpty }

  var members: JSONObject {
    var members = JSONObject()
    if !domains.isEmpty { members["domains"] = .texts(domains) }
    if !entityIDs.isEmpty { members["entities"] = .ids(entityIDs) }
    if !globs.isEmpty { members["entity_globs"] = .texts(globs) }
    return members
  }
}

extension SubscriptionRequest where Self == TypedSubscription<TriggerEvent> {
  /// Subscription to the firing of an automation trigger, or of any in an array. For
  /// administrators. `variables` are those of templates in the trigger, by name.
  public static func trigger(_ trigger: JSON, variables: JSONObject = [:]) -> Self {
    var payload: JSONObject = ["trigger": trigger]
    if !variables.isEmpty { payload["variables"] = .object(variables) }
    return TypedSubscription("subscribe_trigger", payload)
  }
}

extension SubscriptionRequest where Self == TypedSubscription<TemplateEvent> {
  /// Subscription to a template: its result now, and after every change of its dependencies.
  /// The time limit of one rendering is truncated to the millisecond. Strictly, an unknown variable
  /// is an error.
  public static func template(
    _ template: Text, variables: JSONObject = [:], timeout: Duration? = nil, isStrict: Bool = false
  ) -> Self {
    var payload: JSONObject = [
      "template": .text(template), "variables": .object(variables), "report_errors": true,
    ]
    payload["timeout"] = timeout.map { .seconds($0) }
    if isStrict { payload["strict"] = true }
    return TypedSubscription("render_template", payload)
  }
}

extension JSON {
  /// Returns seconds, truncated to the millisecond.
  static func seconds(_ duration: Duration) -> JSON {
    let milliseconds = duration.nanoseconds / 1_000_000
    guard milliseconds % 1000 != 0 else { return .number(JSONNumber(milliseconds / 1000)) }
    guard let number = JSONNumber(Double(milliseconds) / 1000) else {
      preconditionFailure("a whole number of milliseconds is finite")
    }
    return .number(number)
  }
}
