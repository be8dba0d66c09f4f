public import Bytes

/// Verdict in a server's refusal of an access token.
public enum TokenVerdict: Equatable, Sendable {
  /// Home Assistant does not know the token.
  case invalid
  /// Home Assistant knows the token, but does not accept it from here, in these words.
  indirect case denied(InlineText)
  /// The server gives none: over HTTP, Home Assistant answers an invalid token and a denied one
  /// with the same 401.
  case unexplained

  /// Reads the words of `auth_invalid`.
  init(authInvalid words: Text) {
    self =
      words == "Invalid access token or password"
      ? .invalid : .denied(InlineText(words.bytes.span))
  }
}

/// Access token that a server refused.
public struct RefusedToken: Equatable, Sendable {
  /// Bytes of the token.
  public let bytes: [UInt8]
  /// Verdict of the server.
  public let verdict: TokenVerdict

  /// Creates the value.
  public init(_ bytes: [UInt8], _ verdict: TokenVerdict) {
    self.bytes = bytes
    self.verdict = verdict
  }
}
