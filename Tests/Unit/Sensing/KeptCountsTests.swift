import Bytes
import Sensing
import Testing

@Suite struct KeptCountsTests {
  private func id(_ text: String) -> [UInt8] { [UInt8](text.utf8) }
  private func bytes(_ counts: KeptCounts) -> [UInt8] { [UInt8](counts.file.bytes) }
  private var some: KeptCounts {
    var counts = KeptCounts()
    counts.keep(0x0102_0304_0506_0708, of: id("rain"))
    counts.keep(.max, of: id("flow"))
    counts.keep(0, of: id("wind"))
    return counts
  }

  @Test func whatIsKeptIsReadAgain() throws {
    let read = try KeptCounts(file: bytes(some).span)
    #expect(read == some)
    #expect(read[id("flow")] == .max)
    #expect(read[id("snow")] == nil)
    #expect(try KeptCounts(file: bytes(KeptCounts()).span) == KeptCounts())
  }

  /// The table of the format, for boards with a disk of an older version.
  @Test func theFileIsAsItIsDocumented() {
    let file = bytes(some)
    #expect(Array(file[..<15]) == id("HWCT") + [1, 0, 4] + id("rain") + [8, 7, 6, 5])
    #expect(file == sealed(Array(file.dropLast(4))))
  }

  @Test func aCountIsReplacedAndNotDoubled() throws {
    var counts = some
    counts.keep(7, of: id("flow"))
    #expect(counts[id("flow")] == 7)
    #expect(bytes(counts).count == bytes(some).count)
  }

  @Test func aFileThatWasCutOrChangedIsDamaged() {
    let file = bytes(some)
    for count in 0..<file.count {
      #expect(throws: KeptFrameError.damaged) {
        try KeptCounts(file: Array(file[..<count]).span)
      }
    }
    for index in file.indices {
      var changed = file
      changed[index] ^= 0x10
      #expect(throws: KeptFrameError.damaged) { try KeptCounts(file: changed.span) }
    }
  }

  private func file(_ body: [UInt8], version: UInt8 = 1) -> [UInt8] {
    sealed(id("HWCT") + [version, 0] + body)
  }

  @Test func aFileOfANewerVersionIsNotTakenForDamaged() {
    #expect(throws: KeptFrameError.unknownVersion(2)) {
      try KeptCounts(file: file([], version: 2).span)
    }
  }

  @Test(
    arguments: [
      [0, 1, 0, 0, 0, 0, 0, 0, 0], [201] + [UInt8](repeating: 65, count: 209),
      [1, 65, 0, 0, 0, 0, 0, 0, 0x80], [1, 65, 0, 0, 0, 0, 0, 0], [9, 65, 0, 0, 0, 0, 0, 0, 0, 0],
      [1, 65, 1, 0, 0, 0, 0, 0, 0, 0, 1, 65, 2, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func whatNoFileOfOursHoldsIsDamaged(body: [UInt8]) {
    #expect(throws: KeptFrameError.damaged) { try KeptCounts(file: file(body).span) }
  }

  @Test func thereAreNeverTooMany() throws {
    var counts = KeptCounts()
    for number in 0...KeptCounts.countMax { counts.keep(Int64(number), of: id("sensor_\(number)")) }
    #expect(counts[id("sensor_0")] == nil)
    #expect(counts[id("sensor_1")] == 1)
    let file = bytes(counts)
    #expect(file.count <= KeptCounts.fileByteCountMax)
    #expect(try KeptCounts(file: file.span) == counts)
    var many: [UInt8] = []
    for number in 0...UInt8(KeptCounts.countMax) {
      many += [2, 65, number] + [UInt8](repeating: 0, count: 8)
    }
    #expect(throws: KeptFrameError.damaged) { try KeptCounts(file: self.file(many).span) }
  }
}
