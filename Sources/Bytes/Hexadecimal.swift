/// Returns the value of a hexadecimal digit; nil for any other byte.
public func hexadecimalValue(of byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): return byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): return byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): return byte - UInt8(ascii: "A") + 10
  default: return nil
  }
}

extension ByteBuffer {
  /// Appends two lower-case hexadecimal digits for each byte.
  public mutating func append(hexadecimal bytes: Span<UInt8>) {
    for index in bytes.indices {
      append(hexadecimalDigit: bytes[index] >> 4)
      append(hexadecimalDigit: bytes[index] & 15)
    }
  }

  /// Appends one hexadecimal digit for a value of 0 to 15.
  public mutating func append(hexadecimalDigit nibble: UInt8) {
    append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
  }
}
