/// SHA-1 (FIPS 180-4, section 6.1). It is broken as proof of authorship; the WebSocket handshake
/// uses it only to check that the other side speaks the protocol, and no other code may use it.
enum SHA1 {
  private static let blockByteCount = 64

  static func digest(of message: Span<UInt8>) -> InlineArray<20, UInt8> {
    var state: InlineArray<5, UInt32> = [
      0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0,
    ]
    // The 1 bit and the length in bits follow the message.
    let blockCount = (message.count + 8) / blockByteCount + 1
    for block in 0..<blockCount {
      mix(schedule(message, block: block, of: blockCount), into: &state)
    }
    var digest = InlineArray<20, UInt8>(repeating: 0)
    for index in digest.indices {
      digest[index] = UInt8(truncatingIfNeeded: state[index / 4] >> UInt32(24 - index % 4 * 8))
    }
    return digest
  }

  private static func schedule(
    _ message: Span<UInt8>, block: Int, of blockCount: Int
  ) -> InlineArray<80, UInt32> {
    var words = InlineArray<80, UInt32>(repeating: 0)
    for index in 0..<blockByteCount {
      let position = block * blockByteCount + index
      let byte: UInt8 =
        position < message.count ? message[position] : position == message.count ? 0x80 : 0
      words[index / 4] = words[index / 4] << 8 | UInt32(byte)
    }
    if block == blockCount - 1 {
      let bitCount = UInt64(message.count) * 8
      words[14] = UInt32(truncatingIfNeeded: bitCount >> 32)
      words[15] = UInt32(truncatingIfNeeded: bitCount)
    }
    for index in 16..<80 {
      let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
      words[index] = word.rotatedLeft(by: 1)
    }
    return words
  }

  private static func mix(
    _ words: InlineArray<80, UInt32>, into state: inout InlineArray<5, UInt32>
  ) {
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in words.indices {
      let (function, constant): (UInt32, UInt32) =
        switch index {
        case 0..<20: (b & c ^ ~b & d, 0x5A82_7999)
        case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case 40..<60: (b & c ^ b & d ^ c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = a.rotatedLeft(by: 5) &+ function &+ e &+ constant &+ words[index]
      (a, b, c, d, e) = (next, a, b.rotatedLeft(by: 30), c, d)
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
  }
}

extension UInt32 {
  fileprivate func rotatedLeft(by count: UInt32) -> UInt32 { self << count | self >> (32 - count) }
}
