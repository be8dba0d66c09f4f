/// The kinds of frame RFC 6455 knows.
enum Opcode: UInt8 {
  case continuation = 0
  case text = 1
  case binary = 2
  case close = 8
  case ping = 9
  case pong = 10

  var isControl: Bool { rawValue >= 8 }
}

/// Why a WebSocket ends, as its close frame says.
enum CloseCode: UInt16, Sendable {
  case normal = 1000
  case protocolError = 1002
  case notText = 1007
  case tooBig = 1009
}

/// Writes the frames of a server, which are never masked.
enum FrameWriter {
  static func frame(_ opcode: Opcode, _ payload: [UInt8] = []) -> [UInt8] {
    var header = [0x80 | opcode.rawValue]
    switch payload.count {
    case ..<126: header.append(UInt8(payload.count))
    case ..<0x10000: header += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      header.append(127)
      header += stride(from: 56, through: 0, by: -8).map { UInt8(payload.count >> $0 & 0xFF) }
    }
    return header + payload
  }

  static func close(_ code: CloseCode) -> [UInt8] {
    frame(.close, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)])
  }
}

/// Takes the frames of a client apart, and puts messages that came in pieces together.
struct FrameReader {
  /// A message this long is too long already, as in Home Assistant.
  static let messageByteCountMax = 4 << 20
  static let controlByteCountMax = 125

  enum Incoming: Equatable {
    case text([UInt8])
    case binary([UInt8])
    case ping([UInt8])
    case pong
    case close
  }

  /// What a client may not do; the code is what it is told.
  struct Violation: Error, Equatable {
    var code: CloseCode
    var reason: String
  }

  private struct Header {
    var opcode: Opcode
    var isFinal: Bool
    var mask: ArraySlice<UInt8>
    var byteCount: Int
    var payloadByteCount: Int
  }

  private var buffer: [UInt8] = []
  /// The pieces so far of a message that comes in several.
  private var message: (opcode: Opcode, bytes: [UInt8])?

  mutating func append(_ bytes: some Sequence<UInt8>) { buffer += bytes }

  /// The next message or control frame, or nil until more bytes are here.
  mutating func next() throws(Violation) -> Incoming? {
    while let header = try header() {
      let byteCount = header.byteCount + header.payloadByteCount
      guard buffer.count >= byteCount else { return nil }
      let mask = Array(header.mask)
      var payload = Array(buffer[header.byteCount..<byteCount])
      for index in payload.indices { payload[index] ^= mask[index % 4] }
      buffer.removeFirst(byteCount)
      if let incoming = try take(header, payload) { return incoming }
    }
    return nil
  }

  private func header() throws(Violation) -> Header? {
    guard buffer.count >= 2 else { return nil }
    guard buffer[0] & 0x70 == 0, let opcode = Opcode(rawValue: buffer[0] & 0x0F) else {
      throw Violation(code: .protocolError, reason: "unknown bits or opcode in a frame")
    }
    guard buffer[1] & 0x80 != 0 else {
      throw Violation(code: .protocolError, reason: "a frame of a client must be masked")
    }
    let short = Int(buffer[1] & 0x7F)
    let isFinal = buffer[0] & 0x80 != 0
    if opcode.isControl && (short > Self.controlByteCountMax || !isFinal) {
      throw Violation(code: .protocolError, reason: "a control frame is short and whole")
    }
    let lengthByteCount = short == 127 ? 8 : short == 126 ? 2 : 0
    let maskStart = 2 + lengthByteCount
    guard buffer.count >= maskStart + 4 else { return nil }
    let long = buffer[2..<maskStart].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let length = lengthByteCount == 0 ? UInt64(short) : long
    guard length < UInt64(Self.messageByteCountMax - (message?.bytes.count ?? 0)) else {
      throw Violation(code: .tooBig, reason: "a message of 4 MiB or more")
    }
    return Header(
      opcode: opcode, isFinal: isFinal, mask: buffer[maskStart..<maskStart + 4],
      byteCount: maskStart + 4, payloadByteCount: Int(length))
  }

  private mutating func take(
    _ header: Header, _ payload: [UInt8]
  ) throws(Violation) -> Incoming? {
    switch header.opcode {
    case .ping: return .ping(payload)
    case .pong: return .pong
    case .close: return .close
    case .text, .binary:
      guard message == nil else {
        throw Violation(code: .protocolError, reason: "a new message inside another")
      }
      message = (header.opcode, payload)
    case .continuation:
      guard message != nil else {
        throw Violation(code: .protocolError, reason: "the rest of a message that never began")
      }
      message?.bytes += payload
    }
    guard header.isFinal, let whole = message else { return nil }
    message = nil
    if whole.opcode == .binary { return .binary(whole.bytes) }
    guard String(validating: whole.bytes, as: UTF8.self) != nil else {
      throw Violation(code: .notText, reason: "a text that is not UTF-8")
    }
    return .text(whole.bytes)
  }
}
