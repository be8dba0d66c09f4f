import Bytes

/// What a session wants done. Places are in the message that was received last.
public enum SessionAction: Equatable, Sendable {
  /// Open a socket, then tell `socketOpened` or `socketClosed`.
  case openSocket
  /// Close it with this code of RFC 6455. Nothing more of it is told.
  case closeSocket(code: UInt16)
  /// Find an access token, then tell `tokenFetched`.
  case fetchToken(TokenReason)
  /// Send the text of `withOutput` as one message.
  case send
  /// Tell the observers: the session stands otherwise than before.
  case stateChanged(ConnectionState)
  /// A request ended; nothing follows.
  case finished(RequestID, SessionOutcome)
  /// Home Assistant confirmed or refused a subscription. It goes on: what is refused is tried
  /// again.
  case started(RequestID, SessionOutcome)
  /// A subscription tells this, the JSON of `event`.
  case event(RequestID, Range<Int>)

  /// The request that it tells of.
  var request: RequestID? {
    switch self {
    case .finished(let id, _), .started(let id, _), .event(let id, _): id
    case .openSocket, .closeSocket, .fetchToken, .send, .stateChanged: nil
    }
  }
}

/// How a request ended, or how a subscription began.
public enum SessionOutcome: Equatable, Sendable {
  /// The JSON of the result; nil where there was none.
  case success(Range<Int>?)
  /// The object of `error`, which says `code` and `message`; nil where there was none.
  case refused(Range<Int>?)
  /// It was not answered in time, or grew too old before it could be sent.
  case expired
  /// The connection ended, and it must not be repeated.
  case disconnected
  /// The token was refused, and it would be too old by the time of another one.
  case rejected
}
