import Bytes
import Sensing
import Testing

@testable import Agent
@testable import Board
@testable import Outbox

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

  @Test func everyCountIsTold() throws {
    let counts = Uplink.Counts(
      readings: 1, locations: 2, refused: 3, superseded: 4, history: 5, lost: 6, sealed: 7,
      plain: 8, proven: 9, unproven: 10)
    #expect(
      try line { $0.appendMembers(of: counts) } == [
        "event": "notification", "readings": 1, "locations": 2, "refused": 3, "superseded": 4,
        "history": 5, "lost": 6, "sealed": 7, "plain": 8, "proven": 9, "unproven": 10,
      ])
  }

  @Test func theLastFixIsToldAsFarAsItIsKnown() throws {
    var fix = Fix.evening(0, latitude: 52.12345678, longitude: -4.1234567, altitude: 3.14)
    fix.speedMetersPerSecond = 1.2344
    fix.trackDegrees = 270.126
    fix.horizontalErrorMeters = 5.006
    let batch = Batch()
    #expect(
      try line { $0.appendMembers(of: batch, lastFix: fix) } == [
        "event": "notification", "sensors": [:],
        "location": [
          "latitude": 52.1234568, "longitude": -4.1234567, "altitude": 3.1, "speed": 1.234,
          "track": 270.13, "horizontal_error": 5.01,
        ],
      ])
  }
}
