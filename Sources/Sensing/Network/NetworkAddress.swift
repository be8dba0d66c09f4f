public import Bytes

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

/// The address of a network device: six bytes. A BSSID is one, and a gateway on a cable is
/// identified by one.
public struct HardwareAddress: Hashable, Sendable {
  /// Size of an address, in bytes.
  public static let byteCount = 6
  /// Size of its text, such as `aa:bb:cc:dd:ee:ff`.
  public static let textByteCount = 17

  /// The six bytes; the first is the most significant.
  private let value: UInt64

  /// Creates an address from its bytes; nil if they are not six.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    var value: UInt64 = 0
    for index in bytes.indices { value = value << 8 | UInt64(bytes[index]) }
    self.value = value
  }

  /// Parses the text form `aa:bb:cc:dd:ee:ff`, in either case.
  public init?(text: Span<UInt8>) {
    guard text.count == Self.textByteCount else { return nil }
    var value: UInt64 = 0
    for index in text.indices {
      if index % 3 == 2 {
        guard text[index] == UInt8(ascii: ":") else { return nil }
      } else {
        guard let digit = hexadecimalValue(of: text[index]) else { return nil }
        value = value << 4 | UInt64(digit)
      }
    }
    self.value = value
  }

  /// Whether all bytes are zero, which means no address.
  var isZero: Bool { value == 0 }

  fileprivate func byte(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: value >> (8 * UInt64(Self.byteCount - 1 - index)))
  }
}

extension ByteBuffer {
  /// Appends the address as `aa:bb:cc:dd:ee:ff`.
  public mutating func append(_ address: HardwareAddress) {
    for index in 0..<HardwareAddress.byteCount {
      if index > 0 { append(UInt8(ascii: ":")) }
      append(hexadecimalDigit: address.byte(index) >> 4)
      append(hexadecimalDigit: address.byte(index) & 15)
    }
  }
}

/// The name of a wireless network: 1 to 32 bytes, not necessarily text (IEEE 802.11, 9.4.2.2). Most
/// are UTF-8, some contain a NUL, and two that look alike on a screen may be two networks.
public struct SSID: Hashable, Sendable {
  /// Maximum size of a name, in bytes.
  public static let byteCountMax = 32
  /// Maximum size of the printable form, with every byte written as `\xNN`.
  public static let printableByteCountMax = 4 * byteCountMax

  private var storage = InlineArray<32, UInt8>(repeating: 0)
  private let byteCount: UInt8

  /// Creates a name from its bytes; nil if there are none or too many, or if all are zero, as in
  /// the announcements of a network that hides its name.
  public init?(_ bytes: Span<UInt8>) {
    guard (1...Self.byteCountMax).contains(bytes.count) else { return nil }
    byteCount = UInt8(bytes.count)
    var isHidden = true
    for index in bytes.indices {
      storage[index] = bytes[index]
      if bytes[index] != 0 { isHidden = false }
    }
    if isHidden { return nil }
  }

  /// The name: 1 to 32 bytes.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { storage.span.extracting(0..<Int(byteCount)) }
  }

  public static func == (left: SSID, right: SSID) -> Bool {
    left.bytes.elementsEqual(right.bytes)
  }

  public func hash(into hasher: inout Hasher) {
    let bytes = bytes
    for index in bytes.indices { hasher.combine(bytes[index]) }
  }
}

extension ByteBuffer {
  /// Appends the printable name: UTF-8 unchanged, a backslash doubled, and control characters and
  /// bytes that are not UTF-8 as `\xNN`, so that different names look different. At most
  /// `SSID.printableByteCountMax` bytes.
  public mutating func append(_ ssid: SSID) {
    let bytes = ssid.bytes
    var index = 0
    while index < bytes.count {
      let length = bytes.lengthOfScalar(at: index)
      if bytes[index] == UInt8(ascii: "\\") {
        append("\\\\")
      } else if length == 0 || bytes.isControl(at: index) {
        for offset in 0..<max(length, 1) {
          append("\\x")
          append(hexadecimal: bytes.extracting(index + offset..<index + offset + 1))
        }
      } else {
        append(bytes.extracting(index..<index + length))
      }
      index += max(length, 1)
    }
  }
}
