import Bytes
import HomeAssistant
import Testing

@Suite struct FingerprintTests {
  @Test func partsCannotBeConfused() {
    let ab = [UInt8]("ab")
    let a = [UInt8]("a")
    let b = [UInt8]("b")
    let long = [UInt8](repeating: 255, count: 256)
    let all: [[[UInt8]]] = [
      [], [[]], [[], []], [ab], [a, b], [b, a], [[], ab], [ab, []], [long],
      [[], [UInt8](long.dropFirst())], [long, []], [[], long],
    ]
    let fingerprints = all.map { fingerprint(of: $0, purpose: "test") }
    for (index, one) in fingerprints.enumerated() {
      for other in fingerprints[..<index] { #expect(one != other, "part \(index)") }
    }
  }

  @Test func onePurposeDoesNotGiveAnotherAway() {
    let parts = [[UInt8]("10000000abcdef01")]
    #expect(fingerprint(of: parts, purpose: "device id") != fingerprint(of: parts, purpose: "x"))
    // The border between the purpose and the first part is kept as well.
    #expect(
      fingerprint(of: [[UInt8]("b")], purpose: "a")
        != fingerprint(of: [], purpose: "a\u{1}\u{0}\u{0}\u{0}b"))
  }

  /// Another one would make every device of every user a new device in Home Assistant.
  @Test func theFingerprintOfABoardIsTheSameForEver() {
    let parts = [[UInt8]("10000000abcdef01"), [UInt8]("0123456789abcdef0123456789abcdef")]
    #expect(
      String(decoding: fingerprint(of: parts, purpose: "device id"), as: UTF8.self)
        == "1c5ebde0ad694cdde1b417f0ff72eda7")
  }
}
