import Bytes
import CLinux
import FailingReads
import LinuxIO
import Sensing
import Testing
import YAML

@testable import Drivers

/// What one entry of `sensors` makes of the devices of a tree.
final class SensorRig {
  let tree: FakeTree
  let sink = RecordingSink()
  let source: any Source
  let supervisor: Supervisor
  private let loop: EventLoop
  private let reader: BackgroundReader

  /// `entry` is an entry of `sensors` without its braces; its sensor is called Bench.
  convenience init(_ entry: String, in tree: FakeTree, sys: Path? = nil) throws {
    let loop = try EventLoop()
    try self.init(
      entry, in: tree, sys: sys, loop, BackgroundReader(loop: loop, clock: reading_clock))
  }

  private init(
    _ entry: String, in tree: FakeTree, sys: Path? = nil, _ loop: EventLoop,
    _ reader: BackgroundReader
  ) throws {
    self.tree = tree
    self.loop = loop
    self.reader = reader
    let settings = try #require(sensorSettings(entry).settings)
    supervisor = Supervisor(owner: sink)
    source = settings.source(
      SourceContext(in: sys ?? tree.path, loop, sink, supervisor, reader: reader))
  }

  /// Another sensor of the same agent.
  func another(_ entry: String) throws -> SensorRig {
    try SensorRig(entry, in: tree, loop, reader)
  }

  /// Gives the threads a moment.
  func turn() throws { try loop.turn(until: Moment.now.instant + .milliseconds(1)) }

  /// Reads once, and waits for the answer; what failed, in words.
  func failure() -> String? {
    // The supervisor tells each trouble once.
    supervisor.worked(source.name)
    let told = sink.reports.count
    do throws(SourceFailure) {
      try source.sample(at: at(seconds: 1))
    } catch {
      return string(error)
    }
    wait()
    return sink.reports.dropFirst(told).last.flatMap {
      $0.split(separator: ": ", maxSplits: 1).last.map(String.init)
    }
  }

  /// Reads once; the number as it is sent, or what failed.
  func answer() -> String? { failure() ?? number }

  /// Waits until nothing of the source is on its way.
  func wait(until isOver: (() -> Bool)? = nil) {
    while !(isOver?() ?? !source.isGathering) { try? loop.turn(until: nil) }
  }

  var value: Value? { sink.values.values.first }

  /// The number that was read last, as it is sent.
  var number: String? {
    guard case .number(let number) = value else { return nil }
    var digits = ByteBuffer(capacity: 24)
    digits.append(number)
    return string([UInt8](digits.bytes))
  }

  var sensor: SensorDescription? { sink.sensors.first }
}

extension DriverSuite {
  /// What one reading of an entry of `sensors` brings: the number as it is sent, or what failed.
  func answer(_ entry: String) throws -> String? { try SensorRig(entry, in: tree).answer() }
}

extension ProblemCollector {
  /// The field of a file with this text, whose problems are collected here.
  func field(_ text: String) -> ConfigurationField? {
    ConfigurationField(file: [UInt8](text.utf8), example: "{}", problems: self)
  }

  var texts: [String] { errors.problems.map { string($0.problem) } }
}

/// The settings that an entry of `sensors` makes, and what is wrong with it.
func sensorSettings(_ entry: String) -> (settings: (any ConfiguredSensor)?, problems: [String]) {
  let problems = ProblemCollector()
  let settings = problems.field("[{ name: Bench, \(entry) }]").map { SensorKind.list($0) } ?? []
  return (
    problems.isEmpty ? settings.first : nil,
    problems.errors.problems.map { problem in
      "\(string(problem.key)): \(string(problem.problem)); \(string(problem.remedy))"
    }
  )
}

@Suite final class IIOTests: DriverSuite {
  private func add(_ recording: Recording, _ number: Int = 0, at place: String = "1-0076") throws {
    try tree.addConverter(
      number, named: recording.name, at: place, part: recording.part, recording.files)
  }

  private func converter(_ place: String = "1-0076") -> String {
    "devices/platform/i2c-1/\(place)/iio:device0"
  }

  @Test func homeAssistantIsToldWhatTheChannelMeasures() throws {
    try add(.bme280On6_1)
    let rig = try SensorRig("iio: bme280/temp", in: tree)
    #expect(rig.failure() == nil)
    #expect(rig.failure() == nil)
    #expect(rig.sink.times.values.first == at(seconds: 1).wallTime)
    let sensor = try #require(rig.sensor)
    #expect(string(sensor.uniqueID) == "iio_bme280_temp")
    #expect(string(sensor.name) == "Bench")
    #expect(sensor.unit.map(string) == "°C")
    #expect(sensor.deviceClass.map(string) == "temperature")
    #expect(sensor.stateClass.map(string) == "measurement")
    #expect(sensor.icon == nil, "Home Assistant has one of the class")
  }

