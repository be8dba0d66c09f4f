import Bytes

extension Span where Element == UInt8 {
  /// The integer at `offset`, in the order of the machine, as the kernel hands it out.
  ///
  /// - Precondition: it lies within the bytes.
  func nativeInteger<Integer: FixedWidthInteger>(_: Integer.Type, at offset: Int) -> Integer {
    var number: Integer = 0
    for index in (0..<MemoryLayout<Integer>.size).reversed() {
      number = number << 8 | Integer(truncatingIfNeeded: self[offset + index])
    }
    // Put together as little-endian; a machine of the other order means the reverse.
    return number.littleEndian
  }
}

extension ByteBuffer {
  /// Appends an integer in the order of the machine.
  mutating func append<Integer: FixedWidthInteger>(native number: Integer) {
    var rest = number.littleEndian
    for _ in 0..<MemoryLayout<Integer>.size {
      append(UInt8(truncatingIfNeeded: rest))
      rest = rest >> 8
    }
  }
}
