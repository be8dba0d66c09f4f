public import Bytes

/// State of a session with Home Assistant.
public enum ConnectionState: Equatable, Sendable {
  /// No connection.
  case down(DownReason)
  /// The socket is being opened.
  case connecting
  /// The socket is open, but Home Assistant has not accepted the token yet.
  case authenticating
  /// Requests are sent. `ServerVersion` is from `auth_ok`.
  case ready(ServerVersion)
}

/// Reason that there is no connection, and whether a reconnection follows.
public enum DownReason: Equatable, Sendable {
  /// The program has not requested a connection, or ended it with `disconnect()`.
  case idle
  /// Home Assistant refused the token, in these words. It counts refusals and may ban the address,
  /// so there is no further attempt until `connect()`.
  case rejected(Text)
  /// An attempt failed or a connection ended; the next attempt begins at `at`.
  case retrying(attempt: Int, at: Instant, cause: ConnectionFailure)
}

/// Reason that an attempt failed or a connection ended.
public enum ConnectionFailure: Error, Equatable, Sendable {
  /// The socket did not open, for this reason of the transport.
  case unreachable(Text)
  /// A server answered, but opened no WebSocket.
  case refused(WebSocketRefusal)
  /// The server ended the connection, with the close code of RFC 6455 if it sent one.
  case closed(code: UInt16?)
  /// The server violated the WebSocket protocol.
  case violation(WebSocketViolation)
  /// The socket did not open in time.
  case connectTimeout
  /// Home Assistant did not answer the token in time.
  case authenticationTimeout
  /// There is no access token now, for this reason.
  case noToken(Text)
  /// Home Assistant did not answer a ping in time.
  case unanswered
  /// The machine slept past the time of a ping; the connection counts as dead.
  case slept
}

/// Use of a requested access token.
public enum TokenReason: Equatable, Sendable {
  /// A new connection.
  case connect
  /// Replacement of the token that the server refused; sending that one again can ban this address.
  case afterRejection
  /// A call of the REST API.
  case rest
}

/// Result of a request for an access token.
public enum TokenResult: Equatable, Sendable {
  /// Token of the `Bearer` header.
  case token([UInt8])
  /// No token now; a later request may succeed.
  case unavailable(Text)
  /// No token until a person logs in again.
  case rejected(Text)
}
