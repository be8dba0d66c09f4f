public import Bytes
public import HomeAssistant

/// Type of an event on Home Assistant's bus. Integrations have more types than the ones here.
public struct EventType: Hashable, Sendable, JSONDecodable, ExpressibleByStringLiteral {
  /// Name in Home Assistant.
  public let text: Text

  /// Creates a type from its name in Home Assistant.
  public init(_ text: Text) { self.text = text }
  public init(stringLiteral literal: StaticString) { text = Text(stringLiteral: literal) }
  public init(json: JSON) throws(JSONDecodingError) { text = try json.text() }

  /// Call of a service: `call_service`.
  public static var callService: EventType { "call_service" }
  /// Readiness of an integration: `component_loaded`.
  public static var componentLoaded: EventType { "component_loaded" }
  /// Change of the home's name, place, units or language: `core_config_updated`.
  public static var coreConfigUpdated: EventType { "core_config_updated" }
  /// Beginning of Home Assistant's start: `homeassistant_start`.
  public static var homeAssistantStart: EventType { "homeassistant_start" }
  /// End of Home Assistant's start, when everything is loaded: `homeassistant_started`.
  public static var homeAssistantStarted: EventType { "homeassistant_started" }
  /// Beginning of Home Assistant's stop: `homeassistant_stop`.
  public static var homeAssistantStop: EventType { "homeassistant_stop" }
  /// New service: `service_registered`.
  public static var serviceRegistered: EventType { "service_registered" }
  /// Removed service: `service_removed`.
  public static var serviceRemoved: EventType { "service_removed" }
  /// Addition, change or removal of an entity: `state_changed`.
  public static var stateChanged: EventType { "state_changed" }
  /// Addition, change or removal of an area: `area_registry_updated`.
  public static var areaRegistryUpdated: EventType { "area_registry_updated" }
  /// Addition, change or removal of a device: `device_registry_updated`.
  public static var deviceRegistryUpdated: EventType { "device_registry_updated" }
  /// Addition, change or removal of a registry entry of an entity: `entity_registry_updated`.
  public static var entityRegistryUpdated: EventType { "entity_registry_updated" }
  /// Addition, change or removal of a floor: `floor_registry_updated`.
  public static var floorRegistryUpdated: EventType { "floor_registry_updated" }
  /// Addition, change or removal of a label: `label_registry_updated`.
  public static var labelRegistryUpdated: EventType { "label_registry_updated" }
  /// Change of the user interface's pages: `panels_updated`.
  public static var panelsUpdated: EventType { "panels_updated" }
}

/// Event on Home Assistant's bus.
public struct Event: JSONDecodable, Equatable, Sendable {
  /// Origin of an event.
  public enum Origin: Text, JSONDecodable, Sendable {
    /// This instance.
    case local = "LOCAL"
    /// Another instance, or the network.
    case remote = "REMOTE"
  }

  /// Type of the event.
  public let type: EventType
  /// Data of the event; each type has its own.
  public let data: JSONObject
  /// Origin of the event: this instance or another.
  public let origin: Origin
  /// Time of the event.
  public let timeFired: WallTime
  /// Cause of the event.
  public let context: Context

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    type = try members.get("event_type")
    data = try members.get("data", default: [:])
    origin = try members.get("origin")
    timeFired = try members.get("time_fired")
    context = try members.get("context")
  }
}

/// Addition, change or removal of an entity.
public struct StateChange: JSONDecodable, Equatable, Sendable {
  /// Unchanged event.
  public let event: Event
  /// Changed entity.
  public let entityID: EntityID
  /// State before; nil if the entity is new, or the state does not decode.
  public let oldState: Entity?
  /// State after; nil if the entity was removed, or the state does not decode.
  public let newState: Entity?

  public init(json: JSON) throws(JSONDecodingError) {
    event = try Event(json: json)
    entityID = try event.data.get("entity_id")
    oldState = event.data.get("old_state", orOnFailure: nil)
    newState = event.data.get("new_state", orOnFailure: nil)
  }
}

/// Firing of an automation trigger.
public struct TriggerEvent: JSONDecodable, Equatable, Sendable {
  /// Variables that the automation would see; `trigger` describes the trigger.
  public let variables: JSONObject
  /// Cause of the firing; nil for a time trigger.
  public let context: Context?

  public init(json: JSON) throws(JSONDecodingError) {
    variables = try json.get("variables")
    context = try json.getIfPresent("context")
  }
}

/// Rendered text of a template, and its dependencies.
public struct RenderedTemplate: JSONDecodable, Equatable, Sendable {
  /// Changes after which Home Assistant renders the template again.
  public struct Listeners: JSONDecodable, Equatable, Sendable {
    /// Whether any entity counts.
    public let all: Bool
    /// Whether the template is rendered every minute.
    public let time: Bool
    /// Identifiers of these entities.
    public let entities: [Text]
    /// Domains of which any entity counts.
    public let domains: [Text]

    public init(json: JSON) throws(JSONDecodingError) {
      let members = try json.object()
      all = try members.get("all", default: false)
      time = try members.get("time", default: false)
      entities = try members.get("entities", default: [])
      domains = try members.get("domains", default: [])
    }
  }

  /// Text, or the parsed value of the text: a number, a list, a boolean.
  public let result: JSON
  /// Changes after which Home Assistant renders the template again.
  public let listeners: Listeners

  public init(json: JSON) throws(JSONDecodingError) {
    result = try json.get("result")
    listeners = try json.get("listeners")
  }
}

/// Event of a template subscription.
public enum TemplateEvent: JSONDecodable, Equatable, Sendable {
  /// New result.
  case rendered(RenderedTemplate)
  /// Home Assistant cannot render the template. `level` is its log level: `ERROR`, `WARNING`.
  case failed(message: Text, level: Text?)

  public init(json: JSON) throws(JSONDecodingError) {
    guard let message: Text = try json.getIfPresent("error") else {
      self = .rendered(try RenderedTemplate(json: json))
      return
    }
    self = .failed(message: message, level: try json.getIfPresent("level"))
  }
}
