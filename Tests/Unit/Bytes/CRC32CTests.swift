import Bytes
import Testing

@Suite struct CRC32CTests {
  private func checksum(_ parts: [UInt8]...) -> UInt32 {
    var checksum = CRC32C()
    for part in parts { checksum.update(part.span) }
    return checksum.value
  }

  @Test func theVectorsOfTheStandardHold() {
    #expect(checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    #expect(checksum([UInt8](0..<32)) == 0x46DD_794E)
    #expect(checksum([UInt8]((0..<32).reversed())) == 0x113F_DB5C)
    // An iSCSI SCSI Read (10) command.
    let command: [UInt8] = [
      0x01, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0,
      0x14,
      0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
    ]
    #expect(checksum(command) == 0xD996_3A56)
    #expect(checksum([UInt8]("123456789")) == 0xE306_9283)
    #expect(checksum([]) == 0)
  }

  @Test func thePartsOfATextDoNotMatter() {
    let text = [UInt8](0...255)
    for cut in text.indices {
      #expect(checksum(Array(text[..<cut]), Array(text[cut...])) == checksum(text))
    }
  }

  @Test func everyFlippedBitIsSeen() {
    let text = [UInt8]("a record of the spool")
    for index in text.indices {
      for bit in UInt8(0)..<8 {
        var damaged = text
        damaged[index] ^= 1 << bit
        #expect(checksum(damaged) != checksum(text))
      }
    }
  }
}
