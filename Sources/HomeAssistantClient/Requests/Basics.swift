public import Bytes
public import HomeAssistant

/// Request for the user of the token.
public struct CurrentUser: Request {
  public typealias Response = User
  /// Creates the request.
  public init() {}
  public var command: Text { "auth/current_user" }
}

/// Request for the states of all entities. Entities that do not decode are left out and counted. To
/// watch the entities, use `SubscribeEntities`.
public struct GetStates: Request {
  public typealias Response = LossyArray<Entity>
  /// Creates the request.
  public init() {}
  public var command: Text { "get_states" }
}

/// Request for the configuration of Home Assistant.
public struct GetConfig: Request {
  public typealias Response = ServerConfig
  /// Creates the request.
  public init() {}
  public var command: Text { "get_config" }
}

/// Request for the services of Home Assistant.
public struct GetServices: Request {
  public typealias Response = Services
  /// Creates the request.
  public init() {}
  public var command: Text { "get_services" }
}

/// Request for the pages of the user interface, by their path.
public struct GetPanels: Request {
  public typealias Response = [Text: Panel]
  /// Creates the request.
  public init() {}
  public var command: Text { "get_panels" }
}

/// Request for the warnings and errors that Home Assistant has logged since its start. For
/// administrators.
public struct GetSystemLog: Request {
  public typealias Response = [SystemLogEntry]
  /// Creates the request.
  public init() {}
  public var command: Text { "system_log/list" }
}

/// Request for the sources of the energy dashboard, as raw JSON.
public struct GetEnergyInfo: Request {
  public typealias Response = JSON
  /// Creates the request.
  public init() {}
  public var command: Text { "energy/info" }
}

/// Request for the settings of the energy dashboard, as raw JSON; refused as `not_found` if there
/// are none.
public struct GetEnergyPreferences: Request {
  public typealias Response = JSON
  /// Creates the request.
  public init() {}
  public var command: Text { "energy/get_prefs" }
}

/// Request to check parts of an automation. It needs Home Assistant 2024.10 or newer, which renamed
/// the members.
public struct ValidateConfig: Request {
  /// Verdicts by `triggers`, `conditions` and `actions`, as far as these were given.
  public typealias Response = [Text: ConfigValidity]
  /// Trigger, or an array of them.
  public var triggers: JSON?
  /// Condition, or an array of them.
  public var conditions: JSON?
  /// Action, or an array of them.
  public var actions: JSON?

  /// Creates a request with at least one part.
  ///
  /// - Parameters:
  ///   - triggers: one trigger, or an array of them; nil leaves them out.
  ///   - conditions: one condition, or an array of them; nil leaves them out.
  ///   - actions: one action, or an array of them; nil leaves them out.
  public init(triggers: JSON? = nil, conditions: JSON? = nil, actions: JSON? = nil) {
    self.triggers = triggers
    self.conditions = conditions
    self.actions = actions
  }

  public var command: Text { "validate_config" }
  public var payload: JSONObject {
    var payload = JSONObject()
    payload["triggers"] = triggers
    payload["conditions"] = conditions
    payload["actions"] = actions
    return payload
  }
}

extension Request where Self == CurrentUser {
  /// Request for the user of the token.
  public static var currentUser: CurrentUser { CurrentUser() }
}
extension Request where Self == GetStates {
  /// Request for the states of all entities.
  public static var states: GetStates { GetStates() }
}
extension Request where Self == GetConfig {
  /// Request for the configuration of Home Assistant.
  public static var config: GetConfig { GetConfig() }
}
extension Request where Self == GetServices {
  /// Request for the services of Home Assistant.
  public static var services: GetServices { GetServices() }
}
extension Request where Self == GetPanels {
  /// Request for the pages of the user interface.
  public static var panels: GetPanels { GetPanels() }
}
