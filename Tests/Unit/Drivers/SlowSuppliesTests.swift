import Bytes
import CLinux
import FailingReads
import LinuxIO
import Sensing
import Testing

@testable import Drivers

/// Supplies, zones and other files whose reads take their time: the loop goes on meanwhile.
@Suite final class SlowSuppliesTests: DriverSuite {
  private lazy var context = SourceContext(
    in: tree.path, loop, sink, supervisor,
    reader: BackgroundReader(loop: loop, clock: reading_clock))
  private let battery = "class/power_supply/sbs-20-000b"
  private let capacity = "supply_sbs_20_000b_capacity"
  private static let files = ["capacity": "50\n", "voltage_now": "11700000\n"]

  override init() throws {
    try super.init()
    try tree.write(["type": "Battery\n"].merging(Self.files) { $1 }, in: battery)
  }

  private func source(_ settings: BatterySettings = .automatic) throws -> any Source {
    let source = try #require(settings.source(context))
    supervisor.add(source)
    return source
  }

  /// Makes each file take this long.
  private func slow(by milliseconds: Int, _ files: [String: String] = SlowSuppliesTests.files)
    throws
  {
    for (file, text) in files {
      try tree.write("\(SLOW_READ_MARK)\(milliseconds)\n\(text)", to: "\(battery)/\(file)")
    }
  }

  private func giveThreadsTime() throws {
    for _ in 0..<50 { try loop.turn(until: Moment.now.instant + .milliseconds(1)) }
  }

  private func wait(for source: any Source) {
    while source.isGathering { try? loop.turn(until: nil) }
  }

  /// The kernel gives up after a second for each file (i2c-bcm2835; starship issue 5740).
  @Test func aGaugeThatTakesASecondForEachFileHoldsNothingUp() throws {
    try slow(by: 1000)
    let source = try source()
    for second in Int64(1)...3 {
      let before = reading_clock()
      supervisor.sample(at: at(seconds: second * 10))
      #expect(reading_clock() == before, "this thread has read none of it")
      #expect(source.isGathering)
      wait(for: source)
      #expect(sink.values[capacity] == .number(FixedPoint(50)))
    }
    #expect(sink.reports.isEmpty)
  }

  @Test func aGaugeThatIsFastIsReadInTheLoopAndOneThatBecomesSlowHoldsItUpForOneFile() throws {
    let source = try source()
    supervisor.sample(at: at(seconds: 1))
    #expect(source.isGathering, "it is not known yet")
    wait(for: source)
    supervisor.sample(at: at(seconds: 2))
    #expect(!source.isGathering)
    try slow(by: 1000)
    let before = reading_clock()
    supervisor.sample(at: at(seconds: 3))
    #expect(reading_clock() - before == 1_000_000_000, "of two files one")
    #expect(source.isGathering, "the other goes beside the loop")
    wait(for: source)
    supervisor.sample(at: at(seconds: 4))
    #expect(source.isGathering)
    wait(for: source)
    #expect(sink.values[capacity] == .number(FixedPoint(50)))
  }

  /// Of several batteries the first one is the board's, whichever answers first.
  @Test func theSuppliesAreMadeKnownInTheirOrder() throws {
    try tree.write("\(HANGING_READ_MARK)0", to: "\(battery)/capacity")
    try tree.write(["type": "Battery\n", "capacity": "7\n"], in: "class/power_supply/BAT9")
    let names = ["sbs-20-000b", "BAT9"].map { [UInt8]($0.utf8) }
    let source = try source(.supplies(SupplySettings(names: names)))
    supervisor.sample(at: at(seconds: 1))
    try giveThreadsTime()
    #expect(sink.sensors.isEmpty)
    try tree.overwrite("50\n\n\n\n\n", in: "\(battery)/capacity")
    wait(for: source)
    #expect(sink.sensors.first.map { string($0.uniqueID) } == capacity)
    #expect(sink.values["supply_bat9_capacity"] == .number(FixedPoint(7)))
  }

