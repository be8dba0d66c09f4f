public import Bytes

/// What a conversation asks of the owner of the socket.
public enum WebSocketAction: Equatable, Sendable {
  /// The handshake is done: messages may be sent.
  case tellOpened
  /// A whole message stands in the message buffer.
  case deliver(WebSocketMessageKind)
  /// The server has to be answered: call `reply(mask:now:)`.
  case reply
  /// Hang up, this is the end.
  case hangUp(WebSocketEnd)
}

/// The client's side of a WebSocket (RFC 6455, without extensions), on one connection after the
/// other.
///
/// Bytes that came are appended to `input`; then `next` is called until it returns nil. What is to
/// be sent is asked for with `sendPending`. Masks and keys come from outside, like the time.
public struct WebSocketConversation: ~Copyable {
  /// From the request to the end of the server's answer.
  public static let handshakeTimeout: Duration = .seconds(10)
  /// From our close to the end of the connection.
  public static let closeTimeout: Duration = .seconds(5)
  /// The longest message where the owner sets no other limit; aiohttp, which Home Assistant speaks
  /// with, has the same limit.
  public static let messageByteCountMax = 4 * 1024 * 1024
  /// Room for what came and is not understood yet: one piece of a TLS connection.
  public static let inputByteCountMax = 16 * 1024
  /// Room that messages leave for answers to pings, and for the close.
  static let replyByteCountMax = 16 * closeFrameByteCountMax
  private static let closeFrameByteCountMax =
    ByteBuffer.webSocketHeaderByteCountMax + WebSocketFrameHeader.controlByteCountMax

  private enum Stage {
    case idle
    case opening(WebSocketHandshake)
    case open
    /// Our close is on its way; what comes now is not read any more, and at the end of the
    /// connection this was its reason.
    case closing(WebSocketEnd)
  }

  private enum Reply {
    case pong
    case close(code: UInt16?, WebSocketEnd)
  }

  /// What came and was not looked at yet.
  public var input = ByteBuffer(capacity: WebSocketConversation.inputByteCountMax)
  /// How much of `input` is read.
  private var readByteCount = 0
  private var output: OutgoingBytes
  private var assembler = WebSocketAssembler()
  private var stage = Stage.idle
  private var owed: Reply?
  /// When `deadlineReached` is due, or nil.
  public private(set) var deadline: Instant?

  /// - Parameter sentMessageByteCountMax: the longest message that will be sent.
  public init(sentMessageByteCountMax: Int) {
    precondition(
      WebSocketHandshake.responseByteCountMax + WebSocketHandshake.bodyByteCountMax
        < Self.inputByteCountMax)
    output = OutgoingBytes(
      capacity: Self.replyByteCountMax
        + max(
          sentMessageByteCountMax + ByteBuffer.webSocketHeaderByteCountMax,
          WebSocketHandshake.requestByteCountMax))
  }

  // MARK: Opening

  /// A connection stands: the handshake begins. What was left of the last one is forgotten.
  ///
  /// - Parameters:
  ///   - address: what the connection leads to.
  ///   - key: 16 unguessable bytes, new for each connection.
  ///   - userAgent: what the server's log calls us, of at most 256 bytes; may be empty.
  ///   - now: the time.
  public mutating func connected(
    to address: WebSocketAddress, key: InlineArray<16, UInt8>, userAgent: [UInt8], now: Instant
  ) {
    forgetInput()
    output.removeAll()
    assembler = WebSocketAssembler()
    owed = nil
    let handshake = output.append { buffer in
      WebSocketHandshake(to: address, key: key, userAgent: userAgent, into: &buffer)
    }
    stage = .opening(handshake)
    deadline = now + Self.handshakeTimeout
  }

  // MARK: Receiving

  /// Reads the bytes in `input`.
  ///
  /// - Parameter message: the message that is coming is put together here; its capacity is the
  ///   longest that is taken.
  /// - Returns: what to do about them, or nil when more have to come, for which there is room then.
  public mutating func next(into message: inout ByteBuffer) -> WebSocketAction? {
    precondition(owed == nil, "the server is answered first")
    switch stage {
    case .idle, .closing:
      forgetInput()
      return nil
    case .opening(var handshake):
      return readAnswer(&handshake)
    case .open:
      return readFrames(into: &message)
    }
  }

  private mutating func readAnswer(_ handshake: inout WebSocketHandshake) -> WebSocketAction? {
    do throws(WebSocketRefusal) {
      guard let byteCount = try handshake.read(input.bytes) else {
        stage = .opening(handshake)
        return nil
      }
      readByteCount = byteCount
      stage = .open
      deadline = nil
      return .tellOpened
    } catch {
      return .hangUp(ended(.refused(error)))
    }
  }

