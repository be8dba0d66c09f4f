import Testing

@testable import HomeAssistant

/// The examples of FIPS 180-4's companion page of examples, and of RFC 3174.
@Suite struct SHA1Tests {
  @Test(arguments: [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    ),
    (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
    (
      String(
        repeating: "0123456701234567012345670123456701234567012345670123456701234567", count: 10),
      "dea356a2cddd90c7a7ecedc5ebb563934f460452"
    ),
  ])
  func theDigestIsThatOfTheSpecification(message: String, digest: String) {
    #expect(hexadecimal(SHA1.digest(of: [UInt8](message.utf8).span)) == digest)
  }

  /// The lengths at which the padding begins another block; from Python's hashlib.
  @Test(arguments: [
    (55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
    (56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
    (63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5"),
    (64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
    (65, "11655326c708d70319be2610e8a57d9a5b959d3b"),
  ])
  func thePaddingFitsEveryLength(count: Int, digest: String) {
    let message = [UInt8](repeating: UInt8(ascii: "a"), count: count)
    #expect(hexadecimal(SHA1.digest(of: message.span)) == digest)
  }

  private func hexadecimal(_ digest: InlineArray<20, UInt8>) -> String {
    var text = ""
    for index in digest.indices {
      text += String(digest[index] >> 4, radix: 16) + String(digest[index] & 15, radix: 16)
    }
    return text
  }
}