  @Test(arguments: [Recording.ads1115Saturated, .ads1015Saturated])
  func aSaturatedConverterIsUnknownAndBackLater(_ recording: Recording) throws {
    try add(recording, at: "1-0048")
    let rig = try SensorRig("iio: ads1015/voltage0", in: tree)
    let end = try #require(recording.files["in_voltage0_raw"]).dropLast()
    #expect(rig.failure() == "malformed ads1015/voltage0 '\(end), the end of its range'")
    #expect(rig.value == .unknown)
    try tree.write("1000\n", to: "\(converter("1-0048"))/in_voltage0_raw")
    #expect(rig.failure() == nil)
    #expect(rig.number != nil)
  }

  @Test func aDeviceWithAnotherNumberIsFoundAgain() throws {
    try add(.bme280On6_1, 0)
    let rig = try SensorRig("iio: bme280/temp", in: tree)
    #expect(rig.failure() == nil)
    try tree.fail("\(converter())/in_temp_input", with: ENODEV)
    try tree.removeConverter(0, at: "1-0076")
    // Another device has its number now.
    try tree.addConverter(0, named: "tmp117", at: "1-0048", ["in_temp_input": "99000"])
    try tree.addConverter(1, named: "bme280", at: "1-0077", ["in_temp_input": "-5000"])
    #expect(rig.answer() == "-5.0")
  }

  @Test func aDeviceThatIsNotThereIsAnUnavailableSensorAndFoundLater() throws {
    let rig = try SensorRig("iio: bme280/temp", in: tree)
    #expect(rig.failure() == "missing bme280/temp")
    #expect(rig.value == .unavailable)
    try add(.ads1115, 3, at: "1-0048")
    #expect(rig.failure() == "missing bme280/temp")
    try add(.bme280On6_1, 5)
    #expect(rig.answer() == "25.1")
  }

  @Test func aDeviceWithoutThisChannelIsMissingToo() throws {
    try add(.bme280On6_1)
    let rig = try SensorRig("iio: bme280/illuminance", in: tree)
    #expect(rig.failure() == "missing bme280/illuminance")
    #expect(rig.value == .unavailable)
  }

  @Test func twoDevicesOfOneNameAreToldApartByTheirPlace() throws {
    try add(.ads1115, 0, at: "1-0049")
    try tree.addConverter(
      1, named: "ads1015", at: "1-0048", ["in_voltage0_raw": "8000", "in_voltage0_scale": "1"])
    let both = try SensorRig("iio: ads1015/voltage0", in: tree)
    #expect(both.failure() == "ambiguous ads1015/voltage0 '1-0048 1-0049'")
    #expect(both.value == .unavailable)
    #expect(try answer("iio: ads1015@1-0048/voltage0") == "8.00")
    #expect(try answer("iio: ads1015@1-0049/voltage0") == "2.05")
    #expect(try answer("iio: ads1015@1-004a/voltage0") == "missing ads1015@1-004a/voltage0")
  }

  @Test func aNameThatHasAnAtItselfIsAName() throws {
    try tree.addConverter(0, named: "dht11@4", at: "dht11@4", ["in_temp_input": "21000"])
    #expect(try answer("iio: dht11@4/temp") == "21.0")
  }

  @Test func aDeviceThatLeavesIsUnavailable() throws {
    try add(.bme280On6_1)
    let rig = try SensorRig("iio: bme280/temp", in: tree)
    #expect(rig.failure() == nil)
    try tree.fail("\(converter())/in_temp_input", with: ENODEV)
    try tree.removeConverter(0, at: "1-0076")
    #expect(rig.failure() == "missing bme280/temp")
    #expect(rig.value == .unavailable)
  }

  @Test func aDeviceThatIsThereAndNotConnectedToItsDriverIsMissing() throws {
    try add(.bme280On6_1)
    try tree.fail("\(converter())/in_temp_input", with: ENODEV)
    #expect(try answer("iio: bme280/temp") == "missing bme280/temp")
  }

  @Test(arguments: [EREMOTEIO, ENXIO, ETIMEDOUT, EIO])
  func aPartThatDoesNotAnswerIsUnavailableWithItsNumberAndBack(code: Int32) throws {
    try add(.bme280On6_1)
    let rig = try SensorRig("iio: bme280/temp", in: tree)
    #expect(rig.failure() == nil)
    try tree.fail("\(converter())/in_temp_input", with: code)
    #expect(rig.failure() == "failed bme280/temp \(code)")
    #expect(rig.value == .unavailable)
    try tree.write("1000", to: "\(converter())/in_temp_input")
    #expect(rig.answer() == "1.0")
  }

  @Test func aDeviceWhoseBufferRunsIsBusy() throws {
    try add(.bme280On6_1)
    try tree.fail("\(converter())/in_temp_input", with: EBUSY)
    let rig = try SensorRig("iio: bme280/temp", in: tree)
    #expect(rig.failure() == "busy bme280/temp")
    #expect(rig.value == .unavailable)
  }

  @Test func aDriverWithoutAValueYetIsWaitedForAndNotForEver() throws {
    try add(.bme280On6_1)
    let file = "\(converter())/in_temp_input"
    try tree.fail(file, with: EAGAIN)
    let rig = try SensorRig("iio: bme280/temp", in: tree)
    for _ in 0..<KernelSensor.notYetMax {
      #expect(rig.failure() == nil)
      #expect(rig.value == .unknown)
    }
    #expect(rig.failure() == "failed bme280/temp \(EAGAIN)")
    #expect(rig.value == .unavailable)
    try tree.write("1000", to: file)
    #expect(rig.answer() == "1.0")
    try tree.fail(file, with: EAGAIN)
    #expect(rig.failure() == nil)
  }

