import Bytes
import CLinux
import LinuxIO
import Sensing
import Testing

@testable import Drivers

@Suite struct GPSDTests {
  static let version =
    #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"
  static let watch =
    #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyUSB0"}]}"# + "\r\n"
    + #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"pps":false}"# + "\r\n"
  static let reportsCommand = "?WATCH={\"enable\":true,\"json\":true};\n"
  static let quietCommand = "?WATCH={\"enable\":true,\"json\":false};\n"

  let loop: EventLoop
  let gpsd: FakeGPSD
  let sink = RecordingSink()
  let supervisor: Supervisor
  /// What failures call it.
  var subject: String { "gpsd at 127.0.0.1:\(gpsd.port)" }

  init() throws {
    loop = try EventLoop()
    supervisor = Supervisor(owner: sink)
    gpsd = try FakeGPSD(loop: loop)
  }

  static let whole = #","altMSL":12.5,"speed":1.492,"eph":17.1"#

  /// A TPV of gpsd 3.22.
  func report(
    _ second: Int, latitude: String = "51.500000000", rest: String = Self.whole
  ) -> String {
    #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"2027-05-01T12:00:0\#(second).000Z","#
      + #""ept":0.005,"lat":\#(latitude),"lon":-0.100001667"# + rest + "}\r\n"
  }

  func driver(
    cycle: Duration = .seconds(10), details: ReceiverDetailSet = [], host: String = "127.0.0.1"
  ) -> GPSD {
    let driver = GPSD(
      GPSDSettings(host: [UInt8](host.utf8), port: gpsd.port, details: details),
      SourceContext(
        in: Path("/nowhere"), loop, sink, supervisor, cycle: cycle, answerTimeout: .seconds(30),
        now: Moment.now.instant))
    supervisor.add(driver)
    return driver
  }

  /// Lets the driver connect and ask for reports.
  func introduce(_ driver: GPSD) throws {
    let count = gpsd.connectionCount
    driver.sample(at: .now)
    try loop.turn { gpsd.connectionCount > count }
    try gpsd.say(Self.version)
    try loop.turn { gpsd.heard == Self.reportsCommand }
    try gpsd.say(Self.watch)
  }

  /// A driver that has asked for reports.
  func introduced(
    cycle: Duration = .seconds(10), details: ReceiverDetailSet = []
  ) throws -> GPSD {
    let driver = driver(cycle: cycle, details: details)
    try introduce(driver)
    return driver
  }

  /// A driver that has the fix of second 0, and rests.
  func resting(cycle: Duration = .seconds(10)) throws -> GPSD {
    let driver = try introduced(cycle: cycle)
    try gpsd.say(report(0))
    try loop.turn { !sink.fixes.isEmpty }
    return driver
  }

  var latitudes: [Double] { sink.fixes.map(\.latitude) }

