import Foundation
import Testing

@testable import LinuxIO

@Suite struct JournalSocketTests {
  private func entry(_ value: String) -> [UInt8] {
    var entry = JournalEntry()
    entry.append("MESSAGE", [UInt8](value.utf8))
    return entry.bytes
  }

  @Test func aValueOfOneLineStandsBehindItsName() {
    #expect(entry("too hot") == [UInt8]("MESSAGE=too hot\n".utf8))
    #expect(entry("") == [UInt8]("MESSAGE=\n".utf8))
  }

  /// Else a message could write fields of its own.
  @Test func aValueOfMoreLinesHasItsSize() {
    let size: [UInt8] = [12, 0, 0, 0, 0, 0, 0, 0]
    #expect(
      entry("a\nPRIORITY=0") == [UInt8]("MESSAGE\n".utf8) + size
        + [UInt8]("a\nPRIORITY=0\n".utf8))
  }

  @Test func aLongValueIsCut() {
    let text = String(repeating: "x", count: 100_000)
    #expect(entry(text).count == JournalEntry.valueByteCountMax + 9)
    let lines = entry("\n" + text)
    #expect(lines[8..<16] == [0, 0x40, 0, 0, 0, 0, 0, 0])
    #expect(lines.count == JournalEntry.valueByteCountMax + 17)
  }

  @Test func aJournalTakesAnEntryAlsoAfterItsRestart() throws {
    let directory = try TestDirectory()
    let path = directory.path("socket")
    var entry = JournalEntry()
    entry.append("MESSAGE", [UInt8]("too hot".utf8))
    let journal = JournalSocket(path)
    for _ in 0..<2 {
      let socket = try makeDatagramSocket(at: "\(directory.name)/socket")
      for _ in 0..<2 {
        #expect(journal.send(entry) == .taken)
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe recv(socket.number, &bytes, bytes.count, 0)
        #expect(bytes.prefix(max(count, 0)) == entry.bytes[...])
      }
      try check(unsafe unlink("\(directory.name)/socket"))
    }
    #expect(journal.send(entry) == .away)
  }

  @Test func aJournalThatIsAwayIsNotWaitedFor() {
    let journal = JournalSocket(Path("/nowhere/socket"))
    #expect(journal.send(JournalEntry()) == .away)
    #expect(journal.send(JournalEntry()) == .away)
  }
}
