import CLinux

/// What the connections of this process have carried, as a data plan counts it: with TLS, with the
/// heads of TCP and IP, and with what was sent again (`TCP_INFO`, `tcp(7)`).
///
/// Only sockets that `openSocket` made are in it. Names that were looked up are not.
public struct Traffic: Equatable, Sendable {
  /// Bytes, since the process began.
  public let sentByteCount: Int64
  /// Bytes, since the process began.
  public let receivedByteCount: Int64

  /// What was carried, in bytes.
  public init(sentByteCount: Int64, receivedByteCount: Int64) {
    self.sentByteCount = sentByteCount
    self.receivedByteCount = receivedByteCount
  }

  /// Until now.
  public static var ofThisProcess: Traffic {
    let read = clinux_traffic_read()
    return Traffic(
      sentByteCount: Int64(clamping: read.sent), receivedByteCount: Int64(clamping: read.received))
  }

  /// Makes a socket that counts, as `socket(2)` does. Other programs do not get it.
  ///
  /// - Returns: its descriptor, which `closeSocket` closes; -1 where the kernel makes none.
  public static func openSocket(_ family: Int32, _ type: Int32, _ transport: Int32) -> Int32 {
    clinux_traffic_socket(family, type, transport)
  }

  /// Closes a socket. What it carried stays counted.
  ///
  /// - Returns: 0, or -1 where it is none.
  public static func closeSocket(_ socket: Int32) -> Int32 { clinux_traffic_close(socket) }
}
