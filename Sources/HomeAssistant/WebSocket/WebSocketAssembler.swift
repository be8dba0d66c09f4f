import Bytes

/// Assembler of messages from the server's frames, which it reads in place. It copies a payload
/// once, to its message.
struct WebSocketAssembler {
  enum Item {
    case message(WebSocketMessageKind)
    /// Control frame; its payload is in `control`.
    case ping, close
  }

  /// Payload of the current or last control frame.
  private(set) var control = ControlPayload()
  /// Kind of the current message, between its first frame and its last.
  private var kind: WebSocketMessageKind?
  /// Frame of the current payload; `remainingByteCount` is the number of its missing bytes.
  private var frame: WebSocketFrameHeader?
  private var remainingByteCount = 0

  /// Reads from `position` on, and moves it, until an item is complete.
  ///
  /// - Parameters:
  ///   - input: received bytes; those before `position` have been read.
  ///   - position: moved to the end of the read bytes.
  ///   - message: buffer for messages, emptied at the start of each; its capacity is the maximum
  ///     length.
  /// - Returns: the complete item, or nil if `input` holds none.
  /// - Throws: the violation of the server, after which reading must stop.
  mutating func next(
    in input: borrowing ByteBuffer, from position: inout Int, into message: inout ByteBuffer
  ) throws(WebSocketViolation) -> Item? {
    let bytes = input.bytes
    while true {
      if frame == nil {
        let rest = bytes.extracting(position..<bytes.count)
        guard let header = try WebSocketFrameHeader(rest) else { return nil }
        try begin(header, &message)
        position += header.byteCount
      }
      let piece = bytes.extracting(
        position..<position + min(remainingByteCount, bytes.count - position))
      take(piece, &message)
      position += piece.count
      guard remainingByteCount == 0 else { return nil }
      if let item = try end(message) { return item }
    }
  }

  private mutating func begin(
    _ header: WebSocketFrameHeader, _ message: inout ByteBuffer
  ) throws(WebSocketViolation) {
    switch header.opcode {
    case .close, .ping, .pong: control.removeAll()
    case .continuation:
      guard kind != nil else { throw .continuationWithoutStart }
    case .text, .binary:
      guard kind == nil else { throw .interruptedMessage }
      kind = header.opcode == .text ? .text : .binary
      message.removeAll()
    }
    guard header.opcode.isControl || header.payloadByteCount <= UInt64(message.freeCapacity) else {
      throw .messageTooLong
    }
    frame = header
    remainingByteCount = Int(header.payloadByteCount)
  }

  private mutating func take(_ piece: Span<UInt8>, _ message: inout ByteBuffer) {
    remainingByteCount -= piece.count
    if let frame, frame.opcode.isControl {
      control.append(piece)
    } else {
      message.append(piece)
    }
  }

  /// Ends a frame; returns nil if it completes no item for the owner.
  private mutating func end(
    _ message: borrowing ByteBuffer
  ) throws(WebSocketViolation) -> Item? {
    guard let frame else { return nil }
    self.frame = nil
    switch frame.opcode {
    case .ping: return .ping
    case .pong: return nil
    case .close:
      try control.checkClose()
      return .close
    case .continuation, .text, .binary:
      guard frame.isFinal, let kind else { return nil }
      self.kind = nil
      guard kind != .text || message.bytes.isUTF8 else { throw .invalidUTF8 }
      return .message(kind)
    }
  }
}

struct ControlPayload {
  private var storage = InlineArray<125, UInt8>(repeating: 0)
  private var count = 0

  var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { storage.span.extracting(0..<count) }
  }

  mutating func removeAll() { count = 0 }

  mutating func append(_ piece: Span<UInt8>) {
    for index in piece.indices { storage[count + index] = piece[index] }
    count += piece.count
  }

  /// Code of a close frame, or nil if it has none.
  var closeCode: UInt16? { count >= 2 ? UInt16(storage[0]) << 8 | UInt16(storage[1]) : nil }
  var closeReason: Span<UInt8> {
    @_lifetime(borrow self) get { storage.span.extracting(min(count, 2)..<count) }
  }

  /// Checks a close frame: it is empty, or holds an allowed code and a reason in UTF-8 (section
  /// 5.5.1).
  fileprivate func checkClose() throws(WebSocketViolation) {
    guard count > 0 else { return }
    guard let code = closeCode else { throw .truncatedCloseCode }
    guard WebSocketCloseCode.isAllowedInFrame(code) else { throw .invalidCloseCode(code) }
    guard closeReason.isUTF8 else { throw .invalidUTF8 }
  }
}

extension Span where Element == UInt8 {
  /// Whether the bytes are UTF-8 (RFC 3629).
  var isUTF8: Bool {
    var index = endOfASCII(from: 0)
    while index < count {
      let length = lengthOfScalar(at: index)
      guard length > 0 else { return false }
      index = endOfASCII(from: index + length)
    }
    return true
  }

  /// Returns the index of the first byte from `start` on that is not ASCII, or the end.
  fileprivate func endOfASCII(from start: Int) -> Int {
    var index = start
    while count - index >= 8,
      unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
        & 0x8080_8080_8080_8080 == 0
    { index += 8 }
    while index < count, self[index] < 0x80 { index += 1 }
    return index
  }
}
