import Bytes
import HomeAssistant
import LinuxIO
import Sensing
import Testing

@testable import Agent
@testable import Board
@testable import Outbox
@testable import Tools

/// What the agent tells of itself, read by the project's own reader of JSON and by people's.
@Suite struct StatusReportTests {
  private static let instance = [UInt8]("http://192.168.1.5:8123".utf8)
  private static let cloudhook = [UInt8]("https://hooks.example/secret-webhook-id".utf8)
  private static let remoteUI = [UInt8]("https://secret.ui.example".utf8)
  /// 2026-11-21 16:27:22 UTC, three hours after the start.
  private static let now = Moment(
    instant: Instant(nanoseconds: 10_800_000_000_000),
    wallTime: WallTime(nanoseconds: 1_795_278_442_987_654_321))

  private static func ago(_ seconds: Int64) -> Instant { now.instant + .seconds(-seconds) }
  private static func coming(_ seconds: Int64) -> Instant { now.instant + .seconds(seconds) }

  private static func delivery(_ routes: Routes) -> Delivery {
    let device = [UInt8]("board".utf8)
    let history = History(
      History.Device(id: device, name: device),
      spool: Spool(device: DeviceFingerprint(low: 1, high: 2), seed: 1))
    return Delivery(routes: routes, history: history, trackerID: device, seed: 1)
  }

  private static func routes(
    _ presence: HomeNetworks.Presence = .unknown, home: [UInt8]? = nil, hasCloud: Bool = true,
    since: Instant = ago(3600)
  ) -> Routes {
    Routes(
      instance: instance, home: home, cloudhook: hasCloud ? cloudhook : nil,
      remoteUI: hasCloud ? remoteUI : nil, presence: presence, isPlainAllowedAway: false, seed: 1,
      now: since)
  }

  private static let advice: SourceAdvice = {
    let more = "host: { sys: /nowhere }\nsensors: [{ gpio: GPIO17, name: Bilge }]\n"
    guard let least = try? Configuration.least(more) else { preconditionFailure("it is right") }
    return SourceAdvice(least)
  }()

  private static func report(
    isSealed: Bool? = true, nextAttemptAt: Instant? = nil, url: [UInt8] = instance,
    problem: Enrollment.Problem? = nil, network: StatusReport.Network? = nil,
    webSocket: StatusReport.WebSocket? = nil, statistics: StatusReport.Statistics? = nil,
    counts: Uplink.Counts = .init(), failing: FailingSources = .init(), lastFixAt: Instant? = nil
  ) -> StatusReport {
    StatusReport(
      now: now, startedAt: ago(10_800), nextCycleAt: coming(4), nextAttemptAt: nextAttemptAt,
      url: url, isSealed: isSealed, registrationProblem: problem, network: network,
      webSocket: webSocket, statistics: statistics, counts: counts, failing: failing,
      advice: advice, lastFixAt: lastFixAt)
  }

  private static func status(
    _ report: borrowing StatusReport, _ delivery: borrowing Delivery
  ) throws -> AgentStatus {
    var document = ByteBuffer(capacity: StateDirectory.statusByteCountMax)
    report.write(delivery, into: &document)
    return try #require(AgentStatus(document: [UInt8](document.bytes)))
  }

