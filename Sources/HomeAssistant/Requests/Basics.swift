public import Bytes

/// Who the token belongs to.
public struct CurrentUser: Request {
  public typealias Response = User
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "auth/current_user" }
}

/// All entities as they are now. One that does not decode is left out and counted; the others are
/// not lost over it. To go on watching them, subscribe with `SubscribeEntities` instead.
public struct GetStates: Request {
  public typealias Response = LossyArray<Entity>
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "get_states" }
}

/// How Home Assistant is set up.
public struct GetConfig: Request {
  public typealias Response = ServerConfig
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "get_config" }
}

/// What Home Assistant can be told to do.
public struct GetServices: Request {
  public typealias Response = Services
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "get_services" }
}

/// The pages of the user interface, by their path.
public struct GetPanels: Request {
  public typealias Response = [Text: Panel]
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "get_panels" }
}

/// The warnings and errors that Home Assistant has logged since it started. For administrators.
public struct GetSystemLog: Request {
  public typealias Response = [SystemLogEntry]
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "system_log/list" }
}

/// What the energy dashboard is made of, as Home Assistant gives it.
public struct GetEnergyInfo: Request {
  public typealias Response = JSON
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "energy/info" }
}

/// How people set up the energy dashboard, as Home Assistant gives it; refused as `not_found` where
/// they did not.
public struct GetEnergyPreferences: Request {
  public typealias Response = JSON
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "energy/get_prefs" }
}

/// Whether pieces of an automation would do. Needs Home Assistant 2024.10 or newer, which changed
/// the names of the members.
public struct ValidateConfig: Request {
  /// By `triggers`, `conditions` and `actions`, whichever were given.
  public typealias Response = [Text: ConfigValidity]
  /// One trigger, or an array of them.
  public var triggers: JSON?
  /// One condition, or an array of them.
  public var conditions: JSON?
  /// One action, or an array of them.
  public var actions: JSON?

  /// The pieces to look at; at least one.
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
  /// Who the token belongs to.
  public static var currentUser: CurrentUser { CurrentUser() }
}
extension Request where Self == GetStates {
  /// All entities as they are now.
  public static var states: GetStates { GetStates() }
}
extension Request where Self == GetConfig {
  /// How Home Assistant is set up.
  public static var config: GetConfig { GetConfig() }
}
extension Request where Self == GetServices {
  /// What Home Assistant can be told to do.
  public static var services: GetServices { GetServices() }
}
extension Request where Self == GetPanels {
  /// The pages of the user interface.
  public static var panels: GetPanels { GetPanels() }
}
