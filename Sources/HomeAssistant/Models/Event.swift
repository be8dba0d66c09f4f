public import Bytes

/// The kind of an event on Home Assistant's bus. Integrations have more than are named here.
public struct EventType: Hashable, Sendable, JSONDecodable, ExpressibleByStringLiteral {
  /// What Home Assistant calls it.
  public let text: Text

  /// A kind that has no name here.
  public init(_ text: Text) { self.text = text }
  public init(stringLiteral literal: StaticString) { text = Text(stringLiteral: literal) }
  public init(json: JSON) throws(JSONDecodingError) { text = try json.text() }

  /// A service is called: `call_service`.
  public static var callService: EventType { "call_service" }
  /// An integration is ready: `component_loaded`.
  public static var componentLoaded: EventType { "component_loaded" }
  /// The home's name, place, units or language changed: `core_config_updated`.
  public static var coreConfigUpdated: EventType { "core_config_updated" }
  /// Home Assistant closes its connections, the last step of its end: `homeassistant_close`.
  public static var homeAssistantClose: EventType { "homeassistant_close" }
  /// Integrations write what they keep, the step before: `homeassistant_final_write`.
  public static var homeAssistantFinalWrite: EventType { "homeassistant_final_write" }
  /// Home Assistant begins to start: `homeassistant_start`.
  public static var homeAssistantStart: EventType { "homeassistant_start" }
  /// Home Assistant has started, and everything is there: `homeassistant_started`.
  public static var homeAssistantStarted: EventType { "homeassistant_started" }
  /// Home Assistant begins to stop: `homeassistant_stop`.
  public static var homeAssistantStop: EventType { "homeassistant_stop" }
  /// An integration wrote into the logbook: `logbook_entry`.
  public static var logbookEntry: EventType { "logbook_entry" }
  /// An integration found a device for one of its platforms: `platform_discovered`.
  public static var platformDiscovered: EventType { "platform_discovered" }
  /// There is a new service: `service_registered`.
  public static var serviceRegistered: EventType { "service_registered" }
  /// A service is gone: `service_removed`.
  public static var serviceRemoved: EventType { "service_removed" }
  /// A person or a program changed the shopping list: `shopping_list_updated`.
  public static var shoppingListUpdated: EventType { "shopping_list_updated" }
  /// An entity came, changed or went: `state_changed`.
  public static var stateChanged: EventType { "state_changed" }
  /// The themes of the user interface changed: `themes_updated`.
  public static var themesUpdated: EventType { "themes_updated" }
  /// Home Assistant's timer was late: `timer_out_of_sync`.
  public static var timerOutOfSync: EventType { "timer_out_of_sync" }
  /// An area came, changed or went: `area_registry_updated`.
  public static var areaRegistryUpdated: EventType { "area_registry_updated" }
  /// A device came, changed or went: `device_registry_updated`.
  public static var deviceRegistryUpdated: EventType { "device_registry_updated" }
  /// An entry of an entity came, changed or went: `entity_registry_updated`.
  public static var entityRegistryUpdated: EventType { "entity_registry_updated" }
  /// A floor came, changed or went: `floor_registry_updated`.
  public static var floorRegistryUpdated: EventType { "floor_registry_updated" }
  /// A label came, changed or went: `label_registry_updated`.
  public static var labelRegistryUpdated: EventType { "label_registry_updated" }
  /// The pages of the user interface changed: `panels_updated`.
  public static var panelsUpdated: EventType { "panels_updated" }
}

/// Something that happened on Home Assistant's bus.
public struct Event: JSONDecodable, Equatable, Sendable {
  /// Whether it happened in this instance or came from another.
  public enum Origin: Text, JSONDecodable, Sendable {
    /// In this instance.
    case local = "LOCAL"
    /// In another one, or it came in over the network.
    case remote = "REMOTE"
  }

  /// Its kind.
  public let type: EventType
  /// What it says; each kind has its own.
  public let data: JSONObject
  /// Whether it happened in this instance.
  public let origin: Origin
  /// When it happened.
  public let timeFired: WallTime
  /// What made it happen.
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
  /// The event as it came.
  public let event: Event
  /// Which entity.
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
  /// What made it fire; nil where nothing did but time.
  public let context: Context?

  public init(json: JSON) throws(JSONDecodingError) {
    variables = try json.get("variables")
    context = try json.getIfPresent("context")
  }
}
