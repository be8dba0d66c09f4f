import Bytes
import Sensing
import Testing

@testable import Outbox

/// Time is in minutes after 10:00 on a day of 2026.
@Suite struct HourlyStatisticsTests {
  private static let tenOClock: Int64 = 1_795_255_200_000_000_000 / 3_600_000_000_000
  private static func sensor(_ name: String, stateClass: StaticString?) -> SensorDescription {
    SensorDescription(
      uniqueID: [UInt8](name.utf8), name: [UInt8](name.utf8), unit: [UInt8]("°C".utf8),
      stateClass: stateClass.map { [UInt8]($0) }, icon: [UInt8]("mdi:eye".utf8))
  }

  private static func time(_ minutes: Double) -> WallTime {
    WallTime(
      nanoseconds: tenOClock * 3_600_000_000_000 + Int64((minutes * 60_000_000_000).rounded()))
  }

  private struct Rig {
    private let sensors = SensorTable()
    var statistics: HourlyStatistics

    init(at minutes: Double = 0) {
      statistics = HourlyStatistics(of: sensors)
      declare("bilge", stateClass: "measurement")
      statistics.clockRead(time(minutes), isRight: true, isReached: true)
    }

    @discardableResult
    func declare(_ name: String, stateClass: StaticString?) -> SensorIndex? {
      sensors.declare(sensor(name, stateClass: stateClass))
    }

    mutating func say(_ value: Value, of sensor: SensorIndex = SensorIndex(0), at minutes: Double) {
      statistics.record(Reading(sensor: sensor, value: value, time: time(minutes)))
    }

    mutating func say(_ tenths: Int64, at minutes: Double) {
      say(.number(FixedPoint(tenths, decimals: 1)), at: minutes)
    }

    /// A cycle every minute up to then.
    mutating func pass(
      from first: Double, to last: Double, isRight: Bool = true, isReached: Bool = false
    ) {
      for minute in stride(from: first + 1, through: last, by: 1) {
        statistics.clockRead(time(minute), isRight: isRight, isReached: isReached)
      }
    }

    mutating func hours() -> [SensorHour] {
      var hours: [SensorHour] = []
      while let (_, hour) = statistics.takeHour() { hours.append(hour) }
      return hours
    }

    mutating func namedHours() -> [(name: String, hour: SensorHour)] {
      var hours: [(name: String, hour: SensorHour)] = []
      while let (sensor, hour) = statistics.takeHour() {
        hours.append((String(decoding: sensor.uniqueID, as: UTF8.self), hour))
      }
      return hours
    }
  }

  private var rig = Rig()

  @Test(arguments: [nil, "measurement_angle"] as [StaticString?])
  mutating func aSensorOfWhichHomeAssistantKeepsNothingHasNoHours(
    stateClass: StaticString?
  ) throws {
    let other = try #require(rig.declare("rain", stateClass: stateClass))
    let depth = try #require(rig.declare("depth", stateClass: "measurement"))
    rig.say(.number(FixedPoint(1)), of: other, at: 0)
    rig.say(.number(FixedPoint(2)), of: depth, at: 0)
    rig.pass(from: 0, to: 61)
    let hours = rig.namedHours()
    #expect(hours.map { $0.name } == ["depth"])
    #expect(hours.map { $0.hour.mean } == [2])
  }

  /// What was counted is counted, also while the source of it fails.
  @Test mutating func anHourOfACounterIsWhatItShowsAtTheEnd() throws {
    let rain = try #require(rig.declare("rain", stateClass: "total_increasing"))
    rig.say(.number(FixedPoint(7)), of: rain, at: 0)
    rig.say(.number(FixedPoint(12)), of: rain, at: 20)
    rig.pass(from: 20, to: 70)
    rig.say(.unavailable, of: rain, at: 70)
    rig.pass(from: 70, to: 185)
    #expect(rig.hours().map { $0.figures } == [.counted(12), .counted(12), .counted(12)])
  }

