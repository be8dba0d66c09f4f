/// Base64 as Home Assistant expects it: the standard alphabet, padded (RFC 4648, section 4).
///
/// It encodes ciphertext, which is public, so lookup tables are safe; libsodium's constant-time
/// encoder took four fifths of the time to seal a batch.
///
/// The loops over all groups index unchecked: their bounds are checked once, before the loop.
public enum Base64 {
  /// Returns the length of the encoded form of `byteCount` bytes.
  public static func encodedCount(of byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 }

  /// Encodes the bytes from `start` to the end of the buffer in place.
  public static func encodeTail(of buffer: inout ByteBuffer, from start: Int) {
    let count = buffer.count - start
    precondition(start >= 0 && count >= 0, "only what was written is encoded")
    // The last group, if it is not whole, is filled up with these zeros.
    buffer.appendZeros(encodedCount(of: count) - count)
    guard !buffer.isOverflowed else { return }
    buffer.withMutableBytes { bytes in
      encodeGroups(in: &bytes, from: start, count: (count + 2) / 3)
      let missing = (3 - count % 3) % 3
      for index in bytes.count - missing..<bytes.count { bytes[index] = pad }
    }
  }

  /// Decodes the bytes of `range` in place, to its front, and returns the number of decoded bytes;
  /// nil if the text is not padded Base64. Line ends are rejected; Home Assistant never sends any.
  public static func decode(_ bytes: inout MutableSpan<UInt8>, in range: Range<Int>) -> Int? {
    guard range.count.isMultiple(of: 4) else { return nil }
    guard !range.isEmpty else { return 0 }
    // A padding character is decoded as zeros, which are not counted in the result.
    var padding = 0
    while padding < 2, bytes[range.upperBound - 1 - padding] == pad { padding += 1 }
    for index in range.upperBound - padding..<range.upperBound { bytes[index] = zero }
    let groups = range.count / 4
    guard decodeGroups(in: &bytes, from: range.lowerBound, count: groups) else { return nil }
    return groups * 3 - padding
  }

  private static let pad = UInt8(ascii: "=")
  private static let zero = UInt8(ascii: "A")
  private static let alphabet: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  /// Encodes `count` groups of three bytes; the space for their characters is already allocated.
  private static func encodeGroups(
    in bytes: inout MutableSpan<UInt8>, from start: Int, count: Int
  ) {
    precondition(start >= 0 && count <= (bytes.count - start) / 4, "the characters have room")
    let alphabet = unsafe Self.alphabet.utf8Start
    // From the end to the front: writing never overtakes reading.
    var group = count
    while group > 0 {
      group &-= 1
      let input = start &+ group &* 3
      let output = start &+ group &* 4
      // A fourth byte is loaded with them; it exists, since the characters need as much room.
      let word = UInt32(
        bigEndian: unsafe bytes.bytes.unsafeLoadUnaligned(
          fromUncheckedByteOffset: input, as: UInt32.self))
      unsafe bytes[unchecked: output] = alphabet[Int(word >> 26)]
      unsafe bytes[unchecked: output &+ 1] = alphabet[Int(word >> 20 & 63)]
      unsafe bytes[unchecked: output &+ 2] = alphabet[Int(word >> 14 & 63)]
      unsafe bytes[unchecked: output &+ 3] = alphabet[Int(word >> 8 & 63)]
    }
  }

  /// Decodes `count` groups of four characters to the front; returns false if one of them is not in
  /// the alphabet.
  private static func decodeGroups(
    in bytes: inout MutableSpan<UInt8>, from start: Int, count: Int
  ) -> Bool {
    precondition(start >= 0 && count <= (bytes.count - start) / 4, "the characters are there")
    let table = Self.values
    let values = table.span
    var seen: Int32 = 0
    for group in 0..<count {
      let input = start &+ group &* 4
      let output = start &+ group &* 3
      var word = Int32(unsafe values[unchecked: Int(bytes[unchecked: input])])
      word = word << 6 | Int32(unsafe values[unchecked: Int(bytes[unchecked: input &+ 1])])
      word = word << 6 | Int32(unsafe values[unchecked: Int(bytes[unchecked: input &+ 2])])
      word = word << 6 | Int32(unsafe values[unchecked: Int(bytes[unchecked: input &+ 3])])
      seen |= word
      unsafe bytes[unchecked: output] = UInt8(truncatingIfNeeded: word >> 16)
      unsafe bytes[unchecked: output &+ 1] = UInt8(truncatingIfNeeded: word >> 8)
      unsafe bytes[unchecked: output &+ 2] = UInt8(truncatingIfNeeded: word)
    }
    return seen >= 0
  }

  /// Value of each byte; -1 for bytes outside the alphabet, whose bits make every group negative.
  private static let values: InlineArray<256, Int8> = {
    var values = InlineArray<256, Int8>(repeating: -1)
    for value in 0..<64 { values[Int(unsafe alphabet.utf8Start[value])] = Int8(value) }
    return values
  }()
}

/// Returns the value of a hexadecimal digit; nil for any other byte.
public func hexadecimalValue(of byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): return byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): return byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): return byte - UInt8(ascii: "A") + 10
  default: return nil
  }
}

extension UInt64 {
  /// Creates the number of up to 16 hexadecimal digits; nil for other bytes.
  public init?(hexadecimal digits: Span<UInt8>) {
    self = 0
    for index in digits.indices {
      guard let value = hexadecimalValue(of: digits[index]) else { return nil }
      self = self << 4 | UInt64(value)
    }
  }
}

extension ByteBuffer {
  /// Appends an integer, the lowest byte first.
  public mutating func append<Integer: FixedWidthInteger>(littleEndian number: Integer) {
    var rest = number
    for _ in 0..<MemoryLayout<Integer>.size {
      append(UInt8(truncatingIfNeeded: rest))
      rest = rest >> 8
    }
  }

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

/// CRC-32C checksum (Castagnoli; RFC 3720, appendix B.4) that every file format on disk carries.
public struct CRC32C: Sendable {
  private var state: UInt32 = .max

  /// Creates the checksum of zero bytes.
  public init() {}

  /// Creates the checksum of these bytes.
  public init(of bytes: Span<UInt8>) { update(bytes) }

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
