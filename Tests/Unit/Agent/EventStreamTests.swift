import Bytes
import Foundation
import Sensing
import TestRun
import Testing

@testable import Agent
@testable import Board
@testable import Outbox

/// A file that a log or events are written to.
final class WrittenFile {
  private let file = TestRun.newPlace()
  let descriptor: Int32

  init() throws {
    descriptor = unsafe open(file.path, O_RDWR | O_CREAT, 0o600)
    try #require(descriptor >= 0)
  }

  deinit {
    close(descriptor)
    try? FileManager.default.removeItem(at: file)
  }

  func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }
}

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

  /// What a script reads of an event that the machine tells.
  private func lines(of events: [DeliveryEvent]) throws -> [JSON] {
    let file = try WrittenFile()
    let nowhere = unsafe open("/dev/null", O_WRONLY)
    defer { close(nowhere) }
    let reporter = Reporter(
      log: Log(waits: false, descriptor: nowhere),
      events: EventStream(isOn: true, waits: false, descriptor: file.descriptor),
      advice: StatusRig.advice, now: { Instant(nanoseconds: 0) })
    let batch = StatusRig.delivery(StatusRig.routes()).batch
    for event in events { reporter.delivery(event, of: batch) }
    return try file.text().split(separator: "\n")
      .map { try JSON(parsing: [UInt8]($0.utf8).span) }
  }

  @Test(
    arguments: [
      (
        .proven(readings: 3, hasLocation: true), ["event": "proven", "readings": 3, "locations": 1]
      ),
      (
        .proven(readings: 0, hasLocation: false),
        ["event": "proven", "readings": 0, "locations": 0]
      ),
      (
        .routeFailed(.home, .notLive),
        ["event": "route_failed", "route": "home", "cause": "not_live"]
      ),
      (.routeTaken(.remoteUI), ["event": "route_taken", "route": "remote_ui"]),
      (.outage(.gone), ["event": "outage", "cause": "gone"]),
      (
        .recovered(after: .seconds(9), Batch.Superseded(readings: 2, fixes: 1)),
        ["event": "recovered", "superseded_readings": 2, "superseded_fixes": 1]
      ),
      (
        .superseded(Batch.Superseded(readings: 4, fixes: 3)),
        ["event": "superseded", "superseded_readings": 4, "superseded_fixes": 3]
      ),
      (.historyProven(entries: 7), ["event": "history_proven", "entries": 7]),
      (.registrationDoubted(after: .seconds(600)), ["event": "registration_doubted"]),
      (.locationDropped, ["event": "location_refused"]),
      (.trackerMissing, ["event": "tracker_missing"]), (.sealed, ["event": "sealed"]),
    ] as [(DeliveryEvent, JSON)])
  func aScriptReadsWhatBecameOfADelivery(event: DeliveryEvent, line: JSON) throws {
    #expect(try lines(of: [event]) == [line])
  }

  /// The log names what begins; a script counts each.
  @Test func aRouteThatFailsAgainIsWrittenAgain() throws {
    let failure = DeliveryEvent.routeFailed(.instance, .gone)
    #expect(try lines(of: [failure, failure]).count == 2)
  }
}
