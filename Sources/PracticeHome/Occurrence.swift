/// What happened around the messages of devices: logins, and what follows from them.
public enum Occurrence: Sendable, Equatable {
  case loggedIn
  /// An access token was handed out, for a code or for a refresh token.
  case tokenGranted(isRefresh: Bool)
  case tokenRevoked

  /// What a program calls it.
  var name: String {
    switch self {
    case .loggedIn: "logged_in"
    case .tokenGranted: "token_granted"
    case .tokenRevoked: "token_revoked"
    }
  }

  /// What a program wants to know besides.
  var content: JSONObject {
    switch self {
    case .tokenGranted(let isRefresh): ["refresh": .bool(isRefresh)]
    case .loggedIn, .tokenRevoked: [:]
    }
  }

  /// What a person is told; nil for what would only be noise.
  var text: String? {
    switch self {
    case .loggedIn: "somebody logged in"
    case .tokenGranted(let isRefresh):
      isRefresh ? "an access token was made for a refresh token" : "tokens were made for a login"
    case .tokenRevoked: "a refresh token was revoked"
    }
  }
}
