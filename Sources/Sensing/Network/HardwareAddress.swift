public import Bytes

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
