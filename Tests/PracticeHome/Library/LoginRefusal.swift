/// Why a person was not let in.
public enum LoginRefusal: Sendable, Equatable {
  // Logging in
  case unknownHandler
  case invalidClient
  case unknownFlow
  case malformedInput
  case wrongPassword
  case wrongCode
  // Tokens
  case unsupportedGrant
  case invalidClientOfGrant
  case invalidCode
  case incompleteRefresh
  case invalidGrant
  case otherClient
  // The door
  case banned

  var reason: String {
    switch self {
    case .unknownHandler: "there is no such login provider; \"homeassistant\" is one"
    case .invalidClient, .invalidClientOfGrant:
      "client_id must be an http or https address"
    case .unknownFlow: "there is no such login, or it is over"
    case .malformedInput: "the fields of the form were not those asked for"
    case .wrongPassword: "wrong user name or password"
    case .wrongCode: "wrong code"
    case .unsupportedGrant: "no grant_type that is known; the body must be a form, not JSON"
    case .invalidCode: "a code is good once, for ten minutes and for the client it was made for"
    case .incompleteRefresh: "there is no refresh_token"
    case .invalidGrant: "the refresh token was revoked, is too old, or was never made here"
    case .otherClient: "client_id must be the one the refresh token was made for"
    case .banned: "this address is banned after too many failed logins"
    }
  }

  /// How Home Assistant answers; the two wrong entries are answered with the form again.
  var answer: Answer {
    switch self {
    case .unknownHandler: .serverError
    case .invalidClient: .open(["message": "Invalid client id"], status: 400)
    case .unknownFlow: .open(["message": "Invalid flow specified"], status: 404)
    case .malformedInput: .open(["message": "User input malformed"], status: 400)
    case .unsupportedGrant: .open(["error": "unsupported_grant_type"], status: 400)
    case .invalidClientOfGrant: Self.invalidRequest("Invalid client id")
    case .invalidCode: Self.invalidRequest("Invalid code")
    case .incompleteRefresh, .otherClient: .open(["error": "invalid_request"], status: 400)
    case .invalidGrant: .open(["error": "invalid_grant"], status: 400)
    case .banned: .text(403, "403: Forbidden")
    case .wrongPassword, .wrongCode: .nothing(200)
    }
  }

  private static func invalidRequest(_ description: String) -> Answer {
    .open(
      ["error": "invalid_request", "error_description": .string(description)], status: 400)
  }

  /// Whether it brings a ban nearer.
  var countsAsFailure: Bool {
    switch self {
    case .unknownHandler, .banned: false
    default: true
    }
  }
}
