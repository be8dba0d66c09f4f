/// The hash of RFC 3174. WebSockets open with it; it secures nothing here.
enum SHA1 {
  private static let blockByteCount = 64

  static func hash(_ message: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    let blocks = padded(message)
    for start in stride(from: 0, to: blocks.count, by: blockByteCount) {
      mix(blocks[start..<start + blockByteCount], into: &state)
    }
    return state.flatMap(bigEndian)
  }

  /// A one, zeros, and the length in bits, up to whole blocks.
  private static func padded(_ message: [UInt8]) -> [UInt8] {
    let bitCount = UInt64(message.count) * 8
    var bytes = message + [0x80]
    while bytes.count % blockByteCount != blockByteCount - 8 { bytes.append(0) }
    return bytes + bigEndian(bitCount)
  }

  private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    stride(from: value.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: value >> $0)
    }
  }

  private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }

  private static func schedule(_ block: ArraySlice<UInt8>) -> [UInt32] {
    let bytes = Array(block)
    var words = stride(from: 0, to: blockByteCount, by: 4).map { index in
      bytes[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<80 {
      words.append(
        rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], by: 1))
    }
    return words
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    let words = schedule(block)
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for (index, word) in words.enumerated() {
      let (value, constant): (UInt32, UInt32) =
        switch index {
        case 0..<20: (b & c | ~b & d, 0x5A82_7999)
        case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotated(a, by: 5) &+ value &+ e &+ constant &+ word
      (a, b, c, d, e) = (next, a, rotated(b, by: 30), c, d)
    }
    for (place, value) in [a, b, c, d, e].enumerated() { state[place] &+= value }
  }
}
