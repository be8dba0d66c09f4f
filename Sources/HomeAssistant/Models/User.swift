public import Bytes

/// The user that a token belongs to.
public struct User: JSONDecodable, Equatable, Sendable {
  /// A way in which the user may log in.
  public struct Credential: JSONDecodable, Equatable, Sendable {
    /// Such as `homeassistant`.
    public let providerType: Text
    /// Which one of that type; nil where there is one only.
    public let providerID: Text?

    public init(json: JSON) throws(JSONDecodingError) {
      providerType = try json.get("auth_provider_type")
      providerID = try json.getIfPresent("auth_provider_id")
    }
  }

  /// A second factor that Home Assistant offers.
  public struct MultiFactorModule: JSONDecodable, Equatable, Sendable {
    /// Such as `totp`.
    public let id: Text
    /// What people read.
    public let name: Text
    /// Whether the user has set it up.
    public let isEnabled: Bool

    public init(json: JSON) throws(JSONDecodingError) {
      id = try json.get("id")
      name = try json.get("name")
      isEnabled = try json.get("enabled")
    }
  }

  /// It stays when the user is renamed.
  public let id: Text
  /// What people call the user.
  public let name: Text?
  /// Whether the user set this Home Assistant up.
  public let isOwner: Bool
  /// Whether the user may do everything.
  public let isAdmin: Bool
  /// The ways in which the user may log in.
  public let credentials: [Credential]
  /// The second factors that Home Assistant offers.
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
