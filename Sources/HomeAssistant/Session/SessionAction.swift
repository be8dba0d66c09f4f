import Bytes

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

  var request: RequestID? {
    switch self {
    case .finished(let id, _), .started(let id, _), .event(let id, _): id
    case .openSocket, .closeSocket, .fetchToken, .send, .stateChanged: nil
    }
  }
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
  /// The token was refused, and the request has a time limit.
  case rejected
}
