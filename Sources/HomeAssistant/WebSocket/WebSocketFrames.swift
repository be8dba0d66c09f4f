import Bytes

/// Operation codes of RFC 6455, section 11.8.
enum WebSocketOpcode: UInt8 {
  case continuation = 0x0
  case text = 0x1
  case binary = 0x2
  case close = 0x8
  case ping = 0x9
  case pong = 0xA

  var isControl: Bool { rawValue & 0x8 != 0 }

  init(_ kind: WebSocketMessageKind) {
    switch kind {
    case .text: self = .text
    case .binary: self = .binary
    }
  }
}

/// Header of a server's frame (RFC 6455, section 5.2):
///
///     byte 0     FIN (0x80), three reserved bits (0x70), opcode (0x0F)
///     byte 1     mask (0x80, never set by a server), length 0...125, 126 or 127
///     2 or 8     the length, big-endian, if the length in byte 1 is 126 or 127
struct WebSocketFrameHeader: Equatable {
  /// Maximum payload of a control frame, in bytes.
  static let controlByteCountMax = 125

  let isFinal: Bool
  let opcode: WebSocketOpcode
  let payloadByteCount: UInt64

  let byteCount: Int

  /// Reads the header at the start of `bytes`, or returns nil if it is incomplete. A fault in its
  /// first byte is detected with that byte.
  init?(_ bytes: Span<UInt8>) throws(WebSocketViolation) {
    guard bytes.count > 0 else { return nil }
    let first = bytes[0]
    guard first & 0x70 == 0 else { throw .reservedBitSet }
    guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
      throw .reservedOpcode(first & 0x0F)
    }
    self.opcode = opcode
    isFinal = first & 0x80 != 0
    guard isFinal || !opcode.isControl else { throw .fragmentedControlFrame }

    guard bytes.count > 1 else { return nil }
    let second = bytes[1]
    guard second & 0x80 == 0 else { throw .maskedFrame }
    guard second <= Self.controlByteCountMax || !opcode.isControl else { throw .longControlFrame }
    byteCount = second == 127 ? 10 : second == 126 ? 4 : 2
    guard bytes.count >= byteCount else { return nil }
    guard byteCount > 2 else {
      payloadByteCount = UInt64(second)
      return
    }
    var length: UInt64 = 0
    for index in 2..<byteCount { length = length << 8 | UInt64(bytes[index]) }
    guard length >= (byteCount == 4 ? 126 : 65536), length <= UInt64(Int64.max) else {
      throw .badLengthEncoding
    }
    payloadByteCount = length
  }
}

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

  /// Whether a message has begun and not ended.
  var isInMessage: Bool { kind != nil }

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

extension ByteBuffer {
  /// Maximum size of the header of a masked frame, in bytes.
  static let webSocketHeaderByteCountMax = 14

  /// Appends a complete client frame, masked with `mask`, or nothing if it does not fit.
  ///
  /// The mask must be unguessable and new for each frame (RFC 6455, section 5.3): the author of the
  /// payload must not be able to choose the bytes that a proxy sees.
  mutating func append(
    _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, mask: InlineArray<4, UInt8>
  ) {
    precondition(!opcode.isControl || payload.count <= WebSocketFrameHeader.controlByteCountMax)
    guard freeCapacity >= Self.webSocketHeaderByteCountMax + payload.count else { return }
    append(0x80 | opcode.rawValue)
    switch payload.count {
    case 0..<126: append(0x80 | UInt8(payload.count))
    case 126..<65536:
      append(0x80 | 126)
      append(bigEndian: UInt64(payload.count), byteCount: 2)
    default:
      append(0x80 | 127)
      append(bigEndian: UInt64(payload.count), byteCount: 8)
    }
    append(mask.span)
    let start = count
    append(payload)
    withMutableBytes { $0.mask(from: start, with: mask) }
  }

  private mutating func append(bigEndian value: UInt64, byteCount: Int) {
    for index in 1...byteCount {
      append(UInt8(truncatingIfNeeded: value >> UInt64((byteCount - index) * 8)))
    }
  }
}

extension MutableSpan where Element == UInt8 {
  /// Masks all bytes from `start` on, eight at a time as long as there are eight.
  @_lifetime(self: copy self)
  fileprivate mutating func mask(from start: Int, with mask: InlineArray<4, UInt8>) {
    var word: UInt64 = 0
    // The word is in memory order, so that it works on every processor.
    for index in 0..<8 { word |= UInt64(mask[index % 4]) << UInt64(index * 8) }
    word = UInt64(littleEndian: word)
    var index = start
    let end = count
    while end - index >= 8 {
      let plain = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      var raw = unsafe mutableBytes
      raw.storeBytes(of: plain ^ word, toByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < end {
      self[index] ^= mask[(index - start) % 4]
      index += 1
    }
  }
}

/// Buffer of bytes to send, in order.
struct OutgoingBytes: ~Copyable {
  private var buffer: ByteBuffer
  private var sentByteCount = 0

  init(capacity: Int) { buffer = ByteBuffer(capacity: capacity) }

  /// Number of unsent bytes.
  var count: Int { buffer.count - sentByteCount }

  var freeCapacity: Int { buffer.freeCapacity }

  /// Appends with `write`, whose caller has checked the free capacity.
  mutating func append<Result>(_ write: (inout ByteBuffer) -> Result) -> Result {
    let result = write(&buffer)
    precondition(!buffer.isOverflowed, "who appends asks for the free capacity first")
    return result
  }

  /// Sends from the front with `write`, which returns the number of sent bytes. Bytes move only
  /// after a send, and never more of them than were sent.
  mutating func send(_ write: (Span<UInt8>) -> Int) {
    let byteCount = write(buffer.bytes.extracting(sentByteCount..<buffer.count))
    precondition((0...count).contains(byteCount), "what was sent was pending")
    guard byteCount > 0 else { return }
    sentByteCount += byteCount
    guard sentByteCount >= count else { return }
    buffer.removeFirst(sentByteCount)
    sentByteCount = 0
  }

  mutating func withIdleBuffer(_ body: (inout ByteBuffer) -> Void) {
    guard count == 0 else { return }
    body(&buffer)
  }

  mutating func removeAll() {
    buffer.removeAll()
    sentByteCount = 0
  }
}
