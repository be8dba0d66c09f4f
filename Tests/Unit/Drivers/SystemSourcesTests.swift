import Bytes
import Sensing
import Testing

@testable import Drivers
@testable import LinuxIO

@Suite final class SystemSourcesTests: DriverSuite {
  private lazy var context = SourceContext(
    in: tree.path, loop, sink, supervisor, readsInLoop: true)
  private let settings = SystemSettings(SystemSensor.allCases)

  private func addZone(_ number: Int, type: String, _ millidegrees: String) throws {
    try tree.write(
      ["type": "\(type)\n", "temp": millidegrees], in: "class/thermal/thermal_zone\(number)")
  }
  private func tenths(_ number: Int64) -> Value { .number(FixedPoint(number, decimals: 1)) }

  @Test func eachSensorHasItsOwnSource() {
    #expect(
      settings.sources(context).map { string($0.name) } == [
        "processor temperature", "load average", "memory", "last start", "disk space", "traffic",
      ])
  }

  @Test func loadHasThreeSensors() throws {
    try tree.write("0.20 1.18 10.02 1/80 11206\n", to: "loadavg")
    try LoadAverage(settings, context).sample(at: at(seconds: 1))
    #expect(
      sink.values == [
        "load_1_minute": .number(FixedPoint(20, decimals: 2)),
        "load_5_minutes": .number(FixedPoint(118, decimals: 2)),
        "load_15_minutes": .number(FixedPoint(1002, decimals: 2)),
      ])
  }

  /// It changes with each report of it, and each costs.
  @Test func whatADataPlanCountsIsReadWhereItIsNamed() throws {
    #expect(!SystemSettings.all.sensors.contains(.traffic))
    try DataTraffic(settings, context).sample(at: at(seconds: 1))
    #expect(sink.sensors.map(\.uniqueID) == [[UInt8]("data_sent"), [UInt8]("data_received")])
    for value in sink.values.values {
      guard case .number(let number) = value else {
        Issue.record("\(value)")
        continue
      }
      #expect(number.decimals == 3 && number.coefficient >= 0)
    }
  }

  @Test func whatWasNeverThereHasNoSensors() {
    for source in [
      LoadAverage(settings, context), Memory(settings, context), LastStart(settings, context),
      ProcessorTemperature(settings, context),
      DiskSpace(settings, context, holding: tree.path / "nowhere"),
    ] as [any Source] {
      #expect(source.failure(at: 1)?.hasPrefix("missing ") == true)
    }
    #expect(sink.sensors.isEmpty)
  }

  @Test func aFileThatTurnsToNonsenseIsUnknownUntilItDoesNot() throws {
    let memory = Memory(settings, context)
    try tree.write("MemTotal: 8 kB\nMemAvailable: 4 kB\n", to: "meminfo")
    #expect(memory.failure(at: 1) == nil)
    #expect(sink.values == ["memory_used": tenths(500)])
    try tree.write("much\n", to: "meminfo")
    #expect(memory.failure(at: 2)?.hasSuffix(" 'much'") == true)
    #expect(sink.values == ["memory_used": .unknown])
    try tree.write("MemTotal: 8 kB\nMemAvailable: 2 kB\n", to: "meminfo")
    #expect(memory.failure(at: 3) == nil)
    #expect(sink.values == ["memory_used": tenths(750)])
  }

  @Test func theLastStartIsATimeThatStays() throws {
    let start = LastStart(settings, context)
    let told: Value = .text(InlineText("2023-11-14T22:13:21+00:00"))
    try tree.write("0.50 9.00\n", to: "uptime")
    #expect(start.failure(at: 2) == nil)
    #expect(sink.values == ["last_start": told])
    #expect(sink.sensors.first?.deviceClass == [UInt8]("timestamp".utf8))
    #expect(sink.sensors.first?.stateClass == nil)
    try tree.write("60.00 9.00\n", to: "uptime")
    #expect(start.failure(at: 70) == nil)
    #expect(sink.values == ["last_start": told])
    try tree.write("for ages\n", to: "uptime")
    #expect(start.failure(at: 71)?.hasSuffix(" 'for ages'") == true)
    #expect(sink.values == ["last_start": .unknown])
  }

  @Test func memoryIsReadFromTheFirstLinesOfALongFile() throws {
    var text = "MemTotal:  1000 kB\nMemFree:  1 kB\nMemAvailable:  250 kB\n"
    for number in 0..<100 { text += "Something\(number):   \(number) kB\n" }
    try tree.write(text, to: "meminfo")
    try Memory(settings, context).sample(at: at(seconds: 1))
    #expect(sink.values == ["memory_used": tenths(750)])
  }

  /// The processor's zone wherever it stands; of zones that say nothing, the first that answers;
  /// names in capital letters; a frozen board.
  @Test(
    arguments: [
      ([(0, "acpitz", "27800"), (1, "soc-thermal", "40000"), (10, "cpu-thermal", "48312")], 483),
      (
        [
          (2, "alpha", "20000"), (10, "alpha", "30000"), (1, "alpha", "-274000"),
          (0, "cpu-thermal", ""),
        ], 200
      ),
      ([(0, "AO-therm", "43500"), (1, "CPU-therm", "31000"), (2, "PMIC-Die", "100000")], 310),
      ([(0, "cpu-thermal", "-12345")], -123),
      ([(0, "cpu-thermal", "65"), (1, "soc-thermal", "40000")], 400),
    ] as [([(Int, String, String)], Int64)])
  func theLikeliestZoneIsTaken(zones: [(Int, String, String)], wanted: Int64) throws {
    for zone in zones { try addZone(zone.0, type: zone.1, "\(zone.2)\n") }
    try tree.write("0\n", to: "class/thermal/cooling_device0/cur_state")
    #expect(celsius() == tenths(wanted))
  }

  @Test func aBatteryIsNoProcessor() throws {
    try addZone(0, type: "BAT0", "21000\n")
    try tree.write("Battery\n", to: "class/power_supply/BAT0/type")
    let temperature = ProcessorTemperature(settings, context)
    #expect(temperature.failure(at: 1) == "missing a thermal zone that answers")
    try addZone(1, type: "soc-thermal", "35000\n")
    #expect(celsius(of: temperature, at: 2) == tenths(350))
  }

  /// Sensors without calibration, whole degrees of an old kernel, a part that is switched off.
  @Test(arguments: [
    ("203000", "implausible", "'203.000 °C', outside of -50 to 150 °C"),
    ("-273000", "implausible", "'-273.000 °C', outside of -50 to 150 °C"),
    ("45", "malformed", "'whole degrees, not thousandths'"), ("", "malformed", "''"),
  ])
  func theOnlyZoneFailsWithItsOwnReason(text: String, kind: String, reason: String) throws {
    try addZone(1, type: "soc-thermal", "\(text)\n")
    let told = ProcessorTemperature(settings, context).failure(at: 1)
    #expect(told?.hasPrefix("\(kind) ") == true && told?.hasSuffix(" \(reason)") == true)
  }

  @Test func ofZonesThatAllFailTheLikeliestSaysWhy() throws {
    try addZone(0, type: "soc-thermal", "\n")
    try addZone(7, type: "cpu-thermal", "45\n")
    try addZone(9, type: "cpu-thermal", "203000\n")
    try addMonitor(0, "coretemp", ["temp2_input": "-273000"])
    let told = ProcessorTemperature(settings, context).failure(at: 1)
    #expect(told?.hasSuffix(" 'whole degrees, not thousandths'") == true)
  }

  @Test func aFileThatIsNotThereHidesNoReason() throws {
    try addMonitor(0, "coretemp", ["temp2_input": "-273000"])
    let told = ProcessorTemperature(settings, context).failure(at: 1)
    #expect(told?.hasSuffix(" '-273.000 °C', outside of -50 to 150 °C") == true)
    try addMonitor(0, "nvme", [:])
    #expect(
      ProcessorTemperature(settings, context).failure(at: 2)
        == "missing a thermal zone that answers")
  }

  /// `system: auto` asks for what the board has: a zone that may be another part's is not known to
  /// be that.
  @Test(arguments: [("thing", false), ("cpu-thermal", true)])
  func onItsOwnOnlyAZoneOfTheProcessorFails(type: String, isFailure: Bool) throws {
    try addZone(0, type: type, "203000\n")
    let told = ProcessorTemperature(.all, context).failure(at: 1)
    #expect(told?.hasPrefix("missing ") == !isFailure)
  }

  @Test func aMachineThatNeedNotHaveAZoneFailsOnlyOnceItHadOne() throws {
    supervisor.add(ProcessorTemperature(.all, context))
    supervisor.sample(at: at(seconds: 1))
    #expect(sink.sensors.isEmpty)
    try addZone(0, type: "cpu-thermal", "48000\n")
    supervisor.sample(at: at(seconds: 2))
    #expect(sink.sensors.isEmpty, "it is looked for seldom")
    supervisor.sample(at: at(seconds: 10))
    #expect(sink.values == ["processor_temperature": tenths(480)])
    #expect(sink.reports.isEmpty, "what was never told is not over")
    try addZone(0, type: "cpu-thermal", "4294967295\n")
    supervisor.sample(at: at(seconds: 11))
    #expect(sink.reports.last?.contains("'4294967.295 °C', outside of -50 to 150 °C") == true)
    let count = sink.reports.count
    supervisor.sample(at: at(seconds: 16))
    #expect(sink.reports.count == count, "it is reported once")
  }

  @Test func aZoneThatFailsIsGivenUpForOneThatAnswers() throws {
    try addZone(0, type: "cpu-thermal", "48000\n")
    try addZone(1, type: "soc-thermal", "27000\n")
    let temperature = ProcessorTemperature(settings, context)
    #expect(temperature.failure(at: 1) == nil)
    try addZone(0, type: "cpu-thermal", "4294967295\n")
    let told = temperature.failure(at: 2)
    #expect(told?.hasSuffix("'4294967.295 °C', outside of -50 to 150 °C") == true)
    #expect(sink.values == ["processor_temperature": .unknown])
    #expect(celsius(of: temperature, at: 3) == tenths(270))
  }

  // MARK: Whose temperature it is

  private func addMonitor(_ number: Int, _ name: String, _ files: [String: String]) throws {
    let chip = "class/hwmon/hwmon\(number)"
    try tree.write("\(name)\n", to: "\(chip)/name")
    try tree.write(files.mapValues { $0 + "\n" }, in: chip)
  }

  /// What the only sensor is after a sample that does not fail.
  private func celsius(of temperature: ProcessorTemperature? = nil, at second: Int64 = 1) -> Value?
  {
    let temperature = temperature ?? ProcessorTemperature(settings, context)
    guard temperature.failure(at: second) == nil, sink.values.count == 1 else { return nil }
    return sink.values["processor_temperature"]
  }

  @Test(arguments: [["iwlwifi_1", "acpitz"], ["pch_skylake"], ["gpu-thermal", "ddr-thermal"], []])
  func whereAllZonesNameOtherPartsThereIsNoSensor(types: [String]) throws {
    for (number, type) in types.enumerated() { try addZone(number, type: type, "54000\n") }
    try addMonitor(0, "nvme", ["temp1_input": "40000"])
    #expect(celsius() == nil)
    #expect(sink.sensors.isEmpty)
  }

  @Test(
    arguments: [
      ("k10temp", ["temp1_input": "42500"], 425), ("cpu_thermal", ["temp1_input": "42500"], 425),
      ("coretemp", ["temp1_input": "50000", "temp2_input": "45000"], 500),
      ("coretemp", ["temp2_input": "45000"], 450),
      ("coretemp", ["temp1_input": "3892313987", "temp2_input": "45000"], 450),
      (
        "coretemp", ["temp1_input": "127000", "temp1_fault": "1", "temp2_input": "45000"], 450
      ),
      ("via_cputemp", ["temp1_input": "42500", "temp1_fault": "0"], 425),
    ] as [(String, [String: String], Int64)])
  func theMonitorOfTheProcessorStandsIn(name: String, files: [String: String], wanted: Int64) throws
  {
    try addZone(0, type: "iwlwifi_1", "54000\n")
    try addZone(1, type: "soc_dts0", "60000\n")
    try addMonitor(3, name, files)
    #expect(celsius() == tenths(wanted))
  }

  @Test func whatTheMonitorDoesNotVouchForIsUnknownUntilItDoes() throws {
    try addMonitor(0, "k10temp", ["temp1_input": "42500", "temp1_fault": "0"])
    let temperature = ProcessorTemperature(settings, context)
    #expect(temperature.failure(at: 1) == nil)
    try tree.write("1\n", to: "class/hwmon/hwmon0/temp1_fault")
    #expect(temperature.failure(at: 2)?.hasPrefix("distrusted ") == true)
    #expect(temperature.failure(at: 3) != nil, "it is not chosen again")
    try tree.write("0\n", to: "class/hwmon/hwmon0/temp1_fault")
    #expect(celsius(of: temperature, at: 4) == tenths(425))
  }

  @Test func aZoneOfTheProcessorIsBetterThanItsMonitor() throws {
    try addMonitor(0, "coretemp", ["temp1_input": "50000"])
    try addZone(0, type: "x86_pkg_temp", "49000\n")
    #expect(celsius() == tenths(490))
  }

  @Test func aStopgapIsLookedAtAgainUntilTheBestAnswers() throws {
    try addZone(0, type: "soc-thermal", "40000\n")
    try addZone(1, type: "cpu-thermal", "")
    let temperature = ProcessorTemperature(settings, context)
    #expect(celsius(of: temperature, at: 1) == tenths(400))
    #expect(celsius(of: temperature, at: 6) == tenths(400))
    try addZone(1, type: "cpu-thermal", "48000\n")
    #expect(celsius(of: temperature, at: 15) == tenths(400), "it is looked at ever less")
    #expect(celsius(of: temperature, at: 16) == tenths(480))
  }

  @Test func aStopgapThatFailsIsLeftAtOnce() throws {
    try addZone(0, type: "soc-thermal", "40000\n")
    let temperature = ProcessorTemperature(settings, context)
    #expect(temperature.failure(at: 1) == nil)
    try addZone(0, type: "soc-thermal", "")
    #expect(temperature.failure(at: 2) != nil)
    try addZone(1, type: "cpu-thermal", "48000\n")
    #expect(celsius(of: temperature, at: 3) == tenths(480))
  }

  @Test func theDiskIsSomewhereBetweenEmptyAndFull() throws {
    try DiskSpace(settings, context).sample(at: at(seconds: 1))
    guard case .number(let percent) = sink.values["disk_used"] else {
      Issue.record("the root has a size")
      return
    }
    #expect(percent.decimals == 1)
    #expect((0...1000).contains(percent.coefficient))
  }

  @Test func aFileSystemWithoutASizeCannotBeFull() {
    let procfs = DiskSpace(settings, context, holding: Path("/proc"))
    #expect(procfs.failure(at: 1)?.hasPrefix("unsupported /proc") == true)
  }

  /// Five of a hundred bytes are root's own; `df` says 52.6 % here.
  @Test func whatRootKeepsForItselfCountsNeitherAsUsedNorAsFree() {
    func usedPercent(_ used: UInt64, _ available: UInt64) -> FixedPoint? {
      FileSystemSpace(
        totalBytes: 100, usedBytes: used, availableBytes: available, isReadOnly: false
      ).usedPercent
    }
    #expect(usedPercent(50, 45) == FixedPoint(526, decimals: 1))
    #expect(usedPercent(95, 0) == FixedPoint(1000, decimals: 1))
    #expect(usedPercent(.max, 1) == nil)
  }
}
