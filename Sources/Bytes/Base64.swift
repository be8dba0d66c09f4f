/// Base64 as Home Assistant wants it: the standard alphabet, padded (RFC 4648, section 4).
///
/// It encodes ciphertext, which is public, so a table serves; libsodium's constant-time encoder
/// was four fifths of the cost of sealing a batch.
public enum Base64 {
  /// The length of the encoded form of `byteCount` bytes.
  public static func encodedCount(of byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 }

  /// Encodes the `count` bytes that start at `start` in place, so that their encoded form ends
  /// the buffer. They must be the last bytes written.
  public static func encodeTail(of buffer: inout ByteBuffer, from start: Int) {
    let count = buffer.count - start
    let encodedCount = encodedCount(of: count)
    buffer.appendZeros(encodedCount - count)
    guard !buffer.isOverflowed else { return }
    buffer.withMutableBytes { bytes in
      // From the end to the front: what is written never overtakes what is still to be read.
      var group = (count + 2) / 3
      while group > 0 {
        group -= 1
        encodeGroup(in: &bytes, from: start + group * 3, to: start + group * 4, end: start + count)
      }
    }
  }

  /// Decodes the bytes of `range` in place, to its front. Line ends between groups are not
  /// accepted; Home Assistant never sends any.
  ///
  /// - Returns: the number of decoded bytes, or nil where the text is not padded Base64.
  public static func decode(_ bytes: inout MutableSpan<UInt8>, in range: Range<Int>) -> Int? {
    guard range.count.isMultiple(of: 4) else { return nil }
    var output = range.lowerBound
    var input = range.lowerBound
    while input < range.upperBound {
      var word: UInt32 = 0
      var padding = 0
      for offset in 0..<4 {
        let byte = bytes[input + offset]
        if byte == pad, input + 4 == range.upperBound, offset >= 2 {
          padding += 1
          word <<= 6
          continue
        }
        let value = values[Int(byte)]
        guard value < 64, padding == 0 else { return nil }
        word = word << 6 | UInt32(value)
      }
      for index in 0..<3 - padding {
        bytes[output + index] = UInt8(truncatingIfNeeded: word >> UInt32(16 - 8 * index))
      }
      output += 3 - padding
      input += 4
    }
    return output - range.lowerBound
  }

  private static let pad = UInt8(ascii: "=")

  private static func encodeGroup(
    in bytes: inout MutableSpan<UInt8>, from input: Int, to output: Int, end: Int
  ) {
    let available = min(3, end - input)
    var word = UInt32(bytes[input]) << 16
    if available > 1 { word |= UInt32(bytes[input + 1]) << 8 }
    if available > 2 { word |= UInt32(bytes[input + 2]) }
    bytes[output] = alphabet[Int(word >> 18)]
    bytes[output + 1] = alphabet[Int(word >> 12 & 63)]
    bytes[output + 2] = available > 1 ? alphabet[Int(word >> 6 & 63)] : pad
    bytes[output + 3] = available > 2 ? alphabet[Int(word & 63)] : pad
  }

  private static let alphabet: InlineArray<64, UInt8> = {
    var alphabet = InlineArray<64, UInt8>(repeating: 0)
    for index in 0..<64 {
      let value = UInt8(index)
      alphabet[index] =
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
    return alphabet
  }()

  /// The value of each byte; 255 where it is not of the alphabet.
  private static let values: InlineArray<256, UInt8> = {
    var values = InlineArray<256, UInt8>(repeating: 255)
    for index in 0..<64 { values[Int(alphabet[index])] = UInt8(index) }
    return values
  }()
}
