public import Bytes
import CLinux

/// Socket that sends requests to a multicast group on every interface, and receives the unicast
/// answers.
public struct MulticastSocket: ~Copyable {
  /// Maximum number of interfaces; a board with containers has ten.
  public static let interfacesMax = 32

  private let descriptor: Descriptor

  public init() throws(Errno) {
    descriptor = Descriptor(owning: try retryingInterrupts { clinux_multicast_socket() })
  }

  /// Number of the descriptor, to watch it for input.
  public var number: Int32 { descriptor.number }

  /// Sends a datagram out of every interface that is up, has an IPv4 address and carries multicast;
  /// and to this machine, even without such an interface. Throws the error of the last interface,
  /// if no interface sent it.
  public func send(
    _ datagram: Span<UInt8>, to group: InlineArray<4, UInt8>, port: UInt16
  ) throws(Errno) {
    _ = try send(datagram, to: group, port: port, outOf: try Self.interfaces())
  }

  /// Sends out of the interfaces with these indices. Returns the number of interfaces that sent it.
  func send(
    _ datagram: Span<UInt8>, to group: InlineArray<4, UInt8>, port: UInt16,
    outOf interfaces: [UInt32]
  ) throws(Errno) -> Int {
    var failure: Errno?
    var sentCount = 0
    for interface in interfaces {
      do throws(Errno) {
        _ = try unsafe group.span.withUnsafeBufferPointer { (group) throws(Errno) in
          try unsafe datagram.withUnsafeBytes { (datagram) throws(Errno) in
            guard let group = group.baseAddress else { return 0 }
            return try retryingInterrupts {
              unsafe clinux_multicast_send(
                number, interface, group, port, datagram.baseAddress, datagram.count)
            }
          }
        }
        sentCount += 1
      } catch {
        failure = error
      }
    }
    if sentCount == 0, let failure { throw failure }
    return sentCount
  }

  /// Reads one datagram into the empty `buffer` and cuts off bytes that do not fit; returns false
  /// if no datagram waits.
  public func receive(into buffer: inout ByteBuffer) throws(Errno) -> Bool {
    buffer.removeAll()
    return try descriptor.read(into: &buffer) != .wouldBlock
  }

  private static func interfaces() throws(Errno) -> [UInt32] {
    var indices = [UInt32](repeating: 0, count: interfacesMax)
    let count = try retryingInterrupts {
      unsafe indices.withUnsafeMutableBufferPointer { indices -> Int32 in
        guard let base = indices.baseAddress else { return 0 }
        return unsafe clinux_multicast_interfaces(base, Int32(indices.count))
      }
    }
    return [UInt32](indices[..<Int(count)])
  }
}
