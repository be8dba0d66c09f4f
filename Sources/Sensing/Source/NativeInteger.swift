import Bytes

extension Span where Element == UInt8 {
  /// Returns the integer at `offset`, in the byte order of the machine, which the kernel uses.
  ///
  /// - Precondition: it lies within the bytes.
  func nativeInteger<Integer: FixedWidthInteger>(_: Integer.Type, at offset: Int) -> Integer {
    var number: Integer = 0
    for index in (0..<MemoryLayout<Integer>.size).reversed() {
      number = number << 8 | Integer(truncatingIfNeeded: self[offset + index])
    }
    // Assembled as little-endian; a big-endian machine swaps the bytes.
    return number.littleEndian
  }
}

extension ByteBuffer {
  /// Appends an integer in the byte order of the machine.
  mutating func append<Integer: FixedWidthInteger>(native number: Integer) {
    var rest = number.littleEndian
    for _ in 0..<MemoryLayout<Integer>.size {
      append(UInt8(truncatingIfNeeded: rest))
      rest = rest >> 8
    }
  }
}
