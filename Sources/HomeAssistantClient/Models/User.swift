public import Bytes

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
