public import Bytes
public import HomeAssistant

extension Request where Self == TypedRequest<Text> {
  /// Request for a token that is valid for years. Home Assistant shows it only once; it is a
  /// secret. Never repeated: Home Assistant would refuse a second token of this name, after one
  /// that the program never received. The user's profile page shows the name, which must be unused,
  /// and the picture at the address `clientIcon`.
  public static func longLivedToken(
    clientName: Text, lifespanDays: Int, clientIcon: Text? = nil
  ) -> Self {
    var payload: JSONObject = [
      "client_name": .text(clientName), "lifespan": .number(JSONNumber(Int64(lifespanDays))),
    ]
    payload["client_icon"] = clientIcon.map { .text($0) }
    return TypedRequest("auth/long_lived_access_token", payload, retry: .never)
  }
}

extension Request where Self == TypedRequest<SignedPath> {
  /// Request for a path, such as `/api/camera_proxy/camera.door`, that works for a while without a
  /// token: for whole seconds, by default 30. It is for a video player, for example.
  public static func signPath(_ path: Text, lifetime: Duration? = nil) -> Self {
    var payload: JSONObject = ["path": .text(path)]
    payload["expires"] = lifetime.map { .number(JSONNumber($0.nanoseconds / 1_000_000_000)) }
    return TypedRequest("auth/sign_path", payload)
  }
}

/// Path with a signature, which is a secret while it is valid.
public struct SignedPath: JSONDecodable, Equatable, Sendable {
  /// Path with its signature, below the address of Home Assistant.
  public let path: Text

  public init(json: JSON) throws(JSONDecodingError) { path = try json.get("path") }
}
