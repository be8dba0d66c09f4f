import Bytes
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// What the agent does differently while its supply is low.
@Suite struct PowerPolicyTests {
  private static let levels = [
    PowerLevel(.withoutMains, PowerEffect(uploadEvery: .seconds(300))),
    PowerLevel(.chargeBelow(percent: 30), PowerEffect(every: .seconds(900))),
    PowerLevel(.chargeBelow(percent: 10), PowerEffect(every: .seconds(7200), isReceiverOff: true)),
  ]

  private let rig: UplinkRig
  private let charge: SensorIndex
  private let mains: SensorIndex

  init() throws { try self.init(onceTimeout: nil) }

  private init(
    levels: [PowerLevel] = Self.levels, onceTimeout: Duration?,
    webSocket: Uplink.Settings.WebSocket? = nil
  ) throws {
    let rig = UplinkRig.proven(
      .init(
        webSocket: webSocket, commands: CommandTests.all, powerLevels: levels,
        onceTimeout: onceTimeout))
    self.rig = rig
    let house = [UInt8]("house".utf8)
    let indices = [SupplySensor.capacity, .online].map {
      rig.uplink.declare($0.description(of: house))
    }
    charge = try #require(indices[0])
    mains = try #require(indices[1])
  }

  private func charge(_ percent: Int64) { rig.record(charge, percent) }

  @Test func aLowBatteryMakesTheCycleUnderWayLonger() {
    rig.wait(.seconds(30))
    let (samples, start) = (rig.sampleCount, rig.now)
    rig.wait(.seconds(10))
    charge(29)
    #expect(rig.paces == [SamplingPace(cycle: .seconds(900))])
    #expect(rig.uplink.nextCycleAt == start + .seconds(900))
    rig.wait(.seconds(889))
    #expect(rig.sampleCount == samples)
    rig.wait(.seconds(1))
    #expect(rig.sampleCount == samples + 1)
  }

  /// A gauge says 0 % once (qtile pull 176): the next cycle is a quarter of an hour away.
  @Test func aFallThatCannotBeIsLookedAtAgainAfterAMinute() {
    charge(29)
    rig.wait(.seconds(30))
    let samples = rig.sampleCount
    charge(5)
    #expect(rig.paces.last == SamplingPace(cycle: .seconds(900)))
    rig.wait(.seconds(59))
    #expect(rig.sampleCount == samples)
    rig.wait(.seconds(1))
    #expect(rig.sampleCount == samples + 1)
    charge(28)
    rig.wait(.seconds(120))
    #expect(rig.sampleCount == samples + 1)
    #expect(rig.paces.last == SamplingPace(cycle: .seconds(900)))
    charge(5)
    rig.wait(.seconds(60))
    charge(5)
    #expect(rig.paces.last == SamplingPace(cycle: .seconds(7200), wantsPosition: false))
  }

  @Test func withAFullBatteryTheNextCycleIsDueAtOnce() {
    charge(9)
    rig.wait(.seconds(600))
    charge(90)
    #expect(rig.uplink.nextCycleAt == rig.now)
    #expect(rig.paces.last == SamplingPace(cycle: .seconds(30)))
  }

  @Test func theReceiverIsSwitchedOffAndOnAgain() {
    charge(9)
    #expect(rig.paces.last == SamplingPace(cycle: .seconds(7200), wantsPosition: false))
    charge(20)
    #expect(rig.paces.last == SamplingPace(cycle: .seconds(900)))
  }

  @Test func withoutMainsUploadsAreRarerThanCycles() {
    #expect(rig.uplink.nextUploadAt == nil)
    rig.wait(.seconds(30))
    rig.record(mains, .boolean(false))
    rig.cycle()
    rig.prove()
    #expect(rig.uplink.nextUploadAt == rig.now + .seconds(300))
    // A cycle is longer than an upload then.
    charge(29)
    #expect(rig.uplink.nextUploadAt == nil)
  }

  /// Its cycle is longer than the five minutes.
  @Test func mainsThatAreBackForFiveMinutesEndALongCycle() throws {
    let slow = try Self(
      levels: [PowerLevel(.withoutMains, PowerEffect(every: .seconds(7200)))], onceTimeout: nil)
    let rig = slow.rig
    rig.record(slow.mains, .boolean(true))
    rig.record(slow.mains, .boolean(false))
    rig.wait(.seconds(60))
    rig.record(slow.mains, .boolean(true))
    let samples = rig.sampleCount
    #expect(rig.uplink.deadline <= rig.now + .seconds(300))
    rig.wait(.seconds(299))
    #expect(rig.sampleCount == samples && rig.paces.last?.cycle == .seconds(7200))
    rig.wait(.seconds(1))
    #expect(rig.sampleCount == samples + 1 && rig.paces.last?.cycle == .seconds(30))
  }

