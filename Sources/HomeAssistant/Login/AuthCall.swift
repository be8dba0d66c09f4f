import Bytes

/// `POST` to the login API of Home Assistant.
///
/// It holds passwords or tokens, and has no description on purpose.
public struct AuthCall: Equatable, Sendable {
  /// Encoding of the body.
  public enum Encoding: Equatable, Sendable {
    /// `application/json`
    case json
    /// `application/x-www-form-urlencoded`, the only one that `/auth/token` accepts.
    case form
  }

  /// Path below the address of Home Assistant.
  public let path: [UInt8]
  /// Encoding of the body.
  public let encoding: Encoding
  /// Encoded body.
  public let body: [UInt8]

  private init(_ path: [UInt8], json: JSON) {
    self.path = path
    encoding = .json
    body = json.serialized()
  }

  private init(_ path: StaticString, form fields: [(name: StaticString, value: [UInt8])]) {
    self.path = [UInt8](path)
    encoding = .form
    body = formEncoded(fields)
  }

  // MARK: The login flow

  /// Starts a login. `clientID` is an address of this Home Assistant: a redirect to it needs no
  /// check. For another address it would fetch that page, or fail.
  static func beginLogin(clientID: Text) -> AuthCall {
    AuthCall(
      [UInt8]("/auth/login_flow"),
      json: [
        "client_id": .text(clientID), "redirect_uri": .text(clientID),
        "handler": ["homeassistant", nil],
      ])
  }

  /// Answers a step. `flowID` is the one from Home Assistant, a plain path component.
  static func continueLogin(
    _ flowID: Text, clientID: Text, answers: [(name: Text, value: [UInt8])]
  ) -> AuthCall {
    var members = JSONObject()
    members["client_id"] = .text(clientID)
    for answer in answers { members[answer.name] = .text(Text(answer.value)) }
    return AuthCall([UInt8]("/auth/login_flow/") + flowID.bytes, json: .object(members))
  }

  // MARK: Tokens

  static func exchange(code: Text, clientID: Text) -> AuthCall {
    AuthCall(
      "/auth/token",
      form: [
        ("grant_type", [UInt8]("authorization_code")), ("code", code.bytes),
        ("client_id", clientID.bytes),
      ])
  }

  static func refresh(token: [UInt8], clientID: [UInt8]) -> AuthCall {
    AuthCall(
      "/auth/token",
      form: [
        ("grant_type", [UInt8]("refresh_token")), ("refresh_token", token),
        ("client_id", clientID),
      ])
  }

  /// Revokes a refresh token and all its access tokens. Home Assistant answers 200 to any token.
  public static func revoke(refreshToken token: [UInt8]) -> AuthCall {
    AuthCall("/auth/revoke", form: [("token", token)])
  }
}

/// Returns what decodes as `application/x-www-form-urlencoded` (WHATWG URL, 5.1).
private func formEncoded(_ fields: [(name: StaticString, value: [UInt8])]) -> [UInt8] {
  var form: [UInt8] = []
  for field in fields {
    if !form.isEmpty { form.append(UInt8(ascii: "&")) }
    form += [UInt8](field.name) + [UInt8(ascii: "=")]
    appendPercentEncoded(field.value, to: &form)
  }
  return form
}

/// Appends the bytes with all of them escaped but the unreserved ones of RFC 3986 and `kept`.
func appendPercentEncoded(_ bytes: [UInt8], keeping kept: UInt8? = nil, to output: inout [UInt8]) {
  let digits: StaticString = "0123456789ABCDEF"
  for byte in bytes {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "~"), kept: output.append(byte)
    case _ where byte.isPathSafe: output.append(byte)
    default:
      output += [
        UInt8(ascii: "%"), digits.bytes[Int(byte >> 4)], digits.bytes[Int(byte & 15)],
      ]
    }
  }
}

extension UInt8 {
  /// Whether it is a letter, a digit, `-` or `_`. Dots are unreserved too, but `..` is the parent
  /// folder.
  var isPathSafe: Bool { isLetterOrDigit || isDashOrUnderscore }
}
