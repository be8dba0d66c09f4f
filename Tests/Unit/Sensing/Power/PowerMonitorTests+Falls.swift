import Bytes
import Testing

@testable import Sensing

// A charge that falls faster than a battery does.
extension PowerMonitorTests {
  /// A gauge says 0 % for a second or two (qtile pull 176), or 6 for 40 (omarchy pull 7965).
  @Test(arguments: [Int64(0), 6, 29])
  mutating func aFallThatCannotBeIsNoLevel(percent: Int64) {
    set(Self.below(30, every: .seconds(7200)))
    charge(80)
    #expect(charge(percent, after: .seconds(5)) == nil)
    #expect(charge(percent, after: .seconds(55)) == nil)
    #expect(charge(80) == nil)
    #expect(monitor.deadline == nil, "there is no doubt any more")
    #expect(takesLook() == false)
  }

  @Test mutating func aFallThatASecondLookFindsAgainIsALevel() {
    set(Self.below(30, every: .seconds(7200)))
    charge(80)
    #expect(charge(20, after: .seconds(5)) == nil)
    #expect(monitor.deadline == now + .seconds(60))
    pass(.seconds(59))
    #expect(takesLook() == false)
    pass(.seconds(1))
    #expect(takesLook() == true, "the next cycle may be hours away")
    #expect(takesLook() == false)
    #expect(monitor.deadline == nil)
    #expect(charge(19) == 0)
    #expect(monitor.deadline == nil)
  }

  /// A board that is read each half hour, and a load.
  @Test mutating func whatALoadCanTakeCountsAtOnce() {
    set(Self.below(30, every: .seconds(7200)))
    charge(45)
    #expect(charge(25, after: .seconds(1800)) == 0)
  }

  /// With slow cycles any fall would be what a load can take.
  @Test(arguments: [Int64(1800), 4500, 86_400])
  mutating func aLargeFallIsLookedAtTwiceHoweverLongItTook(seconds: Int64) {
    set(Self.below(30, every: .seconds(7200)))
    charge(80)
    #expect(charge(0, after: .seconds(seconds)) == nil)
    #expect(monitor.deadline == now + .seconds(60))
    pass(.seconds(60))
    #expect(takesLook() == true)
    #expect(charge(79) == nil)
    #expect(charge(25, after: .seconds(seconds)) == nil)
    #expect(charge(25, after: .seconds(60)) == 0)
  }

  @Test mutating func theFirstChargeCountsAtOnce() {
    set(Self.below(30, every: .seconds(7200)))
    #expect(charge(6) == 0)
  }

  /// A gauge that is not ready yet says 0 %.
  @Test(arguments: [Int64(0), 5])
  mutating func aFirstChargeOfNearlyNothingIsLookedAtTwice(percent: Int64) {
    set(Self.below(30, every: .seconds(7200)))
    #expect(charge(percent) == nil)
    #expect(monitor.deadline == now + .seconds(60))
    #expect(charge(80) == nil)
    #expect(monitor.deadline == nil)
    set(Self.below(30, every: .seconds(7200)))
    charge(percent)
    pass(.seconds(60))
    #expect(takesLook() == true)
    #expect(charge(percent) == 0)
    #expect(monitor.deadline == nil)
  }

  /// Its source had no value at the second look.
  @Test mutating func aChargeInDoubtIsJudgedByTheNextOneHoweverLateItComes() {
    set(Self.below(30, every: .seconds(7200)))
    charge(0)
    pass(.seconds(60))
    _ = read(Self.charge, .unknown)
    #expect(monitor.deadline == nil)
    #expect(charge(1, after: .seconds(3600)) == 0)
  }

  /// The gauge of a PinePhone says 0 % as soon as it is charged (Waybar issue 1664).
  @Test mutating func onMainsAFallThatCannotBeIsNeverALevel() {
    set(Self.below(10, every: .seconds(7200)))
    charge(64)
    #expect(charge(0) == nil)
    _ = read(Self.mains, .boolean(true))
    pass(.seconds(60))
    #expect(takesLook() == true, "the plug was read after the charge")
    for _ in 0..<3 {
      #expect(charge(0) == nil && monitor.deadline == nil)
      pass(.seconds(60))
    }
    _ = read(Self.mains, .boolean(false))
    #expect(charge(0) == nil)
    #expect(monitor.deadline == now + .seconds(60))
    pass(.seconds(60))
    #expect(charge(0) == 0)
  }

  /// A weak charger, such as a solar panel in winter.
  @Test mutating func onMainsAFallThatALoadExplainsIsALevel() {
    set(Self.below(30, every: .seconds(7200)))
    _ = read(Self.mains, .boolean(true))
    charge(33)
    #expect(charge(29, after: .seconds(60)) == 0)
  }

  /// The board slept for a night without the charger.
  @Test mutating func onMainsALargeFallThatLastsIsALevel() {
    set(Self.below(30, every: .seconds(7200)))
    _ = read(Self.mains, .boolean(true))
    charge(64)
    #expect(charge(25) == nil)
    pass(.seconds(60))
    #expect(charge(25) == 0)
  }

  /// The sun starts a board whose battery is nearly empty; 0 % is the gauge's.
  @Test mutating func onMainsAFirstChargeOfNearlyNothingIsALevelUnlessItIsZero() {
    set(Self.below(30, every: .seconds(7200)))
    _ = read(Self.mains, .boolean(true))
    for percent: Int64 in [0, 0, 3] {
      #expect(charge(percent) == nil)
      pass(.seconds(60))
    }
    #expect(charge(3) == 0)
  }

  /// A board that is switched off between two reports would drain an empty battery.
  @Test mutating func withoutASecondLookEachChargeCounts() {
    monitor = PowerMonitor(
      levels: [Self.below(30, every: .seconds(7200))], looksTwice: false)
    monitor.declared(
      SupplySensor.capacity.description(of: [UInt8]("house".utf8)), Self.charge)
    #expect(charge(3) == 0)
    #expect(monitor.deadline == nil)
  }

  @Test mutating func aGlitchIsNoForecast() {
    set()
    hours(5, from: 80, by: -2)
    _ = read(Self.charge, .number(FixedPoint(0)))
    charge(70)
    #expect(monitor.hoursLeft == 35)
  }
}
