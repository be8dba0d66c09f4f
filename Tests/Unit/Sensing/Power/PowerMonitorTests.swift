import Bytes
import Testing

@testable import Sensing

/// Which level of the power policy holds, and whether the board lives on its battery.
@Suite struct PowerMonitorTests {
  static let charge = SensorIndex(0)
  static let voltage = SensorIndex(1)
  static let mains = SensorIndex(2)
  private static let otherMains = SensorIndex(3)
  private static let load = SensorIndex(4)

  var monitor = PowerMonitor(levels: [])
  var now = Instant(nanoseconds: 0)

  /// A board with a battery, two supplies and a sensor that says nothing of them.
  mutating func set(_ levels: PowerLevel..., looksTwice: Bool = true) {
    monitor = PowerMonitor(levels: levels, looksTwice: looksTwice)
    let house = [UInt8]("house".utf8)
    monitor.declared(SupplySensor.capacity.description(of: house), Self.charge)
    monitor.declared(SupplySensor.voltage.description(of: house), Self.voltage)
    monitor.declared(SupplySensor.online.description(of: [UInt8]("AC".utf8)), Self.mains)
    monitor.declared(SupplySensor.online.description(of: [UInt8]("USB".utf8)), Self.otherMains)
    monitor.declared(
      SensorDescription(uniqueID: [UInt8]("load".utf8), name: [], icon: []), Self.load)
  }

  mutating func read(_ sensor: SensorIndex, _ value: Value) -> Bool {
    monitor.readingRecorded(
      Reading(sensor: sensor, value: value, time: WallTime(nanoseconds: 0)), now: now)
  }

  @discardableResult
  mutating func charge(_ percent: Int64, after wait: Duration = .zero) -> Int? {
    now = now + wait
    _ = read(Self.charge, .number(FixedPoint(percent)))
    return monitor.level
  }

  @discardableResult
  mutating func volts(_ tenths: Int64, after wait: Duration = .zero) -> Int? {
    now = now + wait
    _ = read(Self.voltage, .number(FixedPoint(tenths, decimals: 1)))
    return monitor.level
  }

  /// Returns whether the time changed something.
  @discardableResult
  mutating func pass(_ time: Duration) -> Bool {
    now = now + time
    return monitor.deadlineReached(now: now)
  }

  mutating func takesLook() -> Bool { monitor.takeLookWanted() }

  static func below(_ percent: Int64, every: Duration) -> PowerLevel {
    PowerLevel(.chargeBelow(percent: percent), PowerEffect(every: every))
  }

  // MARK: Levels

  @Test mutating func aLevelHoldsUntilTheChargeIsFivePercentAboveItsLimit() {
    set(Self.below(30, every: .seconds(900)))
    #expect([31, 30, 29, 30, 34, 35, 34].map { charge($0) } == [nil, nil, 0, 0, 0, nil, nil])
  }

  @Test mutating func whatIsTheCaseOfTheLevelIsTold() {
    set()
    #expect(!monitor.hasLevels && monitor.hasCharge)
    set(Self.below(30, every: .seconds(900)), Self.below(10, every: .seconds(900)))
    #expect(monitor.hasLevels && monitor.condition == nil)
    charge(9)
    #expect(monitor.condition == .chargeBelow(percent: 10))
    monitor = PowerMonitor(levels: [])
    #expect(!monitor.hasCharge)
  }

  /// Each port of a hub has a name of its own, and a charger is a supply only while it is there.
  @Test mutating func aSupplyIsFollowedHoweverManyCameAndWentBefore() {
    set(PowerLevel(.withoutMains, PowerEffect(every: .seconds(900))))
    for number in 0..<40 {
      let charger = SensorIndex(10 + number)
      monitor.declared(
        SupplySensor.online.description(of: [UInt8]("port\(number)".utf8)), charger)
      _ = read(charger, .boolean(true))
      #expect(monitor.isOnMains == true)
      _ = read(charger, .unavailable)
      #expect(monitor.isOnMains == false && monitor.level == 0)
    }
    // Its sensor is known, so it is not declared again.
    _ = read(SensorIndex(10), .boolean(true))
    #expect(monitor.isOnMains == true)
  }

