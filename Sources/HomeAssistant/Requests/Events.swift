public import Bytes

/// Puts an event on Home Assistant's bus. For administrators. Like a call of a service, it may
/// happen twice where the connection is lost.
public struct FireEvent: Request {
  public typealias Response = FiredEvent
  /// What listeners go by.
  public let type: EventType
  /// What listeners get.
  public let data: JSONObject
  public let retry: Retry

  /// An event of one type.
  ///
  /// - Parameters:
  ///   - type: what listeners go by, at most 64 characters.
  ///   - data: what they get.
  ///   - retry: whether it is sent again where its connection is lost before the answer.
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

/// What came of putting an event on the bus.
public struct FiredEvent: JSONDecodable, Equatable, Sendable {
  /// Of the event; what it caused names this.
  public let context: Context

  public init(json: JSON) throws(JSONDecodingError) { context = try json.get("context") }
}

/// The events of Home Assistant's bus, of one type or all. For users who are no administrators,
/// Home Assistant has a list of the types that they may watch.
public struct SubscribeEvents: SubscriptionRequest {
  public typealias Event = HomeAssistant.Event
  /// Events of this type; all of them, where it is nil.
  public let type: EventType?

  /// The events of one type, or all of them.
  public init(_ type: EventType? = nil) { self.type = type }

  public var command: Text { "subscribe_events" }
  public var payload: JSONObject {
    guard let type else { return [:] }
    return ["event_type": .text(type.text)]
  }
}

/// Every change of every entity, with what was before. To follow what entities are, subscribe
/// with `SubscribeEntities`: it says each state once and then only differences.
public struct SubscribeStateChanges: SubscriptionRequest {
  public typealias Event = StateChange
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "subscribe_events" }
  public var payload: JSONObject { ["event_type": "state_changed"] }
}

/// What entities are, in the short form that `EntityStore` reads.
///
/// Give each event's bytes to the store's `apply`, and tell it `subscriptionStarted` each time
/// Home Assistant accepts the subscription.
public struct SubscribeEntities: SubscriptionRequest {
  public typealias Event = JSON
  /// These alone, where there are any.
  public var entityIDs: [EntityID]
  /// Those of all entities that are told; all of them, where this is empty.
  public var include: EntityFilter
  /// Those of them that are not told after all.
  public var exclude: EntityFilter

  /// The entities to watch; all, where nothing is said.
  ///
  /// - Parameters:
  ///   - entityIDs: these alone, where there are any.
  ///   - include: those of all entities that are told; all of them, where this is empty.
  ///   - exclude: those of them that are not told after all.
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

/// Which entities are meant. Home Assistant knows this since 2022.4 for ids, and the rest since
/// 2024.11; before, it refuses the subscription.
public struct EntityFilter: Equatable, Sendable {
  /// All entities of these domains.
  public var domains: [Text]
  /// These entities.
  public var entityIDs: [EntityID]
  /// Patterns of ids, with `*` and `?`.
  public var globs: [Text]

  /// An entity is meant where it fits any of these.
  ///
  /// - Parameters:
  ///   - domains: such as `light`.
  ///   - entityIDs: such as `sun.sun`.
  ///   - globs: such as `sensor.boat_*`.
  public init(domains: [Text] = [], entities entityIDs: [EntityID] = [], globs: [Text] = []) {
    self.domains = domains
    self.entityIDs = entityIDs
    self.globs = globs
  }

  /// Whether it means nothing in particular.
  public var isEmpty: Bool { domains.isEmpty && entityIDs.isEmpty && globs.isEmpty }

  var members: JSONObject {
    var members = JSONObject()
    if !domains.isEmpty { members["domains"] = .texts(domains) }
    if !entityIDs.isEmpty { members["entities"] = .ids(entityIDs) }
    if !globs.isEmpty { members["entity_globs"] = .texts(globs) }
    return members
  }
}

/// Says when a trigger fires, such as an automation has. For administrators.
public struct SubscribeTrigger: SubscriptionRequest {
  public typealias Event = TriggerEvent
  /// One trigger, or an array of them.
  public let trigger: JSON
  /// What templates in the trigger can call by name.
  public let variables: JSONObject

  /// Triggers to watch.
  ///
  /// - Parameters:
  ///   - trigger: one, or an array of them, as in an automation.
  ///   - variables: what templates in it can call by name.
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

/// What a template says, now and after every change of what it depends on.
public struct RenderTemplate: SubscriptionRequest {
  public typealias Event = TemplateEvent
  /// In Home Assistant's language for templates (Jinja).
  public let template: Text
  /// What the template can call by name.
  public let variables: JSONObject
  /// How long Home Assistant may take to render it once.
  public let timeout: Duration?
  /// Whether an unknown variable is an error.
  public let isStrict: Bool

  /// A template to watch.
  ///
  /// - Parameters:
  ///   - template: in Home Assistant's language for templates.
  ///   - variables: what the template can call by name.
  ///   - timeout: how long Home Assistant may take to render it once, to the millisecond.
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
  /// Seconds, to the millisecond.
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
  /// All events of Home Assistant's bus.
  public static var events: SubscribeEvents { SubscribeEvents() }
  /// The events of one type.
  public static func events(_ type: EventType) -> SubscribeEvents { SubscribeEvents(type) }
}
extension SubscriptionRequest where Self == SubscribeStateChanges {
  /// Every change of every entity, with what was before.
  public static var stateChanges: SubscribeStateChanges { SubscribeStateChanges() }
}
extension SubscriptionRequest where Self == RenderTemplate {
  /// What a template says, now and after every change of what it depends on.
  public static func template(
    _ template: Text, variables: JSONObject = [:]
  ) -> RenderTemplate {
    RenderTemplate(template, variables: variables)
  }
}