  /// A person who asks wants to see it now.
  @Test func whatACommandAskedForGoesBeforeThePolicy() throws {
    try rig.notify("command_interval", #"{"every":60,"for":600}"#)
    rig.wait(.zero)
    charge(9)
    #expect(rig.paces.last?.cycle == .seconds(60))
    for _ in 0..<10 { rig.wait(.seconds(60)) }
    #expect(rig.paces.last?.cycle == .seconds(7200))
  }

  // MARK: A board that is switched off between two reports

  @Test func itIsOffForLongerWhileTheBatteryIsLow() {
    #expect(rig.uplink.reportInterval == .seconds(30))
    rig.record(mains, .boolean(true))
    rig.record(mains, .boolean(false))
    #expect(rig.uplink.reportInterval == .seconds(300))
    charge(29)
    #expect(rig.uplink.reportInterval == .seconds(900))
    rig.wait(.seconds(1200))
    charge(9)
    #expect(rig.uplink.reportInterval == .seconds(7200))
    rig.record(mains, .boolean(true))
    charge(90)
    #expect(rig.uplink.reportInterval == .seconds(300))
    rig.wait(.seconds(300))
    #expect(rig.uplink.reportInterval == .seconds(30))
  }

  /// There is no second look: an empty battery would be drained by one report after the other.
  @Test func anEmptyBatteryCountsAtOnce() throws {
    let once = try Self(onceTimeout: .seconds(600))
    once.charge(0)
    #expect(once.rig.uplink.reportInterval == .seconds(7200))
  }

  /// What is read a second time might not go any more.
  @Test func itsRunHasOneCycleWhateverTheBatteryHas() throws {
    let once = try Self(onceTimeout: .seconds(600))
    let samples = once.rig.sampleCount
    once.charge(29)
    once.charge(90)
    once.rig.record(once.mains, .boolean(false))
    once.rig.wait(.seconds(600))
    #expect(once.rig.sampleCount == samples)
    #expect(once.rig.uplink.nextUploadAt == nil)
    #expect(once.rig.uplink.reportInterval == .seconds(300))
  }

  // MARK: Outages

  /// Nothing listens; each retry fails at once. How many attempts an hour of cycles makes.
  private func attempts(cycles: Int) -> Int {
    let before = rig.calls.count
    var left = cycles
    while left > 0 {
      let wait = rig.uplink.deadline - rig.now
      if rig.uplink.nextCycleAt <= rig.uplink.deadline { left -= 1 }
      rig.wait(wait)
      rig.cycle()
      rig.event { $0.messageFailed(InlineText("refused"), now: $1) }
    }
    return rig.calls.count - before
  }

  @Test func onMainsEachCycleOfAnOutageMakesAnAttempt() {
    charge(90)
    rig.record(mains, .boolean(true))
    beginOutage()
    _ = attempts(cycles: 10)
    #expect(attempts(cycles: 120) >= 120)
  }

  @Test func onABatteryTheAttemptsOfAnOutageBecomeEverRarer() throws {
    charge(90)
    rig.record(mains, .boolean(false))
    expectRareAttempts()
  }

  /// From the start, whether or not the configuration has levels and the board a supply that tells.
  @Test func soTheyDoWhereOnlyABatteryIsKnown() throws {
    let plain = try Self(levels: [], onceTimeout: nil)
    plain.charge(90)
    plain.expectRareAttempts()
  }

  // MARK: Signs that an outage on a battery is over

  /// The next attempt is due in an hour.
  private func beginOutageOnBattery() {
    charge(90)
    rig.record(mains, .boolean(false))
    beginOutage()
    _ = attempts(cycles: 120)
    repeat { _ = attempts(cycles: 1) } while minutesToAttempt < 20
  }

  private func beginOutage() {
    rig.wait(.seconds(30))
    rig.cycle()
    rig.event { $0.messageFailed(InlineText("refused"), now: $1) }
  }

  private var minutesToAttempt: Double {
    rig.uplink.nextAttemptAt.map { ($0 - rig.now) / .seconds(60) } ?? 0
  }

  /// Each one of a float switch that a wave moves, and none without it.
  @Test func whatIsUrgentMakesAnAttemptOnABattery() throws {
    let bilge = try rig.declare("bilge", isUrgent: true)
    beginOutageOnBattery()
    for isWet in [true, false] {
      rig.record(bilge, .boolean(isWet))
      rig.cycle()
      #expect(minutesToAttempt <= 0)
      #expect(attempts(cycles: 1) == 1)
      rig.cycle()
      #expect(minutesToAttempt > 20)
    }
  }

  /// Else the pump runs, and its sender hears of that in an hour.
  @Test func theResultOfACommandMakesAnAttemptOnABattery() throws {
    beginOutageOnBattery()
    try rig.notify("command_interval", #"{"every":30}"#)
    rig.cycle()
    #expect(minutesToAttempt <= 0)
    #expect(attempts(cycles: 1) == 1)
    rig.cycle()
    #expect(minutesToAttempt > 20)
  }

  @Test func aWebSocketThatOpensMakesAnAttemptOnABattery() {
    beginOutageOnBattery()
    let count = rig.calls.count
    for _ in 0..<2 {
      rig.event { $0.webSocketChanged(.ready(ServerVersion("2025.4.4")), now: $1) }
      rig.event { $0.messageFailed(InlineText("refused"), now: $1) }
    }
    #expect(rig.calls.count == count + 1, "it was open the second time")
    #expect(minutesToAttempt > 20)
  }

  @Test func onABatteryTheWebSocketIsLookedForMoreRarelyUntilThereIsASign() throws {
    let boat = try Self(onceTimeout: nil, webSocket: .notifications)
    let rig = boat.rig
    boat.charge(90)
    rig.record(boat.mains, .boolean(false))
    #expect(rig.isWebSocketOnBattery == true)
    boat.beginOutage()
    rig.wait(.seconds(60))
    #expect(rig.webSocketCheckCount == 0)
    rig.prove()
    #expect(rig.webSocketCheckCount == 1, "Home Assistant is back")
    rig.arrive(atHome: true)
    rig.arrive(atHome: false)
    #expect(rig.webSocketCheckCount == 2, "the network is another one")
    rig.record(boat.mains, .boolean(true))
    #expect(rig.webSocketCheckCount == 3 && rig.isWebSocketOnBattery == false)
  }

  private func expectRareAttempts() {
    beginOutage()
    let first = attempts(cycles: 120)
    let second = attempts(cycles: 120)
    #expect(first <= 11 && second <= 2)
    // The plug is back in.
    rig.record(mains, .boolean(true))
    #expect(rig.uplink.nextAttemptAt.map { $0 <= rig.now + Delivery.firstRetryDelay } == true)
  }
}
