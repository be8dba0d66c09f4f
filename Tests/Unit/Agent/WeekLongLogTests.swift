import Bytes
import Foundation
import Sensing
import TestRun
import Testing

@testable import Agent
@testable import Board
@testable import HomeAssistant
@testable import Outbox

/// What a week costs on the card that the journal is kept on.
@Suite struct WeekLongLogTests {
  private static let second: Int64 = 1_000_000_000

  /// A reporter in virtual time, and what it wrote.
  private final class Rig {
    var now = Instant(nanoseconds: 0)
    private let file: WrittenFile
    private(set) var reporter: Reporter?

    init() throws {
      file = try WrittenFile()
      reporter = Reporter(
        log: Log(waits: false, descriptor: file.descriptor),
        events: EventStream(isOn: false, waits: false),
        advice: StatusRig.advice, now: { [unowned self] in self.now })
    }

    func text() throws -> String { try file.text() }
  }

  private let rig: Rig

  init() throws { rig = try Rig() }

  @Test func ofAWeekWithoutHomeAssistantEachCauseIsToldOnce() throws {
    var outage = try WeekWithoutHomeAssistant()
    while rig.now < Instant(nanoseconds: 7 * 86_400 * Self.second) {
      rig.now = outage.next { event, uplink in rig.reporter?.uplink(event, of: uplink) }
    }
    let text = try rig.text()
    let lines = text.split(separator: "\n")
    #expect(outage.attemptCount > 10_000)
    // Four causes of each of two ways that are given up, four of the outage.
    #expect(lines.count == 12, "\(text)")
    #expect(Set(lines).count == lines.count)
    #expect(text.utf8.count / 7 < 512, "bytes a day")
  }

  @Test func aLooseWireDoesNotFillTheCard() throws {
    let source = InlineText("GPIO17")
    for _ in 0..<(2 * 1440) {
      rig.reporter?.sourceFailed(source, .missing(source))
      rig.reporter?.sourceRecovered(source)
      rig.now = rig.now + .seconds(60)
    }
    #expect(try rig.text().utf8.count / 2 < 12 * 1024, "bytes a day")
  }

  @Test func aLinkThatComesAndGoesDoesNotFillTheCard() throws {
    let delivery = StatusRig.delivery(StatusRig.routes())
    for round in 0..<(7 * 1440) {
      let way: Route = round % 2 == 0 ? .home : .instance
      for event: DeliveryEvent in [
        .routeFailed(.home, .notLive), .outage(.noConnection(InlineText("Timeout was reached"))),
        .recovered(after: .seconds(5), Batch.Superseded()), .routeTaken(way), .locationDropped,
        .historyProven(entries: 3),
      ] { rig.reporter?.delivery(event, of: delivery.batch) }
      rig.now = rig.now + .seconds(60)
    }
    #expect(try rig.text().utf8.count / 7 < 24 * 1024, "bytes a day")
    #expect(try rig.text().contains("since this was last logged"))
  }

  // MARK: Commands

  private func command(
    _ word: String, _ data: String, _ problem: CommandProblem? = nil
  ) throws -> Uplink.Event {
    let text = "{\"message\":\"\(word)\",\"data\":\(data)}"
    let document = try JSON(parsing: [UInt8](text.utf8).span)
    let call = try #require(CommandCall(try PushNotification(json: document)))
    return .command(CommandResult(call: call, problem: problem, time: nil))
  }

  /// An automation that asks each ten seconds for what the configuration does not allow.
  @Test func aCommandThatIsRefusedAllWeekIsToldOnce() throws {
    let outage = try WeekWithoutHomeAssistant()
    let reboot = try command("command_reboot", "{}", .notAllowed)
    for _ in 0..<(7 * 8640) {
      rig.reporter?.uplink(reboot, of: outage.uplink)
      rig.now = rig.now + .seconds(10)
    }
    #expect(try rig.text().split(separator: "\n").count == 1)
  }