  /// A battery's energy, or a meter that runs backwards too.
  @Test mutating func anHourOfWhatComesAndGoesIsWhatItShowsAtTheEnd() throws {
    let grid = try #require(rig.declare("grid", stateClass: "total"))
    rig.say(.number(FixedPoint(7)), of: grid, at: 0)
    rig.say(.number(FixedPoint(4)), of: grid, at: 20)
    rig.pass(from: 20, to: 125)
    #expect(rig.hours().map { $0.figures } == [.counted(4), .counted(4)])
  }

  @Test mutating func aCounterThatSaidNothingYetHasNoHours() throws {
    let rain = try #require(rig.declare("rain", stateClass: "total_increasing"))
    rig.say(.unknown, of: rain, at: 0)
    rig.pass(from: 0, to: 61)
    #expect(rig.hours().isEmpty)
  }

  @Test mutating func theMeanOfAnHourIsWeightedByTime() throws {
    rig.say(100, at: 0)
    rig.pass(from: 0, to: 15)
    rig.say(200, at: 15)
    rig.pass(from: 15, to: 45)
    rig.say(60, at: 45)
    rig.pass(from: 45, to: 61)
    let hour = try #require(rig.hours().first)
    #expect(hour.start == Self.time(0) && hour.end == Self.time(60))
    // A quarter at 10, a half at 20, a quarter at 6.
    #expect(abs(hour.mean - 14) < 1e-9)
    #expect(hour.lowest == 6 && hour.highest == 20)
  }

  @Test mutating func aValueThatDoesNotChangeHoldsThroughEveryHour() {
    rig.say(125, at: 0)
    rig.pass(from: 0, to: 200)
    let hours = rig.hours()
    #expect(hours.map { $0.start } == [Self.time(0), Self.time(60), Self.time(120)])
    #expect(hours.allSatisfy { $0.mean == 12.5 && $0.lowest == 12.5 && $0.highest == 12.5 })
  }

  @Test mutating func aPeakThatEndedBeforeTheHourIsNotInIt() throws {
    rig.say(900, at: 0)
    rig.pass(from: 0, to: 59)
    rig.say(100, at: 59)
    rig.pass(from: 59, to: 121)
    let second = try #require(rig.hours().last)
    #expect(second.start == Self.time(60))
    #expect(second.highest == 10 && second.mean == 10)
  }

  @Test func cyclesThatComeSeldomMakeTheSameHours() {
    var often = Rig()
    var seldom = Rig()
    often.say(100, at: 0)
    seldom.say(100, at: 0)
    often.pass(from: 0, to: 190)
    seldom.statistics.clockRead(Self.time(190), isRight: true, isReached: false)
    #expect(often.hours() == seldom.hours())
  }

  @Test(arguments: [(4.0, 0), (5.0, 1)])
  mutating func anHourInWhichHomeAssistantWasThereIsItsOwnMatter(unreached: Double, count: Int) {
    rig.say(100, at: 0)
    rig.pass(from: 0, to: 20, isReached: true)
    rig.pass(from: 20, to: 20 + unreached, isReached: false)
    rig.pass(from: 20 + unreached, to: 61, isReached: true)
    #expect(rig.hours().count == count)
  }

  @Test mutating func anOutageIsCountedInEachHourOfItsOwn() {
    rig.say(100, at: 0)
    rig.pass(from: 0, to: 56, isReached: true)
    rig.pass(from: 56, to: 64, isReached: false)
    rig.pass(from: 64, to: 121, isReached: true)
    #expect(rig.hours().isEmpty)
  }

  @Test(arguments: [(30.0, 1), (50.0, 0)])
  mutating func anHourOfWhichHomeAssistantKnowsMoreIsNotReplaced(startedAt: Double, count: Int) {
    // Home Assistant misses the last 20 minutes; the board, what was before its start.
    rig = Rig(at: startedAt - 30)
    rig.say(100, at: startedAt - 30 + 0.5)
    rig.pass(from: startedAt - 30, to: 40, isReached: true)
    rig.pass(from: 40, to: 61, isReached: false)
    #expect(rig.hours().count == count)
  }

