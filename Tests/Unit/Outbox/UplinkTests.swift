import Bytes
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// What the parts of an uplink decide together.
@Suite struct UplinkTests {
  private static func sensor(_ name: String, _ stateClass: StaticString?) -> SensorDescription {
    SensorDescription(
      uniqueID: [UInt8](name.utf8), name: [UInt8](name.utf8), unit: [UInt8]("%".utf8),
      stateClass: stateClass.map { [UInt8]($0) }, icon: [UInt8]("mdi:eye".utf8))
  }

  // MARK: Cycles

  /// A source that waits for an answer holds the cycle, and the urgent change of another one with
  /// it.
  @Test func whatIsUrgentGoesWithTheCycleThatIsBeingGathered() throws {
    let rig = UplinkRig(.init(isRegistered: true))
    rig.wait(.zero)
    rig.record(try rig.declare("door", isUrgent: true), 1)
    #expect(rig.calls.isEmpty)
    rig.cycle()
    #expect(rig.calls.count == 1)
  }

  @Test func anUrgentChangeWaitsForTheFirstLookAndGoesOnce() throws {
    let rig = UplinkRig(.init(knowsHome: true, url: "https://127.0.0.1:1", isRegistered: true))
    rig.record(try rig.declare("door", isUrgent: true), 1)
    // No cycle ends with it.
    rig.cycle()
    #expect(rig.calls.isEmpty)
    rig.arrive(atHome: true)
    #expect(rig.calls.count == 1)
  }

  /// The kernel has not said yet which network this is.
  @Test func theFirstCycleWaitsForTheFirstLookAndNoLonger() {
    let rig = UplinkRig(.init(knowsHome: true, isRegistered: true))
    rig.firstCycle()
    #expect(rig.calls.isEmpty)
    rig.arrive(atHome: true)
    #expect(rig.calls.count == 1)
    let other = UplinkRig(.init(knowsHome: true, url: "https://127.0.0.1:1", isRegistered: true))
    other.firstCycle()
    other.wait(HomeDetector.firstLookTimeout)
    #expect(other.calls.count == 1)
  }

  // MARK: What is kept

  @Test func aRegistrationThatCouldNotBeKeptIsTriedAgainWithEveryCycle() {
    let rig = UplinkRig()
    rig.wait(.zero)
    #expect(rig.calls.count == 1)
    rig.isWritable = false
    rig.answer(201, UplinkRig.registered)
    #expect(rig.registrations.isEmpty && !rig.uplink.hasKeptRegistration)
    rig.wait(.seconds(30))
    rig.cycle()
    #expect(rig.stateFailures == 1, "it was told")
    rig.isWritable = true
    rig.wait(.seconds(30))
    rig.cycle()
    #expect(rig.registrations.count == 1 && rig.uplink.hasKeptRegistration)
  }

  /// A person has made room, and restarts the agent: the key comes only once.
  @Test func aRegistrationThatCouldNotBeKeptIsTriedAgainWhenTheAgentEnds() {
    let rig = UplinkRig()
    rig.wait(.zero)
    rig.isWritable = false
    rig.answer(201, UplinkRig.registered)
    rig.isWritable = true
    rig.event { uplink, _ in uplink.stopping() }
    #expect(rig.registrations.count == 1 && rig.uplink.hasKeptRegistration)
  }

  /// It would be made anew at every start, and Home Assistant throws the entities of the one before
  /// away.
  @Test func noRegistrationIsAskedForWhereItCouldNotBeKept() {
    let rig = UplinkRig()
    rig.isWritable = false
    rig.firstCycle()
    #expect(rig.calls.isEmpty && rig.stateFailures == 1)
    rig.isWritable = true
    rig.wait(Enrollment.tokenCheckDelay)
    #expect(rig.calls.count == 1)
  }

  /// A rejection that is not on the disk would be forgotten with the next start.
  @Test func aRegistrationWaitsForWhatIsOlderToBeKept() {
    let rig = UplinkRig()
    rig.wait(.zero)
    rig.isWritable = false
    rig.answer(401)
    rig.isWritable = true
    rig.tokenFile = .success([UInt8]("another".utf8))
    rig.wait(Enrollment.tokenCheckDelay)
    #expect(rig.calls.count == 1 && rig.rejected.isEmpty)
    rig.wait(Enrollment.shortestTokenCheckDelay)
    rig.cycle()
    #expect(rig.calls.count == 2 && !rig.rejected.isEmpty)
  }

