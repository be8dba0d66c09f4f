import Bytes
import HomeAssistant
import LinuxIO
import Sensing
import Testing

@testable import Agent
@testable import Board
@testable import Outbox
@testable import Tools

/// What the agent tells of its sensors, and of what waits for Home Assistant.
@Suite struct StatusReportSourcesTests {
  private let delivery = StatusRig.delivery(StatusRig.routes())

  // MARK: What waits

  @Test func whatIsKeptUntilItIsProvenIsCounted() throws {
    func line(_ delivery: borrowing Delivery) throws -> String? {
      StatusRig.lines(try StatusRig.status(StatusRig.report(), delivery)).first {
        $0.contains(" history ")
      }
    }
    #expect(try line(delivery) == nil)
    let sensor = delivery.batch.declare(
      SensorDescription(
        uniqueID: [UInt8]("bilge".utf8), name: [UInt8]("Bilge".utf8), icon: [UInt8]("mdi:eye".utf8))
    )
    for value in 1...3 as ClosedRange<Int64> {
      delivery.record(
        Reading(
          sensor: try #require(sensor), value: .number(FixedPoint(value)),
          time: StatusRig.now.wallTime))
    }
    #expect(
      try line(delivery) == "       history          stored until proven: 3 readings and fixes")
    #expect(
      StatusRig.lines(try StatusRig.status(StatusRig.report(), delivery)).contains(
        "       waiting          1 reading, 0 locations"))
  }

  @Test func hoursThatWaitForTheStatisticsAreCountedAndTheReasonIsTold() throws {
    func told(_ hours: Int, _ problem: StatisticsImport.Problem?) throws -> [String] {
      let statistics = StatusReport.Statistics(waitingHourCount: hours, problem: problem)
      return StatusRig.lines(
        try StatusRig.status(StatusRig.report(statistics: statistics), delivery))
    }
    #expect(!(try told(0, nil)).contains { $0.contains("statistics") })
    #expect(
      try told(5, nil).contains(
        "       statistics       5 hours waiting for Home Assistant's long-term statistics"))
    let failing = try told(5, .notAllowed)
    let place = try #require(failing.firstIndex { $0.hasPrefix("WRONG  statistics") })
    #expect(failing[place + 1].contains("only an administrator may import them"))
  }

  // MARK: Sources

  @Test func aSourceKeepsItsFirstMomentWhileItFails() {
    var failing = FailingSources()
    failing.failed(InlineText("gpsd"), .missing(InlineText("gpsd")), now: StatusRig.ago(90))
    failing.failed(InlineText("BAT0"), .busy(InlineText("BAT0")), now: StatusRig.ago(60))
    failing.failed(InlineText("gpsd"), .silent(InlineText("gpsd")), now: StatusRig.ago(30))
    #expect(failing.all.map(\.since) == [StatusRig.ago(90), StatusRig.ago(60)])
    #expect(failing.all[0].failure == .silent(InlineText("gpsd")))
    failing.recovered(InlineText("gpsd"))
    failing.recovered(InlineText("gpsd"))
    #expect(failing.all.map(\.source) == [InlineText("BAT0")])
  }

  /// Home Assistant takes the data, and the bilge is not watched.
  @Test func aSourceThatFailsIsNamedWithItsRemedyAndNothingIsWell() throws {
    try delivery.prove(at: StatusRig.ago(5))
    var failing = FailingSources()
    let sensor = InlineText("GPIO17")
    failing.failed(sensor, .missing(InlineText("a chip for GPIO17")), now: StatusRig.ago(90))
    failing.failed(InlineText("BAT0"), .busy(InlineText("BAT0")), now: StatusRig.ago(60))
    let status = try StatusRig.status(StatusRig.report(failing: failing), delivery)
    #expect(!status.isWell)
    #expect(status.code == .inputOutput)
    let shown = StatusRig.lines(status).drop { !$0.contains("  source ") }
    #expect(
      shown.prefix(4) == [
        "WRONG  source           GPIO17: a chip for GPIO17 was not found, for 1 min 30 s",
        "         what to do     sudo homeward pins draws the pins of this board, and sudo gpioinfo lists"
          + " its lines (sudo apt install gpiod)",
        "WRONG  source           BAT0 is in use by another program, for 1 min",
        "         what to do     see the kernel log: sudo dmesg",
      ])
    #expect(StatusRig.lines(status).contains("ok     Home Assistant   accepts the data"))
  }

  private func declare(
    _ name: String, unit: String? = nil, in delivery: Delivery
  ) throws -> SensorIndex {
    let index = delivery.batch.declare(
      SensorDescription(
        uniqueID: [UInt8](name.utf8), name: [UInt8](name.utf8), unit: unit.map { [UInt8]($0.utf8) },
        icon: [UInt8]("mdi:eye".utf8)))
    return try #require(index)
  }

  @Test func whatBecameOfTheLastFixIsToldWithItsReason() throws {
    var track = TrackFilter(TrackFilter.Settings())
    let silent = try StatusRig.status(
      StatusRig.report(lastFix: StatusRig.fix(8), track: track), delivery)
    #expect(!StatusRig.lines(silent).contains { $0.contains("  track  ") })
    for seconds in [0, 10] as [Int64] {
      _ = track.fixReported(
        Fix(
          mode: .threeDimensional, latitude: 52, longitude: 4, speedMetersPerSecond: 0,
          time: WallTime(nanoseconds: 0), notBefore: Instant(nanoseconds: seconds * 1_000_000_000)))
    }
    let status = try StatusRig.status(
      StatusRig.report(lastFix: StatusRig.fix(8), track: track), delivery)
    #expect(
      StatusRig.lines(status).filter { $0.contains("  track  ") }
        == ["         track          parked; left out: the board stands"])
    let member = try StatusRig.member(status, "track")
    #expect(try member.get("decision", as: JSON.self) == .text("standing"))
    #expect(try member.get("is_kept", as: JSON.self) == .boolean(false))
    #expect(try member.get("state", as: JSON.self) == .text("parked"))
  }

  @Test func everySensorIsToldWithItsValueAndAge() throws {
    let values: [(String, String?, Value, Duration)] = [
      ("Bilge", nil, .boolean(false), .seconds(185)),
      ("Speed", "m/s", .number(FixedPoint(42, decimals: 1)), .zero),
      ("State", nil, .text(InlineText("Full")), .seconds(3)), ("Soil", "%", .unknown, .seconds(3)),
      ("Gone", "%", .unavailable, .seconds(-7)),
    ]
    for (name, unit, value, age) in values {
      let sensor = try declare(name, unit: unit, in: delivery)
      delivery.record(Reading(sensor: sensor, value: value, time: StatusRig.now.wallTime - age))
      // Nothing new, and yet it was read.
      delivery.record(Reading(sensor: sensor, value: value, time: StatusRig.now.wallTime - age))
    }
    _ = try declare("Silent", in: delivery)
    let status = try StatusRig.status(StatusRig.report(lastFix: StatusRig.fix(8)), delivery)
    #expect(
      StatusRig.lines(status).filter { $0.contains("  sensor  ") || $0.contains("  location  ") }
        == [
          "       sensor           Bilge off, 3 min 5 s ago",
          "       sensor           Speed 4.2 m/s, 0 s ago",
          "       sensor           State Full, 3 s ago",
          "       sensor           Soil unknown, 3 s ago",
          "       sensor           Gone unavailable, 0 s ago",
          "       location         a fix, 8 s ago",
        ])
    let speed = status.words(ofSensor: [UInt8]("Speed".utf8))
    #expect(speed.map { String(decoding: $0.bytes, as: UTF8.self) } == "Speed 4.2 m/s, 0 s ago")
    #expect(status.words(ofSensor: [UInt8]("Sped".utf8)) == nil)
    let first = try #require(try StatusRig.member(status, "sensors").array().first)
    #expect(try first.get("value", as: JSON.self) == .boolean(false))
  }

  /// Everything is as long as it can be, and every byte is one that JSON writes as two.
  @Test func theLongestDocumentFitsIntoItsBuffer() throws {
    let quotes = InlineText([UInt8](repeating: 0x22, count: InlineText.byteCountMax).span)
    var failing = FailingSources()
    for index in 0..<100 {
      var name = [UInt8](repeating: 0x22, count: InlineText.byteCountMax)
      name[0] = UInt8(index)
      name[1] = UInt8(ascii: "a") + UInt8(index % 26)
      name[2] = UInt8(ascii: "a") + UInt8(index / 26)
      failing.failed(
        InlineText(name.span), .malformed(quotes, found: quotes), now: Instant(nanoseconds: 0))
    }
    let address = [UInt8](repeating: 0x22, count: 2048)
    let delivery = StatusRig.delivery(
      Routes(
        instance: address, home: address, cloudhook: address, remoteUI: address, presence: .home,
        isPlainAllowedAway: true, seed: 1, now: StatusRig.ago(1)))
    delivery.cycleDue(now: StatusRig.ago(1))
    while delivery.nextMessage() != nil { delivery.connectionFailed(quotes, now: StatusRig.ago(1)) }
    for index in 0..<SensorTable.sensorsMax {
      let name = [UInt8](repeating: 0x22, count: 64)
      let sensor = delivery.batch.declare(
        SensorDescription(uniqueID: name + "\(index)".utf8, name: name, icon: name))
      guard let sensor else { break }
      delivery.record(Reading(sensor: sensor, value: .text(quotes), time: StatusRig.now.wallTime))
    }
    let place = try StatusRig.wireless([UInt8](repeating: 1, count: SSID.byteCountMax), quotes)
    let status = try StatusRig.status(
      StatusRig.report(
        nextAttemptAt: StatusRig.coming(1), url: address,
        network: .init(presence: .unknown, place: place),
        webSocket: .init(
          state: .down(
            .retrying(
              attempt: 1, at: StatusRig.now.instant,
              cause: .unreachable(Text([UInt8](repeating: 0x22, count: 4096))))),
          since: StatusRig.now.instant),
        statistics: .init(
          waitingHourCount: .max,
          problem: .notKept(
            uniqueID: [UInt8](repeating: 0x22, count: Spool.uniqueIDByteCountMax))),
        counts: Uplink.Counts(
          readings: .max, locations: .max, refused: .max, superseded: .max, history: .max,
          lost: .max, sealed: .max, plain: .max, proven: .max, unproven: .max), failing: failing),
      delivery)
    let sensorCount: Int = try JSON(parsing: status.document.span).get("sensor_count")
    let shownCount = try StatusRig.member(status, "sensors").array().count
    #expect((10..<sensorCount).contains(shownCount), "as many as there is room for")
    #expect(StatusRig.lines(status).contains("WRONG  source           68 more of them fail"))
  }
}
