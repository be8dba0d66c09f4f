public import Bytes

/// What a WebSocket message holds.
public enum WebSocketMessageKind: Sendable {
  /// UTF-8, and checked to be.
  case text
  /// Any bytes.
  case binary
}

/// Why there is no WebSocket, or none any more.
public enum WebSocketEnd: Error, Equatable, Sendable {
  /// There was never a connection, and this is why, in the words of the transport.
  case notConnected(InlineText)
  /// There is a server, and it opened no WebSocket.
  case refused(WebSocketRefusal)
  /// The server said that it closes. The code is 1005 where it gave none (RFC 6455, section
  /// 7.1.5); the reason is UTF-8 of at most 123 bytes, control characters included.
  case closedByServer(code: UInt16, reason: [UInt8])
  /// The connection broke before either side had said that it ends.
  case disconnected(InlineText)
  /// The server broke the protocol, or a limit of ours; it was told so.
  case violated(WebSocketViolation)
  /// The server did not answer the handshake, or did not end the connection once it was closed.
  case timedOut(WebSocketPhase)
  /// We closed it.
  case closedByUs
}

/// The two phases of a WebSocket that have a time limit.
public enum WebSocketPhase: Equatable, Sendable {
  /// From the request to the server's answer to it (RFC 6455, section 4).
  case opening
  /// From the first close frame to the end of the connection (section 7).
  case closing
}

/// Why a server did not open a WebSocket when it was asked to.
public enum WebSocketRefusal: Error, Equatable, Sendable {
  /// Any status but 101. No redirect is followed: the server there would be shown the token.
  case server(ServerRefusal)
  /// What came is not the head of an HTTP/1 response.
  case notHTTP
  /// The head is longer than `WebSocketHandshake.responseByteCountMax`.
  case responseTooLong
  /// A 101 that does not say `Upgrade: websocket` and `Connection: Upgrade`.
  case notUpgraded
  /// The answer to our key is not there, or was made for another key.
  case wrongAccept
  /// The server uses an extension, and none was offered.
  case unwantedExtension
  /// The server uses a subprotocol, and none was offered.
  case unwantedSubprotocol
}

/// What a server did that RFC 6455, or a limit of ours, does not allow.
public enum WebSocketViolation: Error, Equatable, Sendable {
  /// One of the three bits that extensions would use (section 5.2).
  case reservedBitSet
  /// A frame of a kind that there is not; the kind, 3 to 7 or 11 to 15.
  case reservedOpcode(UInt8)
  /// Only a client masks.
  case maskedFrame
  /// A length in more bytes than it needs, or above 2⁶³ - 1.
  case badLengthEncoding
  /// A ping, a pong or a close in several frames (section 5.5).
  case fragmentedControlFrame
  /// A control frame with more than 125 bytes.
  case longControlFrame
  /// A continuation of nothing.
  case continuationWithoutStart
  /// A new message before the last one had ended.
  case interruptedMessage
  /// A text, or the reason of a close, that is not UTF-8.
  case invalidUTF8
  /// A close with one byte, which is no code.
  case truncatedCloseCode
  /// A close code that may not be sent (section 7.4).
  case invalidCloseCode(UInt16)
  /// A message longer than the buffer for it.
  case messageTooLong

  /// The code that the server is told.
  public var closeCode: UInt16 {
    switch self {
    case .invalidUTF8: WebSocketCloseCode.invalidPayload
    case .messageTooLong: WebSocketCloseCode.messageTooBig
    default: WebSocketCloseCode.protocolError
    }
  }
}

/// The close codes of RFC 6455, section 7.4, and of IANA's registry of them.
public enum WebSocketCloseCode {
  /// What the connection was for is done.
  public static let normal: UInt16 = 1000
  /// The sender goes away.
  public static let goingAway: UInt16 = 1001
  /// The other one broke the protocol.
  public static let protocolError: UInt16 = 1002
  /// Stands for a close without a code; never sent.
  public static let absent: UInt16 = 1005
  /// A text that is not UTF-8.
  public static let invalidPayload: UInt16 = 1007
  /// A message longer than the sender of this code reads.
  public static let messageTooBig: UInt16 = 1009

  /// Whether a close frame may carry this code.
  public static func isAllowedInFrame(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
