import Foundation
import Glibc
import Testing

/// A WebSocket of our own, straight on a socket: the expectations also send what no well-behaved
/// client would, and look at single frames.
///
/// Every wait is bounded by `timeout`. The socket is not blocking, and is looked at again and
/// again: the test's threads are few, and none may be kept.
actor WebSocket {
  /// How long to wait for anything that the server owes.
  static let timeout = Duration.seconds(20)
  private static let glance = Duration.milliseconds(4)

  /// One message, and which of the server's frames it came in: one frame may hold several.
  struct Received: Sendable {
    let json: JSON
    let frame: Int
  }

  /// How the conversation ended.
  enum Ending: Equatable, Sendable {
    case closed(UInt16?)
    case dropped
  }

  let server: Server
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var frames = 0
  private var pongs: [[UInt8]] = []
  private var ending: Ending?
  /// The messages that no expectation has asked for yet.
  var waiting: [Received] = []
  var lastID = 0

  init(server: Server, descriptor: Int32) {
    (self.server, self.descriptor) = (server, descriptor)
  }

  deinit { close(descriptor) }

  /// Connects and upgrades the connection; nothing is sent yet.
  static func connected(to server: Server) async throws -> WebSocket {
    let host: String = try #require(server.url.host)
    let port = UInt16(try #require(server.url.port))
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(descriptor >= 0)
    let webSocket = WebSocket(server: server, descriptor: descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    try #require(unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1, "\(host) is no address")
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: $0), length)
      }
    }
    try #require(status == 0, "nobody listens at \(host):\(port)")
    try #require(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
    try await webSocket.upgrade(host: "\(host):\(port)")
    return webSocket
  }

  private func upgrade(host: String) async throws {
    let request =
      "GET /api/websocket HTTP/1.1\r\nHost: \(host)\r\nConnection: Upgrade\r\n"
      + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    try await send(bytes: Array(request.utf8))
    let emptyLine = Array("\r\n\r\n".utf8)
    let end = try await within(Self.timeout) {
      read()
      return bytes.firstRange(of: emptyLine)
    }
    let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
    bytes.removeSubrange(..<end.upperBound)
    try #require(head.hasPrefix("HTTP/1.1 101"), "\(head)")
    // What RFC 6455 itself computes from the key above.
    try #require(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "\(head)")
  }
}

// MARK: - Sending

extension WebSocket {
  func send(_ frame: Frame) async throws { try await send(bytes: frame.encoded) }

  /// Sends one text message, which may be anything.
  func send(text: String) async throws { try await send(.text(text)) }

  func send(bytes: [UInt8]) async throws {
    var rest = bytes[...]
    try await within(Self.timeout) {
      let count = write(rest)
      if count < 0 { try #require(errno == EAGAIN, "the socket is closed") }
      rest.removeFirst(max(count, 0))
      return rest.isEmpty ? () : nil
    }
  }

  /// Writes what fits now: how many bytes that were, or less than none.
  private func write(_ bytes: ArraySlice<UInt8>) -> Int {
    unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Ends the connection without a word, as a power cut does.
  func drop() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

// MARK: - Receiving

extension WebSocket {
  /// The first message for which the condition holds, as soon as there is one. Others wait.
  func message(
    within timeout: Duration = timeout, where condition: (JSON) -> Bool
  ) async throws -> Received {
    try await within(timeout) {
      try receive()
      if let index = waiting.firstIndex(where: { condition($0.json) }) {
        return waiting.remove(at: index)
      }
      try #require(ending == nil, "the server closed the connection: \(waiting)")
      return nil
    }
  }

  /// How the server ends the connection, which it must.
  func end(within timeout: Duration = timeout) async throws -> Ending {
    try await within(timeout) {
      try receive()
      return ending
    }
  }

  /// The payload of the next protocol pong.
  func pong() async throws -> [UInt8] {
    try await within(Self.timeout) {
      try receive()
      return pongs.isEmpty ? nil : pongs.removeFirst()
    }
  }

  /// Looks until there is something, or fails when the time is over.
  private func within<Result>(
    _ timeout: Duration, _ look: () throws -> Result?
  ) async throws -> Result {
    let deadline = ContinuousClock.now + timeout
    while true {
      if let found = try look() { return found }
      try #require(ContinuousClock.now < deadline, "nothing came in \(timeout); \(waiting)")
      try await Task.sleep(for: Self.glance)
    }
  }

  /// Takes in whatever has come.
  private func receive() throws {
    read()
    while let frame = try Frame.take(from: &bytes) {
      switch frame.kind {
      case .text: try take(text: frame.payload)
      case .pong: pongs.append(frame.payload)
      case .close:
        ending = .closed(Self.code(of: frame.payload))
        _ = write(frame.encoded[...])
        // Home Assistant waits for this, too: it stops ten seconds later without it.
        drop()
      case .binary, .ping: break
      }
    }
  }

  private func take(text: [UInt8]) throws {
    frames += 1
    let json: JSON = try #require(JSON(parsing: Data(text)))
    let messages: [JSON] = if case .array(let several) = json { several } else { [json] }
    waiting += messages.map { Received(json: $0, frame: frames) }
  }

  private static func code(of payload: [UInt8]) -> UInt16? {
    payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
  }

  private func read() {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else {
        let isOver = count == 0 || (errno != EAGAIN && errno != EINTR)
        if isOver, ending == nil, bytes.isEmpty { ending = .dropped }
        return
      }
      bytes += chunk[..<count]
    }
  }
}

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
