import Testing

@testable import HomeAssistant

@Suite struct UTF8ValidatorTests {
  /// Against the standard library, which has its own decoder: every pair of bytes, what may follow
  /// them, and text around them.
  @Test func everyPairOfBytesIsJudgedAsTheStandardLibraryJudgesIt() {
    let tails: [[UInt8]] = [[], [0x80], [0x80, 0x80], [UInt8]("sixteen ASCII by".utf8)]
    for pair in 0...0xFFFF {
      for tail in tails {
        let bytes = [UInt8(pair >> 8), UInt8(pair & 255)] + tail
        let isValid = String(validating: bytes, as: UTF8.self) != nil
        guard isAccepted([bytes[...]]) != isValid else { continue }
        Issue.record("\(bytes) is \(isValid ? "" : "no ")UTF-8")
      }
    }
  }

  @Test func everySplitOfATextIsJudgedTheSame() {
    let text = [UInt8](
      "Zoë's boat \u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF} 🚤 and more".utf8)
    for split in 0...text.count {
      #expect(isAccepted([text[..<split], text[split...]]), "split at \(split)")
    }
  }

  private func isAccepted(_ pieces: [ArraySlice<UInt8>]) -> Bool {
    var validator = UTF8Validator()
    for piece in pieces where !validator.accept([UInt8](piece).span) { return false }
    return validator.isAtBoundary
  }
}
