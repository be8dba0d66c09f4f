import Bytes
import HomeAssistant
import Testing

/// The server's side of a WebSocket, written from RFC 6455 for the tests and in the plainest way.
enum ServerSide {
  static let accepting =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

  static let fin: UInt8 = 0x80
  static let continuation: UInt8 = 0
  static let text: UInt8 = 1
  static let binary: UInt8 = 2
  static let close: UInt8 = 8
  static let ping: UInt8 = 9
  static let pong: UInt8 = 10

  static func frame(_ opcode: UInt8, _ payload: [UInt8] = [], fin: Bool = true) -> [UInt8] {
    let first = opcode | (fin ? Self.fin : 0)
    let count = payload.count
    switch count {
    case ...125: return [first, UInt8(count)] + payload
    case ...65535: return [first, 126, UInt8(count >> 8), UInt8(count & 255)] + payload
    default:
      return [first, 127] + (0..<8).map { UInt8(count >> ((7 - $0) * 8) & 255) } + payload
    }
  }

  static func frame(_ opcode: UInt8, _ payload: String, fin: Bool = true) -> [UInt8] {
    frame(opcode, [UInt8](payload.utf8), fin: fin)
  }

  static func close(_ code: Int, _ reason: String = "") -> [UInt8] {
    frame(close, [UInt8(code >> 8), UInt8(code & 255)] + [UInt8](reason.utf8))
  }

  /// A frame as the client sent it.
  struct ClientFrame: Equatable, CustomStringConvertible {
    let first: UInt8
    let mask: [UInt8]
    let payload: [UInt8]

    var description: String { "\(first): \(payload)" }
  }

  /// Takes the frames of a client apart; nil where they are not whole, or not masked.
  static func clientFrames(_ bytes: [UInt8]) -> [ClientFrame]? {
    var rest = bytes[...]
    var frames: [ClientFrame] = []
    while let first = rest.popFirst() {
      guard let second = rest.popFirst(), second & 0x80 != 0 else { return nil }
      var count = Int(second & 0x7F)
      if count > 125 {
        let width = count == 126 ? 2 : 8
        guard rest.count >= width else { return nil }
        count = rest.prefix(width).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(width)
      }
      guard rest.count >= 4 + count else { return nil }
      let mask = [UInt8](rest.prefix(4))
      let payload = rest.dropFirst(4).prefix(count).enumerated().map { $1 ^ mask[$0 % 4] }
      frames.append(ClientFrame(first: first, mask: mask, payload: payload))
      rest = rest.dropFirst(4 + count)
    }
    return frames
  }
}

/// A conversation, and all that came of it.
final class ConversationRig {
  enum Event: Equatable {
    case opened
    case message(WebSocketMessageKind, [UInt8])
    case end(WebSocketEnd)
  }

  /// The key of RFC 6455, section 1.3.
  static let key: InlineArray<16, UInt8> = .init { UInt8(ascii: "the sample nonce", at: $0) }
  static let start = Instant(nanoseconds: 1_000)

  private(set) var events: [Event] = []
  /// All that was sent, the handshake included.
  private(set) var sent: [UInt8] = []
  var now = start
  var conversation: WebSocketConversation
  var isOpen: Bool { conversation.isOpen }
  var deadline: Instant? { conversation.deadline }
  var pendingByteCount: Int { conversation.pendingByteCount }
  private var message: ByteBuffer
  private var masks: UInt8 = 0

  init(messageByteCountMax: Int = 1 << 20, sentMessageByteCountMax: Int = 1 << 17) {
    conversation = WebSocketConversation(sentMessageByteCountMax: sentMessageByteCountMax)
    message = ByteBuffer(capacity: messageByteCountMax)
  }

  /// One that is open.
  static func opened(messageByteCountMax: Int = 1 << 20) -> ConversationRig {
    let rig = ConversationRig(messageByteCountMax: messageByteCountMax)
    rig.connect()
    rig.receive(ServerSide.accepting)
    rig.sent = []
    return rig
  }

  func connect(
    isSecure: Bool = false, host: String = "server.example.com", port: UInt16 = 80,
    path: String = "/chat", userAgent: String = ""
  ) {
    guard
      let address = WebSocketAddress(
        isSecure: isSecure, host: [UInt8](host.utf8), port: port, path: [UInt8](path.utf8))
    else {
      Issue.record("no address")
      return
    }
    conversation.connected(
      to: address, key: Self.key, userAgent: [UInt8](userAgent.utf8), now: now)
    flush()
  }

  func receive(_ text: String) { receive([UInt8](text.utf8)) }

  /// In pieces that the input has room for.
  func receive(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(conversation.input.freeCapacity)
      guard !piece.isEmpty else {
        Issue.record("there is always room for more")
        return
      }
      conversation.input.append([UInt8](piece))
      rest = rest.dropFirst(piece.count)
      while let action = conversation.next(into: &message) { act(action) }
    }
  }

  func send(_ kind: WebSocketMessageKind, _ bytes: [UInt8]) -> Bool {
    conversation.send(kind, bytes.span, mask: newMask())
  }

  func close(_ code: UInt16) {
    if let action = conversation.close(code: code, mask: newMask(), now: now) { act(action) }
    flush()
  }

  func disconnect() { events.append(.end(conversation.disconnected(InlineText("gone")))) }

  func wait(_ duration: Duration) {
    now = now + duration
    if let action = conversation.deadlineReached(now: now) { act(action) }
  }

  /// Sends what is pending, in pieces of at most `byteCountMax`.
  func flush(byteCountMax: Int = .max) {
    while pendingByteCount > 0 {
      var piece: [UInt8] = []
      conversation.sendPending { pending in
        piece = [UInt8](pending.extracting(0..<min(pending.count, byteCountMax)))
        return piece.count
      }
      sent += piece
    }
  }

  /// The frames that were sent.
  func frames() throws -> [ServerSide.ClientFrame] {
    flush()
    return try #require(ServerSide.clientFrames(sent))
  }

  private func act(_ action: WebSocketAction) {
    switch action {
    case .tellOpened: events.append(.opened)
    case .deliver(let kind):
      func copy(_ message: borrowing ByteBuffer) -> [UInt8] { [UInt8](message.bytes) }
      events.append(.message(kind, copy(message)))
    case .reply: conversation.reply(mask: newMask(), now: now)
    case .hangUp(let end): events.append(.end(end))
    }
  }

  private func newMask() -> InlineArray<4, UInt8> {
    masks &+= 1
    return [masks, masks ^ 0x5A, 0xFF, 0x01]
  }
}

extension UInt8 {
  fileprivate init(ascii text: StaticString, at index: Int) {
    self = [UInt8](text)[index]
  }
}