  /// Home Assistant gives a key only once.
  @Test(arguments: [true, false])
  func aKeyIsAskedForOnlyWhereItCouldBeKept(isWritable: Bool) {
    let rig = UplinkRig(.init(isRegistered: true, isPlain: true))
    rig.isWritable = isWritable
    rig.firstCycle()
    #expect(rig.messages.count == 1)
    #expect(rig.messages[0].contains("enable_encryption") == isWritable)
    #expect(rig.stateFailures == (isWritable ? 0 : 1))
  }

  /// Each outage would cost a write to the card.
  @Test func aReportOfTheDeviceThatIsRepeatedIsNotKeptAgain() {
    let rig = UplinkRig(.init(isRegistered: true, isPlain: true, isNotifiable: true))
    let device =
      #"{"app_version":"1","device_name":"Boat","manufacturer":"","model":"","#
      + #""os_version":"6.12"}"#
    /// Answers about Home Assistant and about the device, and takes the states.
    func takeCycle() {
      rig.answer(200, "[]")
      rig.answer(200, device)
      rig.prove()
    }
    rig.firstCycle()
    rig.answer(400, UplinkRig.noKey)
    takeCycle()
    #expect(rig.registrations.count == 1)
    rig.wait(Cycle.reportInterval)
    rig.cycle()
    rig.event { $0.messageFailed(InlineText("no answer"), now: $1) }
    rig.wait(Delivery.firstRetryDelay)
    takeCycle()
    #expect(rig.messages.count { $0.contains("push_websocket_channel") } == 2)
    #expect(rig.registrations.count == 1)
  }

  @Test func withDurabilityOfReadingsAFixIsOnTheDiskAtOnce() {
    let rig = UplinkRig(.init(isRegistered: true, durability: .reading))
    rig.wait(.zero)
    for second in 1...2 {
      let before = rig.spoolActions.count { $0.isAppend }
      rig.locate()
      #expect(rig.spoolActions.count { $0.isAppend } > before, "fix \(second)")
    }
  }

  /// A renewal, a message or a sample that began now would end with the process.
  @Test func anUplinkThatEndsWritesAndDoesNothingElse() throws {
    let rig = UplinkRig(.init(isRegistered: true, durability: .batch))
    let level = try rig.declare("level")
    rig.wait(.zero)
    rig.record(level, 1)
    let callCount = rig.calls.count
    rig.event { uplink, now in
      uplink.sourcesReady(isConnectionKept: true, now: now)
      uplink.stopping()
    }
    #expect(rig.spoolActions.contains { $0.isAppend })
    rig.wait(.seconds(60))
    #expect(rig.calls.count == callCount && rig.sampleCount == 1)
  }

  // MARK: Networks

  /// At home on Wi-Fi and then on a cable: a connection of before would be waited for in vain.
  @Test func inAnotherNetworkNoConnectionOfBeforeIsUsed() {
    let rig = UplinkRig(.init(knowsHome: true, isRegistered: true))
    rig.arrive(atHome: true)
    #expect(rig.leftConnectionCount == 1)
    let cable = NetworkInterface(index: 2, name: InlineText("eth1"))
    rig.event { $0.placeChanged(.wired(gateway: UplinkRig.gateway, cable), now: $1) }
    #expect(rig.leftConnectionCount == 2)
    #expect(rig.uplink.presence == .home)
  }

  /// Over another address a message goes without the WebSocket, which goes to the configured one.
  @Test func awayFromHomeTheCloudCarriesMessages() {
    let rig = UplinkRig(
      .init(
        knowsHome: true, isRegistered: true, hasCloudhook: true, webSocket: .messages))
    rig.event { $0.webSocketChanged(.ready(.unknown), now: $1) }
    rig.arrive(atHome: false)
    rig.firstCycle()
    #expect(rig.postCount == 0)
    guard case .message(over: .cloudhook)? = rig.calls.last else {
      Issue.record("\(rig.calls)")
      return
    }
  }

