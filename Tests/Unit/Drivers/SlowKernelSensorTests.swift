import Bytes
import CLinux
import FailingReads
import LinuxIO
import Sensing
import Testing

@testable import Drivers

/// Drivers that let their part measure while its file is read.
@Suite struct SlowKernelSensorTests {
  private let tree: FakeTree
  private let rig: SensorRig
  private let file = "devices/platform/i2c-1/1-0023/iio:device0/in_illuminance_input"

  init() throws {
    tree = try FakeTree()
    try tree.addConverter(0, named: "bh1750", at: "1-0023", ["in_illuminance_input": "100\n"])
    rig = try SensorRig("iio: bh1750/illuminance", in: tree)
  }

  /// Writes a number that takes so long to be read.
  private func write(_ number: Int, slowBy milliseconds: Int = 0) throws {
    let mark = milliseconds > 0 ? "\(SLOW_READ_MARK)\(milliseconds)\n" : ""
    try tree.write("\(mark)\(number)\n", to: file)
  }

  /// Has it read once. Returns whether the loop went on meanwhile.
  private func isReadBesideTheLoop(at second: Int64 = 1) throws -> Bool {
    try rig.source.sample(at: at(seconds: second))
    defer { rig.wait() }
    return rig.source.isGathering
  }

  @Test func aFastSensorIsReadInTheLoopOnceItIsKnown() throws {
    #expect(try isReadBesideTheLoop())
    #expect(rig.number == "100")
    for number in [200, 300] {
      try write(number)
      #expect(try !isReadBesideTheLoop())
      #expect(rig.number == "\(number)")
    }
    #expect(rig.source.deadline == nil)
    #expect(rig.source.shortfall == nil)
  }

  @Test func aSlowSensorIsReadBesideTheLoopEachTime() throws {
    for number in [200, 300, 400] {
      try write(number, slowBy: 180)
      #expect(try isReadBesideTheLoop())
      #expect(rig.number == "\(number)")
    }
  }