  /// Else an outage would be tried each minute until the battery is empty.
  @Test mutating func aBatteryIsNewsWithItsFirstReading() {
    set()
    #expect(read(Self.charge, .number(FixedPoint(80))))
    #expect(monitor.isOnBattery)
    #expect(!read(Self.charge, .number(FixedPoint(79))))
    #expect(!read(Self.mains, .boolean(false)))
    #expect(read(Self.mains, .boolean(true)))
    #expect(!monitor.isOnBattery)
  }

  @Test(arguments: [
    ("Charging", false), ("Full", false), ("Not charging", false), ("Discharging", true),
    ("Unknown", true), ("Resting", true),
  ])
  mutating func whereNoSupplyTellsTheBatterysStatusDoes(word: String, isOnBattery: Bool) {
    monitor = PowerMonitor(levels: [])
    let house = [UInt8]("house".utf8)
    monitor.declared(SupplySensor.capacity.description(of: house), Self.charge)
    monitor.declared(SupplySensor.status.description(of: house), Self.load)
    _ = read(Self.charge, .number(FixedPoint(80)))
    _ = read(Self.load, .text(InlineText([UInt8](word.utf8).span)))
    #expect(monitor.isOnBattery == isOnBattery)
  }

  /// The gauge may say "Full" for a while after the plug was pulled.
  @Test mutating func aSupplyThatTellsGoesBeforeTheStatus() {
    set(PowerLevel(.withoutMains, PowerEffect(every: .seconds(900))))
    let status = SensorIndex(9)
    monitor.declared(SupplySensor.status.description(of: [UInt8]("house".utf8)), status)
    _ = read(status, .text(InlineText("Full")))
    #expect(monitor.isOnMains == true)
    _ = read(Self.mains, .boolean(false))
    #expect(monitor.isOnMains == false && monitor.level == 0)
    _ = read(status, .text(InlineText("Charging")))
    #expect(monitor.level == 0)
  }

