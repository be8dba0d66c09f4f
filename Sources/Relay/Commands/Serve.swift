import Bytes
import CHTTPServer
import Glibc

extension HomewardRelay {
  /// Serves until a signal ends it.
  static func serve(_ arguments: Arguments) throws {
    let limits = try limits(arguments)
    let address = try Address(arguments["--listen"] ?? "127.0.0.1:8426")
    let descriptor = unsafe chttp_listen(address.host, address.port)
    guard descriptor >= 0 else {
      throw CommandError(
        code: 69,
        message: "cannot listen on \(address.text): \(unsafe String(cString: strerror(errno)))")
    }
    let port = chttp_port(descriptor)
    let store = try openStore(arguments, limits: limits)
    chttp_hold_signals()
    let server = Server(limits: limits)
    let worker = try Thread { server.work(store) }
    try server.listen(on: descriptor)
    let serving = try Thread { server.serve() }
    say("homeward-relay \(version) listens on \(address.text(port: port))\n")
    while !chttp_wait_for_end(1) { server.endSlow() }
    server.stop()
    worker.join()
    server.end()
    serving.join()
  }
}

/// An address to listen on: `127.0.0.1:8426` or `[::1]:8426`.
struct Address: Equatable {
  let host: String
  let port: UInt16

  init(_ text: String) throws(CommandError) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { throw .usage("--listen must be ADDRESS:PORT, not \(text)") }
    var host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, isBracketed == host.contains(":") else {
      throw .usage("--listen must be ADDRESS:PORT, as 127.0.0.1:8426 or [::1]:8426, not \(text)")
    }
    self.host = String(host)
    self.port = port
  }

  var text: String { text(port: port) }

  func text(port: UInt16) -> String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

/// A thread with a body of its own.
@safe final class Thread {
  private var thread = pthread_t()

  fileprivate final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  init(_ run: @escaping () -> Void) throws(CommandError) {
    let body = unsafe Unmanaged.passRetained(Body(run))
    guard unsafe pthread_create(&thread, nil, runBody, body.toOpaque()) == 0 else {
      unsafe body.release()
      throw CommandError(code: 71, message: "the system has no room for a thread")
    }
  }

  func join() { pthread_join(thread, nil) }
}

private func runBody(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let body = unsafe body {
    unsafe Unmanaged<Thread.Body>.fromOpaque(body).takeRetainedValue().run()
  }
  return nil
}
