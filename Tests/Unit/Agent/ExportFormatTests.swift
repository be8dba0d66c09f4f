import Bytes
import Foundation
import FoundationXML
import Sensing
import Testing

@testable import Board
@testable import Outbox
@testable import Tools

/// Tracks as GPX, and readings and fixes as a table.
@Suite struct ExportFormatTests {
  // MARK: GPX

  /// What another parser finds in a document.
  private final class Document: NSObject, XMLParserDelegate {
    struct Point: Equatable {
      var latitude = ""
      var longitude = ""
      /// The names of the elements in it, in order.
      var elements: [String] = []
      var texts: [String] = []
    }

    var version: String?
    var namespace: String?
    var creator: String?
    /// The points of each part.
    var parts: [[Point]] = []
    private var path: [String] = []
    private var point = Point()

    func parser(
      _: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String] = [:]
    ) {
      // Nothing stands where the schema does not have it.
      let parents = ["gpx": "", "trk": "gpx", "trkseg": "trk", "trkpt": "trkseg"]
      #expect(path.last ?? "" == parents[name, default: "trkpt"], "\(name)")
      path.append(name)
      switch name {
      case "gpx":
        (version, creator, namespace) = (attributes["version"], attributes["creator"], namespaceURI)
      case "trkseg": parts.append([])
      case "trkpt":
        point = Point(
          latitude: attributes["lat"] ?? "none", longitude: attributes["lon"] ?? "none")
      case "ele", "time":
        point.elements.append(name)
        point.texts.append("")
      default: #expect(name == "trk", "no element of a track")
      }
    }

    func parser(_: XMLParser, foundCharacters text: String) {
      guard let name = path.last, ["ele", "time"].contains(name) else {
        #expect(text.allSatisfy { $0.isWhitespace })
        return
      }
      point.texts[point.texts.count - 1] += text
    }