  @Test mutating func theLastLevelThatHasAKeyDecidesIt() {
    set(
      PowerLevel(.withoutMains, PowerEffect(uploadEvery: .seconds(300))),
      Self.below(30, every: .seconds(900)),
      PowerLevel(.chargeBelow(percent: 10), PowerEffect(every: .seconds(7200), isReceiverOff: true))
    )
    _ = read(Self.mains, .boolean(false))
    charge(29)
    #expect(monitor.effect == PowerEffect(every: .seconds(900), uploadEvery: .seconds(300)))
    #expect(charge(9, after: .seconds(7200)) == 2)
    #expect(
      monitor.effect
        == PowerEffect(every: .seconds(7200), uploadEvery: .seconds(300), isReceiverOff: true))
    _ = read(Self.mains, .boolean(true))
    pass(PowerLevelDetector.returnTime)
    #expect(monitor.effect == PowerEffect(every: .seconds(7200), isReceiverOff: true))
    #expect(charge(100) == nil)
    #expect(monitor.effect == PowerEffect())
  }

  /// With an hour between two cycles a winch would be one.
  @Test mutating func aDipOfTheVoltageIsLookedAtAgainAfterAMinute() {
    set(PowerLevel(.voltageBelow(microvolts: 11_800_000), PowerEffect(every: .seconds(900))))
    volts(125)
    volts(98, after: .seconds(10))
    #expect(monitor.deadline == now + .seconds(60))
    pass(.seconds(60))
    #expect(takesLook() == true)
    #expect(volts(125) == nil)
    #expect(monitor.deadline == nil)
  }

  /// A starter or a winch pulls the voltage down for seconds.
  @Test mutating func aDipOfTheVoltageIsNoLevel() {
    set(PowerLevel(.voltageBelow(microvolts: 11_800_000), PowerEffect(every: .seconds(900))))
    #expect(volts(125) == nil)
    #expect(volts(98, after: .seconds(10)) == nil)
    #expect(volts(124, after: .seconds(10)) == nil)
    #expect(volts(117, after: .seconds(10)) == nil)
    #expect(volts(116, after: .seconds(59)) == nil)
    #expect(volts(117, after: .seconds(1)) == 0)
    // 2 % of the limit above it.
    #expect(volts(120, after: .seconds(900)) == 0)
    #expect(volts(121, after: .seconds(900)) == nil)
  }

  /// A board that is switched on for a minute has no second reading.
  private static let below12Volts = PowerLevel(
    .voltageBelow(microvolts: 11_800_000), PowerEffect(every: .seconds(900)))

  /// The engine is cranked while the agent reloads, or the gauge says 0 V once.
  @Test mutating func aFirstVoltageCountsAfterASecondLook() {
    set(Self.below12Volts)
    #expect(volts(0) == nil)
    pass(PowerLevelDetector.dipTime)
    #expect(takesLook())
    #expect(volts(126) == nil)
    #expect(volts(117) == nil)
    #expect(volts(117, after: PowerLevelDetector.dipTime) == 0)
  }

  @Test mutating func withoutASecondLookTheFirstVoltageCountsAtOnce() {
    set(Self.below12Volts, looksTwice: false)
    #expect(volts(117) == 0)
  }

  @Test mutating func aBatteryThatIsNotToldAnyMoreChangesNothing() {
    set(Self.below(30, every: .seconds(900)))
    charge(20)
    #expect(!read(Self.charge, .unavailable))
    #expect(!read(Self.charge, .unknown))
    #expect(!read(Self.charge, .number(FixedPoint(.max))))
    #expect(monitor.level == 0)
  }

  @Test mutating func whatChangesNothingIsNotToldAsAChange() {
    set(Self.below(30, every: .seconds(900)))
    #expect(!read(Self.load, .number(FixedPoint(5))))
    _ = read(Self.charge, .number(FixedPoint(40)))
    #expect(!read(Self.charge, .number(FixedPoint(39))))
    now = now + .seconds(7200)
    #expect(read(Self.charge, .number(FixedPoint(20))))
    #expect(!read(Self.charge, .number(FixedPoint(19))))
  }

  /// Another driver may declare its sensors again after its device was away.
  @Test mutating func ofSeveralBatteriesTheFirstCounts() {
    set(Self.below(30, every: .seconds(900)))
    monitor.declared(SupplySensor.capacity.description(of: [UInt8]("mouse".utf8)), Self.load)
    _ = read(Self.load, .number(FixedPoint(3)))
    #expect(monitor.level == nil)
    #expect(charge(29) == 0)
  }

  // MARK: The supply

  @Test mutating func oneSupplyThatIsOnIsEnough() {
    set(PowerLevel(.withoutMains, PowerEffect(every: .seconds(900))))
    #expect(monitor.isOnMains == nil && monitor.isOnBattery)
    #expect(!read(Self.mains, .boolean(true)), "it is what was assumed")
    #expect(monitor.isOnMains == true && !monitor.isOnBattery)
    #expect(!read(Self.otherMains, .boolean(false)))
    #expect(monitor.level == nil)
    // Its driver is gone: so is the supply.
    #expect(read(Self.mains, .unavailable))
    #expect(monitor.isOnMains == false && monitor.isOnBattery && monitor.level == 0)
    #expect(!read(Self.mains, .unknown))
    #expect(read(Self.otherMains, .boolean(true)))
    #expect(monitor.isOnMains == true && !monitor.isOnBattery)
  }

  /// A charger at dusk comes and goes: each change of the level would wake the radio.
  @Test mutating func mainsThatComeAndGoAreOneLevel() {
    set(PowerLevel(.withoutMains, PowerEffect(every: .seconds(900))))
    _ = read(Self.mains, .boolean(true))
    #expect(monitor.level == nil && monitor.deadline == nil)
    #expect(read(Self.mains, .boolean(false)))
    for _ in 0..<10 {
      #expect(monitor.level == 0 && monitor.deadline == nil)
      _ = read(Self.mains, .boolean(true))
      #expect(!pass(.seconds(299)))
      #expect(monitor.level == 0 && monitor.deadline == now + .seconds(1))
      _ = read(Self.mains, .boolean(false))
      #expect(!pass(.seconds(60)))
    }
  }

  /// At the start, a socket without a plug is read before the one that has it.
  @Test mutating func mainsThatAreFoundLastEndTheLevelAtOnce() {
    set(PowerLevel(.withoutMains, PowerEffect(every: .seconds(900))))
    _ = read(Self.otherMains, .boolean(false))
    #expect(monitor.level == 0)
    _ = read(Self.mains, .boolean(true))
    #expect(monitor.level == nil && monitor.deadline == nil)
    _ = read(Self.mains, .boolean(false))
    _ = read(Self.mains, .boolean(true))
    #expect(monitor.level == 0)
  }

  /// Each cycle reads that they are there.
  @Test mutating func mainsThatStayEndTheLevelAfterFiveMinutes() {
    set(
      PowerLevel(.withoutMains, PowerEffect(every: .seconds(900))),
      Self.below(30, every: .seconds(1800)))
    charge(29)
    _ = read(Self.mains, .boolean(true))
    _ = read(Self.mains, .boolean(false))
    for _ in 0..<10 {
      #expect(!pass(.seconds(30)))
      #expect(monitor.level == 1)
      _ = read(Self.mains, .boolean(true))
    }
    charge(90)
    #expect(monitor.level == 0)
    #expect(pass(.seconds(30)))
    #expect(monitor.level == nil && monitor.effect == PowerEffect() && monitor.deadline == nil)
    #expect(!pass(.seconds(600)))
  }

  @Test func aBoardWithoutABatteryHasMains() {
    #expect(!PowerMonitor(levels: []).isOnBattery)
  }

  // MARK: How long it lasts

  /// Each hour takes so many percent, or brings them.
  mutating func hours(_ count: Int, from start: Int64, by step: Int64) {
    for hour in 0..<count {
      charge(start + step * Int64(hour))
      now = now + .seconds(3600)
    }
  }

  @Test mutating func afterSomeHoursTheForecastGoesByThem() {
    set()
    charge(90)
    #expect(monitor.hoursLeft == nil)
    charge(86, after: .seconds(1800))
    #expect(monitor.hoursLeft == nil, "half an hour is little")
    charge(85, after: .seconds(1800))
    #expect(monitor.hoursLeft == 17)
  }

  @Test mutating func theNoiseOfAGaugeIsNoForecast() {
    set()
    charge(90)
    charge(89, after: .seconds(7200))
    #expect(monitor.hoursLeft == nil)
  }

  /// The sun comes back each day: what a night takes says nothing of a week.
  @Test mutating func withTheSunAWholeDayCounts() {
    set()
    hours(12, from: 80, by: -2)
    hours(6, from: 58, by: 3)
    #expect(monitor.hoursLeft == nil)
    hours(6, from: 75, by: -1)
    charge(70)
    // Ten percent in a day.
    #expect(monitor.hoursLeft == 168)
    _ = read(Self.mains, .boolean(true))
    #expect(monitor.hoursLeft == nil)
  }

  @Test mutating func aBatteryThatGainsHasNoEnd() {
    set()
    hours(30, from: 40, by: 1)
    #expect(monitor.hoursLeft == nil)
  }
}