  /// A thermostat of Home Assistant, whatever else it asks for: the card bears it, and what it did
  /// most is named with its output.
  @Test func commandsThatAreCarriedOutAllDayDoNotFillTheCard() throws {
    let outage = try WeekWithoutHomeAssistant()
    let on = try command("command_gpio", #"{"output":"Pump","command":"turn_on"}"#)
    let sensors = try command("command_update_sensors", "{}")
    for _ in 0..<8640 {
      for event in [on, sensors] { rig.reporter?.uplink(event, of: outage.uplink) }
      rig.now = rig.now + .seconds(10)
    }
    let text = try rig.text()
    let lines = text.split(separator: "\n")
    #expect(text.utf8.count < 80 * 1024, "bytes a day")
    let named = lines.count { $0.contains(#"command_gpio" ("Pump", "turn_on") is done"#) }
    #expect(named == 24 * LineRateLimiter.linesMax)
    #expect(lines.contains { $0.contains("more commands done; too many in an hour") })
  }

  @Test func whatIsSwitchedRarelyIsToldEachTime() throws {
    let outage = try WeekWithoutHomeAssistant()
    let on = try command("command_gpio", #"{"output":"Pump","command":"turn_on"}"#)
    for _ in 0..<(7 * 96) {
      rig.reporter?.uplink(on, of: outage.uplink)
      rig.now = rig.now + .seconds(900)
    }
    #expect(try rig.text().split(separator: "\n").count == 7 * 96)
  }

  @Test func notificationsAndStatisticsDoNotFillTheCard() throws {
    let outage = try WeekWithoutHomeAssistant()
    let document = try JSON(parsing: [UInt8](#"{"message":"Storm at nine"}"#.utf8).span)
    let notification = try PushNotification(json: document)
    let id = [UInt8]("level".utf8)
    for _ in 0..<8640 {
      for event: Uplink.Event in [
        .notified(notification), .statistics(.failed(.notKept(uniqueID: id))),
        .statistics(.imported(uniqueID: id, hours: 1)),
      ] { rig.reporter?.uplink(event, of: outage.uplink) }
      rig.reporter?.notificationUnreadable()
      rig.now = rig.now + .seconds(10)
    }
    #expect(try rig.text().utf8.count < 24 * 1024, "bytes a day")
  }
}

/// An agent of three ways, none of which works, each time for another reason.
private struct WeekWithoutHomeAssistant: ~Copyable {
  private static let reasons: [StaticString] = [
    "Couldn't connect to server", "Timeout was reached", "Couldn't resolve host name",
    "SSL connect error",
  ]

  let uplink: Uplink
  private var message = ByteBuffer(
    capacity: Envelope.byteCount(sealing: SensorTable.dataByteCountMax))
  private(set) var attemptCount = 0
  private var now = Instant(nanoseconds: 0)

  init() throws {
    let digits = [UInt8](repeating: UInt8(ascii: "5"), count: 64)
    let found = SecretKey(hexadecimal: digits.span)
    let key = try #require(found)
    var registration = try #require(
      Registration(webhookID: [UInt8]("webhook".utf8), protection: .sealed(key)))
    _ = registration.setAddresses(
      cloudhook: "https://127.0.0.1:1/hook", remoteUI: "https://127.0.0.1:2")
    let device = History.Device(id: [UInt8]("board".utf8), name: [UInt8]("Boat".utf8))
    uplink = Uplink(
      Uplink.Settings(
        .init(url: [UInt8]("https://127.0.0.1:3".utf8)), every: .seconds(30), readsTokenFile: false),
      identity: RegistrationRequest(
        deviceID: device.id, deviceName: device.name, manufacturer: [], model: [],
        osName: device.name, osVersion: device.name, appVersion: device.name),
      history: History(
        device,
        spool: Spool(
          device: DeviceFingerprint(ofDeviceID: device.id), durability: .memory, seed: 1),
        of: SensorTable()),
      memory: Uplink.Memory(registration: registration), seed: 1, now: now)
  }

  /// Goes on to the next deadline, and returns when that was.
  mutating func next(_ tell: (Uplink.Event, Uplink) -> Void) -> Instant {
    now = max(now, uplink.deadline)
    uplink.clockRead(now, WallTime(startOfHour: 500_000) + (now - Instant(nanoseconds: 0)))
    perform(tell)
    uplink.deadlineReached(now: now)
    perform(tell)
    uplink.sourcesReady(isConnectionKept: false, now: now)
    perform(tell)
    return now
  }

  private mutating func perform(_ tell: (Uplink.Event, Uplink) -> Void) {
    while let action = uplink.nextAction() {
      switch action {
      case .send(.message, _):
        uplink.writeMessage(nonce: Nonce(randomBytes: InlineArray(repeating: 7)), into: &message)
        // Each way has each of them.
        uplink.messageFailed(InlineText(Self.reasons[attemptCount / 3 % 4]), now: now)
        attemptCount += 1
      case .tell(let event): tell(event, uplink)
      case .disk:
        let now = now
        uplink.spool.performed(now: now)
      case .write: uplink.stateWritten()
      case .readClockState: uplink.clockStateRead(isSynchronized: true)
      default: break
      }
    }
  }
}
