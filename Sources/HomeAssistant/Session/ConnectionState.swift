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
  /// Replacement of the token that the server refused with this verdict; sending that one again can
  /// ban this address.
  case afterRejection(TokenVerdict)
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

/// Action for the owner of a session. Positions refer to the message that was received last.
public enum SessionAction: Equatable, Sendable {
  /// Open a socket, then call `socketOpened` or `socketClosed`.
  case openSocket
  /// Close the socket with this code of RFC 6455, and report nothing more about it.
  case closeSocket(code: UInt16)
  /// Get an access token, then call `tokenFetched`.
  case fetchToken(TokenReason)
  /// Send the text of `withOutput` as one message.
  case send
  /// Call the observers with the new state.
  case stateChanged(ConnectionState)
  /// End the request; nothing follows.
  case finished(RequestID, SessionOutcome)
  /// Report that Home Assistant confirmed or refused a subscription. It continues: a refused one is
  /// retried.
  case started(RequestID, SessionOutcome)
  /// Deliver an event of a subscription, the JSON of `event`.
  case event(RequestID, Range<Int>)
}

/// Result of a request, or of the start of a subscription.
public enum SessionOutcome: Equatable, Sendable {
  /// Position of the result's JSON; nil if there was none.
  case success(Range<Int>?)
  /// Position of the `error` object, with `code` and `message`; nil if there was none.
  case refused(Range<Int>?)
  /// There was no answer in time, or the request expired before it could be sent.
  case expired
  /// The connection ended, and the request must not be repeated.
  case disconnected
  /// The connection ended because a message was longer than its buffer; it may be the answer.
  case tooLarge
  /// The token was refused, and the request has a time limit.
  case rejected
}