  private static func wireless(_ name: [UInt8], _ interface: InlineText) throws -> NetworkPlace {
    let ssid = SSID(name.span)
    let text = [UInt8]("aa:bb:cc:dd:ee:ff".utf8)
    let bssid = HardwareAddress(text: text.span)
    return .wireless(
      WirelessNetwork(ssid: ssid, bssid: try #require(bssid)),
      NetworkInterface(index: 3, name: interface))
  }

  private func member(_ status: AgentStatus, _ key: Text) throws -> JSON {
    try JSON(parsing: status.document.span).get(key)
  }

  private func lines(_ status: AgentStatus) -> [String] {
    String(decoding: status.lines, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  // MARK: Room

  @Test(arguments: [27_000, 60_000, 63_500, 64_500, 70_000])
  func aMemberThatHasNoRoomIsLeftOutAndTheOthersAreTold(byteCount: Int) throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: byteCount)
    let status = try Self.status(Self.report(url: long), Self.delivery(Self.routes()))
    let home: JSON = try member(status, "home_assistant")
    #expect(try home.get("state", as: Text.self) == "untried")
    let isThere = home["url"] == .text(Text(long))
    #expect(isThere == (byteCount <= 60_000) && (isThere || home["url"] == nil))
    #expect(status.document.last == UInt8(ascii: "\n"))
    #expect(!lines(status).isEmpty)
  }

  // MARK: Moments

  @Test func aMomentIsTheWallClockAndHowLongAgoItWas() throws {
    let status = try Self.status(Self.report(), Self.delivery(Self.routes()))
    let started: JSON = ["at": "2026-11-21T13:27:22+00:00", "seconds": 10800]
    #expect(try member(status, "started") == started)
    let next: JSON = ["at": "2026-11-21T16:27:26+00:00", "seconds": 4]
    #expect(try member(status, "next_cycle") == next)
  }

  /// An agent that was slow, or a board that slept.
  @Test func whatIsOverdueIsDueNow() throws {
    let status = try Self.status(
      Self.report(nextAttemptAt: Self.ago(5)), Self.delivery(Self.routes()))
    let next: Int = try member(status, "home_assistant").get("next_attempt", as: JSON.self).get(
      "seconds")
    #expect(next == 0)
    #expect(lines(status).contains("         next attempt   now"))
  }

  @Test(arguments: [
    (0, "0 s"), (59, "59 s"), (60, "1 min"), (185, "3 min 5 s"), (3600, "1 h"),
    (3659, "1 h"), (7500, "2 h 5 min"), (86_399, "23 h 59 min"), (86_400, "1 d"),
    (273_600, "3 d 4 h"), (31_536_000, "365 d"),
  ])
  func aLengthOfTimeIsSaidAsPeopleDo(seconds: Int, words: String) {
    let text: MessageText = "\(wholeSeconds: seconds)"
    #expect(String(decoding: text.bytes, as: UTF8.self) == words)
  }

  // MARK: Home Assistant

  @Test func beforeTheFirstAttemptNothingIsClaimed() throws {
    let status = try Self.status(Self.report(), Self.delivery(Self.routes()))
    #expect(!status.isWell)
    let state: Text = try member(status, "home_assistant").get("state")
    #expect(state == "untried")
  }

  @Test func withoutARegistrationTheReasonIsTold() throws {
    var delivery = Self.delivery(Self.routes())
    delivery.registrationFailed(now: Self.ago(125))
    let status = try Self.status(
      Self.report(
        isSealed: nil, nextAttemptAt: Self.coming(20), problem: .server(.unavailable(status: 502))),
      delivery)
    #expect(!status.isWell)
    #expect(
      lines(status).starts(with: [
        "WRONG  Home Assistant   Home Assistant is not available to register (502), for 2 min 5 s",
        "         what to do     sudo homeward check",
        "         last proof     none since the agent runs", "         next attempt   in 20 s",
      ]))
  }

  /// What the agent proved with the registration that is gone counts for nothing.
  @Test func aProofOfAnotherRegistrationIsNoneNow() throws {
    var delivery = Self.delivery(Self.routes())
    try delivery.prove(at: Self.ago(5))
    #expect(try Self.status(Self.report(), delivery).isWell)
    #expect(try !Self.status(Self.report(isSealed: nil), delivery).isWell)
  }

