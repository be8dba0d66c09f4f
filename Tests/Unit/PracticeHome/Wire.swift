import CMicroHTTPD
import Synchronization

/// A connection to a server of this machine: writes bytes and reads until the other side closes.
struct Wire: ~Copyable {
  private let descriptor: Int32

  init(port: UInt16) {
    descriptor = practice_connect(port)
    precondition(descriptor >= 0, "no server listens on \(port)")
  }

  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe practice_send(descriptor, $0.baseAddress, $0.count)
      }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }

  /// What comes next, or nothing at the end.
  func readSome() -> ArraySlice<UInt8> {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe practice_receive(descriptor, &buffer, buffer.count)
    return buffer.prefix(max(0, count))
  }

  /// Everything until the connection closes.
  func read() -> String {
    var received: [UInt8] = []
    while case let piece = readSome(), !piece.isEmpty { received += piece }
    return String(decoding: received, as: UTF8.self)
  }

  deinit { close(descriptor) }

  /// Sends one request that closes its connection, and returns the whole response.
  static func ask(
    _ port: UInt16, _ method: String, _ path: String, _ body: String = "", token: String? = nil
  ) -> String {
    let wire = Wire(port: port)
    wire.write(request(method, path, body, token: token))
    return wire.read()
  }

  static func request(
    _ method: String, _ path: String, _ body: String = "", token: String? = nil
  ) -> String {
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    return "\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(authorization)"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }
}

/// A number that several threads add to.
final class Counting: Sendable {
  private let value = Mutex(0)

  var count: Int { value.withLock { $0 } }
  func add(_ number: Int) { value.withLock { $0 += number } }
}
