import Bytes

/// An error in a file that an earlier run stored.
public enum KeptFrameError: Error, Equatable, Sendable {
  case damaged
  case unknownVersion(UInt16)
}

/// The frame that the files of counts and of the anchor share: a magic number and a version before
/// the body, and a checksum (CRC-32C) of everything before it at the end. Integers are
/// little-endian.
struct KeptFrame {
  /// Size of the frame.
  static let byteCount = 10
  static let bodyOffset = 6

  /// 4 bytes.
  let magic: StaticString
  let version: UInt16

  func open(_ buffer: inout ByteBuffer) {
    buffer.append(magic)
    buffer.append(native: version.littleEndian)
  }

  func close(_ buffer: inout ByteBuffer) {
    var checksum = CRC32C()
    checksum.update(buffer.bytes)
    buffer.append(native: checksum.value.littleEndian)
  }

  /// Returns the end of the body in a file that is whole and of this version.
  func bodyEnd(of file: Span<UInt8>) throws(KeptFrameError) -> Int {
    guard file.count >= Self.byteCount, file.starts(with: magic) else { throw .damaged }
    let end = file.count - 4
    var checksum = CRC32C()
    checksum.update(file.extracting(0..<end))
    guard file.littleEndian(UInt32.self, at: end) == checksum.value else { throw .damaged }
    let version = file.littleEndian(UInt16.self, at: 4)
    guard version == self.version else { throw .unknownVersion(version) }
    return end
  }
}

extension Span where Element == UInt8 {
  /// Returns the integer at this offset. All its bytes have to lie inside.
  func littleEndian<Integer: FixedWidthInteger>(_: Integer.Type, at offset: Int) -> Integer {
    Integer(littleEndian: nativeInteger(Integer.self, at: offset))
  }
}

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