  @Test func aSensorThatBecomesSlowHoldsTheLoopUpOnce() throws {
    #expect(try isReadBesideTheLoop())
    try write(200, slowBy: 11)
    #expect(try !isReadBesideTheLoop())
    #expect(rig.number == "200")
    try write(300)
    for _ in 0..<16 { #expect(try isReadBesideTheLoop(at: 2)) }
    #expect(try !isReadBesideTheLoop(at: 2))
  }

  @Test func aFailureMakesAFileUnknownAgain() throws {
    #expect(try isReadBesideTheLoop())
    try tree.fail(file, with: ETIMEDOUT)
    #expect(rig.failure() == "failed bh1750/illuminance \(ETIMEDOUT)")
    try write(200)
    #expect(try isReadBesideTheLoop())
    #expect(try !isReadBesideTheLoop())
    #expect(rig.number == "200")
  }

  @Test func aSlowDeviceThatComesBackWithAnotherNumberIsFoundAgain() throws {
    try write(200, slowBy: 180)
    #expect(try isReadBesideTheLoop())
    try tree.fail(file, with: ENODEV)
    try tree.removeConverter(0, at: "1-0023")
    try tree.addConverter(1, named: "bh1750", at: "1-0023", ["in_illuminance_input": "300\n"])
    #expect(rig.answer() == "300")
    try tree.fail("devices/platform/i2c-1/1-0023/iio:device1/in_illuminance_input", with: ENODEV)
    #expect(rig.failure() == "missing bh1750/illuminance", "it is not asked for ever")
  }

  // MARK: What does not come back

  private func hang() throws { try tree.write("\(HANGING_READ_MARK)0", to: file) }

  /// What hangs goes on; the lines cover what stood there.
  private func answer(_ number: String) throws {
    try tree.overwrite("\(number)\n\n\n\n\n", in: file)
  }

  private func sample(at second: Int64) throws { try rig.source.sample(at: at(seconds: second)) }

  @Test func aCycleDoesNotWaitForLong() throws {
    try hang()
    try sample(at: 1)
    #expect(rig.source.isGathering)
    #expect(rig.source.deadline == at(seconds: 6).instant)
    rig.source.deadlineReached(at: at(seconds: 5))
    #expect(rig.source.isGathering)
    rig.source.deadlineReached(at: at(seconds: 6))
    #expect(!rig.source.isGathering)
    #expect(rig.source.shortfall == .silent(rig.source.name))
    try answer("200")
    rig.wait { rig.value != nil }
    #expect(rig.number == "200", "what comes later counts, too")
  }

  @Test func aDriverThatDoesNotAnswerIsUnavailableAndIsNotAskedTwice() throws {
    try hang()
    rig.supervisor.add(rig.source)
    rig.supervisor.sample(at: at(seconds: 1))
    rig.supervisor.deadlineReached(at: at(seconds: 6))
    rig.supervisor.sample(at: at(seconds: 60))
    #expect(!rig.source.isGathering)
    #expect(rig.value == nil)
    rig.supervisor.sample(at: at(seconds: 61))
    #expect(rig.value == .unavailable)
    #expect(rig.sink.reports == ["bh1750/illuminance: silent bh1750/illuminance"])
    try answer("200")
    rig.wait { rig.value != .unavailable }
    #expect(rig.number == "200")
    #expect(rig.sink.reports.last == "bh1750/illuminance: recovered")
    #expect(rig.failure() == nil)
  }

  // MARK: What shares a bus

  /// A sensor that is known to be fast, and its file.
  private func fastSensor(
    _ number: Int, on bus: String = "i2c-1"
  ) throws -> (rig: SensorRig, file: String) {
    let place = "\(bus.dropFirst(4))-004\(number)"
    try tree.addConverter(
      number, named: "lm75-\(number)", at: place, on: bus, ["in_temp_input": "25080\n"])
    let other = try rig.another("iio: lm75-\(number)/temp")
    #expect(other.failure() == nil)
    #expect(other.failure() == nil)
    #expect(other.source.deadline == nil)
    return (other, "devices/platform/\(bus)/\(place)/iio:device\(number)/in_temp_input")
  }

  /// An adapter waits for a second until it says that a part does not answer.
  @Test func aBusThatDiesHoldsTheLoopUpOnceAndNotForEachChannel() throws {
    let sensors = try (1...4).map { try fastSensor($0, on: $0 < 4 ? "i2c-1" : "i2c-2") }
    for (_, file) in sensors { try tree.write("\(SLOW_READ_MARK)1000\n20000\n", to: file) }
    for (rig, _) in sensors { try rig.source.sample(at: at(seconds: 10)) }
    #expect(sensors.map { $0.rig.source.isGathering } == [false, true, true, true])
    for (rig, _) in sensors { rig.wait() }
    for (rig, _) in sensors { try rig.source.sample(at: at(seconds: 20)) }
    #expect(sensors.allSatisfy { $0.rig.source.isGathering }, "each has learnt it")
    for (rig, _) in sensors {
      rig.wait()
      #expect(rig.number == "20.0")
    }
  }

  @Test func theNextTurnIsNotHeldUpByTheLastOne() throws {
    let (slow, fast) = (try fastSensor(1), try fastSensor(2))
    try tree.write("\(SLOW_READ_MARK)11\n20000\n", to: slow.file)
    try slow.rig.source.sample(at: at(seconds: 10))
    try fast.rig.source.sample(at: at(seconds: 11))
    #expect(!fast.rig.source.isGathering)
    try tree.write("\(SLOW_READ_MARK)10\n20000\n", to: fast.file)
    try fast.rig.source.sample(at: at(seconds: 20))
    let other = try fastSensor(3)
    try other.rig.source.sample(at: at(seconds: 20))
    #expect(!other.rig.source.isGathering, "10 ms hold nothing up")
  }

  /// Who reads it in the loop would wait for the bus as long as the thread does.
  @Test func whatIsFastIsNotReadInTheLoopWhileItsBusIsBeingRead() throws {
    let (neighbour, other) = (try fastSensor(1), try fastSensor(2, on: "i2c-2"))
    try hang()
    try sample(at: 1)
    // It is found beside the loop, and then read as one of its bus.
    try rig.turn()
    try neighbour.rig.source.sample(at: at(seconds: 10))
    try other.rig.source.sample(at: at(seconds: 10))
    #expect(neighbour.rig.source.isGathering)
    #expect(!other.rig.source.isGathering)
    try answer("200")
    neighbour.rig.wait()
    #expect(neighbour.rig.number == "25.1")
    rig.wait()
    try neighbour.rig.source.sample(at: at(seconds: 20))
    #expect(!neighbour.rig.source.isGathering)
  }

  /// The file of the one that hangs stays open: a thread holds its number.
  @Test func aDriverThatDoesNotAnswerHoldsUpNoOtherBus() throws {
    try hang()
    try sample(at: 1)
    try tree.addMonitor(1, named: "sht3x", at: "3-0044", on: "i2c-3", ["temp1_input": "25080\n"])
    let other = try rig.another("hwmon: sht3x/temp1")
    #expect(other.answer() == "25.1")
    try tree.addMonitor(2, named: "sht4x", at: "1-0044", ["temp1_input": "25080\n"])
    let behind = try rig.another("hwmon: sht4x/temp1")
    try behind.source.sample(at: at(seconds: 1))
    for _ in 0..<20 { try behind.turn() }
    #expect(behind.value == nil, "it is on the bus that does not answer")
    try answer("200")
    behind.wait()
    #expect(behind.number == "25.1")
  }
}

/// What keeps what waiting, by where the kernel shows it.
@Suite final class DeviceBusTests: DriverSuite {
  private func bus(of device: String) throws -> DeviceBus {
    let link = "bus/iio/devices/iio:device\(randomSeed())"
    try tree.link("../../../devices/\(device)", at: link)
    return DeviceBus(ofDeviceAt: tree.path / [UInt8](link.utf8))
  }

