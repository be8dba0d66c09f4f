import Foundation
import LinuxIO
import TestRun
import Testing

@testable import Agent
@testable import Board
@testable import Bytes
@testable import HomeAssistant
@testable import Outbox
@testable import Sensing

/// What is told goes to standard error only.
private func quietReporter(_ configuration: Configuration) -> Reporter {
  Reporter(
    log: Log(), events: EventStream(isOn: false, waits: false),
    advice: SourceAdvice(configuration))
}

/// The agent's courier with the files of a state directory, clocks that a test sets, and no server at
/// the other end.
private final class CourierRig {
  /// An hour that begins in 2027, when the rig's clocks begin.
  static let firstHour: Int64 = 500_000

  let folder = TestRun.newPlace()
  let courier: Courier
  let state: StateDirectory
  private let loop: EventLoop
  private let device: DeviceFingerprint

  /// - Parameters:
  ///   - url: the address of Home Assistant, where no server is.
  ///   - server: more keys of the section `home_assistant`.
  ///   - settings: more lines of the configuration.
  ///   - hasCloudhook: whether the registration has an address in the cloud.
  ///   - hours: what an earlier run kept for the statistics.
  /// - Throws: where the files cannot be made, or the configuration is wrong.
  init(
    url: String = "http://127.0.0.1:1", server: String = "", settings: String = "",
    hasCloudhook: Bool = false, hours: WaitingHours? = nil
  ) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let token = folder.appending(path: "token")
    try Data("token".utf8).write(to: token)
    let file = """
      home_assistant: { url: "\(url)", token_file: \(token.path)\(server) }
      state_directory: \(folder.path)/state
      \(settings)
      """
    var configuration = try Configuration.parse([UInt8](file.utf8))
    // Nothing is waited for.
    configuration.homeAssistant.registersAgainAfter = .zero
    device = DeviceFingerprint(ofDeviceID: DeviceIdentity(host: configuration.host).deviceID)
    state = try StateDirectory.open(configuration.stateDirectory)
    loop = try EventLoop()
    if let hours {
      try Data([UInt8](hours.file(of: device).bytes))
        .write(to: folder.appending(path: "state/statistics.hours"))
    }
    let digits = [UInt8](repeating: UInt8(ascii: "5"), count: 64)
    let key = SecretKey(hexadecimal: digits.span)
    var registration = try #require(
      key.flatMap { Registration(webhookID: [UInt8]("webhook".utf8), protection: .sealed($0)) })
    if hasCloudhook {
      _ = registration.setAddresses(cloudhook: "https://127.0.0.1:1/hook", remoteUI: nil)
    }
    courier = try Delivering(
      configuration: configuration, state: state, registration: registration, loop: loop,
      reporter: quietReporter(configuration)
    ).courier(now: Self.moment(0).instant)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  static func moment(_ seconds: Double, ahead: Duration = .zero) -> Moment {
    let time = Duration.nanoseconds(Int64(seconds * 1e9))
    return Moment(
      instant: Instant(nanoseconds: 0) + time,
      wallTime: WallTime(startOfHour: firstHour) + time + ahead)
  }

  static func sensor(_ name: String, _ stateClass: StaticString) -> SensorDescription {
    SensorDescription(
      uniqueID: [UInt8](name.utf8), name: [UInt8](name.utf8), unit: [UInt8]("%".utf8),
      stateClass: [UInt8](stateClass),
      icon: [UInt8]("mdi:eye".utf8))
  }

  func readClock(_ seconds: Double) { courier.clockRead(Self.moment(seconds)) }

  func record(_ sensor: SensorIndex, _ number: Int64, at seconds: Double) {
    courier.record(
      Reading(
        sensor: sensor, value: .number(FixedPoint(number)), time: Self.moment(seconds).wallTime))
  }

  /// A fix of that second of a receiver whose clock is so far ahead of the board's.
  func recordFix(at seconds: Double, ahead: Duration = .zero) {
    let moment = Self.moment(seconds, ahead: ahead)
    courier.record(
      Fix(
        mode: .twoDimensional, latitude: 52, longitude: 4, horizontalErrorMeters: 3,
        time: moment.wallTime, notBefore: moment.instant))
  }

  /// The hours in the file, by the sensors' names.
  func keptHours() throws -> [String: [SensorHour]] {
    let file = folder.appending(path: "state/statistics.hours")
    guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
    let bytes = [UInt8](try Data(contentsOf: file))
    let hours = try WaitingHours(file: bytes.span, of: device)
    return Dictionary(
      uniqueKeysWithValues: hours.sensors.map {
        (String(decoding: $0.sensor.uniqueID, as: UTF8.self), $0.hours)
      })
  }

  func spoolByteCount() throws -> Int {
    let spool = folder.appending(path: "state/spool").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: spool)) ?? []
    return try names.filter { $0.hasSuffix(".spool") }.reduce(0) { sum, name in
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(spool)/\(name)")
      return sum + (attributes[.size] as? Int ?? 0)
    }
  }
}

