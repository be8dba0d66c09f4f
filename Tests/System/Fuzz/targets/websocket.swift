import Bytes
import HomeAssistant

/// Anything that a server may send, after a handshake that is right and as its answer: in whatever
/// pieces it comes, it means the same.
func fuzz(_ input: Span<UInt8>) {
  let sent = [UInt8](input)
  for handshake in [Server.accepting, []] {
    let all = handshake + sent
    let atOnce = Server.events(sending: all, inPiecesOf: WebSocketConversation.inputByteCountMax)
    expect("byte by byte, it is the same", Server.events(sending: all, inPiecesOf: 1) == atOnce)
    expect(
      "in larger pieces, too",
      Server.events(sending: all, inPiecesOf: 2 + sent.count % 61) == atOnce)
  }
}

private enum Event: Equatable {
  case action(WebSocketAction)
  case message([UInt8])
  case answered([UInt8])
}

private enum Server {
  /// To the key of RFC 6455, section 1.3.
  static let accepting = [UInt8](
    """
    HTTP/1.1 101 Switching Protocols\r
    Upgrade: websocket\r
    Connection: Upgrade\r
    Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
    \r

    """.utf8)
  private static let messageByteCountMax = 4096
  private static let now = Instant(nanoseconds: 1_000)

  /// What the client does about the bytes of a server.
  static func events(sending bytes: [UInt8], inPiecesOf pieceByteCount: Int) -> [Event] {
    var client = WebSocketConversation(sentMessageByteCountMax: 64)
    open(&client)
    var message = ByteBuffer(capacity: messageByteCountMax)
    var events: [Event] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(min(pieceByteCount, client.input.freeCapacity))
      expect("there is room for more", !piece.isEmpty)
      client.input.append([UInt8](piece))
      rest = rest.dropFirst(piece.count)
      while let action = client.next(into: &message) {
        events.append(.action(action))
        switch action {
        case .tellOpened: break
        case .deliver: events.append(.message([UInt8](message.bytes)))
        case .reply:
          client.reply(mask: InlineArray(repeating: 0), now: now)
          events.append(.answered(pending(&client)))
        case .hangUp: return events
        }
      }
    }
    return events
  }

  private static func open(_ client: inout WebSocketConversation) {
    var key = InlineArray<16, UInt8>(repeating: 0)
    for (index, byte) in "the sample nonce".utf8.enumerated() { key[index] = byte }
    guard
      let address = WebSocketAddress(
        isSecure: false, host: [UInt8]("boat".utf8), port: 80, path: [UInt8]("/".utf8))
    else { preconditionFailure("this is an address") }
    client.connected(to: address, key: key, userAgent: [], now: now)
    _ = pending(&client)
  }

  private static func pending(_ client: inout WebSocketConversation) -> [UInt8] {
    var sent: [UInt8] = []
    client.sendPending { bytes in
      sent += [UInt8](bytes)
      return bytes.count
    }
    return sent
  }
}
