public import Bytes
public import HomeAssistant

/// Request to fire an event on Home Assistant's bus. For administrators. Like a service call, it
/// may take effect twice if the connection is lost.
public struct FireEvent: Request {
  public typealias Response = FiredEvent
  /// Type of the event.
  public let type: EventType
  /// Data of the event.
  public let data: JSONObject
  public let retry: Retry

  /// Creates a request for one event.
  ///
  /// - Parameters:
  ///   - type: type of the event, at most 64 characters.
  ///   - data: data of the event.
  ///   - retry: whether it is sent again if its connection is lost before the answer.
  public init(
    _ type: EventType, data: JSONObject = [:], retry: Retry = .within(.seconds(10))
  ) {
    self.type = type
    self.data = data
    self.retry = retry
  }

  public var command: Text { "fire_event" }
  public var payload: JSONObject {
    ["event_type": .text(type.text), "event_data": .object(data)]
  }
}

/// Result of firing an event.
public struct FiredEvent: JSONDecodable, Equatable, Sendable {
  /// Context of the event, which its effects name.
  public let context: Context

  public init(json: JSON) throws(JSONDecodingError) { context = try json.get("context") }
}

/// Subscription to the events of Home Assistant's bus, of one type or all. Users who are not
/// administrators may watch only the types in a list of Home Assistant.
public struct SubscribeEvents: SubscriptionRequest {
  public typealias Event = HomeAssistantClient.Event
  /// Type of the events; nil for all.
  public let type: EventType?

  /// Creates a subscription to the events of one type, or to all of them.
  public init(_ type: EventType? = nil) { self.type = type }

  public var command: Text { "subscribe_events" }
  public var payload: JSONObject {
    guard let type else { return [:] }
    return ["event_type": .text(type.text)]
  }
}

/// Subscription to every change of every entity, with the state before. To follow the states, use
/// `SubscribeEntities`: it reports each state once and then only differences.
public struct SubscribeStateChanges: SubscriptionRequest {
  public typealias Event = StateChange
  /// Creates the subscription.
  public init() {}
  public var command: Text { "subscribe_events" }
  public var payload: JSONObject { ["event_type": "state_changed"] }
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
  ///
  /// - Parameters:
  ///   - entityIDs: entities to report, if not empty.
  ///   - include: entities to include; all if empty.
  ///   - exclude: entities to exclude from these.
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
  /// Patterns of identifiers that pass the filter, with `*` and `?`.
  public var globs: [Text]

  /// Creates a filter; an entity passes if any of these matches.
  ///
  /// - Parameters:
  ///   - domains: domains, such as `light`.
  ///   - entityIDs: entities, such as `sun.sun`.
  ///   - globs: patterns, such as `sensor.boat_*`.
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

/// Subscription to the firing of an automation trigger. For administrators.
public struct SubscribeTrigger: SubscriptionRequest {
  public typealias Event = TriggerEvent
  /// Trigger, or an array of them.
  public let trigger: JSON
  /// Variables of templates in the trigger, by name.
  public let variables: JSONObject

  /// Creates a subscription to triggers.
  ///
  /// - Parameters:
  ///   - trigger: one trigger, or an array of them, as in an automation.
  ///   - variables: variables of templates in it, by name.
  public init(_ trigger: JSON, variables: JSONObject = [:]) {
    self.trigger = trigger
    self.variables = variables
  }

  public var command: Text { "subscribe_trigger" }
  public var payload: JSONObject {
    var payload: JSONObject = ["trigger": trigger]
    if !variables.isEmpty { payload["variables"] = .object(variables) }
    return payload
  }
}

/// Subscription to a template: its result now, and after every change of its dependencies.
public struct RenderTemplate: SubscriptionRequest {
  public typealias Event = TemplateEvent
  /// Template in Home Assistant's template language (Jinja).
  public let template: Text
  /// Variables of the template, by name.
  public let variables: JSONObject
  /// Time limit of one rendering.
  public let timeout: Duration?
  /// Whether an unknown variable is an error.
  public let isStrict: Bool

  /// Creates a subscription to a template.
  ///
  /// - Parameters:
  ///   - template: template in Home Assistant's template language.
  ///   - variables: variables of the template, by name.
  ///   - timeout: time limit of one rendering, truncated to the millisecond.
  ///   - isStrict: whether an unknown variable is an error.
  public init(
    _ template: Text, variables: JSONObject = [:], timeout: Duration? = nil, isStrict: Bool = false
  ) {
    self.template = template
    self.variables = variables
    self.timeout = timeout
    self.isStrict = isStrict
  }

  public var command: Text { "render_template" }
  public var payload: JSONObject {
    var payload: JSONObject = [
      "template": .text(template), "variables": .object(variables), "report_errors": true,
    ]
    payload["timeout"] = timeout.map { .seconds($0) }
    if isStrict { payload["strict"] = true }
    return payload
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

extension SubscriptionRequest where Self == SubscribeEvents {
  /// Subscription to all events of Home Assistant's bus.
  public static var events: SubscribeEvents { SubscribeEvents() }
  /// Returns a subscription to the events of one type.
  public static func events(_ type: EventType) -> SubscribeEvents { SubscribeEvents(type) }
}
extension SubscriptionRequest where Self == SubscribeStateChanges {
  /// Subscription to every change of every entity, with the state before.
  public static var stateChanges: SubscribeStateChanges { SubscribeStateChanges() }
}
extension SubscriptionRequest where Self == RenderTemplate {
  /// Returns a subscription to a template: its result now, and after every change of its
  /// dependencies.
  public static func template(
    _ template: Text, variables: JSONObject = [:]
  ) -> RenderTemplate {
    RenderTemplate(template, variables: variables)
  }
}
