import Bytes
import Foundation
import Testing

@Suite struct Base64Tests {
  private func encoded(_ bytes: [UInt8], after prefix: [UInt8] = []) -> [UInt8] {
    BytesTests.bytes { buffer in
      buffer.append(prefix)
      buffer.append(bytes)
      Base64.encodeTail(of: &buffer, from: prefix.count)
    }
  }

  /// The bytes that `text` stands for, decoded between bytes that are none of its business.
  private func decoded(_ text: [UInt8]) -> [UInt8]? {
    var frame = [UInt8]("<<") + text + [UInt8](">>")
    var span = frame.mutableSpan
    let range = 2..<2 + text.count
    guard let count = Base64.decode(&span, in: range) else { return nil }
    #expect(frame.starts(with: [UInt8]("<<")))
    #expect(frame.suffix(2) == [UInt8](">>"))
    return Array(frame[range].prefix(count))
  }

  @Test(
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ] as [(String, String)])
  func theVectorsOfTheStandardHold(plain: String, base64: String) {
    #expect(encoded([UInt8](plain.utf8)) == [UInt8](base64.utf8))
    #expect(decoded([UInt8](base64.utf8)) == [UInt8](plain.utf8))
  }

  @Test(arguments: 0...300)
  func everyLengthGoesThereAndBackInPlace(count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    let plain = random.bytes(count: count)
    let prefix = random.bytes(count: count % 7)
    let text = encoded(plain, after: prefix)
    #expect(text == prefix + [UInt8](Data(plain).base64EncodedData()))
    #expect(Base64.encodedCount(of: count) == text.count - prefix.count)
    #expect(decoded(Array(text.dropFirst(prefix.count))) == plain)
  }

  @Test(arguments: [
    "Z", "Zg", "Zg=", "Zm8", "Zm9vY", "Zm9vYg", "Zm9vYg=", "=", "==", "====", "Z===", "=Zg=",
    "Zg==Zm9v", "Zm8=Zm9v", "Z=g=", "Zm=v", "Zm9vYg===", "Zm9vY===",
  ])
  func missingAndMisplacedPaddingIsRefused(text: String) {
    #expect(decoded([UInt8](text.utf8)) == nil)
  }

  @Test(arguments: [
    "Zm9-", "Zm9_", "Zm 9", "Zm9v\n", "Zm9\n", "Zm9\u{0}", "Zm9.", "Zmé", "Zm9%", "\nZm9v123",
  ])
  func bytesOutsideTheAlphabetAreRefused(text: String) {
    #expect(decoded([UInt8](text.utf8)) == nil)
  }

  @Test func onlyTheAlphabetIsAcceptedAtEveryPlace() {
    let alphabet = Set([UInt8](Data(0...255).base64EncodedData()) + [UInt8]("+/"))
      .subtracting([UInt8(ascii: "=")])
    for place in 0..<4 {
      for byte in UInt8.min...UInt8.max where !(place == 3 && byte == UInt8(ascii: "=")) {
        var text = [UInt8]("AAAA")
        text[place] = byte
        #expect((decoded(text) != nil) == alphabet.contains(byte), "\(byte) at \(place)")
      }
    }
  }

  @Test func noiseIsDecodedWhereItHasTheGrammarOfTheStandard() throws {
    let alphabet = [UInt8]("ABab01+/=-")
    let grammar = try Regex("([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
    for seed in UInt64(0)..<3000 {
      var random = SplitMix64(seed: seed)
      let count = Int.random(in: 0...12, using: &random)
      let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      let text = String(decoding: bytes, as: UTF8.self)
      let isBase64 = text.wholeMatch(of: grammar) != nil
      let reference = isBase64 ? Data(base64Encoded: text).map { [UInt8]($0) } : nil
      #expect(decoded(bytes) == reference, "\(text)")
    }
  }

  @Test func whatDoesNotFitEncodedOverflows() {
    let isOverflowed = overflows(capacity: 7) { buffer in
      buffer.append("foobar")
      Base64.encodeTail(of: &buffer, from: 0)
    }
    #expect(isOverflowed)
  }
}
