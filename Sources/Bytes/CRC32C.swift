/// CRC-32C checksum (Castagnoli; RFC 3720, appendix B.4) that every file format on disk carries.
public struct CRC32C: Sendable {
  private var state: UInt32 = .max

  /// Creates the checksum of zero bytes.
  public init() {}

  /// Checksum of all bytes so far.
  public var value: UInt32 { ~state }

  /// Adds the next bytes.
  public mutating func update(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      state = state >> 8 ^ Self.table[Int(UInt8(truncatingIfNeeded: state) ^ bytes[index])]
    }
  }

  private static let table: InlineArray<256, UInt32> = {
    var table = InlineArray<256, UInt32>(repeating: 0)
    for index in 0..<256 {
      var remainder = UInt32(index)
      for _ in 0..<8 {
        remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0x82F6_3B78 : remainder >> 1
      }
      table[index] = remainder
    }
    return table
  }()
}