  private mutating func readFrames(into message: inout ByteBuffer) -> WebSocketAction? {
    do throws(WebSocketViolation) {
      var position = readByteCount
      let item = try assembler.next(in: input, from: &position, into: &message)
      readByteCount = position
      switch item {
      case nil:
        // What is left is the front of a header.
        input.removeFirst(readByteCount)
        readByteCount = 0
        return nil
      case .message(let kind): return .deliver(kind)
      case .ping: owed = .pong
      case .close:
        let code = assembler.control.closeCode
        let reason = [UInt8](assembler.control.closeReason)
        owed = .close(
          code: code,
          .closedByServer(code: code ?? WebSocketCloseCode.absent, reason: reason))
      }
    } catch {
      owed = .close(code: error.closeCode, .violated(error))
    }
    return .reply
  }

  /// Writes the answer that `next` asked for.
  public mutating func reply(mask: InlineArray<4, UInt8>, now: Instant) {
    guard let owed else { preconditionFailure("no answer is owed") }
    self.owed = nil
    switch owed {
    case .pong:
      // A server that reads nothing of what it asks for gets no more (section 5.5.3 allows to skip
      // pings); the last words stay possible.
      guard output.freeCapacity >= 2 * Self.closeFrameByteCountMax else { return }
      let payload = assembler.control
      output.append { $0.append(.pong, payload.bytes, mask: mask) }
    case .close(let code, let end):
      beginClosing(code: code, as: end, mask: mask, now: now)
    }
  }

  // MARK: Sending

  /// Whether messages can be sent.
  public var isOpen: Bool {
    if case .open = stage { true } else { false }
  }

  /// Writes a message, in one frame. A text is valid UTF-8; the mask is unguessable, and new for
  /// each frame.
  ///
  /// - Returns: false where the WebSocket is not open, or where so much waits to be sent that the
  ///   message does not fit.
  public mutating func send(
    _ kind: WebSocketMessageKind, _ bytes: Span<UInt8>, mask: InlineArray<4, UInt8>
  ) -> Bool {
    let needed =
      bytes.count + ByteBuffer.webSocketHeaderByteCountMax + Self.replyByteCountMax
    guard isOpen, output.freeCapacity >= needed else { return false }
    output.append { $0.append(WebSocketOpcode(kind), bytes, mask: mask) }
    return true
  }

  /// How much is to be sent.
  public var pendingByteCount: Int { output.count }

  /// Lets `write` send what it can from the front of what is pending, and say how many bytes that
  /// was.
  ///
  /// The bytes stay where they are until some of them were sent, and only grow at their end: a TLS
  /// library that could not write yet wants to see the same bytes again.
  public mutating func sendPending(_ write: (Span<UInt8>) -> Int) { output.send(write) }

  /// Lets `body` treat the memory of what is to be sent, where there is nothing.
  public mutating func withIdleOutput(_ body: (inout ByteBuffer) -> Void) {
    output.withIdleBuffer(body)
  }

  // MARK: Ending

  /// Begins to close an open WebSocket; the server ends the connection then. One that is closing
  /// is left to it. The code is one that may be sent, such as `WebSocketCloseCode.normal`.
  ///
  /// - Returns: `.hangUp` where the server does not speak WebSocket yet.
  public mutating func close(
    code: UInt16, mask: InlineArray<4, UInt8>, now: Instant
  ) -> WebSocketAction? {
    precondition(WebSocketCloseCode.isAllowedInFrame(code), "this code is never sent")
    switch stage {
    case .idle, .closing: return nil
    case .opening: return .hangUp(ended(.closedByUs))
    case .open:
      // A reply that is owed would come after the close, where nothing may come.
      owed = nil
      beginClosing(code: code, as: .closedByUs, mask: mask, now: now)
      return nil
    }
  }

  /// The connection was given up; nothing is waited for any more.
  public mutating func abandon() {
    _ = ended(.closedByUs)
    forgetInput()
    output.removeAll()
  }

  /// The connection is gone, by itself or by the server; `cause` is what is known about it.
  public mutating func disconnected(_ cause: InlineText) -> WebSocketEnd {
    if case .closing(let end) = stage { return ended(end) }
    return ended(.disconnected(cause))
  }

  /// `deadline` has come. Nil where there is nothing to do yet.
  public mutating func deadlineReached(now: Instant) -> WebSocketAction? {
    guard let deadline, now >= deadline else { return nil }
    switch stage {
    case .idle, .open: return nil
    case .opening: return .hangUp(ended(.timedOut(.opening)))
    case .closing(.closedByUs): return .hangUp(ended(.timedOut(.closing)))
    case .closing(let end): return .hangUp(ended(end))
    }
  }

  private mutating func beginClosing(
    code: UInt16?, as end: WebSocketEnd, mask: InlineArray<4, UInt8>, now: Instant
  ) {
    var payload = ControlPayload()
    if let code {
      let bytes: InlineArray<2, UInt8> = [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]
      payload.append(bytes.span)
    }
    output.append { $0.append(.close, payload.bytes, mask: mask) }
    stage = .closing(end)
    deadline = now + Self.closeTimeout
  }

  private mutating func forgetInput() {
    input.removeAll()
    readByteCount = 0
  }

  private mutating func ended(_ end: WebSocketEnd) -> WebSocketEnd {
    stage = .idle
    deadline = nil
    owed = nil
    return end
  }
}
