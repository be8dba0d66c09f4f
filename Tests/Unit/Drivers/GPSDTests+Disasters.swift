import Bytes
import CLinux
import Drivers
import LinuxIO
import Sensing
import Testing

extension GPSDTests {
  @Test func aPeerThatDiesInTheMiddleOfALineIsConnectedToAgain() throws {
    let driver = try resting()
    try gpsd.say(String(report(1).prefix(60)))
    gpsd.hangUp()
    driver.sample(at: .now)
    #expect(sink.reports == ["gpsd: failed \(subject) \(ECONNRESET)"])
    #expect(latitudes == [51.5])

    let retryAt = try #require(supervisor.deadline)
    supervisor.sample(at: .now)
    #expect(supervisor.deadline == retryAt, "it waits for a while")
    let count = gpsd.connectionCount
    supervisor.deadlineReached(at: moment(in: Supervision.firstDelay))
    try loop.turn { gpsd.connectionCount > count }
    try gpsd.say(Self.version)
    try loop.turn { gpsd.heard == Self.reportsCommand }
    #expect(sink.reports.count == 1, "a connection alone is no recovery")
    try gpsd.say(Self.watch + report(2, latitude: "51.2"))
    try loop.turn { sink.fixes.count == 2 }
    #expect(sink.reports.last == "gpsd: recovered")
    #expect(latitudes == [51.5, 51.2])
  }

  @Test func aPeerThatResetsTheConnectionIsNoticedWhileTheDriverRests() throws {
    let driver = try resting()
    try gpsd.reset()
    try loop.turn { !sink.reports.isEmpty }
    #expect(sink.reports == ["gpsd: failed \(subject) \(ECONNRESET)"])
    #expect(supervisor.deadline != nil, "it is tried again")
    _ = driver
  }

  @Test func theLastWordsOfAPeerAreHeard() throws {
    let driver = try resting()
    try gpsd.say(report(1, latitude: "51.1"))
    gpsd.hangUp()
    driver.sample(at: .now)
    #expect(latitudes == [51.5, 51.1])
    #expect(sink.reports == ["gpsd: failed \(subject) \(ECONNRESET)"], "and are no recovery")
  }

  @Test func aPortWithoutAGPSDIsReportedOnceAndRetried() throws {
    gpsd.shutDown()
    let driver = driver()
    driver.sample(at: .now)
    try loop.turn { !sink.reports.isEmpty }
    #expect(!driver.isGathering)
    let retryAt = try #require(supervisor.deadline)
    supervisor.deadlineReached(at: moment(in: Supervision.firstDelay))
    try loop.turn { supervisor.deadline.map { $0 > retryAt } == true && !driver.isGathering }
    #expect(sink.reports == ["gpsd: missing \(subject)"])
  }

  @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "$GPRMC,120000.00,A*4C\r\n", "\u{0}\u{1}\n"])
  func aPeerThatSpeaksGarbageIsLeft(words: String) throws {
    let driver = driver()
    driver.sample(at: .now)
    try loop.turn { gpsd.connectionCount == 1 }
    try gpsd.say(words)
    try loop.turn { !sink.reports.isEmpty }
    #expect(sink.reports.count == 1)
    #expect(sink.reports.first?.hasPrefix("gpsd: malformed \(subject) '") == true)
    #expect(!driver.isGathering)
    #expect(supervisor.deadline != nil, "it is tried again")
  }

  @Test(arguments: ["nan", "inf", "1e400", "91", "\"51\"", "null"])
  func aReportWithoutAPlaceIsNoFix(latitude: String) throws {
    let driver = try introduced()
    try gpsd.say(report(1, latitude: latitude))
    try loop.turn(until: Moment.now.instant)
    #expect(driver.isGathering)
    try gpsd.say(report(2, latitude: "51.2"))
    try loop.turn { !sink.fixes.isEmpty }
    #expect(latitudes == [51.2])
    #expect(sink.reports.isEmpty)
  }

  /// gpsd 3.22 with some u-blox: the place and the height are 0, or the ECEF coordinates of the
  /// same report are in the Netherlands.
  @Test(arguments: [
    (#""lat":0.0,"lon":0.0,"altHAE":0.0,"altMSL":0.0,"alt":0.0"#, ""),
    (#""lat":0.0,"lon":0.0,"altHAE":0.0,"altMSL":-17.16"#, ""),
    (#""lat":0.0,"lon":0.0,"altMSL":3.5"#, earthFixed), (#""lat":0.0,"lon":5.25"#, earthFixed),
  ])
  func zerosAndContradictionsAreNoFix(place: String, earth: String) throws {
    let driver = try introduced()
    let head = #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"#
    func report(_ second: Int, _ place: String) -> String {
      head + #""time":"2027-05-01T12:00:0\#(second).000Z",\#(place),"speed":0,"eph":3.8\#(earth)}"#
        + "\r\n"
    }
    try gpsd.say(report(1, place))
    try loop.turn { if case .withoutFix? = driver.shortfall { true } else { false } }
    #expect(driver.isGathering && sink.fixes.isEmpty)
    try gpsd.say(report(2, #""lat":52.5,"lon":5.25,"altMSL":3.5"#))
    try loop.turn { !sink.fixes.isEmpty }
    #expect(latitudes == [52.5])
  }

  private static let earthFixed =
    #","ecefx":3874674.7,"ecefy":356032.6,"ecefz":5036901.1,"ecefpAcc":4.4"#

  /// libgps 3.22 reads that line for ever.
  @Test func aLineThatWouldHangLibgpsNeverReachesIt() throws {
    let driver = try introduced()
    try gpsd.say(#"{"class":"TPV"}}"class":"RTCM3""# + "\r\n" + report(2, latitude: "51.2"))
    try loop.turn { !sink.fixes.isEmpty }
    #expect(latitudes == [51.2])
    #expect(sink.reports.isEmpty)
    _ = driver
  }

  @Test func whatTheReceiverDoesNotKnowIsLeftOutOfTheFix() throws {
    let driver = try introduced()
    try gpsd.say(
      report(
        1, rest: #","altMSL":null,"speed":{"x":[1]},"track":"90","eph":1e400,"epv":[],"RTCM3":{}"#))
    try loop.turn { driver.shortfall == nil }
    driver.deadlineReached(at: moment(in: GPSDSession.othersTimeout))
    let fix = try #require(sink.fixes.first)
    #expect(fix.latitude == 51.5)
    #expect(fix.altitudeMeters == nil)
    #expect(fix.speedMetersPerSecond == nil)
    #expect(fix.trackDegrees == nil)
    #expect(fix.horizontalErrorMeters == nil)
    #expect(fix.verticalErrorMeters == nil)
    _ = driver
  }

  @Test func aNameInsteadOfAnAddressIsNotLookedUp() {
    let driver = driver(host: "boat.example")
    driver.sample(at: .now)
    #expect(
      sink.reports == [
        "gpsd: unsupported gpsd at boat.example:\(gpsd.port), write gpsd's host as a numeric address,"
          + " such as 192.168.1.9"
      ])
    #expect(!driver.isGathering)
  }
}
