public import Bytes
public import HomeAssistant

/// Request for a token that is valid for years. Home Assistant shows it only once; it is a secret.
public struct CreateLongLivedToken: Request {
  public typealias Response = Text
  /// Unused name for the token on the user's profile page.
  public let clientName: Text
  /// Lifetime of the token.
  public let lifespanDays: Int
  /// Address of a picture beside the name; nil for none.
  public let clientIcon: Text?

  /// Creates a request for a new token.
  ///
  /// - Parameters:
  ///   - clientName: unused name for the token on the user's profile page.
  ///   - lifespanDays: lifetime of the token.
  ///   - clientIcon: address of a picture beside the name; nil for none.
  public init(clientName: Text, lifespanDays: Int, clientIcon: Text? = nil) {
    self.clientName = clientName
    self.lifespanDays = lifespanDays
    self.clientIcon = clientIcon
  }

  public var command: Text { "auth/long_lived_access_token" }
  public var payload: JSONObject {
    var payload: JSONObject = [
      "client_name": .text(clientName), "lifespan": .number(JSONNumber(Int64(lifespanDays))),
    ]
    payload["client_icon"] = clientIcon.map { .text($0) }
    return payload
  }
  /// Never repeated: Home Assistant would refuse a second token of this name, after one that the
  /// program never received.
  public var retry: Retry { .never }
}

/// Request for a path that works for a while without a token, such as for a video player.
public struct SignPath: Request {
  public typealias Response = SignedPath
  /// Path with its slash: `/api/camera_proxy/camera.door`.
  public let path: Text
  /// Lifetime; nil for 30 seconds.
  public let lifetime: Duration?

  /// Creates a request for one path.
  ///
  /// - Parameters:
  ///   - path: path with its slash: `/api/camera_proxy/camera.door`.
  ///   - lifetime: lifetime in whole seconds; nil for 30 seconds.
  public init(_ path: Text, lifetime: Duration? = nil) {
    self.path = path
    self.lifetime = lifetime
  }

  public var command: Text { "auth/sign_path" }
  public var payload: JSONObject {
    var payload: JSONObject = ["path": .text(path)]
    payload["expires"] = lifetime.map { .number(JSONNumber($0.nanoseconds / 1_000_000_000)) }
    return payload
  }
}

/// Path with a signature, which is a secret while it is valid.
public struct SignedPath: JSONDecodable, Equatable, Sendable {
  /// Path with its signature, below the address of Home Assistant.
  public let path: Text

  public init(json: JSON) throws(JSONDecodingError) { path = try json.get("path") }
}