@Suite struct CourierTests {
  private static let statistics = "history: { statistics: true }"

  private static func hours(_ count: Int64) -> WaitingHours {
    var hours = WaitingHours()
    for index in 0..<count {
      hours.insert(
        SensorHour(number: index, mean: 5, lowest: 1, highest: 9),
        of: MeasuredSensor(uniqueID: [UInt8]("level".utf8), unit: [UInt8]("%".utf8)))
    }
    return hours
  }

  // MARK: The token

  /// No network of this machine has such a gateway.
  private static let foreign = #", home_network: { gateways: ["02:00:00:00:00:01"] }"#

  /// Whether a new registration is begun where Home Assistant says that the one there is gone: the
  /// token goes along.
  private func beginsAnew(_ rig: CourierRig) -> Bool {
    // The kernel has not said in time where the board is.
    rig.courier.deadlineReached(now: CourierRig.moment(10).instant)
    rig.courier.cycleDue(now: CourierRig.moment(10).instant)
    var body = ByteBuffer(capacity: 16)
    rig.courier.postAnswered(status: 410, &body)
    if case .registering? = rig.courier.phase { return true }
    return false
  }

  @Test func whereHomeIsNotNamedALostRegistrationIsMadeAnew() throws {
    #expect(beginsAnew(try CourierRig()))
  }

  /// The cloud said that the registration is gone, while this may be an attacker's network.
  @Test func inAForeignNetworkNoTokenGoesInPlainForANewRegistration() throws {
    #expect(!beginsAnew(try CourierRig(server: Self.foreign, hasCloudhook: true)))
  }

  @Test func inAForeignNetworkATokenGoesOverTLS() throws {
    #expect(beginsAnew(try CourierRig(url: "https://127.0.0.1:1", server: Self.foreign)))
  }

  // MARK: The disk

  @Test func withDurabilityOfReadingsAFixIsOnTheDiskAtOnce() throws {
    let rig = try CourierRig(settings: "durability: reading")
    rig.readClock(0)
    rig.recordFix(at: 1)
    let one = try rig.spoolByteCount()
    #expect(one > 0)
    rig.recordFix(at: 2)
    #expect(try rig.spoolByteCount() > one)
  }

  // MARK: Hours of an outage

  @Test func onlyWhatHasAMeanIsKeptForTheStatistics() throws {
    let rig = try CourierRig(settings: Self.statistics)
    rig.courier.delivery.history.isClockSynchronized = true
    let level = try #require(rig.courier.declare(CourierRig.sensor("level", "measurement")))
    let rain = try #require(rig.courier.declare(CourierRig.sensor("rain", "total_increasing")))
    rig.readClock(0)
    for sensor in [level, rain] { rig.record(sensor, 10, at: 1) }
    rig.readClock(3660)
    #expect(try rig.keptHours().keys.sorted() == ["level"])
    #expect(rig.courier.statistics?.status.waitingHourCount == 1)
  }

  @Test func withDurabilityOfMemoryTheHoursOnTheDiskAreLeftAlone() throws {
    let rig = try CourierRig(
      settings: Self.statistics + "\ndurability: memory", hours: Self.hours(3))
    #expect(rig.courier.statistics?.status.waitingHourCount == 0)
    rig.courier.delivery.history.isClockSynchronized = true
    let level = try #require(rig.courier.declare(CourierRig.sensor("level", "measurement")))
    rig.readClock(0)
    rig.record(level, 10, at: 1)
    rig.readClock(3660)
    #expect(rig.courier.statistics?.status.waitingHourCount == 1)
    #expect(try rig.keptHours()["level"]?.count == 3)
  }

