import Bytes

/// An IPv4 or IPv6 address, in network byte order.
public struct NetworkAddress: Equatable, Sendable {
  public enum Family: UInt8, Sendable {
    // AF_INET and AF_INET6 of Linux.
    case ipv4 = 2
    case ipv6 = 10

    /// Size of an address, in bytes.
    public var byteCount: Int { self == .ipv4 ? 4 : 16 }
  }

  public let family: Family
  private var storage = InlineArray<16, UInt8>(repeating: 0)

  /// - Returns: nil if the number of `bytes` does not fit the family.
  public init?(_ family: Family, _ bytes: Span<UInt8>) {
    guard bytes.count == family.byteCount else { return nil }
    self.family = family
    for index in bytes.indices { storage[index] = bytes[index] }
  }

  /// The bytes in network order.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { storage.span.extracting(0..<family.byteCount) }
  }

  public static func == (left: NetworkAddress, right: NetworkAddress) -> Bool {
    left.family == right.family && left.bytes.elementsEqual(right.bytes)
  }
}
