import Bytes
import CLinux

/// Begins to connect to a numeric address, or to `localhost`, without waiting for the result.
///
/// Names are not looked up: the C library's resolver blocks for seconds, and the loop has one
/// thread. Returns a descriptor that becomes ready for output once `connectionError` has the
/// result; nil if `host` is not a numeric address.
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
  let name = Path(isLocal ? [UInt8]("127.0.0.1") : host)
  let number = Path(("\(Int(port))" as MessageText).bytes)
  var list: UnsafeMutablePointer<addrinfo>?
  let result = unsafe name.withCString { name in
    unsafe number.withCString { unsafe getaddrinfo(name, $0, &hints, &list) }
  }
  return unsafe result == 0 ? list : nil
}

extension Descriptor {
  /// Sends a literal once. Returns the number of bytes that the kernel accepted, 0 if none now. A
  /// peer that is gone is an error, without the signal with which `write(2)` would end the process.
  public func send(_ text: StaticString) throws(Errno) -> Int { try send(text.bytes) }

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

/// Listening stream socket of this machine (`unix(7)`). Other processes of its owner connect to it
/// by the path of a file. It never blocks.
public struct LocalListener: ~Copyable {
  private let descriptor: Descriptor
  private let path: Path

  /// Creates the file and replaces an existing one, such as the socket of a process that was
  /// killed. The caller must make sure that no other process listens there. Throws `.nameTooLong`
  /// for a path of more than 107 bytes. At most `waitingMax` connections wait to be accepted.
  public init(at path: Path, waitingMax: Int32) throws(Errno) {
    try removeFile(at: path)
    descriptor = Descriptor(
      owning: try unsafe path.call { unsafe clinux_local_listen($0, waitingMax) })
    self.path = path
  }

  /// Number of the descriptor, to watch it for input.
  public var number: Int32 { descriptor.number }

  /// Returns the next connection, which never blocks either; nil if no connection waits.
  public func accept() throws(Errno) -> Descriptor? {
    do throws(Errno) {
      return Descriptor(owning: try retryingInterrupts { clinux_accept(number) })
    } catch .wouldBlock {
      return nil
    }
  }

  /// Removes the file, so that no process can connect.
  public func remove() throws(Errno) { try removeFile(at: path) }
}

/// Connects to the socket at `path`. Connecting and each call on the connection wait at most
/// `timeout`, and then fail with `.wouldBlock`; nil never waits. Throws `.noSuchFile` if no process
/// has listened, `.connectionRefused` if the listening process has ended.
public func connectLocal(to path: Path, timeout: Duration?) throws(Errno) -> Descriptor {
  Descriptor(
    owning: try unsafe path.call { unsafe clinux_local_connect($0, timeout?.nanoseconds ?? -1) })
}

/// Data volume of the connections of this process, as a data plan counts it: with TLS, the headers
/// of TCP and IP, and retransmissions (`TCP_INFO`, `tcp(7)`).
///
/// It includes only sockets that `openSocket` created. DNS queries are not included.
public struct Traffic: Equatable, Sendable {
  /// Bytes sent since the process began.
  public let sentByteCount: Int64
  /// Bytes received since the process began.
  public let receivedByteCount: Int64

  /// Volume until now.
  public static var ofThisProcess: Traffic {
    let read = clinux_traffic_read()
    return Traffic(
      sentByteCount: Int64(clamping: read.sent), receivedByteCount: Int64(clamping: read.received))
  }

  /// Creates a socket that is counted, as `socket(2)` does. Other programs do not inherit it, and
  /// `closeSocket` closes it.
  public static func openSocket(_ family: Int32, _ type: Int32, _ transport: Int32) -> Int32 {
    clinux_traffic_socket(family, type, transport)
  }

  /// Closes a socket, as `close(2)` does. Its volume stays counted.
  public static func closeSocket(_ socket: Int32) -> Int32 { clinux_traffic_close(socket) }
}
