public import Bytes
import CLinux

/// Socket for datagrams to and from the kernel (`netlink(7)`).
public struct NetlinkSocket: ~Copyable {
  /// Result of one read.
  public enum Received: Equatable, Sendable {
    /// A whole datagram of the kernel, in the buffer.
    case datagram
    /// A datagram of another process, to be ignored.
    case nothingOfTheKernel
    /// A datagram longer than the buffer; it is lost.
    case truncated
    /// The kernel dropped messages because the socket's queue was full.
    case overrun
    /// No datagram waits.
    case wouldBlock
  }

  private let descriptor: Descriptor

  /// Port of this socket: answers to it carry this number, announcements do not.
  public let port: UInt32

  public static func route() throws(Errno) -> NetlinkSocket {
    try NetlinkSocket(netlinkProtocol: NETLINK_ROUTE)
  }

  public static func generic() throws(Errno) -> NetlinkSocket {
    try NetlinkSocket(netlinkProtocol: NETLINK_GENERIC)
  }

  public static func deviceEvents() throws(Errno) -> NetlinkSocket {
    try NetlinkSocket(netlinkProtocol: NETLINK_KOBJECT_UEVENT)
  }

  private init(netlinkProtocol: Int32) throws(Errno) {
    var port: UInt32 = 0
    let number = try retryingInterrupts { unsafe clinux_netlink_socket(netlinkProtocol, &port) }
    descriptor = Descriptor(owning: number)
    self.port = port
  }

  /// Number of the descriptor, to watch it for input.
  public var number: Int32 { descriptor.number }

  /// Sends one request. The kernel accepts it before this returns.
  public func send(_ request: borrowing ByteBuffer) throws(Errno) {
    // The kernel accepts a datagram as a whole or not at all.
    guard try descriptor.write(request.bytes) == request.count else { throw .wouldBlock }
  }

  /// Subscribes to the announcements of a multicast group.
  public func join(group: UInt32) throws(Errno) {
    _ = try retryingInterrupts { clinux_netlink_hear(number, group, true) }
  }

  /// Ends the subscription to a multicast group.
  public func leave(group: UInt32) throws(Errno) {
    _ = try retryingInterrupts { clinux_netlink_hear(number, group, false) }
  }

  /// Reads one datagram into `buffer` and replaces its content.
  public func receive(into buffer: inout ByteBuffer) throws(Errno) -> Received {
    buffer.removeAll()
    var sender: UInt32 = 0
    do throws(Errno) {
      let count = try unsafe buffer.fillFromKernel {
        unsafe clinux_netlink_receive(number, $0, $1, &sender)
      }
      guard sender == 0 else { return .nothingOfTheKernel }
      return count > buffer.capacity ? .truncated : .datagram
    } catch .wouldBlock {
      return .wouldBlock
    } catch .noBufferSpace {
      return .overrun
    }
  }
}