  /// What the configuration says of TLS is about its own addresses.
  @Test func theCloudhookIsTheWebhookItselfAndTheOthersLeadToIt() throws {
    let registration = try #require(
      Registration(webhookID: [UInt8]("hook".utf8), protection: .plain))
    #expect(Route.cloudhook.path(of: registration).isEmpty)
    for route in [Route.home, .instance, .remoteUI] {
      #expect(route.path(of: registration) == [UInt8]("/api/webhook/hook".utf8))
    }
    #expect(Route.allCases.filter(\.isConfigured) == [.home, .instance])
  }

  // MARK: Hours of an outage

  private func statistics(isClockSynchronized: Bool = false) throws -> (
    rig: UplinkRig, level: SensorIndex
  ) {
    let rig = UplinkRig(
      .init(
        isRegistered: true, webSocket: .messages, waitingHours: WaitingHours(),
        isClockSynchronized: isClockSynchronized))
    return (rig, try rig.declare(Self.sensor("level", "measurement")))
  }

  private func record(
    _ sensor: SensorIndex, _ number: Int64, after delay: Duration, in rig: UplinkRig
  ) {
    rig.wait(delay)
    rig.record(sensor, number)
  }

  private func numbers(_ rig: UplinkRig) -> [Int64]? {
    rig.uplink.waitingHours.sensors.first?.hours.map(\.number)
  }

  @Test func onlyWhatHasStatisticsIsKeptForThem() throws {
    let (rig, level) = try statistics(isClockSynchronized: true)
    let rain = try rig.declare(Self.sensor("rain", "total_increasing"))
    let door = try rig.declare(Self.sensor("door", nil))
    rig.wait(.zero)
    for sensor in [level, rain, door] { record(sensor, 10, after: .seconds(1), in: rig) }
    rig.wait(.seconds(3660))
    let kept = try #require(rig.keptHours.last?.sensors.map(\.sensor.uniqueID))
    #expect(kept == [[UInt8]("level".utf8), [UInt8]("rain".utf8)])
    #expect(rig.uplink.waitingHours.count == 2)
  }

  @Test func aClockThatIsNotKnownToBeRightMakesNoHours() throws {
    let (rig, level) = try statistics()
    rig.wait(.zero)
    record(level, 10, after: .seconds(1), in: rig)
    rig.wait(.seconds(3659))
    #expect(rig.keptHours.isEmpty)
    // Two fixes vouch for it.
    for _ in 0..<2 {
      rig.wait(.seconds(1))
      rig.locate()
    }
    rig.wait(.seconds(1))
    record(level, 20, after: .seconds(1), in: rig)
    rig.wait(.seconds(3640))
    #expect(numbers(rig) == [UplinkRig.firstHour + 1])
  }

  /// The board's clock is two hours off, which a receiver has told.
  @Test(arguments: [Duration.seconds(7200), .seconds(-7200)])
  func aReadingCountsFromItsOwnTimeByTheBestClockThereIs(ahead: Duration) throws {
    let (rig, level) = try statistics()
    rig.wait(.zero)
    for _ in 0..<2 {
      rig.wait(.seconds(1))
      rig.locate(clockAhead: ahead)
    }
    rig.wait(.seconds(1))
    record(level, 0, after: .seconds(1), in: rig)
    rig.wait(.seconds(3596))
    rig.wait(.seconds(1800))
    record(level, 100, after: .zero, in: rig)
    rig.wait(.seconds(1800))
    let hour = try #require(rig.uplink.waitingHours.sensors.first?.hours.last)
    #expect(hour.number == UplinkRig.firstHour + 1 + ahead.components.seconds / 3600)
    #expect(abs(hour.mean - 50) < 0.01)
  }

  /// How much of the hour was measured is not known, for the clock shows other hours now.
  @Test func theHourInWhichAReceiverSetsTheClockIsForgotten() throws {
    let (rig, level) = try statistics()
    rig.wait(.zero)
    rig.wait(.seconds(1))
    rig.locate()
    record(level, 10, after: .seconds(2), in: rig)
    rig.wait(.seconds(2997))
    rig.locate(clockAhead: .seconds(7200))
    rig.wait(.seconds(1))
    rig.locate(clockAhead: .seconds(7200))
    rig.wait(.seconds(1))
    #expect(rig.uplink.waitingHours.isEmpty)
    // The next hour is a whole one.
    rig.wait(.seconds(1))
    rig.wait(.seconds(597))
    rig.wait(.seconds(3600))
    #expect(numbers(rig) == [UplinkRig.firstHour + 3])
  }
}

extension Spool.Action {
  fileprivate var isAppend: Bool { if case .append = self { true } else { false } }
}
