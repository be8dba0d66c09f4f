import Bytes
import CHTTPServer
import CLinux

extension HomewardRelay {
  /// Serves until a signal ends it.
  static func serve(_ arguments: Arguments) throws(CommandError) {
    let limits = try limits(arguments)
    let address = try Address(arguments["--listen"] ?? "127.0.0.1:8426")
    let descriptor = unsafe chttp_listen(address.host.string, address.port)
    guard descriptor >= 0 else {
      throw CommandError(
        code: 69,
        message: "cannot listen on \(address.text): \(systemError())")
    }
    let port = chttp_port(descriptor)
    let store = try StoreOption(arguments).open(limits: limits)
    let ending = clinux_signalfd(false)
    guard ending >= 0 else { throw CommandError(code: 71, message: systemError()) }
    let server = Server(store, limits: limits)
    do throws(Server.Failure) { try server.listen(on: descriptor) } catch {
      throw CommandError(code: 69, message: error.description)
    }
    say("homeward-relay \(version) listens on \(address.text(port: port))\n")
    notifyService("READY=1")
    server.serve(until: ending)
  }
}

/// Sends a line of `sd_notify(3)` to the service manager, if it expects any.
private func notifyService(_ line: StaticString) {
  guard let name = unsafe getenv("NOTIFY_SOCKET"), unsafe name.pointee != 0 else { return }
  let socket = unsafe clinux_notify_connect(name)
  guard socket >= 0 else { return }
  unsafe write(socket, line.utf8Start, line.utf8CodeUnitCount)
  close(socket)
}

/// An address to listen on: `127.0.0.1:8426` or `[::1]:8426`.
struct Address {
  let host: Text
  let port: UInt16

  init(_ text: Text) throws(CommandError) {
    let colon = UInt8(ascii: ":")
    guard let last = text.bytes.lastIndex(of: colon),
      let port = UInt16(String(decoding: text.bytes[(last + 1)...], as: UTF8.self))
    else { throw .usage("--listen must be ADDRESS:PORT, not \(text)") }
    var host = text.bytes[..<last]
    let isBracketed = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
    if isBracketed { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, isBracketed == host.contains(colon) else {
      throw .usage("--listen must be ADDRESS:PORT, as 127.0.0.1:8426 or [::1]:8426, not \(text)")
    }
    self.host = Text(Array(host))
    self.port = port
  }

  var text: String { text(port: port) }

  func text(port: UInt16) -> String {
    host.bytes.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
