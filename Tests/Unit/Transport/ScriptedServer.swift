import Bytes
import LinuxIO

/// An HTTP server that answers as it is told, one reply for each whole request.
final class ScriptedServer {
  enum Reply {
    /// These bytes; the connection is kept.
    case answer([UInt8])
    /// These bytes, and then the connection is closed.
    case lastWords([UInt8])
    /// These bytes, and then spaces for as long as the client takes them.
    case endless([UInt8])
    /// Nothing at all.
    case silence

    static var rejection: Reply { answer(ScriptedServer.rejection) }

    /// A whole answer.
    static func whole(status: Int = 200, _ body: [UInt8]) -> Reply {
      answer(ScriptedServer.answer(status: status, body))
    }
  }

  /// The requests that arrived whole, head and body.
  private(set) var requests: [[UInt8]] = []

  private let server: StreamServer
  private var replies: [Reply]
  /// Who was told nothing.
  private var silenced: [StreamServer.Peer] = []

  /// Takes a free port, which refuses every connection where `isListening` is false.
  init(loop: EventLoop, replies: [Reply] = [], isListening: Bool = true) throws(Errno) {
    self.replies = replies
    server = try StreamServer(loop: loop, isListening: isListening)
    server.received = { [unowned self] peer in self.answer(peer) }
  }

  /// Home Assistant's own refusal of a token.
  static let rejection = [UInt8](
    ("HTTP/1.1 401 Unauthorized\r\nContent-Type: text/plain; charset=utf-8\r\n"
      + "Content-Length: 17\r\n\r\n401: Unauthorized").utf8)

  /// The bytes of a whole answer.
  static func answer(status: Int = 200, _ body: [UInt8]) -> [UInt8] {
    [UInt8]("HTTP/1.1 \(status) X\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
  }

  /// What it answers after all that was said before.
  func add(_ replies: Reply...) { self.replies += replies }

  /// Tells those who were told nothing so far.
  func breakSilence(with bytes: [UInt8]) {
    for peer in silenced { server.send(bytes, to: peer) }
    silenced = []
  }

  var port: UInt16 { server.port }
  var connectionCount: Int { server.connectionCount }
  var hangUpCount: Int { server.hangUpCount }
  var sentByteCount: Int { server.sentByteCount }

  /// The loop keeps its watchers, so a test ends its server.
  func stop() { server.stop() }

  func closeAllConnections() { server.closeAllConnections() }

  private func answer(_ peer: StreamServer.Peer) {
    guard let count = Self.byteCountOfRequest(peer.input) else { return }
    requests.append([UInt8](peer.input[..<count]))
    peer.input.removeFirst(count)
    switch replies.isEmpty ? .silence : replies.removeFirst() {
    case .silence: silenced.append(peer)
    case .answer(let bytes): server.send(bytes, to: peer)
    case .endless(let bytes):
      server.send(bytes, to: peer)
      server.sendEndlessly([UInt8](repeating: 0x20, count: 64 * 1024), to: peer)
    case .lastWords(let bytes):
      server.send(bytes, to: peer)
      server.close(peer)
    }
  }

  /// The length of the first request, or nil while it is not whole.
  static func byteCountOfRequest(_ bytes: [UInt8]) -> Int? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let head = text.split(separator: "\r\n\r\n", omittingEmptySubsequences: false).first,
      head.utf8.count < bytes.count
    else { return nil }
    var count = head.utf8.count + 4
    for line in head.split(separator: "\r\n") where line.hasPrefix("Content-Length: ") {
      count += Int(line.dropFirst("Content-Length: ".count)) ?? 0
    }
    return bytes.count >= count ? count : nil
  }
}