  @Test func aDeviceThatHomeAssistantSeemsNotToKnowIsTold() throws {
    var delivery = Self.delivery(Self.routes())
    try delivery.prove(at: Self.ago(4000))
    for seconds in [3900, 3900 - 301] as [Int64] {
      delivery.fail(.notLive, at: Self.ago(seconds))
    }
    let status = try Self.status(Self.report(), delivery)
    #expect(!status.isWell)
    #expect(
      lines(status).starts(with: [
        "WRONG  Home Assistant   Home Assistant answers with nothing: it is starting, or it does not"
          + " know this device, for 1 h 5 min",
        "         what to do     homeward check: it seems not to know this board any more",
        "         last proof     1 h 6 min ago",
      ]))
  }

  // MARK: Routes

  @Test func everyRouteSaysSinceWhenOrWhyNot() throws {
    var routes = Self.routes(.home, home: [UInt8]("http://10.0.0.2".utf8))
    _ = routes.failed(.server(.unavailable(status: 503)), over: .home, now: Self.ago(10))
    routes.addressesTold(cloudhook: Self.cloudhook, remoteUI: nil, now: Self.ago(10))
    let status = try Self.status(Self.report(), Self.delivery(routes))
    let shown = Array(lines(status).drop { !$0.contains(" route ") }.prefix(3))
    #expect(shown[0] == "ok     route            the webhook in the cloud, for 10 s")
    #expect(
      shown[1].hasPrefix(
        "         not taken      the home network: Home Assistant is not available (503), for 10 s;"
          + " tried again in "))
    #expect(
      shown[2...] == [
        "         not taken      home_assistant.url: not needed"
      ])
  }

  @Test func awayFromHomeTheReasonsAreNamed() throws {
    let routes = Self.routes(.away, home: [UInt8]("http://10.0.0.2".utf8), hasCloud: false)
    let shown = lines(try Self.status(Self.report(), Self.delivery(routes)))
    #expect(shown.contains("WRONG  route            none can be taken now"))
    #expect(shown.contains("         not taken      the home network: this board is not at home"))
    #expect(
      shown.contains(
        "         not taken      home_assistant.url: where this may not be home, nothing is sent"
          + " over plain HTTP"
      ))
  }

  @Test func aBetterRouteWhoseTimeIsOverIsDue() throws {
    var routes = Self.routes()
    _ = routes.failed(.notLive, over: .instance, now: Self.ago(3600))
    let states: [Text] = try member(
      Self.status(Self.report(), Self.delivery(routes)), "routes"
    ).array().map { try $0.get("state") }
    #expect(states == ["due", "taken", "in_reserve"])
  }

  /// The route itself would be left alone for a minute.
  @Test func inAnOutageEveryRouteIsTriedWithTheNextAttempt() throws {
    var routes = Self.routes(hasCloud: false)
    _ = routes.failed(.notLive, over: .instance, now: Self.ago(1))
    let status = try Self.status(
      Self.report(nextAttemptAt: Self.coming(3)), Self.delivery(routes))
    #expect(lines(status).contains { $0.hasSuffix(", for 1 s; tried again in 3 s") })
  }

  /// The cloudhook's address is the webhook's id, and the remote one leads home from everywhere.
  @Test func theAddressesInTheCloudAreNotTold() throws {
    for routes in [Self.routes(.away, home: Self.instance), Self.routes()] {
      let status = try Self.status(Self.report(), Self.delivery(routes))
      for text in [status.document, status.lines] {
        let text = String(decoding: text, as: UTF8.self)
        #expect(!text.contains("secret") && !text.contains("https://"))
      }
    }
  }

  // MARK: Networks

  @Test func theNetworkIsToldWithItsName() throws {
    let wireless = StatusReport.Network(
      presence: .home, place: try Self.wireless([UInt8]("Harb\u{1B}our".utf8), InlineText("wlan0")))
    let delivery = Self.delivery(Self.routes())
    let status = try Self.status(Self.report(network: wireless), delivery)
    let expected: JSON = [
      "state": "home", "text": "home", "kind": "wireless", "interface": "wlan0",
      "name": "Harb\\x1bour",
    ]
    #expect(try member(status, "network") == expected)
    #expect(
      lines(status).contains("       network          home: Harb\\x1bour, wireless, over wlan0"))
    func line(_ presence: HomeNetworks.Presence, _ place: NetworkPlace) throws -> String? {
      let report = Self.report(network: .init(presence: presence, place: place))
      return lines(try Self.status(report, delivery)).first { $0.contains("  network ") }
    }
    #expect(
      try line(.unknown, .unknown) == "       network          not known yet whether this is home")
    #expect(
      try line(.away, .none) == "       network          not home: there is no network")
  }

  @Test func theWebSocketThatFailsSaysWhyAndWhenItIsTriedAgain() throws {
    let delivery = Self.delivery(Self.routes())
    func line(_ state: ConnectionState) throws -> String? {
      let report = Self.report(webSocket: .init(state: state, since: Self.ago(61)))
      return lines(try Self.status(report, delivery)).first { $0.contains("WebSocket") }
    }
    let retrying = ConnectionState.down(
      .retrying(attempt: 3, at: Self.coming(9), cause: .connectTimeout))
    #expect(
      try line(retrying)
        == "WRONG  WebSocket        it does not answer, for 1 min 1 s; tried again in 9 s")
    #expect(
      try line(.ready(ServerVersion("2026.1"))) == "ok     WebSocket        open, for 1 min 1 s")
    #expect(try line(.connecting) == "       WebSocket        being opened, for 1 min 1 s")
    #expect(try line(.down(.rejected("no")))?.hasPrefix("WRONG  WebSocket        Home As") == true)
  }

  // MARK: What waits

  @Test func whatIsKeptUntilItIsProvenIsCounted() throws {
    var delivery = Self.delivery(Self.routes())
    func line(_ delivery: borrowing Delivery) throws -> String? {
      lines(try Self.status(Self.report(), delivery)).first { $0.contains(" history ") }
    }
    #expect(try line(delivery) == nil)
    let sensor = delivery.declare(
      SensorDescription(
        uniqueID: [UInt8]("bilge".utf8), name: [UInt8]("Bilge".utf8), icon: [UInt8]("mdi:eye".utf8))
    )
    for value in 1...3 as ClosedRange<Int64> {
      delivery.record(
        Reading(
          sensor: try #require(sensor), value: .number(FixedPoint(value)),
          time: Self.now.wallTime))
    }
    #expect(
      try line(delivery)
        == "       history          kept until they are proven: 3 readings and fixes")
    #expect(
      lines(try Self.status(Self.report(), delivery)).contains(
        "       waiting          1 reading, 0 locations"))
  }

  @Test func hoursThatWaitForTheStatisticsAreCountedAndTheReasonIsTold() throws {
    let delivery = Self.delivery(Self.routes())
    func told(_ hours: Int, _ problem: StatisticsImport.Problem?) throws -> [String] {
      let statistics = StatusReport.Statistics(waitingHourCount: hours, problem: problem)
      return lines(try Self.status(Self.report(statistics: statistics), delivery))
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
    failing.failed(InlineText("gpsd"), .missing(InlineText("gpsd")), now: Self.ago(90))
    failing.failed(InlineText("BAT0"), .busy(InlineText("BAT0")), now: Self.ago(60))
    failing.failed(InlineText("gpsd"), .silent(InlineText("gpsd")), now: Self.ago(30))
    #expect(failing.all.map(\.since) == [Self.ago(90), Self.ago(60)])
    #expect(failing.all[0].failure == .silent(InlineText("gpsd")))
    failing.recovered(InlineText("gpsd"))
    failing.recovered(InlineText("gpsd"))
    #expect(failing.all.map(\.source) == [InlineText("BAT0")])
  }

  /// Home Assistant takes the data, and the bilge is not watched.
  @Test func aSourceThatFailsIsNamedWithItsRemedyAndNothingIsWell() throws {
    var delivery = Self.delivery(Self.routes())
    try delivery.prove(at: Self.ago(5))
    var failing = FailingSources()
    let sensor = InlineText("GPIO17")
    failing.failed(sensor, .missing(InlineText("a chip for GPIO17")), now: Self.ago(90))
    failing.failed(InlineText("BAT0"), .busy(InlineText("BAT0")), now: Self.ago(60))
    let status = try Self.status(Self.report(failing: failing), delivery)
    #expect(!status.isWell)
    #expect(status.code == .inputOutput)
    let shown = lines(status).drop { !$0.contains("  source ") }
    #expect(
      shown.prefix(4) == [
        "WRONG  source           GPIO17: a chip for GPIO17 is not there, for 1 min 30 s",
        "         what to do     gpioinfo lists the lines of this board (sudo apt install gpiod)",
        "WRONG  source           BAT0 is in use by another program, for 1 min",
        "         what to do     look what the kernel says of it: sudo dmesg",
      ])
    #expect(lines(status).contains("ok     Home Assistant   takes the data"))
  }

  private func declare(
    _ name: String, unit: String? = nil, in delivery: inout Delivery
  ) throws -> SensorIndex {
    let index = delivery.declare(
      SensorDescription(
        uniqueID: [UInt8](name.utf8), name: [UInt8](name.utf8), unit: unit.map { [UInt8]($0.utf8) },
        icon: [UInt8]("mdi:eye".utf8)))
    return try #require(index)
  }

  @Test func everySensorIsToldWithItsValueAndAge() throws {
    var delivery = Self.delivery(Self.routes())
    let values: [(String, String?, Value, Duration)] = [
      ("Bilge", nil, .boolean(false), .seconds(185)),
      ("Speed", "m/s", .number(FixedPoint(42, decimals: 1)), .zero),
      ("State", nil, .text(InlineText("Full")), .seconds(3)), ("Soil", "%", .unknown, .seconds(3)),
      ("Gone", "%", .unavailable, .seconds(-7)),
    ]
    for (name, unit, value, age) in values {
      let sensor = try declare(name, unit: unit, in: &delivery)
      delivery.record(Reading(sensor: sensor, value: value, time: Self.now.wallTime - age))
      // Nothing new, and yet it was read.
      delivery.record(Reading(sensor: sensor, value: value, time: Self.now.wallTime - age))
    }
    _ = try declare("Silent", in: &delivery)
    let status = try Self.status(Self.report(lastFixAt: Self.ago(8)), delivery)
    #expect(
      lines(status).filter { $0.contains("  sensor  ") || $0.contains("  location  ") } == [
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
    let first = try #require(try member(status, "sensors").array().first)
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
    var delivery = Self.delivery(
      Routes(
        instance: address, home: address, cloudhook: address, remoteUI: address, presence: .home,
        isPlainAllowedAway: true, seed: 1, now: Self.ago(1)))
    delivery.cycleDue(now: Self.ago(1))
    while delivery.nextMessage() != nil { delivery.connectionFailed(quotes, now: Self.ago(1)) }
    for index in 0..<SensorTable.sensorsMax {
      let name = [UInt8](repeating: 0x22, count: 64)
      let sensor = delivery.declare(
        SensorDescription(uniqueID: name + "\(index)".utf8, name: name, icon: name))
      guard let sensor else { break }
      delivery.record(Reading(sensor: sensor, value: .text(quotes), time: Self.now.wallTime))
    }
    let place = try Self.wireless([UInt8](repeating: 1, count: SSID.byteCountMax), quotes)
    let status = try Self.status(
      Self.report(
        nextAttemptAt: Self.coming(1), url: address,
        network: .init(presence: .unknown, place: place),
        webSocket: .init(
          state: .down(
            .retrying(
              attempt: 1, at: Self.now.instant,
              cause: .unreachable(Text([UInt8](repeating: 0x22, count: 4096))))),
          since: Self.now.instant),
        statistics: .init(
          waitingHourCount: .max,
          problem: .notKept(
            uniqueID: [UInt8](repeating: 0x22, count: Spool.uniqueIDByteCountMax))),
        counts: Uplink.Counts(
          readings: .max, locations: .max, refused: .max, superseded: .max, history: .max,
          lost: .max, sealed: .max, plain: .max, proven: .max, unproven: .max), failing: failing),
      delivery)
    let sensorCount: Int = try JSON(parsing: status.document.span).get("sensor_count")
    let shownCount = try member(status, "sensors").array().count
    #expect((10..<sensorCount).contains(shownCount), "as many as there is room for")
    #expect(lines(status).contains("WRONG  source           68 more of them fail"))
  }
}
