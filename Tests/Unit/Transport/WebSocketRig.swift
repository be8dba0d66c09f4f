import Bytes
import HomeAssistant
import LinuxIO
import Testing

@testable import HomeAssistant
@testable import Transport

/// A connection, a server that a test speaks for, and all that came of it.
final class WebSocketRig: WebSocketOwner {
  enum Event: Equatable {
    case opened
    case received(WebSocketMessageKind, [UInt8])
    case closed(WebSocketEnd)
  }

  let loop: EventLoop
  let server: StreamServer
  let connection: WebSocketConnection
  private(set) var events: [Event] = []
  /// How often a message was told to be arriving.
  private(set) var partCount = 0
  /// Called after each event.
  var reacting: (Event) -> Void = { _ in }

  init(settings: TransportSettings = .system, receivedByteCountMax: Int = 1 << 22) throws {
    loop = try EventLoop()
    server = try StreamServer(loop: loop)
    connection = try #require(
      WebSocketConnection(
        loop: loop, settings: settings, receivedByteCountMax: receivedByteCountMax,
        userAgent: [UInt8]("Homeward/test")))
  }

  /// The loop keeps what it watches.
  func stop() {
    reacting = { _ in }
    connection.abandon()
    server.stop()
  }

  // MARK: The client

  var url: String { "http://127.0.0.1:\(server.port)/api/websocket" }

  func open(_ url: String? = nil) {
    connection.open([UInt8]((url ?? self.url).utf8), telling: self)
  }

  func send(_ kind: WebSocketMessageKind, _ bytes: [UInt8]) -> Bool {
    connection.send(kind, bytes.span)
  }

  func webSocketOpened() { record(.opened) }
  func webSocketReceiving() { partCount += 1 }
  func webSocketReceived(_ kind: WebSocketMessageKind) {
    func copy(_ message: borrowing ByteBuffer) -> [UInt8] { [UInt8](message.bytes) }
    record(.received(kind, copy(connection.message)))
  }
  func webSocketClosed(_ end: WebSocketEnd) { record(.closed(end)) }

  private func record(_ event: Event) {
    events.append(event)
    reacting(event)
  }

  func turn(until isDone: () throws -> Bool) throws { try loop.turn(connection, until: isDone) }

  func turnOnce() throws { try loop.turn(connection, until: Moment.now.instant) }

  func turn(untilEvents count: Int) throws { try turn { events.count >= count } }

  /// Asks for a URL by HTTP, over the same settings.
  func get(_ url: String, _ settings: TransportSettings) throws -> TransferResult {
    let client = try #require(
      HTTPClient(
        loop: loop, settings: settings, requestByteCountMax: 16, userAgent: [UInt8]("Homeward/test")
      )
    )
    let endpoint = Endpoint(address: [UInt8](url.utf8), method: .get)
    return try RecordingOwner().result(of: endpoint, from: client, on: loop)
  }

  // MARK: The server

  /// The only connection, when there is one.
  func peer() throws -> StreamServer.Peer {
    try turn { !server.peers.isEmpty }
    return try #require(server.peers.values.first)
  }

  /// Takes a whole head from the connection.
  func head(from peer: StreamServer.Peer) throws -> String {
    try turn { peer.input.count >= 4 && peer.input.suffix(4) == [13, 10, 13, 10] }
    defer { peer.input = [] }
    return String(decoding: peer.input, as: UTF8.self)
  }

  /// Opens, the server's part included.
  func openAndAccept(_ url: String? = nil) throws -> StreamServer.Peer {
    let before = events.count
    open(url)
    let peer = try peer()
    server.send(Self.accepting(try head(from: peer)), to: peer)
    try turn(untilEvents: before + 1)
    #expect(events.last == .opened)
    return peer
  }

  /// The answer to the key in a request.
  static func accepting(_ head: String) -> [UInt8] {
    let name = "Sec-WebSocket-Key: "
    let line = head.split(separator: "\r\n").first { $0.hasPrefix(name) } ?? ""
    let key = line.dropFirst(name.count) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    var accept = ByteBuffer(capacity: 64)
    accept.append(SHA1.digest(of: [UInt8](key.utf8).span).span)
    Base64.encodeTail(of: &accept, from: 0)
    return [UInt8](
      "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ".utf8)
      + [UInt8](accept.bytes) + [UInt8]("\r\n\r\n")
  }

  /// A frame as a server sends it.
  static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let count = payload.count
    switch count {
    case ...125: return [first, UInt8(count)] + payload
    case ...65535: return [first, 126, UInt8(count >> 8), UInt8(count & 255)] + payload
    default: return [first, 127] + (0..<8).map { UInt8(count >> ((7 - $0) * 8) & 255) } + payload
    }
  }

  static func frame(_ first: UInt8, _ payload: String) -> [UInt8] {
    frame(first, [UInt8](payload.utf8))
  }

  static func close(_ code: Int, _ reason: String = "") -> [UInt8] {
    frame(0x88, [UInt8(code >> 8), UInt8(code & 255)] + [UInt8](reason.utf8))
  }

  /// Takes a client's frame from the connection, unmasked.
  func frame(from peer: StreamServer.Peer) throws -> (first: UInt8, payload: [UInt8]) {
    var frame: (first: UInt8, payload: [UInt8])?
    try turn {
      frame = peer.takeFrame()
      return frame != nil
    }
    return try #require(frame)
  }
}

extension StreamServer.Peer {
  /// Takes a client's frame from the connection, unmasked; nil while it is not whole.
  func takeFrame() -> (first: UInt8, payload: [UInt8])? {
    guard input.count >= 2 else { return nil }
    var start = 2
    var count = Int(input[1] & 0x7F)
    if count > 125 {
      start = count == 126 ? 4 : 10
      guard input.count >= start else { return nil }
      count = input[2..<start].reduce(0) { $0 << 8 | Int($1) }
    }
    let range = start + 4..<start + 4 + count
    guard input.count >= range.upperBound else { return nil }
    let mask = input[..<range.lowerBound].suffix(4).map { $0 }
    let payload = input[range].enumerated().map { $1 ^ mask[$0 % 4] }
    defer { input.removeFirst(range.upperBound) }
    return (input[0], payload)
  }
}
