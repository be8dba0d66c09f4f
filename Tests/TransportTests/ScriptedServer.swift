import Bytes
import CLinux
import LinuxIO

/// An HTTP server on the loopback that answers as it is told, one reply for each whole request. It
/// lives on the event loop of the test, so there is no second thread and nothing to wait for.
final class ScriptedServer: Watcher {
  enum Reply {
    /// These bytes; the connection is kept.
    case answer([UInt8])
    /// These bytes, and then the connection is closed.
    case lastWords([UInt8])
    /// These bytes, and then spaces for as long as somebody takes them.
    case endless([UInt8])
    /// Nothing at all.
    case silence

    /// A whole answer.
    static func whole(status: Int = 200, _ body: [UInt8]) -> Reply {
      answer([UInt8]("HTTP/1.1 \(status) X\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
    }
  }

  private final class Connection {
    let descriptor: Descriptor
    var watch: Watch?
    var input: [UInt8] = []
    var output: [UInt8] = []
    var isClosing = false
    var isEndless = false

    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
  }

  let port: UInt16
  /// The requests that arrived whole, head and body.
  private(set) var requests: [[UInt8]] = []
  private(set) var connectionCount = 0
  /// Connections that the other side closed.
  private(set) var hangUpCount = 0
  private(set) var sentByteCount = 0

  private let loop: EventLoop
  private let listener: Descriptor
  private var connections: [Int32: Connection] = [:]
  private var replies: [Reply]
  private var watch: Watch?

  /// Takes a free port, which refuses every connection where `isListening` is false.
  init(loop: EventLoop, replies: [Reply] = [], isListening: Bool = true) throws(Errno) {
    self.loop = loop
    self.replies = replies
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard number >= 0 else { throw Errno(code: clinux_errno()) }
    listener = Descriptor(owning: number)
    port = try Self.bindToLoopback(number)
    guard isListening else { return }
    guard listen(number, 8) == 0 else { throw Errno(code: clinux_errno()) }
    watch = try loop.watch(number, for: .input, telling: self)
  }

  /// The loop keeps its watchers, so a test ends its server.
  func stop() {
    for number in [Int32](connections.keys) { close(number) }
    if let watch { loop.stop(watch) }
  }

  func closeAllConnections() { for number in [Int32](connections.keys) { close(number) } }

  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    guard let connection = connections[descriptor] else { return accept() }
    if connection.output.isEmpty { receive(on: connection) } else { send(on: connection) }
  }

  private func accept() {
    let number = unsafe accept4(
      listener.number, __SOCKADDR_ARG(), nil, Int32(SOCK_NONBLOCK.rawValue))
    guard number >= 0 else { return }
    connectionCount += 1
    let connection = Connection(Descriptor(owning: number))
    connections[number] = connection
    connection.watch = try? loop.watch(number, for: .input, telling: self)
  }

  private func receive(on connection: Connection) {
    var buffer = ByteBuffer(capacity: 64 * 1024)
    guard case .bytes? = try? connection.descriptor.read(into: &buffer) else {
      hangUpCount += 1
      return close(connection.descriptor.number)
    }
    connection.input += [UInt8](buffer.bytes)
    guard let count = Self.byteCountOfRequest(connection.input) else { return }
    requests.append([UInt8](connection.input[..<count]))
    connection.input.removeFirst(count)
    switch replies.isEmpty ? .silence : replies.removeFirst() {
    case .silence: return
    case .answer(let bytes): connection.output = bytes
    case .endless(let bytes):
      connection.output = bytes
      connection.isEndless = true
    case .lastWords(let bytes):
      connection.output = bytes
      connection.isClosing = true
    }
    send(on: connection)
  }

  private func send(on connection: Connection) {
    // Without a signal where the other side has gone, which would end the test.
    let number = connection.descriptor.number
    let sent = unsafe CLinux.send(
      number, connection.output, connection.output.count, Int32(MSG_NOSIGNAL))
    guard sent >= 0 || clinux_errno() == EAGAIN else {
      hangUpCount += 1
      return close(number)
    }
    sentByteCount += max(sent, 0)
    connection.output.removeFirst(max(sent, 0))
    if connection.isEndless, connection.output.isEmpty {
      connection.output = [UInt8](repeating: 0x20, count: 64 * 1024)
    }
    if connection.output.isEmpty, connection.isClosing { return close(number) }
    guard let watch = connection.watch else { return }
    try? loop.change(watch, to: connection.output.isEmpty ? .input : .output)
  }

  private func close(_ number: Int32) {
    guard let connection = connections.removeValue(forKey: number) else { return }
    if let watch = connection.watch { loop.stop(watch) }
  }

  /// The length of the first request, or nil while it is not whole.
  private static func byteCountOfRequest(_ bytes: [UInt8]) -> Int? {
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

  private static func bindToLoopback(_ number: Int32) throws(Errno) -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe bind(number, __CONST_SOCKADDR_ARG(__sockaddr_in__: UnsafePointer(address)), size) == 0
        && getsockname(number, __SOCKADDR_ARG(__sockaddr_in__: address), &size) == 0
    }
    guard isBound else { throw Errno(code: clinux_errno()) }
    return UInt16(bigEndian: address.sin_port)
  }
}
