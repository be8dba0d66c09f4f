import Bytes
import Sensing
import Testing

@Suite struct SSIDTests {
  private func printed(_ ssid: SSID) -> String {
    var buffer = ByteBuffer(capacity: SSID.printableByteCountMax)
    buffer.append(ssid)
    let isWhole = !buffer.isOverflowed
    #expect(isWhole)
    return String(decoding: [UInt8](buffer.bytes), as: UTF8.self)
  }

  @Test func aNameIsAnyBytesUpToThirtyTwo() throws {
    let all = [UInt8](0..<32)
    let name = try #require(ssid(all))
    #expect([UInt8](name.bytes) == all)
    #expect(ssid([UInt8](repeating: 7, count: 33)) == nil)
  }

  @Test func aHiddenNameIsNone() {
    #expect(ssid([]) == nil)
    #expect(ssid([0]) == nil)
    #expect(ssid([UInt8](repeating: 0, count: 32)) == nil)
    #expect(ssid([0, 1]) != nil, "one that begins with a NUL is not hidden")
  }

  @Test func namesAreEqualOnlyWithEveryByte() throws {
    let harbour = try ssid("Harbour")
    #expect(harbour == ssid([UInt8]("Harbour".utf8)))
    #expect(harbour != ssid([UInt8]("harbour".utf8)))
    #expect(harbour != ssid([UInt8]("Harbour".utf8) + [0]), "a NUL at the end is part of it")
    #expect(Set([harbour, try ssid("Harbour")]).count == 1)
  }

  @Test(arguments: [
    ([UInt8]("Café ⛵".utf8), "Café ⛵"),
    ([UInt8]("a\\b".utf8), "a\\\\b"),
    ([0x41, 0, 0x1B, 0x5B], "A\\x00\\x1b["),
    ([0x43, 0x61, 0x66, 0xE9], "Caf\\xe9"),
    ([0xC2, 0x9B, 0x7F], "\\xc2\\x9b\\x7f"),
    ([UInt8](repeating: 0xFF, count: 32), String(repeating: "\\xff", count: 32)),
  ])
  func aNameIsShownWithoutHarm(bytes: [UInt8], shown: String) throws {
    #expect(printed(try #require(ssid(bytes))) == shown)
  }

  @Test func differentNamesLookDifferent() throws {
    let escaped = try #require(ssid([UInt8]("\\xe9".utf8)))
    let raw = try #require(ssid([0xE9]))
    #expect(printed(escaped) != printed(raw))
  }
}

@Suite struct HardwareAddressTests {
  @Test func anAddressIsReadInEitherCaseAndWrittenInLowerCase() throws {
    let read = try #require(address("0a:Bc:DE:f0:12:9f"))
    #expect(read == (try address([0x0A, 0xBC, 0xDE, 0xF0, 0x12, 0x9F])))
    var buffer = ByteBuffer(capacity: HardwareAddress.textByteCount)
    buffer.append(read)
    #expect(String(decoding: [UInt8](buffer.bytes), as: UTF8.self) == "0a:bc:de:f0:12:9f")
  }

  @Test(arguments: [
    "", "0a:bc:de:f0:12", "0a:bc:de:f0:12:9f:00", "0a-bc-de-f0-12-9f", "0abcdef0129f",
    "0g:bc:de:f0:12:9f", "0a:bc:de:f0:12:9", "0a:bc:de:f0:12:9f ", "a:bc:de:f0:12:9f:",
    "é:bc:de:f0:12:9",
  ])
  func whatIsNoAddressIsRefused(text: String) {
    #expect(address(text) == nil)
  }

  @Test func onlySixBytesAreAnAddress() {
    for count in 0...20 where count != 6 {
      let address = HardwareAddress([UInt8](repeating: 1, count: count).span)
      #expect(address == nil)
    }
  }
}
