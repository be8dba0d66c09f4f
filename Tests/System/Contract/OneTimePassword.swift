import Foundation

/// The six digits that an authenticator app shows: RFC 6238 over RFC 4226, RFC 2104 and FIPS 180-4.
struct OneTimePassword {
  static let period = 30
  private let key: [UInt8]

  /// The key that the server shows for the app to scan, in Base32, or nil when it is no such thing.
  init?(key text: String) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var key: [UInt8] = []
    var bits = 0
    var bitCount = 0
    for character in text where character != "=" {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      bits = (bits << 5 | value) & 0xFFFF
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        key.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    guard !key.isEmpty else { return nil }
    self.key = key
  }

  func code(at date: Date = Date()) -> String {
    let step = UInt64(date.timeIntervalSince1970) / UInt64(Self.period)
    let digest = SHA1.authentication(of: SHA1.bigEndian(step), key: key)
    let offset = Int(digest[19] & 0x0F)
    let number = digest[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let digits = String((number & 0x7FFF_FFFF) % 1_000_000)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// Six digits that are not the code, nor one of the steps beside it.
  func wrongCode(at date: Date = Date()) -> String {
    let near = (-2...2).map { code(at: date + Double($0 * Self.period)) }
    return (0...9).map { String(repeating: "\($0)", count: 6) }.first { !near.contains($0) } ?? ""
  }
}

private enum SHA1 {
  private static let blockBytes = 64

  static func bigEndian(_ value: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// HMAC, of a key that is not longer than a block.
  static func authentication(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    let padded = key + [UInt8](repeating: 0, count: blockBytes - key.count)
    return hash(padded.map { $0 ^ 0x5C } + hash(padded.map { $0 ^ 0x36 } + message))
  }

  static func hash(_ message: [UInt8]) -> [UInt8] {
    let zeros = (2 * blockBytes - 9 - message.count % blockBytes) % blockBytes
    let padded =
      message + [0x80] + [UInt8](repeating: 0, count: zeros)
      + bigEndian(UInt64(message.count) * 8)
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for begin in stride(from: 0, to: padded.count, by: blockBytes) {
      mix(padded[begin..<begin + blockBytes], into: &state)
    }
    return state.flatMap { word in
      stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
    }
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map {
      block[$0..<$0 + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for i in 16..<80 {
      words.append(rotated(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], by: 1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for (i, word) in words.enumerated() {
      let (choice, constant): (UInt32, UInt32) =
        switch i {
        case ..<20: ((b & c) | (~b & d), 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotated(a, by: 5) &+ choice &+ e &+ constant &+ word
      (a, b, c, d, e) = (next, a, rotated(b, by: 30), c, d)
    }
    for (i, value) in [a, b, c, d, e].enumerated() { state[i] &+= value }
  }

  private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }
}
