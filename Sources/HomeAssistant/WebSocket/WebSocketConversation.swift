public import Bytes

/// Action for the owner of the socket.
public enum WebSocketAction: Equatable, Sendable {
  /// Report that the handshake is complete and messages can be sent.
  case tellOpened
  /// Deliver the message in the message buffer.
  case deliver(WebSocketMessageKind)
  /// Call `reply(mask:now:)` to answer the server.
  case reply
  /// Close the connection; this is the end.
  case hangUp(WebSocketEnd)
}

/// Client side of a WebSocket (RFC 6455, without extensions), on consecutive connections.
///
/// The owner appends received bytes to `input` and calls `next` until it returns nil; `sendPending`
/// gives it the bytes to send. Masks, keys and the time come from outside.
public struct WebSocketConversation: ~Copyable {
  /// Time from the request to the end of the server's answer.
  public static let handshakeTimeout: Duration = .seconds(10)
  /// Time from the client's close to the end of the connection.
  public static let closeTimeout: Duration = .seconds(5)
  /// Maximum message size in bytes, unless the owner sets another one. aiohttp, which Home
  /// Assistant uses, receives no longer message; it sends them of any size.
  public static let messageByteCountMax = 4 * 1024 * 1024
  /// Capacity of the input in bytes: one record of a TLS connection.
  public static let inputByteCountMax = 16 * 1024
  /// Space that messages leave for pongs and for the close, in bytes.
  static let replyByteCountMax = 16 * closeFrameByteCountMax
  private static let closeFrameByteCountMax =
    ByteBuffer.webSocketHeaderByteCountMax + WebSocketFrameHeader.controlByteCountMax

  private enum Stage {
    case idle
    case opening(WebSocketHandshake)
    case open
    /// The client's close was written; further input is ignored, and the associated value is the
    /// reason of the end.
    case closing(WebSocketEnd)
  }

  private enum Reply {
    case pong
    case close(code: UInt16?, WebSocketEnd)
  }

  /// Received bytes that are not processed yet.
  public var input = ByteBuffer(capacity: WebSocketConversation.inputByteCountMax)
  /// Number of processed bytes in `input`.
  private var readByteCount = 0
  private var output: OutgoingBytes
  private var assembler = WebSocketAssembler()
  private var stage = Stage.idle
  private var owed: Reply?
  /// Instant at which to call `deadlineReached`, or nil.
  public private(set) var deadline: Instant?

  /// - Parameter sentMessageByteCountMax: maximum size of a sent message.
  public init(sentMessageByteCountMax: Int) {
    precondition(
      WebSocketHandshake.responseByteCountMax + WebSocketHandshake.chunkedByteCountMax
        < Self.inputByteCountMax)
    output = OutgoingBytes(
      capacity: Self.replyByteCountMax
        + max(
          sentMessageByteCountMax + ByteBuffer.webSocketHeaderByteCountMax,
          WebSocketHandshake.requestByteCountMax))
  }

  // MARK: Opening

  /// Starts the handshake on a new connection. The state of the last connection is dropped.
  ///
  /// - Parameters:
  ///   - address: address of the server.
  ///   - key: 16 unguessable bytes, new for each connection.
  ///   - userAgent: name of the program in the server's log, of at most 256 bytes; may be empty.
  ///   - now: current instant.
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

  /// Processes the bytes in `input`.
  ///
  /// - Parameter message: buffer for the current message; its capacity is the maximum length.
  /// - Returns: the next action, or nil if more input is needed, for which there is then space.
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

  /// Whether a part of a message has arrived, and not yet its end.
  public var isReceivingMessage: Bool { isOpen && assembler.isInMessage }

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
        // The rest is the beginning of a header.
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

  /// Writes the answer that `next` requested.
  public mutating func reply(mask: InlineArray<4, UInt8>, now: Instant) {
    guard let owed else { preconditionFailure("no answer is owed") }
    self.owed = nil
    switch owed {
    case .pong:
      // A server that sends pings but reads nothing gets no further pongs (section 5.5.3 allows to
      // skip pings), so that space for the close remains.
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

  /// Writes a message in one frame. A text must be valid UTF-8; the mask is unguessable, and new
  /// for each frame.
  ///
  /// - Returns: false if the WebSocket is not open, or the message does not fit beside the pending
  ///   bytes.
  public mutating func send(
    _ kind: WebSocketMessageKind, _ bytes: Span<UInt8>, mask: InlineArray<4, UInt8>
  ) -> Bool {
    let needed =
      bytes.count + ByteBuffer.webSocketHeaderByteCountMax + Self.replyByteCountMax
    guard isOpen, output.freeCapacity >= needed else { return false }
    output.append { $0.append(WebSocketOpcode(kind), bytes, mask: mask) }
    return true
  }

  /// Number of pending bytes.
  public var pendingByteCount: Int { output.count }

  /// Passes the pending bytes to `write`, which returns the number of bytes that it sent.
  ///
  /// Until some of them are sent, the bytes stay unchanged and only grow at their end: a TLS
  /// library that could not write requires the same bytes again.
  public mutating func sendPending(_ write: (Span<UInt8>) -> Int) { output.send(write) }

  /// Calls `body` with the output buffer if nothing is pending.
  public mutating func withIdleOutput(_ body: (inout ByteBuffer) -> Void) {
    output.withIdleBuffer(body)
  }

  // MARK: Ending

  /// Starts to close an open WebSocket; the server then ends the connection. A closing WebSocket is
  /// not changed. The code must be allowed in a frame, such as `WebSocketCloseCode.goingAway`.
  ///
  /// - Returns: `.hangUp` if the handshake is not complete.
  public mutating func close(
    code: UInt16, mask: InlineArray<4, UInt8>, now: Instant
  ) -> WebSocketAction? {
    precondition(WebSocketCloseCode.isAllowedInFrame(code), "this code is never sent")
    switch stage {
    case .idle, .closing: return nil
    case .opening: return .hangUp(ended(.closedByUs))
    case .open:
      // A pending reply would follow the close, which must be the last frame.
      owed = nil
      beginClosing(code: code, as: .closedByUs, mask: mask, now: now)
      return nil
    }
  }

  /// Drops the connection without a close.
  public mutating func abandon() {
    _ = ended(.closedByUs)
    forgetInput()
    output.removeAll()
  }

  /// Reports that the connection broke or the server ended it; `cause` is the reason, if known.
  public mutating func disconnected(_ cause: InlineText) -> WebSocketEnd {
    if case .closing(let end) = stage { return ended(end) }
    return ended(.disconnected(cause))
  }

  /// Returns the next action when `deadline` has come, or nil if nothing is due yet.
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