  private static let needsUnsetClock: Comment =
    "the kernel's clock is kept right by the network here, and nothing can be ahead of it"

  @Test(.enabled(if: !isClockSynchronized, needsUnsetClock))
  func aClockThatIsNotKnownToBeRightMakesNoHours() throws {
    let rig = try CourierRig(settings: Self.statistics)
    let level = try #require(rig.courier.declare(CourierRig.sensor("level", "measurement")))
    rig.readClock(0)
    rig.record(level, 10, at: 1)
    rig.readClock(3660)
    #expect(try rig.keptHours().isEmpty)
    // Two fixes vouch for it.
    for second in [3661, 3662] as [Double] { rig.recordFix(at: second) }
    rig.readClock(3663)
    rig.record(level, 20, at: 3664)
    rig.readClock(7300)
    #expect(try rig.keptHours()["level"]?.map(\.number) == [CourierRig.firstHour + 1])
  }

  /// The board's clock is two hours behind, which a receiver has told.
  @Test(
    .enabled(if: !isClockSynchronized, needsUnsetClock),
    arguments: [Duration.seconds(7200), .seconds(-7200)])
  func aReadingCountsFromItsOwnTimeByTheBestClockThereIs(ahead: Duration) throws {
    let rig = try CourierRig(settings: Self.statistics)
    let level = try #require(rig.courier.declare(CourierRig.sensor("level", "measurement")))
    rig.readClock(0)
    for second in [1, 2] as [Double] { rig.recordFix(at: second, ahead: ahead) }
    rig.readClock(3)
    rig.readClock(4)
    rig.record(level, 0, at: 4)
    rig.readClock(3600)
    rig.readClock(3600 + 1750)
    // It stands for the second half of the hour, although the clock was read 50 seconds before it.
    rig.record(level, 100, at: 3600 + 1800)
    rig.readClock(7200)
    let hour = try #require(try rig.keptHours()["level"]?.last)
    #expect(hour.number == CourierRig.firstHour + 1 + ahead.components.seconds / 3600)
    #expect(abs(hour.mean - 50) < 0.01)
  }

  /// A fix vouched for the clock, and two others then said that it is two hours behind: how much of
  /// an hour was measured is not known, for the clock shows other hours now.
  @Test(.enabled(if: !isClockSynchronized, needsUnsetClock))
  func theHourInWhichAReceiverSetsTheClockIsForgotten() throws {
    let rig = try CourierRig(settings: Self.statistics)
    let level = try #require(rig.courier.declare(CourierRig.sensor("level", "measurement")))
    rig.readClock(0)
    rig.recordFix(at: 1)
    rig.readClock(2)
    rig.record(level, 10, at: 3)
    for second in [3000, 3001] as [Double] { rig.recordFix(at: second, ahead: .seconds(7200)) }
    rig.readClock(3002)
    #expect(try rig.keptHours().isEmpty)
    // The next hour is a whole one.
    for second in [3003, 3600, 7200] as [Double] { rig.readClock(second) }
    #expect(try rig.keptHours()["level"]?.map(\.number) == [CourierRig.firstHour + 3])
  }

  // MARK: A file of hours that cannot be read

  @Test func aFileOfHoursThatCannotBeReadIsNotWrittenOver() throws {
    let folder = TestRun.newPlace()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "statistics.hours")
    // Longer than any that is ours, so that it is not read.
    let text = Data(repeating: 0x78, count: WaitingHours.fileByteCountMax + 1)
    try text.write(to: file)
    let keeper = StatisticsKeeper(
      in: Path([UInt8](folder.path.utf8)), of: DeviceFingerprint(low: 1, high: 2),
      reporter: quietReporter(try Configuration.least()))
    #expect(keeper.read().isEmpty)
    #expect(keeper.keep(Self.hours(1)))
    #expect(try Data(contentsOf: file) == text)
  }
}
