import Bytes
import Foundation
import Testing

@Suite struct JSONWritingTests {
  private func written(_ bytes: [UInt8]) -> [UInt8] { BytesTests.bytes { $0.appendJSON(bytes) } }
  private func written(_ text: String) -> String {
    String(decoding: written([UInt8](text.utf8)), as: UTF8.self)
  }

  @Test func quotesBackslashesAndControlsAreEscaped() {
    #expect(written(#"a"b\c/"#) == #""a\"b\\c/""#)
    #expect(written("\u{0}\u{1}\n\t\u{1F}") == #""\u0000\u0001\u000a\u0009\u001f""#)
    #expect(written("Zürich 東京 🚐 \u{7F}") == "\"Zürich 東京 🚐 \u{7F}\"")
  }

  @Test(
    arguments: [
      [0x80], [0xFF], [0xC0, 0xAF], [0xC1, 0x81], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80],
      [0xF0, 0x80, 0x80, 0xAF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC3],
      [0xE2, 0x82], [0xF0, 0x9F, 0x9A],
    ] as [[UInt8]])
  func bytesThatAreNotUTF8BecomeReplacementCharacters(damage: [UInt8]) throws {
    let text = [UInt8]("a") + damage + [UInt8]("z")
    let read = try #require(
      JSONSerialization.jsonObject(with: Data(written(text)), options: .fragmentsAllowed)
        as? String)
    #expect(read.hasPrefix("a\u{FFFD}"))
    #expect(read.hasSuffix("z"))
    #expect(read.unicodeScalars.dropFirst().dropLast().allSatisfy { $0 == "\u{FFFD}" })
  }

  @Test func anyBytesMakeAStringThatAnotherReaderUnderstands() throws {
    for seed in UInt64(0)..<300 {
      var random = SplitMix64(seed: seed)
      let noise = random.bytes(count: Int.random(in: 0...60, using: &random))
      let read = try JSONSerialization.jsonObject(
        with: Data(written(noise)), options: .fragmentsAllowed)
      #expect(read is String, "seed \(seed)")
      if let text = String(validating: noise, as: UTF8.self) {
        #expect(read as? String == text, "seed \(seed)")
      }
    }
  }

  /// Plain text is copied by words; a byte that must not be is found wherever it stands.
  @Test func anASCIIByteMeansTheSameAtEveryPlace() throws {
    for byte in UInt8(0)..<0x80 {
      for place in 0..<19 {
        var text = [UInt8](repeating: UInt8(ascii: "~"), count: 20)
        text[place] = byte
        let read = try JSONSerialization.jsonObject(
          with: Data(written(text)), options: .fragmentsAllowed)
        #expect(read as? String == String(decoding: text, as: UTF8.self), "\(byte) at \(place)")
      }
    }
  }

  @Test func everyScalarComesBackAsItself() throws {
    var scalars = String.UnicodeScalarView()
    for value in stride(from: UInt32(0), through: 0x10FFFF, by: 61) {
      if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
    }
    let text = String(scalars)
    let json = bytes(capacity: 200_000) { $0.appendJSON([UInt8](text.utf8)) }
    let read = try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)
    #expect(read as? String == text)
  }

  @Test func membersAndElementsAreSeparatedAtEveryDepth() {
    let written = text { json in
      json.openJSONObject()
      json.appendJSON(key: "empty")
      json.openJSONObject()
      json.closeJSONObject()
      json.appendJSON(key: "list")
      json.openJSONArray()
      json.openJSONArray()
      json.closeJSONArray()
      json.appendJSON(1)
      json.appendJSON(FixedPoint(-25, decimals: 1))
      json.openJSONObject()
      json.appendJSON(key: [UInt8]("a\"b").span)
      json.appendJSON(true)
      json.appendJSON(key: "c")
      json.appendJSON(false)
      json.closeJSONObject()
      json.appendJSON("x")
      json.closeJSONArray()
      json.appendJSON(key: "none")
      json.appendJSONNull()
      json.closeJSONObject()
    }
    #expect(
      written
        == #"{"empty":{},"list":[[],1,-2.5,{"a\"b":true,"c":false},"x"],"none":null}"#)
  }

  @Test(arguments: ["{", "[", ":", ",", "\\", ""])
  func aStringThatEndsLikeAStructureIsStillFollowedByAComma(text: String) {
    let written = BytesTests.text { json in
      json.openJSONArray()
      json.appendJSON([UInt8](text.utf8))
      json.appendJSON(1)
      json.closeJSONArray()
    }
    #expect(written.hasSuffix("\",1]"))
  }

  @Test func aSecondLineBeginsWithoutAComma() {
    let written = text { json in
      for _ in 0..<2 {
        json.openJSONObject()
        json.closeJSONObject()
        json.append(UInt8(ascii: "\n"))
      }
    }
    #expect(written == "{}\n{}\n")
  }

  @Test func aNumberOf64BitsIsWrittenWhole() {
    let json = text {
      $0.openJSONObject()
      $0.appendMember("bytes", Int64.max)
      $0.appendMember("count", 7)
      $0.closeJSONObject()
    }
    #expect(json == #"{"bytes":9223372036854775807,"count":7}"#)
  }

  @Test func aMessageThatDoesNotFitSaysSo() {
    let isOverflowed = overflows(capacity: 12) { json in
      json.openJSONObject()
      json.appendJSON(key: "name")
      json.appendJSON("too long for it")
      json.closeJSONObject()
    }
    #expect(isOverflowed)
  }
}
