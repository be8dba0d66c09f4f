import Bytes
import Testing

@testable import Agent
@testable import Board

/// The lines for scripts, whatever Home Assistant says in them.
@Suite struct EventStreamTests {
  private func line(_ writeMembers: (inout ByteBuffer) -> Void) throws -> JSON {
    var line = EventStream.begin("notification")
    writeMembers(&line)
    EventStream.end(&line, of: "notification")
    let bytes = [UInt8](line.bytes)
    #expect(bytes.firstIndex(of: UInt8(ascii: "\n")) == bytes.count - 1)
    return try JSON(parsing: bytes.span)
  }

  @Test func aTextThatIsLongerThanTheLineTakesNothingElseWithIt() throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 70_000)
    let line = try line {
      $0.appendMember("title", [UInt8]("Bilge".utf8).span)
      $0.appendMember("message", long.span)
      $0.appendMember("data") { $0.appendJSON([UInt8]("d".utf8)) }
    }
    #expect(line == ["event": "notification", "title": "Bilge", "data": "d"])
  }

  @Test func anEventThatHasNoRoomIsNamed() throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 70_000)
    #expect(try line { $0.appendJSON(key: long.span) } == ["event": "notification"])
  }
}
