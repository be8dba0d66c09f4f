public import Bytes

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
