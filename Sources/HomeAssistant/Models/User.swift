public import Bytes

/// The user that a token belongs to.
public struct User: JSONDecodable, Equatable, Sendable {
  /// A way in which the user may log in.
  public struct Credential: JSONDecodable, Equatable, Sendable {
    public let providerType: Text
    public let providerID: Text?

    public init(json: JSON) throws(JSONDecodingError) {
      providerType = try json.get("auth_provider_type")
      providerID = try json.getIfPresent("auth_provider_id")
    }
  }

  /// A second factor that Home Assistant offers.
  public struct MultiFactorModule: JSONDecodable, Equatable, Sendable {
    public let id: Text
    public let name: Text
    public let isEnabled: Bool

    public init(json: JSON) throws(JSONDecodingError) {
      id = try json.get("id")
      name = try json.get("name")
      isEnabled = try json.get("enabled")
    }
  }

  public let id: Text
  public let name: Text?
  public let isOwner: Bool
  public let isAdmin: Bool
  public let credentials: [Credential]
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
