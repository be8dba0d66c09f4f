import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Agent
@testable import Board
@testable import LinuxIO
@testable import Outbox
@testable import Tools

/// What the agent tells of itself, read by the project's own reader of JSON and by people's.
@Suite struct StatusReportTests {
  private let delivery = StatusRig.delivery(StatusRig.routes())

  // MARK: Room

  @Test(arguments: [27_000, 60_000, 63_500, 64_500, 70_000])
  func aMemberThatHasNoRoomIsLeftOutAndTheOthersAreTold(byteCount: Int) throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: byteCount)
    let status = try StatusRig.status(StatusRig.report(url: long))
    let home: JSON = try StatusRig.member(status, "home_assistant")
    #expect(try home.get("state", as: Text.self) == "untried")
    let isThere = home["url"] == .text(Text(long))
    #expect(isThere == (byteCount <= 60_000) && (isThere || home["url"] == nil))
    #expect(status.document.last == UInt8(ascii: "\n"))
    #expect(!StatusRig.lines(status).isEmpty)
  }

  // MARK: The disk

  @Test(arguments: [DiskFlaw.full(Path("/")), .readOnly(Path("/boot disk"))])
  func aDiskThatKeepsNothingIsWrongWhileHomeAssistantAnswers(flaw: DiskFlaw) throws {
    var report = StatusRig.report()
    let well = try StatusRig.status(report)
    let isWell: JSON = ["is_well": true]
    #expect(try StatusRig.member(well, "disk") == isWell)
    report.diskFlaw = flaw
    let status = try StatusRig.status(report)
    #expect(!status.isWell)
    let lines = StatusRig.lines(status)
    let place = try #require(lines.firstIndex { $0.hasPrefix("WRONG  disk             ") })
    #expect(lines[place + 1].hasPrefix("         what to do     "))
    let remedy = String(decoding: flaw.remedy.bytes, as: UTF8.self)
    #expect(lines[place + 1].hasSuffix(remedy))
    #expect(["sudo apt clean", "remount,rw '/boot disk'"].contains { remedy.hasSuffix($0) })
  }

  // MARK: Data

  @Test(arguments: [
    (Int64(999_999), Int64(1234), "999 kB sent, 1 kB received; 240.2 MB in 30 days at this rate"),
    (
      52_345_678, 1_000_000,
      "52.3 MB sent, 1.0 MB received; 12802.9 MB in 30 days at this rate"
    ),
    (.max, 0, "9223372036854.7 MB sent, 0 kB received"),
  ])
  func whatADataPlanCountsIsTold(sent: Int64, received: Int64, words: String) throws {
    var report = StatusRig.report()
    report.traffic = Traffic(sentByteCount: sent, receivedByteCount: received)
    let status = try StatusRig.status(report)
    let traffic: JSON = try StatusRig.member(status, "traffic")
    #expect(try traffic.get("sent_bytes", as: Int.self) == Int(sent))
    #expect(StatusRig.lines(status).contains("         data           \(words)"))
  }

  // MARK: Moments

  @Test func aMomentIsTheWallClockAndHowLongAgoItWas() throws {
    let status = try StatusRig.status(StatusRig.report())
    let started: JSON = ["at": "2026-11-21T13:27:22+00:00", "seconds": 10800]
    #expect(try StatusRig.member(status, "started") == started)
    let next: JSON = ["at": "2026-11-21T16:27:26+00:00", "seconds": 4]
    #expect(try StatusRig.member(status, "next_cycle") == next)
    #expect(status.document.firstRange(of: "next_upload".utf8) == nil)
  }

  @Test func anUploadOfItsOwnPaceIsToldWithItsTime() throws {
    var report = StatusRig.report()
    report.nextUploadAt = StatusRig.coming(240)
    let status = try StatusRig.status(report)
    let next: JSON = ["at": "2026-11-21T16:31:22+00:00", "seconds": 240]
    #expect(try StatusRig.member(status, "next_upload") == next)
    #expect(StatusRig.lines(status).contains { $0.contains("next upload") })
  }

  /// An agent that was slow, or a board that slept.
  @Test func whatIsOverdueIsDueNow() throws {
    let status = try StatusRig.status(StatusRig.report(nextAttemptAt: StatusRig.ago(5)))
    let next: Int = try StatusRig.member(status, "home_assistant").get(
      "next_attempt", as: JSON.self
    ).get("seconds")
    #expect(next == 0)
    #expect(StatusRig.lines(status).contains("         next attempt   now"))
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
    let status = try StatusRig.status(StatusRig.report())
    #expect(!status.isWell)
    let state: Text = try StatusRig.member(status, "home_assistant").get("state")
    #expect(state == "untried")
  }

  @Test func withoutARegistrationTheReasonIsTold() throws {
    delivery.registrationFailed(now: StatusRig.ago(125))
    let status = try StatusRig.status(
      StatusRig.report(
        isSealed: nil, nextAttemptAt: StatusRig.coming(20),
        problem: .server(.unavailable(status: 502))),
      delivery)
    #expect(!status.isWell)
    #expect(
      StatusRig.lines(status).starts(with: [
        "WRONG  Home Assistant   a proxy in front of Home Assistant gets no answer from it (502),"
          + " for 2 min 5 s",
        "         what to do     sudo homeward check",
        "         last proof     none since the agent started", "         next attempt   in 20 s",
      ]))
  }

  /// What the agent proved with the registration that is gone counts for nothing.
  @Test func aProofOfAnotherRegistrationIsNoneNow() throws {
    try delivery.prove(at: StatusRig.ago(5))
    #expect(try StatusRig.status(StatusRig.report(), delivery).isWell)
    #expect(try !StatusRig.status(StatusRig.report(isSealed: nil), delivery).isWell)
  }

  @Test func aDeviceThatHomeAssistantSeemsNotToKnowIsTold() throws {
    try delivery.prove(at: StatusRig.ago(4000))
    for seconds in stride(from: 3900, through: 3900 - 310, by: -10) as StrideThrough<Int64> {
      delivery.fail(.notLive, at: StatusRig.ago(seconds))
    }
    let status = try StatusRig.status(StatusRig.report(), delivery)
    #expect(!status.isWell)
    #expect(
      StatusRig.lines(status).starts(with: [
        "WRONG  Home Assistant   Home Assistant sends empty answers: it is starting, or this device"
          + " was deleted there; sudo homeward check shows which, for 1 h 5 min",
        "         what to do     sudo homeward check: Home Assistant seems to have forgotten this"
          + " board",
        "         last proof     1 h 6 min ago",
      ]))
  }

  // MARK: Routes

  @Test func everyRouteSaysSinceWhenOrWhyNot() throws {
    var routes = StatusRig.routes(.home, home: [UInt8]("http://10.0.0.2".utf8))
    _ = routes.failed(.server(.unavailable(status: 503)), over: .home, now: StatusRig.ago(10))
    routes.addressesTold(cloudhook: StatusRig.cloudhook, remoteUI: nil, now: StatusRig.ago(10))
    let status = try StatusRig.status(StatusRig.report(), StatusRig.delivery(routes))
    let shown = Array(StatusRig.lines(status).drop { !$0.contains(" route ") }.prefix(3))
    #expect(shown[0] == "ok     route            the webhook in the cloud, for 10 s")
    #expect(
      shown[1].hasPrefix(
        "         not used       the home network: Home Assistant is not available (503), for 10 s;"
          + " next attempt in "))
    #expect(
      shown[2...] == [
        "         not used       home_assistant.url: not needed"
      ])
  }

  @Test func awayFromHomeTheReasonsAreNamed() throws {
    let routes = StatusRig.routes(.away, home: [UInt8]("http://10.0.0.2".utf8), hasCloud: false)
    let shown = StatusRig.lines(
      try StatusRig.status(StatusRig.report(), StatusRig.delivery(routes)))
    #expect(shown.contains("WRONG  route            none is usable now"))
    #expect(shown.contains("         not used       the home network: this board is not at home"))
    #expect(
      shown.contains("         not used       home_assistant.url: plain HTTP is used only at home"))
  }

  @Test func aBetterRouteWhoseTimeIsOverIsDue() throws {
    var routes = StatusRig.routes()
    _ = routes.failed(.notLive, over: .instance, now: StatusRig.ago(3600))
    let states: [Text] = try StatusRig.member(
      StatusRig.status(StatusRig.report(), StatusRig.delivery(routes)), "routes"
    ).array().map { try $0.get("state") }
    #expect(states == ["due", "taken", "in_reserve"])
  }

  /// The route itself would be left alone for a minute.
  @Test func inAnOutageEveryRouteIsTriedWithTheNextAttempt() throws {
    var routes = StatusRig.routes(hasCloud: false)
    _ = routes.failed(.notLive, over: .instance, now: StatusRig.ago(1))
    let status = try StatusRig.status(
      StatusRig.report(nextAttemptAt: StatusRig.coming(3)), StatusRig.delivery(routes))
    #expect(StatusRig.lines(status).contains { $0.hasSuffix(", for 1 s; next attempt in 3 s") })
  }

  /// The cloudhook's address is the webhook's id, and the remote one leads home from everywhere.
  @Test func theAddressesInTheCloudAreNotTold() throws {
    for routes in [StatusRig.routes(.away, home: StatusRig.instance), StatusRig.routes()] {
      let status = try StatusRig.status(StatusRig.report(), StatusRig.delivery(routes))
      for text in [status.document, status.lines] {
        let text = String(decoding: text, as: UTF8.self)
        #expect(!text.contains("secret") && !text.contains("https://"))
      }
    }
  }

  // MARK: Networks

  @Test func theNetworkIsToldWithItsName() throws {
    let wireless = StatusReport.Network(
      presence: .home,
      place: try StatusRig.wireless([UInt8]("Harb\u{1B}our".utf8), InlineText("wlan0")))
    let status = try StatusRig.status(StatusRig.report(network: wireless), delivery)
    let expected: JSON = [
      "state": "home", "text": "home", "kind": "wireless", "interface": "wlan0",
      "name": "Harb\\x1bour",
    ]
    #expect(try StatusRig.member(status, "network") == expected)
    #expect(
      StatusRig.lines(status).contains(
        "       network          home: Harb\\x1bour, wireless, over wlan0"))
    func line(_ presence: HomeNetworks.Presence, _ place: NetworkPlace) throws -> String? {
      let report = StatusRig.report(network: .init(presence: presence, place: place))
      return StatusRig.lines(try StatusRig.status(report, delivery)).first {
        $0.contains("  network ")
      }
    }
    #expect(
      try line(.unknown, .unknown) == "       network          not known yet whether this is home")
    #expect(try line(.away, .none) == "       network          not home: there is no network")
  }

  @Test func aCableIsToldWithTheAddressOfItsGateway() throws {
    let address = HardwareAddress(text: [UInt8]("aa:bb:cc:dd:ee:ff".utf8).span)
    let cable = NetworkInterface(index: 2, name: InlineText("eth0"))
    func network(_ gateway: HardwareAddress?) throws -> JSON {
      let network = StatusReport.Network(presence: .home, place: .wired(gateway: gateway, cable))
      return try StatusRig.member(StatusRig.status(StatusRig.report(network: network)), "network")
    }
    let known: JSON = [
      "state": "home", "text": "home", "kind": "wired", "interface": "eth0",
      "gateway": "aa:bb:cc:dd:ee:ff",
    ]
    #expect(try network(address) == known)
    let unknown: JSON = ["state": "home", "text": "home", "kind": "wired", "interface": "eth0"]
    #expect(try network(nil) == unknown)
  }

  @Test func aNotificationStandsThereUntilItIsCleared() throws {
    func lines(_ notifications: ShownNotifications) throws -> [String] {
      var report = StatusRig.report()
      report.notifications = notifications
      return try StatusRig.lines(StatusRig.status(report)).filter {
        $0.contains("notification") || $0.contains("title")
      }
    }
    var notifications = ShownNotifications()
    #expect(try lines(notifications).isEmpty)
    let text = #"{"title":"Harbour","message":"Gale","data":{"tag":"wind"}}"#
    let notification = try PushNotification(json: JSON(parsing: [UInt8](text.utf8).span))
    _ = notifications.received(notification, now: StatusRig.ago(60))
    #expect(
      try lines(notifications) == [
        "       notification     Gale, 1 min ago", "         title          Harbour",
      ])
    notifications.clear("wind")
    #expect(try lines(notifications).isEmpty)
  }

  @Test func theWebSocketThatFailsSaysWhyAndWhenItIsTriedAgain() throws {
    func line(_ state: ConnectionState) throws -> String? {
      let report = StatusRig.report(webSocket: .init(state: state, since: StatusRig.ago(61)))
      return StatusRig.lines(try StatusRig.status(report, delivery)).first {
        $0.contains("WebSocket")
      }
    }
    let retrying = ConnectionState.down(
      .retrying(attempt: 3, at: StatusRig.coming(9), cause: .connectTimeout))
    #expect(
      try line(retrying)
        == "WRONG  WebSocket        it does not answer, for 1 min 1 s; next attempt in 9 s")
    #expect(
      try line(.ready(ServerVersion("2026.1"))) == "ok     WebSocket        open, for 1 min 1 s")
    #expect(try line(.connecting) == "       WebSocket        connecting, for 1 min 1 s")
    #expect(try line(.down(.rejected("no")))?.hasPrefix("WRONG  WebSocket        Home As") == true)
  }
}
