import Bytes
import Testing

@testable import HomeAssistant

@Suite struct CommandIDsTests {
  private func file(_ ids: CommandIDs) -> [UInt8] {
    var buffer = ByteBuffer(capacity: CommandIDs.fileByteCountMax)
    ids.writeFile(into: &buffer)
    let isOverflowed = buffer.isOverflowed
    #expect(!isOverflowed)
    return [UInt8](buffer.bytes)
  }

  private func id(_ number: Int) -> [UInt8] { [UInt8]("command \(number)".utf8) }

  private func insert(_ numbers: Int..., into ids: inout CommandIDs) -> [Bool] {
    numbers.map { ids.insert(id($0)) }
  }

  @Test func aCommandIsKnownAfterARestart() throws {
    var ids = CommandIDs()
    #expect(insert(1, 1, into: &ids) == [true, false])
    let bytes = file(ids)
    var kept = try CommandIDs(file: bytes.span)
    #expect(kept == ids)
    #expect(insert(1, 2, into: &kept) == [false, true])
  }

  @Test func theOldestMakesRoom() throws {
    var ids = CommandIDs()
    for number in 0..<CommandIDs.countMax + 1 {
      #expect(insert(number, into: &ids) == [true])
    }
    let bytes = file(ids)
    let kept = try CommandIDs(file: bytes.span)
    #expect(kept == ids)
    #expect(insert(1, 0, into: &ids) == [false, true])
  }

  @Test func aRefusedCommandMayComeAgain() {
    var ids = CommandIDs()
    #expect(insert(1, 2, into: &ids) == [true, true])
    ids.remove(id(1))
    #expect(insert(1, 2, into: &ids) == [true, false])
  }

  /// An id may name a person or a place.
  @Test func theFileHasNoIdInClear() {
    var ids = CommandIDs()
    _ = ids.insert([UInt8]("garden gate".utf8))
    #expect(!String(decoding: file(ids), as: UTF8.self).contains("garden"))
  }

  @Test func aDamagedFileIsNotHalfRead() {
    var ids = CommandIDs()
    _ = ids.insert(id(1))
    let whole = file(ids)
    for text in truncations(of: Array(whole.dropLast())) {
      #expect(throws: KeptFileError.self) { try CommandIDs(file: text.span) }
    }
    for text in [
      #"{"version":1,"ids":"0","checksum":0}"#, #"{"version":2,"ids":"","checksum":0}"#, "[]",
    ] {
      let bytes = [UInt8](text.utf8)
      #expect(throws: KeptFileError.self) { try CommandIDs(file: bytes.span) }
    }
  }
}
