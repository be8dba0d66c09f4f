public import Bytes

/// How a Home Assistant is set up. Where it stands is a secret of those who live there.
public struct ServerConfig: JSONDecodable, Equatable, Sendable {
  /// What its owner calls the home.
  public let locationName: Text
  /// Degrees.
  public let latitude: Double
  /// Degrees.
  public let longitude: Double
  /// Above mean sea level.
  public let elevationMeters: Double
  /// Such as `Europe/Amsterdam`.
  public let timeZone: Text
  /// By quantity, such as `temperature`: `°C`.
  public let units: [Text: Text]
  /// Such as `2026.11.0`.
  public let version: Text
  /// The integrations that are loaded, such as `mobile_app`, and their platforms.
  public private(set) var components: [Text]
  /// Such as `EUR`.
  public let currency: Text?
  /// Such as `NL`.
  public let country: Text?
  /// Such as `nl`.
  public let language: Text?
  /// How it is reached from inside its network; nil where that is not set.
  public let internalURL: Text?
  /// How it is reached from outside; nil where that is not set.
  public let externalURL: Text?
  /// `NOT_RUNNING`, `STARTING`, `RUNNING`, `STOPPING` or `FINAL_WRITE`.
  public let state: Text?
  /// Whether it runs without what people added to it.
  public let isSafeMode: Bool
  /// Whether it runs with almost nothing, because its configuration is broken.
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

  /// A component was loaded. Says whether that is new.
  mutating func load(_ component: Text) -> Bool {
    guard !component.isEmpty, !components.contains(component) else { return false }
    components.append(component)
    return true
  }
}

/// A page of the user interface.
public struct Panel: JSONDecodable, Equatable, Sendable {
  /// What names the page, below the address of Home Assistant.
  public let urlPath: Text
  /// The kind of the page, such as `lovelace`.
  public let componentName: Text
  /// What is drawn beside its title.
  public let icon: Text?
  /// What people read; some are keys of a translation.
  public let title: Text?
  /// What the page was set up with; each kind has its own.
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

/// What Home Assistant says of a piece of an automation.
public struct ConfigValidity: JSONDecodable, Equatable, Sendable {
  /// Whether it would do.
  public let isValid: Bool
  /// What is wrong with it; nil where nothing is.
  public let error: Text?

  public init(json: JSON) throws(JSONDecodingError) {
    isValid = try json.get("valid")
    error = try json.getIfPresent("error")
  }
}
