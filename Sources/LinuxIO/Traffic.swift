import CLinux

/// Data volume of the connections of this process, as a data plan counts it: with TLS, the headers
/// of TCP and IP, and retransmissions (`TCP_INFO`, `tcp(7)`).
///
/// It includes only sockets that `openSocket` created. DNS queries are not included.
public struct Traffic: Equatable, Sendable {
  /// Bytes sent since the process began.
  public let sentByteCount: Int64
  /// Bytes received since the process began.
  public let receivedByteCount: Int64

  /// Creates a volume, in bytes.
  public init(sentByteCount: Int64, receivedByteCount: Int64) {
    self.sentByteCount = sentByteCount
    self.receivedByteCount = receivedByteCount
  }

  /// Volume until now.
  public static var ofThisProcess: Traffic {
    let read = clinux_traffic_read()
    return Traffic(
      sentByteCount: Int64(clamping: read.sent), receivedByteCount: Int64(clamping: read.received))
  }

  /// Creates a socket that is counted, as `socket(2)` does. Other programs do not inherit it.
  ///
  /// - Returns: its descriptor, which `closeSocket` closes; -1 if the kernel cannot create one.
  public static func openSocket(_ family: Int32, _ type: Int32, _ transport: Int32) -> Int32 {
    clinux_traffic_socket(family, type, transport)
  }

  /// Closes a socket. Its volume stays counted.
  ///
  /// - Returns: 0, or -1 if it is not a socket.
  public static func closeSocket(_ socket: Int32) -> Int32 { clinux_traffic_close(socket) }
}