  /// A driver that does not come back hides the others no longer than a cycle waits.
  @Test func oneThatDoesNotAnswerHidesNoOther() throws {
    try tree.write("\(HANGING_READ_MARK)0", to: "\(battery)/capacity")
    try tree.write(["type": "Mains\n", "online": "1\n"], in: "class/power_supply/AC")
    let names = ["sbs-20-000b", "AC"].map { [UInt8]($0.utf8) }
    let source = try source(.supplies(SupplySettings(names: names)))
    supervisor.sample(at: at(seconds: 1))
    try giveThreadsTime()
    supervisor.deadlineReached(at: at(seconds: 6))
    while sink.values.isEmpty { try loop.turn(until: Moment.now.instant + .milliseconds(1)) }
    #expect(sink.values == ["supply_ac_online": .boolean(true)])
    #expect(!source.isGathering)
    supervisor.sample(at: at(seconds: 301))
    #expect(sink.reports == ["sbs-20-000b: silent sbs-20-000b"])
    try tree.overwrite("50\n\n\n\n\n", in: "\(battery)/capacity")
    while sink.values[capacity] == nil { try loop.turn(until: nil) }
    #expect(sink.reports.last == "sbs-20-000b: recovered")
  }

  /// An announcement says no value, and none follows it.
  @Test func aValueThatIsAnnouncedWhileTheFormerOneIsReadIsReadAsWell() throws {
    try tree.write("\(HANGING_READ_MARK)0", to: "\(battery)/voltage_now")
    let source = try source()
    supervisor.sample(at: at(seconds: 1))
    try giveThreadsTime()
    try tree.overwrite("17\n", in: "\(battery)/capacity")
    supervisor.devicesChanged(.powerSupply, at: at(seconds: 2))
    #expect(sink.values.isEmpty)
    try tree.overwrite("11700000\n\n\n", in: "\(battery)/voltage_now")
    wait(for: source)
    #expect(sink.values[capacity] == .number(FixedPoint(17)))
    #expect(sink.reports.isEmpty)
  }

  @Test func aSupplyThatLeavesWhileItIsReadIsAway() throws {
    let source = try source()
    supervisor.sample(at: at(seconds: 1))
    wait(for: source)
    try slow(by: 11)
    supervisor.sample(at: at(seconds: 2))
    #expect(source.isGathering)
    try tree.remove(battery)
    supervisor.sample(at: at(seconds: 3))
    #expect(sink.values[capacity] == .unavailable)
    wait(for: source)
    #expect(sink.values[capacity] == .unavailable)
    #expect(sink.reports == ["sbs-20-000b: missing sbs-20-000b"])
  }

  // MARK: Other files

  private func isBesideLoop(_ source: any Source, _ files: [String: String]) throws -> Bool {
    for (file, text) in files { try tree.write("\(SLOW_READ_MARK)1000\n\(text)", to: file) }
    supervisor.add(source)
    let before = reading_clock()
    supervisor.sample(at: at(seconds: 1))
    let isBeside = reading_clock() == before && source.isGathering
    wait(for: source)
    return isBeside && !sink.values.isEmpty && sink.reports.isEmpty
  }

  @Test func aZoneThatIsSlowHoldsNothingUp() throws {
    let zone = "class/thermal/thermal_zone0"
    #expect(
      try isBesideLoop(
        ProcessorTemperature(SystemSettings([.cpuTemperature]), context),
        ["\(zone)/type": "cpu-thermal\n", "\(zone)/temp": "48000\n"]))
    #expect(sink.values == ["processor_temperature": .number(FixedPoint(480, decimals: 1))])
  }

  /// `lxcfs` is a program.
  @Test func theFiguresOfTheKernelHoldNothingUp() throws {
    let settings = SystemSettings([.load, .memory, .uptime, .disk])
    #expect(
      try isBesideLoop(
        LoadAverage(settings, context), ["loadavg": "0.20 1.18 10.02 1/80 1\n"]))
    #expect(
      try isBesideLoop(
        Memory(settings, context),
        ["meminfo": "MemTotal: 8 kB\nMemAvailable: 4 kB\n"]))
    #expect(try isBesideLoop(LastStart(settings, context), ["uptime": "0.50 9.00\n"]))
    #expect(try isBesideLoop(DiskSpace(settings, context), [:]))
  }

  @Test func anInterfaceThatIsSlowHoldsNothingUp() throws {
    let statistics = "class/net/wwan0/statistics"
    let settings = InterfaceSettings(
      interface: [UInt8]("wwan0".utf8), entity: EntitySettings(name: [UInt8]("LTE".utf8)))
    #expect(
      try isBesideLoop(
        InterfaceStatistics(settings, context),
        ["\(statistics)/rx_bytes": "1000000\n", "\(statistics)/tx_bytes": "0\n"]))
  }

  /// A board without a zone is as good as one that has it.
  @Test func whatNeedNotBeThereIsNotMissedBesideTheLoop() throws {
    let zone = ProcessorTemperature(.all, context)
    supervisor.add(zone)
    supervisor.sample(at: at(seconds: 1))
    wait(for: zone)
    #expect(sink.reports.isEmpty && sink.sensors.isEmpty)
  }
}
