/// One frame of RFC 6455, whole and not fragmented: as much of it as the expectations need.
struct Frame: Equatable, Sendable {
  enum Kind: UInt8, Sendable {
    case text = 0x1, binary = 0x2, close = 0x8, ping = 0x9, pong = 0xA
  }

  /// What no server may send to a client that offered no extension.
  enum Violation: Error, Equatable {
    case fragmented
    case masked
    case unknownKind(UInt8)
  }

  var kind: Kind
  var payload: [UInt8] = []

  static func text(_ text: String) -> Frame { Frame(kind: .text, payload: Array(text.utf8)) }

  /// The frame as a client sends it: masked, by zeros, which is as good as any for a test.
  var encoded: [UInt8] { Self.header(kind, payloadBytes: payload.count) + payload }

  /// The beginning of a frame that announces a payload of this size.
  static func header(_ kind: Kind, payloadBytes count: Int) -> [UInt8] {
    let isMasked: UInt8 = 0x80
    var header = [0x80 | kind.rawValue]
    switch count {
    case ..<126: header.append(isMasked | UInt8(count))
    case ...0xFFFF: header += [isMasked | 126] + bigEndian(UInt64(count)).suffix(2)
    default: header += [isMasked | 127] + bigEndian(UInt64(count))
    }
    return header + [0, 0, 0, 0]
  }

  private static func bigEndian(_ value: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// Takes the first frame that a server sent, or nil while it has not come whole.
  static func take(from received: inout [UInt8]) throws(Violation) -> Frame? {
    guard received.count >= 2 else { return nil }
    guard received[0] & 0xF0 == 0x80 else { throw .fragmented }
    guard received[1] & 0x80 == 0 else { throw .masked }
    guard let kind = Kind(rawValue: received[0] & 0x0F) else {
      throw .unknownKind(received[0] & 0x0F)
    }
    let lengthBytes = received[1] == 127 ? 8 : received[1] == 126 ? 2 : 0
    let begin = 2 + lengthBytes
    guard received.count >= begin else { return nil }
    let count =
      lengthBytes == 0
      ? Int(received[1]) : received[2..<begin].reduce(0) { $0 << 8 | Int($1) }
    guard received.count - begin >= count else { return nil }
    let payload = Array(received[begin..<begin + count])
    received.removeFirst(begin + count)
    return Frame(kind: kind, payload: payload)
  }
}
