import Bytes

/// An address of IPv4 or IPv6, in network order.
public struct NetworkAddress: Equatable, Sendable {
  public enum Family: UInt8, Sendable {
    // AF_INET and AF_INET6 of Linux.
    case ipv4 = 2
    case ipv6 = 10

    /// How many bytes an address of it has.
    public var byteCount: Int { self == .ipv4 ? 4 : 16 }
  }

  public let family: Family
  private var storage = InlineArray<16, UInt8>(repeating: 0)

  /// - Returns: nil where `bytes` are not as many as an address of the family has.
  public init?(_ family: Family, _ bytes: Span<UInt8>) {
    guard bytes.count == family.byteCount else { return nil }
    self.family = family
    for index in bytes.indices { storage[index] = bytes[index] }
  }

  /// In network order.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { storage.span.extracting(0..<family.byteCount) }
  }

  public static func == (left: NetworkAddress, right: NetworkAddress) -> Bool {
    left.family == right.family && left.bytes.elementsEqual(right.bytes)
  }
}
