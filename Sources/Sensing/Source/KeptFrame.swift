public import Bytes

/// An error in a file that an earlier run stored.
public enum KeptFrameError: Error, Equatable, Sendable {
  case damaged
  case unknownVersion(UInt16)
}

/// The frame that the binary files of the state directory share: a magic number and a version
/// before the body, and a checksum (CRC-32C) of everything before it at the end. Integers are
/// little-endian.
public struct KeptFrame: Sendable {
  /// Size of the frame.
  static let byteCount = 10
  public static let bodyOffset = 6

  /// 4 bytes.
  let magic: StaticString
  let version: UInt16

  public init(magic: StaticString, version: UInt16) {
    self.magic = magic
    self.version = version
  }

  public func open(_ buffer: inout ByteBuffer) {
    buffer.append(magic)
    buffer.append(littleEndian: version)
  }

  public func close(_ buffer: inout ByteBuffer) {
    let checksum = CRC32C(of: buffer.bytes)
    buffer.append(littleEndian: checksum.value)
  }

  /// Returns the end of the body in a file that is whole and of this version.
  public func bodyEnd(of file: Span<UInt8>) throws(KeptFrameError) -> Int {
    guard file.count >= Self.byteCount, file.starts(with: magic) else { throw .damaged }
    let end = file.count - 4
    let checksum = CRC32C(of: file.extracting(0..<end))
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
    append(littleEndian: number.littleEndian)
  }
}