  @Test(arguments: [
    ("platform/soc/fe804000.i2c/i2c-1/1-0076/iio:device0", "i2c-1"),
    ("platform/soc/fe804000.i2c/i2c-1/i2c-11/11-0048/iio:device1", "i2c-1"),
    ("platform/soc/fe804000.i2c/i2c-1/1-0044/hwmon/hwmon2", "i2c-1"),
    ("w1_bus_master2/28-0316a2796cff", "w1_bus_master2"),
    ("w1_bus_master2/28-0316a2796cff/hwmon/hwmon3", "w1_bus_master2"),
  ])
  func partsOfOneBusShareIt(device: String, bus name: String) throws {
    #expect(try bus(of: device) == DeviceBus(named: [UInt8](name.utf8).span))
  }

  @Test func whatIsOnNoSuchBusHasItsOwn() throws {
    let devices = [
      "platform/dht11@4/iio:device0", "platform/dht11@17/iio:device1",
      "platform/soc/fe204000.spi/spi_master/spi0/spi0.0/iio:device2",
      "platform/soc/fe804000.i2c/rp1/iio:device3", "platform/i2c-1/1-0076/iio:device4",
      "platform/i2c-2/1-0076/iio:device4", "w1_bus_master1/28-0316a2796cff",
    ]
    let buses = try devices.map { try bus(of: $0) }
    for (index, bus) in buses.enumerated() { #expect(buses.firstIndex(of: bus) == index) }
    #expect(try bus(of: devices[0]) == buses[0])
  }

  @Test func aDirectoryThatIsNoLinkIsADeviceToo() throws {
    try tree.write("1\n", to: "a/in_temp_input")
    try tree.write("1\n", to: "b/in_temp_input")
    let (one, other) = (tree.path / "a", tree.path / "b")
    #expect(DeviceBus(ofDeviceAt: one) == DeviceBus(ofDeviceAt: one))
    #expect(DeviceBus(ofDeviceAt: one) != DeviceBus(ofDeviceAt: other))
  }
}
