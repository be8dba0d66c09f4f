public import Bytes

/// How a session stands with Home Assistant.
public enum ConnectionState: Equatable, Sendable {
  /// There is no connection.
  case down(DownReason)
  /// There is none yet: the socket is being opened.
  case connecting
  /// The socket is open; Home Assistant has not accepted the token yet.
  case authenticating
  /// Requests go out. `ServerVersion` is what `auth_ok` said.
  case ready(ServerVersion)
}

/// Why there is no connection, and whether there will be one by itself.
public enum DownReason: Equatable, Sendable {
  /// The program has not asked for one, or ended it with `disconnect()`.
  case idle
  /// Home Assistant refused the token, in these words. It counts refusals and may ban the address,
  /// so there is no further attempt until `connect()`.
  case rejected(Text)
  /// An attempt failed or a connection ended; the next attempt begins at `at`.
  case retrying(attempt: Int, at: Instant, cause: ConnectionFailure)
}

/// Why an attempt failed or a connection ended.
public enum ConnectionFailure: Error, Equatable, Sendable {
  /// The socket never opened, and this is why, in the transport's words.
  case unreachable(Text)
  /// There is a server, and it opened no WebSocket.
  case refused(WebSocketRefusal)
  /// The server ended the connection, with the close code of RFC 6455 where it gave one.
  case closed(code: UInt16?)
  /// The server broke the WebSocket protocol, in this way.
  case violation(WebSocketViolation)
  /// The socket did not open in time.
  case connectTimeout
  /// Home Assistant said nothing to the token in time.
  case authenticationTimeout
  /// There is no access token at present, and this is why.
  case noToken(Text)
  /// A ping was not answered in time.
  case unanswered
  /// The machine slept through the time of a ping; the connection is taken to be dead.
  case slept
}

/// What an access token is wanted for.
public enum TokenReason: Equatable, Sendable {
  /// For a new connection.
  case connect
  /// The server refused the one before; giving the same one again can ban this address.
  case afterRejection
  /// For a call of the REST API.
  case rest
}

/// What became of the wish for an access token.
public enum TokenResult: Equatable, Sendable {
  /// As it stands behind `Bearer`.
  case token([UInt8])
  /// Not now; it is worth asking again.
  case unavailable(Text)
  /// Not until a person logs in again.
  case rejected(Text)
}