  @Test(arguments: [
    ("", "nothing"), ("\n", "nothing"), ("warm\n", "warm"), ("1e3", "1e3"),
    ("99999999999999999999", "99999999999999999999"),
  ])
  func whatIsNoNumberIsUnknownAndSaid(text: String, found: String) throws {
    try tree.addConverter(0, named: "bme280", at: "1-0076", ["in_temp_input": text])
    let rig = try SensorRig("iio: bme280/temp", in: tree)
    #expect(rig.failure() == "malformed bme280/temp '\(found)'")
    #expect(rig.value == .unknown)
  }

  @Test(arguments: ["in_voltage0_scale", "in_voltage0_offset"])
  func aScaleThatIsNoNumberIsNoScale(file: String) throws {
    try add(.dummy)
    try tree.write("wide\n", to: "\(converter())/\(file)")
    let rig = try SensorRig("iio: bench/voltage0", in: tree)
    #expect(rig.failure() == "malformed bench/voltage0 'wide'")
    #expect(rig.value == .unknown)
  }

  @Test func aScaleIsReadAgainAfterAFailure() throws {
    try add(.mcp3008)
    let device = converter()
    let rig = try SensorRig("iio: mcp3008/voltage3", in: tree)
    #expect(rig.failure() == nil)
    try tree.write("1\n", to: "\(device)/in_voltage_scale")
    #expect(rig.answer() == "1.65")
    try tree.write("\n", to: "\(device)/in_voltage3_raw")
    #expect(rig.failure() != nil)
    try tree.write("512\n", to: "\(device)/in_voltage3_raw")
    #expect(rig.answer() == "0.51")
  }

  @Test func aNumberThatItsCalibrationMakesTooLargeIsUnknown() throws {
    try tree.addConverter(
      0, named: "bench", at: "x", ["in_steps_input": "9223372036854775807"])
    let rig = try SensorRig("iio: bench/steps, factor: 2", in: tree)
    #expect(
      rig.failure() == "malformed bench/steps 'a number too large for its calibration'")
    #expect(rig.value == .unknown)
  }

  @Test func aShuntThatTheDeviceDoesNotKnowIsMissing() throws {
    try tree.addConverter(0, named: "x", at: "1-0040", ["in_current0_input": "1000"])
    #expect(try answer("iio: x/current0, shunt: 0.1") == "missing x/current0")
  }
}

@Suite final class MonitorTests: DriverSuite {
  private func add(_ recording: Recording, _ number: Int = 0, at place: String = "1-0040") throws {
    try tree.addMonitor(number, named: recording.name, at: place, recording.files)
  }

  @Test func homeAssistantIsToldWhatTheChannelMeasures() throws {
    try add(.ina219)
    let rig = try SensorRig("hwmon: ina219/curr1", in: tree)
    #expect(rig.failure() == nil)
    let sensor = try #require(rig.sensor)
    #expect(string(sensor.uniqueID) == "hwmon_ina219_curr1")
    #expect(sensor.unit.map(string) == "A")
    #expect(sensor.deviceClass.map(string) == "current")
  }

  @Test func twoChipsOfOneNameAreToldApartByTheirPlace() throws {
    try add(.ina219, 0, at: "1-0041")
    try add(Recording(name: "ina219", part: nil, files: ["in1_input": "5000"]), 1, at: "1-0040")
    #expect(try answer("hwmon: ina219/in1") == "ambiguous ina219/in1 '1-0040 1-0041'")
    #expect(try answer("hwmon: ina219@1-0040/in1") == "5.00")
  }

  @Test(arguments: ["power_supply", "thermal"])
  func aBatteryOrAZoneThatLooksLikeAChipIsLeftOut(subsystem: String) throws {
    try tree.addMonitor(
      0, named: "lm75", at: "BAT0", subsystem: subsystem, ["temp1_input": "30000"])
    let rig = try SensorRig("hwmon: lm75/temp1", in: tree)
    #expect(rig.failure() == "missing lm75/temp1")
    try tree.addMonitor(1, named: "lm75", at: "1-0048", ["temp1_input": "20000"])
    #expect(rig.answer() == "20.0")
  }

  @Test func aShuntThatTheChipDoesNotKnowIsMissing() throws {
    try tree.addMonitor(0, named: "ina219", at: "1-0040", ["curr1_input": "1000"])
    #expect(try answer("hwmon: ina219/curr1, shunt: 0.1") == "missing shunt_resistor")
  }

  @Test func aChipThatLeavesIsUnavailableAndFoundAgain() throws {
    let rig = try SensorRig("hwmon: sht3x/temp1", in: tree)
    #expect(rig.failure() == "missing sht3x/temp1")
    #expect(rig.value == .unavailable)
    try add(.sht31, 7, at: "1-0044")
    #expect(rig.answer() == "-7.5")
  }
}