  @Test func aReportBecomesAFixWithEachValueInItsPlace() throws {
    let driver = driver()
    let start = Moment.now.instant
    try introduce(driver)
    #expect(driver.isGathering)
    #expect(driver.deadline != nil)
    try gpsd.say(
      report(
        1,
        rest: #","altHAE":59.5,"altMSL":12.5,"alt":12.5,"epx":17.240,"epy":15.217,"epv":27.600,"#
          + #""track":90.2000,"magtrack":90.0480,"magvar":-0.2,"speed":1.492,"climb":0.000,"#
          + #""eps":34.48,"epc":55.20,"geoidSep":47.000,"eph":17.100,"sep":28.500"#))
    try loop.turn { !sink.fixes.isEmpty }

    var fix = try #require(sink.fixes.first)
    #expect((start...Moment.now.instant).contains(fix.notBefore))
    fix.notBefore = start
    #expect(
      fix
        == Fix(
          mode: .threeDimensional, latitude: 51.5, longitude: -0.100001667, altitudeMeters: 12.5,
          speedMetersPerSecond: 1.492, trackDegrees: 90.2, horizontalErrorMeters: 17.1,
          verticalErrorMeters: 27.6, time: WallTime(nanoseconds: 1_809_172_801_000_000_000),
          notBefore: start))
    #expect(!driver.isGathering)
    #expect(driver.deadline == nil)
    #expect(sink.reports.isEmpty)
  }

  @Test func theDriverDoesNotReadWhileItRests() throws {
    let driver = try resting()
    let restingSince = Moment.now.instant
    for second in 1...3 {
      try gpsd.say(report(second, latitude: "51.\(second)"))
      try loop.turn(until: restingSince)
    }
    #expect(latitudes == [51.5], "the reports wait in the socket")
    driver.sample(at: .now)
    #expect(latitudes == [51.5, 51.3], "only the newest counts")
  }

  @Test func aFloodIsReadInSeveralTurnsUntilTheSocketIsEmpty() throws {
    let driver = try resting()
    let sky = #"{"class":"SKY","satellites":["# + String(repeating: " ", count: 8000) + "]}\r\n"
    let flood = String(repeating: sky, count: 40)
    try gpsd.say(report(1, latitude: "51.1") + flood + report(2, latitude: "51.2"))
    driver.sample(at: .now)
    #expect(latitudes == [51.5], "one wake-up does not read for ever")
    #expect(driver.isGathering, "the cycle waits for the rest")
    try loop.turn { !driver.isGathering }
    #expect(latitudes == [51.5, 51.2], "and takes the newest")
    try loop.turn { gpsd.heard == Self.reportsCommand + Self.quietCommand }
  }

  @Test func aQuietPeerIsAskedAgainAndItsLateReportsAreNotBelieved() throws {
    let driver = try resting(cycle: .seconds(240))
    try loop.turn { gpsd.heard == Self.reportsCommand + Self.quietCommand }
    // It was already speaking when it was asked to be quiet.
    try gpsd.say(report(1, latitude: "51.1"))
    driver.sample(at: .now)
    #expect(latitudes == [51.5])
    #expect(driver.isGathering)
    try loop.turn {
      gpsd.heard == Self.reportsCommand + Self.quietCommand + Self.reportsCommand
    }
    try gpsd.say(report(2, latitude: "51.2"))
    try loop.turn { sink.fixes.count == 2 }
    #expect(latitudes == [51.5, 51.2])
    #expect(sink.reports.isEmpty)
  }

  /// gpsd switches a receiver off that no client watches.
  @Test func betweenTwoLongCyclesNoConnectionStandsAndNothingFails() throws {
    let driver = try resting(cycle: .seconds(900))
    try loop.turn { !gpsd.isConnected }
    #expect(driver.listening == .resting && driver.deadline == nil)
    #expect(sink.reports.isEmpty)
    driver.sample(at: .now)
    try loop.turn { gpsd.connectionCount == 2 }
  }

  @Test func aReceiverThatIsKeptRunningIsLookedForUntilItIsThere() {
    let driver = driver(cycle: .seconds(300))
    #expect(driver.listening == .closed)
    driver.paceChanged(to: SamplingPace(cycle: .seconds(301)))
    #expect(driver.listening == .resting)
  }

  /// A dead receiver on a winter's battery: looked for each minute, the board never sleeps.
  @Test func aDeadGPSDDoesNotWakeABoardBetweenLongCycles() throws {
    gpsd.shutDown()
    let driver = driver(cycle: .seconds(21_600))
    var moment = Moment.now
    driver.sample(at: moment)
    var attempts = 0
    while attempts < 20 {
      try loop.turn { !driver.isGathering }
      guard let deadline = supervisor.deadline else { break }
      attempts += 1
      moment = Moment(instant: deadline, wallTime: moment.wallTime)
      supervisor.deadlineReached(at: moment)
    }
    #expect(attempts == 4)
  }

  @Test func aReceiverThatIsNotWantedIsLeftAtOnceAndNothingFails() throws {
    let driver = try resting()
    driver.paceChanged(to: SamplingPace(cycle: .seconds(10), wantsPosition: false))
    try loop.turn { !gpsd.isConnected }
    driver.sample(at: .now)
    #expect(!driver.isGathering && driver.deadline == nil && sink.reports.isEmpty)
    driver.paceChanged(to: SamplingPace(cycle: .seconds(10)))
    driver.sample(at: .now)
    try loop.turn { gpsd.connectionCount == 2 }
  }

  @Test func aFixThatDoesNotComeEndsTheCycleAndNotTheConnection() throws {
    let driver = try introduced()
    driver.deadlineReached(at: .now)
    #expect(driver.isGathering, "it is not over yet")
    try gpsd.say(#"{"class":"TPV","device":"/dev/ttyUSB0","mode":1}"# + "\r\n")
    try loop.turn(until: Moment.now.instant)
    driver.deadlineReached(at: moment(in: .seconds(30)))
    #expect(!driver.isGathering)
    #expect(sink.fixes.isEmpty)
    #expect(sink.reports.isEmpty)
    try gpsd.say(report(1))
    driver.sample(at: .now)
    #expect(latitudes == [51.5])
  }

  @Test func whatACycleWaitsForIsKnownUntilItHasItsFix() throws {
    let driver = try introduced()
    guard case .silent? = driver.shortfall else {
      Issue.record("the receiver has said nothing, and that is \(driver.shortfall as Any)")
      return
    }
    try gpsd.say(#"{"class":"TPV","device":"/dev/ttyUSB0","mode":1}"# + "\r\n")
    try loop.turn { if case .withoutFix? = driver.shortfall { true } else { false } }
    try gpsd.say(report(1))
    try loop.turn { driver.shortfall == nil }
    #expect(latitudes == [51.5])
  }

  /// gpsd sends the reports of a u-blox one after the other.
  @Test func theReportsOfOneTimeMakeOneFix() throws {
    let driver = try introduced()
    try gpsd.say(report(0, rest: ""))
    try loop.turn { driver.shortfall == nil }
    #expect(driver.isGathering && sink.fixes.isEmpty)
    try gpsd.say(report(0))
    try loop.turn { !sink.fixes.isEmpty }
    try gpsd.say(report(1, rest: ""))
    driver.sample(at: .now)
    #expect(driver.isGathering && sink.fixes.count == 1, "the cycle begins amid them")
    try gpsd.say(report(1))
    try loop.turn { sink.fixes.count == 2 }
    #expect(!driver.isGathering)
    #expect(sink.fixes.allSatisfy { $0.altitudeMeters == 12.5 })
  }

  // MARK: What is told beside the position

  func sky(_ seen: Int, _ used: Int) -> String {
    #"{"class":"SKY","device":"/dev/ttyUSB0","hdop":1.10,"nSat":\#(seen),"uSat":\#(used),"#
      + #""satellites":[{"PRN":1,"el":40.0,"used":true}]}"# + "\r\n"
  }

  @Test func whatTheReceiverTellsIsASensorAndWhatItDoesNotTellIsNone() throws {
    let driver = try introduced(details: .all)
    try gpsd.say(sky(12, 8) + report(0, rest: Self.whole + #","climb":-1.26"#))
    try loop.turn { !sink.fixes.isEmpty }
    #expect(sink.values["gps_fix"] == .text(InlineText("3D")))
    #expect(sink.values["gps_satellites_seen"] == .number(FixedPoint(12)))
    #expect(sink.values["gps_satellites_used"] == .number(FixedPoint(8)))
    #expect(sink.values["gps_climb"] == .number(FixedPoint(-13, decimals: 1)))
    #expect(sink.sensors.count == 4, "there is no compass")

    try gpsd.say(sky(13, 10) + report(1))
    driver.sample(at: .now)
    #expect(sink.values["gps_satellites_seen"] == .number(FixedPoint(12)), "it is no news")
    #expect(sink.values["gps_satellites_used"] == .number(FixedPoint(10)))
    #expect(sink.values["gps_climb"] == .unknown)

    gpsd.hangUp()
    driver.sample(at: .now)
    #expect(sink.values["gps_fix"] == .unavailable)
    #expect(sink.values["gps_satellites_seen"] == .unavailable)
    #expect(sink.sensors.count == 4)
  }

  @Test func whatIsNotWantedIsNoSensor() throws {
    _ = try introduced(details: [ReceiverDetailSet(.satellitesUsed)])
    try gpsd.say(sky(12, 8) + report(0))
    try loop.turn { !sink.fixes.isEmpty }
    #expect(sink.sensors.map { string($0.uniqueID) } == ["gps_satellites_used"])
    _ = try introduced()
    try gpsd.say(sky(12, 8) + report(1))
    try loop.turn { sink.fixes.count == 2 }
    #expect(sink.sensors.count == 1)
  }
}
