public import Bytes

/// The kind of an event on Home Assistant's bus. Integrations have more than are named here.
public struct EventType: Hashable, Sendable, JSONDecodable, ExpressibleByStringLiteral {
  public let text: Text

  public init(_ text: Text) { self.text = text }
  public init(stringLiteral literal: StaticString) { text = Text(stringLiteral: literal) }
  public init(json: JSON) throws(JSONDecodingError) { text = try json.text() }

  public static var callService: EventType { "call_service" }
  public static var componentLoaded: EventType { "component_loaded" }
  public static var coreConfigUpdated: EventType { "core_config_updated" }
  public static var homeAssistantClose: EventType { "homeassistant_close" }
  public static var homeAssistantFinalWrite: EventType { "homeassistant_final_write" }
  public static var homeAssistantStart: EventType { "homeassistant_start" }
  public static var homeAssistantStarted: EventType { "homeassistant_started" }
  public static var homeAssistantStop: EventType { "homeassistant_stop" }
  public static var logbookEntry: EventType { "logbook_entry" }
  public static var platformDiscovered: EventType { "platform_discovered" }
  public static var serviceRegistered: EventType { "service_registered" }
  public static var serviceRemoved: EventType { "service_removed" }
  public static var shoppingListUpdated: EventType { "shopping_list_updated" }
  public static var stateChanged: EventType { "state_changed" }
  public static var themesUpdated: EventType { "themes_updated" }
  public static var timerOutOfSync: EventType { "timer_out_of_sync" }
  public static var areaRegistryUpdated: EventType { "area_registry_updated" }
  public static var deviceRegistryUpdated: EventType { "device_registry_updated" }
  public static var entityRegistryUpdated: EventType { "entity_registry_updated" }
  public static var floorRegistryUpdated: EventType { "floor_registry_updated" }
  public static var labelRegistryUpdated: EventType { "label_registry_updated" }
  public static var panelsUpdated: EventType { "panels_updated" }
}

/// Something that happened on Home Assistant's bus.
public struct Event: JSONDecodable, Equatable, Sendable {
  /// Whether it happened in this instance or came from another.
  public enum Origin: Text, JSONDecodable, Sendable {
    case local = "LOCAL"
    case remote = "REMOTE"
  }

  public let type: EventType
  public let data: JSONObject
  public let origin: Origin
  public let timeFired: WallTime
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

/// An entity came, changed or went.
public struct StateChange: JSONDecodable, Equatable, Sendable {
  public let event: Event
  public let entityID: EntityID
  /// Nil where there was none before, or what was there does not decode.
  public let oldState: Entity?
  /// Nil where the entity is gone, or what is there does not decode.
  public let newState: Entity?

  public init(json: JSON) throws(JSONDecodingError) {
    event = try Event(json: json)
    entityID = try event.data.get("entity_id")
    oldState = event.data.get("old_state", orOnFailure: nil)
    newState = event.data.get("new_state", orOnFailure: nil)
  }
}

/// A trigger of an automation has fired.
public struct TriggerEvent: JSONDecodable, Equatable, Sendable {
  /// What the automation would see; what fired is in `trigger`.
  public let variables: JSONObject
  public let context: Context?

  public init(json: JSON) throws(JSONDecodingError) {
    variables = try json.get("variables")
    context = try json.getIfPresent("context")
  }
}
