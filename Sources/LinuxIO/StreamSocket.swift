import Bytes
import CLinux

/// Begins to connect to a numeric address, or to `localhost`, without waiting for the result.
///
/// Names are not looked up: the C library's resolver blocks for seconds, and the loop has one
/// thread.
///
/// - Returns: a descriptor that becomes ready for output once `connectionError(of:)` has the
///   result, or nil if `host` is not a numeric address.
public func connectStream(host: [UInt8], port: UInt16) throws(Errno) -> Descriptor? {
  guard let list = unsafe addresses(of: host, port: port) else { return nil }
  defer { unsafe freeaddrinfo(list) }
  let descriptor = unsafe clinux_connect(list)
  guard descriptor >= 0 else { throw .current }
  return Descriptor(owning: descriptor)
}

/// Whether `connectStream` can connect to `host`.
public func isNumericAddress(_ host: [UInt8]) -> Bool {
  guard let list = unsafe addresses(of: host, port: 1) else { return false }
  unsafe freeaddrinfo(list)
  return true
}

/// Returns addresses that the caller frees; nil if `host` is not a numeric address.
@unsafe
private func addresses(of host: [UInt8], port: UInt16) -> UnsafeMutablePointer<addrinfo>? {
  var hints = unsafe addrinfo()
  unsafe hints.ai_flags = AI_NUMERICHOST
  unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
  let isLocal = host.span.elementsEqual("localhost")
  var service = ByteBuffer(capacity: 8)
  service.append(decimal: port)
  let name = Path(isLocal ? [UInt8]("127.0.0.1") : host)
  let number = Path([UInt8](service.bytes))
  var list: UnsafeMutablePointer<addrinfo>?
  let result = unsafe name.withCString { name in
    unsafe number.withCString { unsafe getaddrinfo(name, $0, &hints, &list) }
  }
  return unsafe result == 0 ? list : nil
}

extension Descriptor {
  /// Sends a literal once. Returns the number of bytes that the kernel accepted, 0 if none now. A
  /// peer that is gone is an error, without the signal with which `write(2)` would end the process.
  public func send(_ text: StaticString) throws(Errno) -> Int {
    let bytes = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return try unsafe send(bytes.span)
  }

  /// Sends bytes once, under the rules of the literal's `send`.
  public func send(_ bytes: Span<UInt8>) throws(Errno) -> Int {
    do throws(Errno) {
      return unsafe try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
        try retryingInterrupts {
          unsafe CLinux.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
      }
    } catch .wouldBlock {
      return 0
    }
  }

  /// Returns the error of an attempt to connect; nil after success.
  public func connectionError() -> Errno? {
    let code = clinux_socket_error(number)
    return code == 0 ? nil : Errno(code: code)
  }
}

/// Whether the peer of a connected socket has neither closed the connection nor sent anything.
public func isQuiet(socket: Int32) -> Bool {
  var byte: UInt8 = 0
  let count = unsafe recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
  return count < 0 && Errno.current == .wouldBlock
}
