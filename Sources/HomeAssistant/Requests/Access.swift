public import Bytes

/// Makes a token that is good for years. Home Assistant shows it this once; it is a secret.
public struct CreateLongLivedToken: Request {
  public typealias Response = Text
  /// What people see in their profile. It must not be there yet.
  public let clientName: Text
  /// How long the token is good for.
  public let lifespanDays: Int
  /// The address of a picture beside the name; nil for none.
  public let clientIcon: Text?

  /// A token that does not exist yet.
  ///
  /// - Parameters:
  ///   - clientName: what people see in their profile; it must not be there yet.
  ///   - lifespanDays: how long the token is good for.
  ///   - clientIcon: the address of a picture beside the name; nil for none.
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
  /// A second one would be refused because of the first, which the program has not seen.
  public var retry: Retry { .never }
}

/// Makes a path that can be fetched for a while without a token, such as by a player of videos.
public struct SignPath: Request {
  public typealias Response = SignedPath
  /// With its slash: `/api/camera_proxy/camera.door`.
  public let path: Text
  /// 30 seconds, where it is nil.
  public let lifetime: Duration?

  /// A signature for one path.
  ///
  /// - Parameters:
  ///   - path: with its slash: `/api/camera_proxy/camera.door`.
  ///   - lifetime: how long the path is good for, in whole seconds; 30, where it is nil.
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

/// A path with a signature, which is a secret while it is good.
public struct SignedPath: JSONDecodable, Equatable, Sendable {
  /// With its signature, below the address of Home Assistant.
  public let path: Text

  public init(json: JSON) throws(JSONDecodingError) { path = try json.get("path") }
}