    func parser(
      _: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
      path.removeLast()
      if name == "trkpt" { parts[parts.count - 1].append(point) }
    }
  }

  private func text(
    _ format: ExportFormat, _ entries: [(SpoolEntry, String, Int)]
  ) -> String {
    var format = format
    var buffer = ByteBuffer(capacity: 64 * 1024)
    format.appendStart(to: &buffer)
    for (entry, uniqueID, device) in entries {
      let before = buffer.count
      format.append(entry, of: [UInt8](uniqueID.utf8), on: device, to: &buffer)
      #expect(buffer.count - before <= ExportFormat.entryByteCountMax)
    }
    format.appendEnd(to: &buffer)
    if buffer.isOverflowed { Issue.record("the buffer is too small") }
    return String(decoding: [UInt8](buffer.bytes), as: UTF8.self)
  }

  private func entry(_ fix: Fix, isTimeTrusted: Bool = true) -> SpoolEntry {
    SpoolEntry(sequence: 1, time: fix.time, isTimeTrusted: isTimeTrusted, content: .fix(fix))
  }

  private func gpx(_ fixes: [(fix: Fix, isTimeTrusted: Bool, device: Int)]) throws -> Document {
    let text = text(
      .gpx,
      fixes.map { (entry($0.fix, isTimeTrusted: $0.isTimeTrusted), "", $0.device) })
    let document = Document()
    let parser = XMLParser(data: Data(text.utf8))
    parser.shouldProcessNamespaces = true
    parser.delegate = document
    try #require(parser.parse(), "\(text)")
    return document
  }

  private func gpx(_ fixes: [Fix]) throws -> Document { try gpx(fixes.map { ($0, true, 0) }) }

  @Test func aTrackIsWrittenAsTheSchemaHasIt() {
    var fix = Fix.evening(2.1239, latitude: -52.12345674, longitude: 4.2, altitude: -3.25)
    fix.speedMetersPerSecond = 5
    #expect(
      text(.gpx, [(entry(fix), "", 0), (entry(.evening(3, latitude: -52.1)), "", 0)])
        == """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Homeward \(homewardVersion)" \
        xmlns="http://www.topografix.com/GPX/1/1">
        <trk>
        <trkseg>
        <trkpt lat="-52.1234567" lon="4.2000000"><ele>-3.3</ele>\
        <time>2025-11-21T19:20:02.123Z</time></trkpt>
        <trkpt lat="-52.1000000" lon="4.2000000"><time>2025-11-21T19:20:03.000Z</time></trkpt>
        </trkseg>
        </trk>
        </gpx>

        """)
  }

  @Test func anotherParserReadsWhatWasRecorded() throws {
    let document = try gpx([.evening(0, altitude: 5), .evening(600)])
    #expect(document.version == "1.1")
    #expect(document.namespace == "http://www.topografix.com/GPX/1/1")
    #expect(document.creator?.hasPrefix("Homeward") == true)
    #expect(document.parts.count == 1)
    #expect(document.parts.first?.map { $0.elements } == [["ele", "time"], ["time"]])
    #expect(document.parts.first?.first?.texts == ["5.0", "2025-11-21T19:20:00.000Z"])
  }

  @Test func anAltitudeOutOfThisWorldIsLeftOut() throws {
    for altitude in [1e9, -1e300, 1_000_000.5] {
      let document = try gpx([.evening(0, altitude: altitude)])
      #expect(document.parts.first?.first?.elements == ["time"])
    }
    for altitude in [1_000_000.0, -1_000_000] {
      let document = try gpx([.evening(0, altitude: altitude)])
      #expect(document.parts.first?.first?.elements == ["ele", "time"])
    }
  }

  @Test func aTrackWithoutAPointIsOne() throws {
    #expect(try gpx([Fix]()).parts.isEmpty)
  }

  @Test func aSilenceAJumpOrAClockThatWasSetBackBeginsANewPart() throws {
    for (next, partCount) in [
      (Fix.evening(3700), 1), (Fix.evening(3700.001), 2), (Fix.evening(99.999), 2),
      (Fix.evening(101, latitude: 52.6), 1), (Fix.evening(101, latitude: 52.6001), 2),
      (Fix.evening(101, longitude: 4.7), 1), (Fix.evening(101, longitude: 4.7001), 2),
    ] {
      #expect(try gpx([.evening(100), next]).parts.count == partCount, "\(next)")
    }
  }

  @Test func aMapThatEndsAt180DegreesIsNotCrossedByALine() throws {
    let document = try gpx([
      .evening(0, longitude: 179.9999), .evening(1, longitude: 179.99999999),
      .evening(2, longitude: -179.9999),
    ])
    #expect(
      document.parts.map { $0.map { $0.longitude } } == [
        ["179.9999000", "-180.0000000"], ["-179.9999000"],
      ])
  }

  @Test func anUnknownTimeIsNotTold() throws {
    let document = try gpx([
      (.evening(0), true, 0), (.evening(1), false, 0), (.evening(2), true, 0),
    ])
    #expect(document.parts.map { $0.map { $0.elements } } == [[["time"]], [[]], [["time"]]])
  }

  @Test func twoDevicesAreNotOnOneWay() throws {
    #expect(try gpx([(.evening(0), true, 0), (.evening(1), true, 1)]).parts.count == 2)
  }

  // MARK: The table

  private func reading(
    _ value: Value, at time: WallTime = .evening(0), isTimeTrusted: Bool = true
  ) -> SpoolEntry {
    SpoolEntry(
      sequence: 7, time: time, isTimeTrusted: isTimeTrusted,
      content: .reading(sensor: 1, value))
  }

  private func rows(_ entries: [(SpoolEntry, String, Int)]) -> [String] {
    let lines = text(.csv, entries).components(separatedBy: "\r\n")
    #expect(lines.last == "")
    #expect(
      lines.first == "sequence,time,clock,sensor,value,latitude,longitude,accuracy,altitude,"
        + "vertical_accuracy,speed,course")
    return Array(lines.dropFirst().dropLast())
  }

  @Test func everyKindOfValueHasItsText() {
    for (value, text) in [
      (Value.number(FixedPoint(-1250, decimals: 2)), "-12.50"), (.boolean(true), "true"),
      (.boolean(false), "false"), (.text(InlineText("Wi-Fi")), "Wi-Fi"), (.unknown, "unknown"),
      (.unavailable, "unavailable"),
    ] {
      #expect(
        rows([(reading(value), "soil", 0)])
          == ["7,2025-11-21T19:20:00.000Z,set,soil,\(text),,,,,,,"])
    }
  }

  @Test func whatSeparatesFieldsStandsInQuotes() {
    let text = InlineText("say \"a,b\"")
    #expect(
      rows([(reading(.text(text)), "one, two\n\"three\"", 0)]) == [
        "7,2025-11-21T19:20:00.000Z,set,\"one, two\n\"\"three\"\"\",\"say \"\"a,b\"\"\",,,,,,,"
      ])
  }

  @Test func aFixHasItsColumnsAndEmptyOnesForWhatIsNotKnown() {
    var fix = Fix.evening(0.001, latitude: 52.1, longitude: -4.2, altitude: 3)
    fix.horizontalErrorMeters = 5.006
    fix.verticalErrorMeters = 9
    fix.speedMetersPerSecond = 1.2
    fix.trackDegrees = 270
    #expect(
      rows([(entry(fix), "", 0), (entry(.evening(1)), "", 0)]) == [
        "1,2025-11-21T19:20:00.001Z,set,,,52.1000000,-4.2000000,5.01,3.0,9.00,1.200,270.00",
        "1,2025-11-21T19:20:01.000Z,set,,,52.1000000,4.2000000,,,,,",
      ])
  }

  @Test func aTimeOfAClockThatWasNotSetIsMarked() {
    let time = WallTime(nanoseconds: -1)
    #expect(
      rows([(reading(.boolean(true), at: time, isTimeTrusted: false), "a", 0)])
        == ["7,1969-12-31T23:59:59.999Z,unset,a,true,,,,,,,"])
  }
}
