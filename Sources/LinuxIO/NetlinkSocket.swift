public import Bytes
import CLinux

/// A conversation with the kernel in whole datagrams (`netlink(7)`).
public struct NetlinkSocket: ~Copyable {
  /// What one read brought.
  public enum Received: Equatable, Sendable {
    /// A whole datagram of the kernel, in the buffer.
    case datagram
    /// Something that is not to be read: another process sent it.
    case nothingOfTheKernel
    /// A datagram that is longer than the buffer. It is lost.
    case truncated
    /// The kernel had more to say than the socket could keep, and dropped it.
    case overrun
    /// The kernel has nothing to say now.
    case wouldBlock
  }

  private let descriptor: Descriptor

  /// What the kernel calls this socket: answers to it name it, announcements do not.
  public let port: UInt32

  /// Opens a socket for `NETLINK_ROUTE`.
  public static func route() throws(Errno) -> NetlinkSocket {
    try NetlinkSocket(netlinkProtocol: NETLINK_ROUTE)
  }

  /// Opens a socket for `NETLINK_GENERIC`.
  public static func generic() throws(Errno) -> NetlinkSocket {
    try NetlinkSocket(netlinkProtocol: NETLINK_GENERIC)
  }

  /// Opens a socket for `NETLINK_KOBJECT_UEVENT`.
  public static func deviceEvents() throws(Errno) -> NetlinkSocket {
    try NetlinkSocket(netlinkProtocol: NETLINK_KOBJECT_UEVENT)
  }

  private init(netlinkProtocol: Int32) throws(Errno) {
    var port: UInt32 = 0
    let number = try retryingInterrupts { unsafe clinux_netlink_socket(netlinkProtocol, &port) }
    descriptor = Descriptor(owning: number)
    self.port = port
  }

  /// The number the kernel knows it by, to watch it for input.
  public var number: Int32 { descriptor.number }

  /// Sends one request. The kernel takes it in before this returns.
  public func send(_ request: borrowing ByteBuffer) throws(Errno) {
    // A datagram is taken as a whole, or not.
    guard try descriptor.write(request.bytes) == request.count else { throw .wouldBlock }
  }

  /// Hears the announcements of a multicast group from now on.
  public func join(group: UInt32) throws(Errno) {
    _ = try retryingInterrupts { clinux_netlink_hear(number, group, true) }
  }

  /// Hears them no longer.
  public func leave(group: UInt32) throws(Errno) {
    _ = try retryingInterrupts { clinux_netlink_hear(number, group, false) }
  }

  /// Reads one datagram into `buffer`, which holds nothing else afterwards.
  public func receive(into buffer: inout ByteBuffer) throws(Errno) -> Received {
    buffer.removeAll()
    var sender: UInt32 = 0
    var received = Received.datagram
    do throws(Errno) {
      try buffer.fill { (free) throws(Errno) in
        let count = try unsafe free.withUnsafeMutableBufferPointer { (bytes) throws(Errno) in
          try retryingInterrupts {
            unsafe clinux_netlink_receive(number, bytes.baseAddress, bytes.count, &sender)
          }
        }
        if count > free.count { received = .truncated }
        return min(count, free.count)
      }
    } catch .wouldBlock {
      return .wouldBlock
    } catch .noBufferSpace {
      return .overrun
    }
    return sender == 0 ? received : .nothingOfTheKernel
  }
}
