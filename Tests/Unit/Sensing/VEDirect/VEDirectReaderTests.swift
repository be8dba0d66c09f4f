import Bytes
import Sensing
import Testing

@Suite struct VEDirectReaderTests {
  private static let devices = [
    VEDirectBlocks.monitor, VEDirectBlocks.monitorHistory, VEDirectBlocks.shunt,
    VEDirectBlocks.charger,
  ]
  private static let hex = [UInt8](":7F0ED009600DB\n".utf8)

  @Test(arguments: devices) func theBlocksOfADeviceAreReadOneAfterTheOther(block: String) {
    let listener = ListeningReader()
    for _ in 0..<3 { listener.hear(VEDirectBlocks.bytes(block)) }
    #expect(listener.blocks == [lines(block), lines(block), lines(block)])
    #expect(listener.damagedCount == 0)
  }

  /// The example that Victron publishes; its sum is shown as `Ø`.
  @Test func theExampleOfVictronIsRight() {
    let text =
      "\r\nPID\t0x203\r\nV\t26201\r\nI\t0\r\nP\t0\r\nCE\t0\r\nSOC\t1000\r\nTTG\t-1"
      + "\r\nAlarm\tOFF\r\nRelay\tOFF\r\nAR\t0\r\nBMV\t700\r\nFW\t0307\r\nChecksum\t"
    let listener = ListeningReader()
    listener.hear([UInt8](text.utf8) + [0xD8])
    #expect(listener.blocks.count == 1)
    #expect(listener.blocks.first?.prefix(2) == ["PID 0x203", "V 26201"])
  }

  /// The byte of the sum may be any: also what else would begin a HEX frame, a line or a value.
  @Test(arguments: [
    UInt8(ascii: ":"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "\t"), 0,
  ])
  func everyByteCanBeTheSum(byte: UInt8) {
    let listener = ListeningReader()
    let block = VEDirectBlocks.bytes(VEDirectBlocks.charger, endingIn: byte)
    listener.hear(block)
    listener.hear(block)
    #expect(listener.blocks.count == 2)
    #expect(listener.damagedCount == 0)
  }

  @Test func framesOfTheHEXProtocolStandAnywhereButAheadOfTheSum() {
    let block = VEDirectBlocks.bytes(VEDirectBlocks.charger)
    for place in 0..<block.count {
      let listener = ListeningReader()
      listener.hear(block[..<place] + Self.hex + Self.hex + block[place...])
      let isAheadOfTheSum = place == block.count - 1
      #expect(listener.blocks.count == (isAheadOfTheSum ? 0 : 1), "at \(place)")
    }
  }

  @Test func aBlockWithAWrongByteIsNotBelievedAndTheNextOneIs() {
    let block = VEDirectBlocks.bytes(VEDirectBlocks.monitor)
    for place in block.indices {
      var broken = block
      broken[place] ^= 0x01
      let listener = ListeningReader()
      listener.hear(broken + block + block)
      // A byte of the word "Checksum" hides the end of its block.
      #expect((1...2).contains(listener.blocks.count), "at \(place)")
      #expect(listener.blocks.allSatisfy { $0 == lines(VEDirectBlocks.monitor) }, "at \(place)")
    }
  }

  @Test func readingThatBeginsInTheMiddleBelievesTheNextBlock() {
    let block = VEDirectBlocks.bytes(VEDirectBlocks.monitor)
    for place in 1..<block.count {
      let listener = ListeningReader(isAligned: false)
      listener.hear(block[place...] + block + block)
      // A rest without the word "Checksum" hides the end, too.
      #expect((1...2).contains(listener.blocks.count), "from \(place)")
      #expect(listener.blocks.allSatisfy { $0 == lines(VEDirectBlocks.monitor) }, "from \(place)")
    }
  }

  /// The end of a block can have a right sum, too: without its beginning it is not believed.
  @Test func theRestOfABlockIsNotABlockThoughItsSumIsRight() {
    let listener = ListeningReader(isAligned: false)
    let block = VEDirectBlocks.bytes("V 12800")
    listener.hear(block)
    #expect(listener.blocks.isEmpty)
    listener.hear(block)
    #expect(listener.blocks == [["V 12800"]])
  }

  @Test func aBlockThatIsCutOffIsForgottenInAGap() {
    let block = VEDirectBlocks.bytes(VEDirectBlocks.charger)
    for place in 0..<block.count {
      let listener = ListeningReader()
      listener.hear(block[..<place])
      listener.passGap()
      listener.hear(block)
      #expect(listener.blocks == [lines(VEDirectBlocks.charger)], "cut at \(place)")
    }
  }

