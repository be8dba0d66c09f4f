public import Bytes

/// Configuration of a Home Assistant. Its location is a secret of the residents.
public struct ServerConfig: JSONDecodable, Equatable, Sendable {
  /// Name of the home.
  public let locationName: Text
  /// Latitude, in degrees.
  public let latitude: Double
  /// Longitude, in degrees.
  public let longitude: Double
  /// Elevation above mean sea level.
  public let elevationMeters: Double
  /// Time zone, such as `Europe/Amsterdam`.
  public let timeZone: Text
  /// Units by quantity, such as `temperature`: `°C`.
  public let units: [Text: Text]
  /// Version, such as `2026.11.0`.
  public let version: Text
  /// Loaded integrations, such as `mobile_app`, and their platforms.
  public private(set) var components: [Text]
  /// Currency, such as `EUR`.
  public let currency: Text?
  /// Country, such as `NL`.
  public let country: Text?
  /// Language, such as `nl`.
  public let language: Text?
  /// Address inside its network; nil if not set.
  public let internalURL: Text?
  /// Address from outside; nil if not set.
  public let externalURL: Text?
  /// State: `NOT_RUNNING`, `STARTING`, `RUNNING`, `STOPPING` or `FINAL_WRITE`.
  public let state: Text?
  /// Whether it runs without custom additions.
  public let isSafeMode: Bool
  /// Whether it runs with minimal functions, because its configuration is broken.
  public let isRecoveryMode: Bool

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    locationName = try members.get("location_name")
    latitude = try members.get("latitude")
    longitude = try members.get("longitude")
    elevationMeters = try members.get("elevation")
    timeZone = try members.get("time_zone")
    units = try members.get("unit_system")
    version = try members.get("version")
    components = try members.get("components", default: [])
    currency = try members.getIfPresent("currency")
    country = try members.getIfPresent("country")
    language = try members.getIfPresent("language")
    internalURL = try members.getIfPresent("internal_url")
    externalURL = try members.getIfPresent("external_url")
    state = try members.getIfPresent("state")
    isSafeMode = try members.get("safe_mode", default: false)
    isRecoveryMode = try members.get("recovery_mode", default: false)
  }

  /// Adds a loaded component. Returns whether it is new.
  mutating func load(_ component: Text) -> Bool {
    guard !components.contains(component) else { return false }
    components.append(component)
    return true
  }
}

/// Page of the user interface.
public struct Panel: JSONDecodable, Equatable, Sendable {
  /// Path below the address of Home Assistant.
  public let urlPath: Text
  /// Type of the page, such as `lovelace`.
  public let componentName: Text
  /// Icon beside its title.
  public let icon: Text?
  /// Title for people; some are keys of a translation.
  public let title: Text?
  /// Configuration of the page; each type has its own.
  public let config: JSON?
  /// Whether only administrators see it.
  public let requiresAdmin: Bool

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    urlPath = try members.get("url_path")
    componentName = try members.get("component_name")
    icon = try members.getIfPresent("icon")
    title = try members.getIfPresent("title")
    config = try members.getIfPresent("config")
    requiresAdmin = try members.get("require_admin", default: false)
  }
}

/// User of a token.
public struct User: JSONDecodable, Equatable, Sendable {
  /// Login method of a user.
  public struct Credential: JSONDecodable, Equatable, Sendable {
    /// Type, such as `homeassistant`.
    public let providerType: Text
    /// Identifier within the type; nil if the type has one provider.
    public let providerID: Text?

    public init(json: JSON) throws(JSONDecodingError) {
      providerType = try json.get("auth_provider_type")
      providerID = try json.getIfPresent("auth_provider_id")
    }
  }

  /// Second factor that Home Assistant offers.
  public struct MultiFactorModule: JSONDecodable, Equatable, Sendable {
    /// Identifier, such as `totp`.
    public let id: Text
    /// Name for people.
    public let name: Text
    /// Whether the user has set it up.
    public let isEnabled: Bool

    public init(json: JSON) throws(JSONDecodingError) {
      id = try json.get("id")
      name = try json.get("name")
      isEnabled = try json.get("enabled")
    }
  }

  /// Identifier of the user; it survives a renaming.
  public let id: Text
  /// Name for people.
  public let name: Text?
  /// Whether the user set up this Home Assistant.
  public let isOwner: Bool
  /// Whether the user has all rights.
  public let isAdmin: Bool
  /// Login methods of the user.
  public let credentials: [Credential]
  /// Second factors that Home Assistant offers.
  public let multiFactorModules: [MultiFactorModule]

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    id = try members.get("id")
    name = try members.getIfPresent("name")
    isOwner = try members.get("is_owner", default: false)
    isAdmin = try members.get("is_admin", default: false)
    credentials = try members.get("credentials", default: [])
    multiFactorModules = try members.get("mfa_modules", default: [])
  }
}
