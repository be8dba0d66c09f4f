import Bytes
import Sensing
import Testing

@testable import Agent
@testable import Board
@testable import HomeAssistant
@testable import LinuxIO
@testable import Outbox
@testable import Tools

/// A board three hours after its start, and what it tells of itself.
enum StatusRig {
  static let instance = [UInt8]("http://192.168.1.5:8123".utf8)
  static let cloudhook = [UInt8]("https://hooks.example/secret-webhook-id".utf8)
  static let remoteUI = [UInt8]("https://secret.ui.example".utf8)
  /// 2026-11-21 16:27:22 UTC, three hours after the start.
  static let now = Moment(
    instant: Instant(nanoseconds: 10_800_000_000_000),
    wallTime: WallTime(nanoseconds: 1_795_278_442_987_654_321))

  static func ago(_ seconds: Int64) -> Instant { now.instant + .seconds(-seconds) }
  static func coming(_ seconds: Int64) -> Instant { now.instant + .seconds(seconds) }

  static func delivery(_ routes: Routes) -> Delivery {
    let device = [UInt8]("board".utf8)
    let history = History(
      History.Device(id: device, name: device),
      spool: Spool(device: DeviceFingerprint(low: 1, high: 2), seed: 1))
    return Delivery(routes: routes, history: history, trackerID: device, seed: 1)
  }

  static func routes(
    _ presence: HomeNetworks.Presence = .unknown, home: [UInt8]? = nil, hasCloud: Bool = true,
    since: Instant = ago(3600)
  ) -> Routes {
    Routes(
      instance: instance, home: home, cloudhook: hasCloud ? cloudhook : nil,
      remoteUI: hasCloud ? remoteUI : nil, presence: presence, isPlainAllowedAway: false, seed: 1,
      now: since)
  }

  static let advice: SourceAdvice = {
    let more = "host: { sys: /nowhere }\nsensors: [{ gpio: GPIO17, name: Bilge }]\n"
    guard let least = try? Configuration.least(more) else { preconditionFailure("it is right") }
    return SourceAdvice(least)
  }()

  static func report(
    isSealed: Bool? = true, nextAttemptAt: Instant? = nil, url: [UInt8] = instance,
    problem: Enrollment.Problem? = nil, network: StatusReport.Network? = nil,
    webSocket: StatusReport.WebSocket? = nil, statistics: StatusReport.Statistics? = nil,
    counts: Uplink.Counts = .init(), failing: FailingSources = .init(), lastFix: Fix? = nil,
    firstFix: Fix? = nil,
    track: TrackFilter? = nil, anchor: AnchorMonitor.Status? = nil
  ) -> StatusReport {
    StatusReport(
      now: now, startedAt: ago(10_800), nextCycleAt: coming(4), nextAttemptAt: nextAttemptAt,
      url: url, isSealed: isSealed, registrationProblem: problem, network: network,
      webSocket: webSocket, statistics: statistics, counts: counts,
      traffic: Traffic(sentByteCount: 0, receivedByteCount: 0), failing: failing, advice: advice,
      lastFix: lastFix, firstFix: firstFix, track: track, anchor: anchor)
  }

  /// One of so many seconds ago.
  static func fix(_ secondsAgo: Int64, error: Double? = nil) -> Fix {
    Fix(
      mode: .threeDimensional, latitude: 52.3702157, longitude: 4.8951679,
      horizontalErrorMeters: error, time: now.wallTime, notBefore: ago(secondsAgo))
  }

  static func status(
    _ report: borrowing StatusReport, _ delivery: borrowing Delivery = delivery(routes())
  ) throws -> AgentStatus {
    var document = ByteBuffer(capacity: StateDirectory.statusByteCountMax)
    report.write(delivery, into: &document)
    return try #require(AgentStatus(document: [UInt8](document.bytes)))
  }

  static func wireless(_ name: [UInt8], _ interface: InlineText) throws -> NetworkPlace {
    let ssid = SSID(name.span)
    let text = [UInt8]("aa:bb:cc:dd:ee:ff".utf8)
    let bssid = HardwareAddress(text: text.span)
    return .wireless(
      WirelessNetwork(ssid: ssid, bssid: try #require(bssid)),
      NetworkInterface(index: 3, name: interface))
  }

  static func member(_ status: AgentStatus, _ key: Text) throws -> JSON {
    try JSON(parsing: status.document.span).get(key)
  }

  static func lines(_ status: AgentStatus) -> [String] {
    String(decoding: status.lines, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

extension Delivery {
  /// What is to be sent; what is told before is not looked at.
  func nextMessage() -> Message? {
    while let action = nextAction() {
      if case .send(let message) = action { return message }
    }
    return nil
  }

  /// One attempt over all routes, to which the same answer comes.
  func fail(_ answer: Answer, at time: Instant) {
    let body = ByteBuffer(capacity: 1)
    cycleDue(now: time)
    deadlineReached(now: time)
    while nextMessage() != nil { answerReceived(answer, body: body, now: time) }
  }

  /// One cycle that Home Assistant proves.
  func prove(at time: Instant) throws {
    let registration = try #require(
      Registration(webhookID: [UInt8]("hook".utf8), protection: .plain))
    let nonce = Nonce(randomBytes: InlineArray(repeating: 1))
    let verdict = #"{"success":false,"error":{"code":"not_registered","message":""}}"#
    var request = ByteBuffer(capacity: 64 * 1024)
    cycleDue(now: time)
    while let message = nextMessage() {
      write(message, for: registration, nonce: nonce, into: &request)
      var body = ByteBuffer(capacity: 1024)
      body.append([UInt8](#"{"\#(Challenge(of: nonce).key)":\#(verdict)}"#.utf8))
      answerReceived(.content(0..<body.count), body: body, now: time)
    }
    let provenAt = lastProvenAt
    try #require(provenAt == time)
  }
}