  @Test func whatIsTooLongIsNoBlock() {
    let good = VEDirectBlocks.bytes("V 1")
    let label = String(repeating: "L", count: VEDirectReader.labelByteCountMax)
    let value = String(repeating: "v", count: VEDirectReader.valueByteCountMax)
    for (text, count) in [
      ("\(label) \(value)", 2), ("\(label)L 1", 1), ("V \(value)v", 1),
      (Array(repeating: "LABEL \(value)", count: 20).joined(separator: "\n"), 1),
    ] {
      let listener = ListeningReader()
      listener.hear(VEDirectBlocks.bytes(text) + good)
      #expect(listener.blocks.count == count, "\(text)")
      #expect(listener.blocks.last == ["V 1"])
    }
  }

  @Test func aColonOfNoiseDoesNotSilenceTheDeviceForEver() {
    let listener = ListeningReader()
    let noise = [UInt8](repeating: UInt8(ascii: "A"), count: VEDirectReader.hexByteCountMax + 1)
    let block = VEDirectBlocks.bytes("V 1")
    listener.hear([UInt8(ascii: ":")] + noise + block + block)
    #expect(listener.blocks == [["V 1"]])
  }

  @Test func anEmptyLineBeginsAnew() {
    let listener = ListeningReader()
    listener.hear(
      [UInt8]("\r\n\r\n\r".utf8) + VEDirectBlocks.bytes("V 1") + VEDirectBlocks.bytes("I 2"))
    #expect(listener.blocks.last == ["I 2"])
  }

  /// Blocks of random lines, with HEX frames wherever they may be: all are read, and as they are.
  @Test func fourThousandBlocksWithHEXTrafficAreAllRight() {
    var random = SplitMix64(seed: 712)
    let listener = ListeningReader()
    var said: [[String]] = []
    for _ in 0..<4000 {
      let count = Int(random.next() % 18) + 1
      let block = (0..<count).map { "L\($0) \(Int64(bitPattern: random.next()) >> 40)" }
      said.append(block)
      let bytes = VEDirectBlocks.bytes(block.joined(separator: "\n"))
      let place = Int(random.next() % UInt64(bytes.count - 1))
      let hex = random.next() % 10 < 3 ? Self.hex : []
      listener.hear(bytes[..<place] + hex + bytes[place...])
    }
    #expect(listener.blocks == said)
    #expect(listener.damagedCount == 0)
  }

  /// Whatever comes is taken, and a block is only what a plain reader of the whole text finds, too.
  @Test func noiseNeverTrapsAndNeverBecomesABlockWithAWrongSum() {
    var random = SplitMix64(seed: 20_261_123)
    let alphabet = [UInt8]("\r\n\t:VIChecksum0123456789-\0\u{FF}".utf8)
    let block = VEDirectBlocks.bytes(VEDirectBlocks.shunt)
    for _ in 0..<400 {
      let listener = ListeningReader(isAligned: false)
      var heard: [UInt8] = []
      for _ in 0..<20 {
        switch random.next() % 4 {
        case 0: heard += block
        case 1: heard += block.dropFirst(Int(random.next() % 200)).prefix(Int(random.next() % 200))
        default:
          heard += (0..<Int(random.next() % 90)).map { _ in
            alphabet[Int(random.next() % UInt64(alphabet.count))]
          }
        }
      }
      listener.hear(heard)
      let whole = blocksOf(heard)
      #expect(listener.blocks.allSatisfy { whole.contains($0) })
    }
  }

  /// Every stretch from a CR LF to a byte behind `Checksum` whose sum is 0, with HEX frames out.
  private func blocksOf(_ heard: [UInt8]) -> [[String]] {
    let end = [UInt8]("Checksum\t".utf8)
    var found: [[String]] = []
    for start in heard.indices.dropLast() where heard[start] == 13 && heard[start + 1] == 10 {
      var kept: [UInt8] = []
      var isInHex = false
      for byte in heard[start...] {
        let isSum = kept.suffix(end.count).elementsEqual(end)
        if isInHex {
          isInHex = byte != 10
          continue
        }
        if byte == UInt8(ascii: ":"), !isSum {
          isInHex = true
          continue
        }
        kept.append(byte)
        guard isSum else { continue }
        if kept.reduce(0, &+) == 0 { found.append(linesOf(kept)) }
        break
      }
    }
    return found
  }

  private func linesOf(_ block: [UInt8]) -> [String] {
    let text = block.dropLast(1 + "\r\nChecksum\t".utf8.count)
    return text.split(separator: 13).map { line in
      String(decoding: line.dropFirst().map { $0 == 9 ? 32 : $0 }, as: UTF8.self)
    }
  }
}