  /// Against a mean of seconds.
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  mutating func hoursAreThoseOfALogOfEverySecond(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var log: [Double?] = []
    var value: Double?
    for second in 0..<4 * 3600 {
      let minutes = Double(second) / 60
      if random.next() % 300 == 0 {
        let tenths = Int64(random.next() % 1000) - 500
        let isThere = random.next() % 8 != 0
        value = isThere ? Double(tenths) / 10 : nil
        if isThere { rig.say(tenths, at: minutes) } else { rig.say(.unavailable, at: minutes) }
      }
      if second % 59 == 0 {
        rig.statistics.clockRead(Self.time(minutes), isRight: true, isReached: false)
      }
      log.append(value)
    }
    rig.statistics.clockRead(Self.time(240), isRight: true, isReached: false)
    let hours = rig.hours()
    #expect(hours.count >= 3)
    for hour in hours {
      let first = Int((hour.start - Self.time(0)).nanoseconds / 1_000_000_000)
      let known = log[first..<first + 3600].compactMap { $0 }
      #expect(abs(hour.mean - known.reduce(0, +) / Double(known.count)) < 1e-6)
      #expect(hour.lowest == known.min() && hour.highest == known.max())
    }
  }

  @Test mutating func aSensorThatSaysNothingHasNoHour() {
    rig.pass(from: 0, to: 61)
    rig.say(.unavailable, at: 61)
    rig.pass(from: 61, to: 121)
    rig.say(.text(InlineText("on")), at: 121)
    rig.pass(from: 121, to: 181)
    #expect(rig.hours().isEmpty)
  }

  @Test mutating func whatWasNotThereForAWhileDoesNotCount() throws {
    rig.say(100, at: 0)
    rig.pass(from: 0, to: 30)
    rig.say(.unavailable, at: 30)
    rig.pass(from: 30, to: 45)
    rig.say(400, at: 45)
    rig.pass(from: 45, to: 61)
    let hour = try #require(rig.hours().first)
    #expect(abs(hour.mean - 20) < 1e-9)
  }

  @Test mutating func ofAnHourInWhichTheClockWasSetOnlyTheRestCounts() throws {
    rig.say(900, at: 0)
    rig.pass(from: 0, to: 9)
    rig.say(100, at: 9)
    rig.statistics.clockRead(Self.time(10), isRight: false, isReached: false)
    rig.pass(from: 10, to: 61)
    let hour = try #require(rig.hours().first)
    #expect(hour.mean == 10 && hour.highest == 10)
  }

  @Test mutating func whereTheClockWasSetLateInAnHourItIsNotKnown() {
    rig.say(100, at: 0)
    rig.pass(from: 0, to: 30)
    rig.statistics.clockRead(Self.time(31), isRight: false, isReached: false)
    rig.pass(from: 31, to: 121)
    // From 10:32 to 11:00 is less than what Home Assistant may know of it.
    #expect(rig.hours().map { $0.start } == [Self.time(60)])
  }

  /// It was set after it was read, and a reading comes before it is read again.
  @Test mutating func aReadingFromAnotherYearMakesNoHours() {
    rig.say(100, at: 0)
    rig.pass(from: 0, to: 50)
    rig.say(110, at: 5_000_000)
    rig.statistics.clockRead(Self.time(5_000_001), isRight: false, isReached: false)
    #expect(rig.hours().isEmpty)
  }

  @Test mutating func aClockWithoutAWitnessMakesNoHours() {
    rig.say(100, at: 0)
    rig.pass(from: 0, to: 300, isRight: false)
    #expect(rig.hours().isEmpty)
    rig.pass(from: 300, to: 421)
    #expect(rig.hours().map { $0.start } == [Self.time(300), Self.time(360)])
  }
}
