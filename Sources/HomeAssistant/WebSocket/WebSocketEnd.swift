public import Bytes

/// Content of a WebSocket message.
public enum WebSocketMessageKind: Sendable {
  /// Validated UTF-8.
  case text
  /// Any bytes.
  case binary
}

/// Reason that there is no WebSocket, or that it ended.
public enum WebSocketEnd: Error, Equatable, Sendable {
  /// The connection failed, for this reason of the transport.
  case notConnected(InlineText)
  /// A server answered, but opened no WebSocket.
  case refused(WebSocketRefusal)
  /// The server sent a close. The code is 1005 if it gave none (RFC 6455, section 7.1.5); the
  /// reason is UTF-8 of at most 123 bytes, control characters included.
  case closedByServer(code: UInt16, reason: [UInt8])
  /// The connection broke before either side closed it.
  case disconnected(InlineText)
  /// The server violated the protocol or a limit of this client, and was informed.
  case violated(WebSocketViolation)
  /// The server did not answer the handshake, or did not end the closed connection.
  case timedOut(WebSocketPhase)
  /// The client closed it.
  case closedByUs
}

/// Phase of a WebSocket with a time limit.
public enum WebSocketPhase: Equatable, Sendable {
  /// Phase from the request to the server's answer (RFC 6455, section 4).
  case opening
  /// Phase from the first close frame to the end of the connection (section 7).
  case closing
}

/// Reason that a server did not open a requested WebSocket.
public enum WebSocketRefusal: Error, Equatable, Sendable {
  /// Any status but 101. Redirects are not followed: that server would receive the token.
  case server(ServerRefusal)
  /// The answer does not begin with the head of an HTTP/1 response.
  case notHTTP
  /// The head is longer than `WebSocketHandshake.responseByteCountMax`.
  case responseTooLong
  /// A 101 without `Upgrade: websocket` and `Connection: Upgrade`.
  case notUpgraded
  /// The answer to the client's key is missing, or belongs to another key.
  case wrongAccept
  /// The server uses an extension, although none was offered.
  case unwantedExtension
  /// The server uses a subprotocol, although none was offered.
  case unwantedSubprotocol
}

/// Violation of RFC 6455, or of a limit of this client, by a server.
public enum WebSocketViolation: Error, Equatable, Sendable {
  /// A reserved bit for extensions is set (section 5.2).
  case reservedBitSet
  /// A frame of an unknown kind: 3 to 7, or 11 to 15.
  case reservedOpcode(UInt8)
  /// A masked frame; only clients mask.
  case maskedFrame
  /// A length in more bytes than necessary, or above 2⁶³ - 1.
  case badLengthEncoding
  /// A ping, a pong or a close in several frames (section 5.5).
  case fragmentedControlFrame
  /// A control frame with more than 125 bytes.
  case longControlFrame
  /// A continuation without a message.
  case continuationWithoutStart
  /// A new message before the end of the last one.
  case interruptedMessage
  /// A text, or the reason of a close, that is not UTF-8.
  case invalidUTF8
  /// A close with a single byte.
  case truncatedCloseCode
  /// A close code that is not allowed in a frame (section 7.4).
  case invalidCloseCode(UInt16)
  /// A message longer than its buffer.
  case messageTooLong

  /// Close code for the server.
  public var closeCode: UInt16 {
    switch self {
    case .invalidUTF8: WebSocketCloseCode.invalidPayload
    case .messageTooLong: WebSocketCloseCode.messageTooBig
    default: WebSocketCloseCode.protocolError
    }
  }
}

/// Close codes of RFC 6455, section 7.4, and of IANA's registry.
public enum WebSocketCloseCode {
  /// The sender shuts down.
  public static let goingAway: UInt16 = 1001
  /// The other side violated the protocol.
  public static let protocolError: UInt16 = 1002
  /// Placeholder for a close without a code; never sent.
  public static let absent: UInt16 = 1005
  /// A text is not UTF-8.
  public static let invalidPayload: UInt16 = 1007
  /// A message is longer than the limit of the sender of this code.
  public static let messageTooBig: UInt16 = 1009

  /// Whether a close frame may have this code.
  public static func isAllowedInFrame(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
