import Bytes
import LinuxIO
import Sensing
import Testing

@testable import Drivers

@Suite final class VEDirectTests: DriverSuite {
  private static let charger = """
    PID 0xA042
    SER# HQ1750ABCDE
    V 14010
    I 5200
    CS 3
    LOAD ON
    H20 27
    """
  private static let shunt = "PID 0xA389\nV 12000\nSOC 934\nTTG ---"

  private let device: FakeSerialDevice

  override init() throws {
    device = try FakeSerialDevice()
    try super.init()
    try device.plugIn()
  }

  private func driver(
    uniqueID: String? = nil, icon: String? = nil, only sensors: VEDirectSensors = .usual
  ) -> VEDirect {
    let entity = EntitySettings(
      name: [UInt8]("Solar".utf8), icon: icon.map { [UInt8]($0.utf8) },
      uniqueID: uniqueID.map { [UInt8]($0.utf8) })
    let driver = VEDirect(
      VEDirectSettings(path: device.path, entity: entity, sensors: sensors),
      SourceContext(in: Path("/nowhere"), loop, sink, supervisor))
    supervisor.add(driver)
    return driver
  }

  @Test func whatAPortHeldIsNotReadAfterItWasDiscarded() throws {
    let port = try Descriptor.serialPort(at: Path(device.path))
    try device.say([UInt8]("old".utf8))
    try port.discardInput()
    try device.say([UInt8]("new".utf8))
    var buffer = ByteBuffer(capacity: 16)
    _ = try port.read(into: &buffer)
    let read = [UInt8](buffer.bytes)
    #expect(read == [UInt8]("new".utf8))
  }

  private var voltage: Value? { sink.values["ve_direct_hq1750abcde_voltage"] }

  /// Lets a cycle begin that long ago: what comes now is no leftover.
  private func ask() { supervisor.sample(at: moment(in: .seconds(-1))) }

  /// Turns the loop until `condition` holds; blocks are over at once.
  private func hear(until condition: () -> Bool) throws {
    let limit = Moment.now.instant + .seconds(20)
    while !condition() {
      try #require(Moment.now.instant < limit, "what the test waits for does not come")
      try loop.turn(until: Moment.now.instant + .milliseconds(5))
      supervisor.deadlineReached(at: moment(in: VEDirectSession.blockTime))
    }
  }

  /// Lets a whole cycle pass in which the device says these blocks.
  private func gather(_ driver: VEDirect, _ blocks: String...) throws {
    ask()
    for block in blocks { try device.sayBlock(block) }
    try hear { driver.listening == .closed }
  }

  @Test func aChargerIsItsSensorsUnderItsSerialNumber() throws {
    let driver = driver()
    #expect(driver.listening == .closed)
    ask()
    #expect(driver.listening == .open)
    #expect(driver.isGathering)
    try device.sayBlock(Self.charger)
    try device.sayBlock(Self.charger)
    try hear { !driver.isGathering }
    #expect(driver.listening == .closed)
    #expect(driver.deadline == nil)
    #expect(sink.reports.isEmpty)
    #expect(
      sink.values == [
        "ve_direct_hq1750abcde_voltage": .number(FixedPoint(1401, decimals: 2)),
        "ve_direct_hq1750abcde_current": .number(FixedPoint(520, decimals: 2)),
        "ve_direct_hq1750abcde_charge_state": .text(InlineText("bulk")),
        "ve_direct_hq1750abcde_load": .boolean(true),
        "ve_direct_hq1750abcde_yield_today": .number(FixedPoint(27, decimals: 2)),
      ])
    #expect(device.heardByteCount == 0, "nothing is ever sent")
  }

  @Test func eachSensorIsToldAsHomeAssistantKnowsIt() throws {
    try gather(driver(), Self.charger, Self.charger)
    func sensor(_ key: String) -> SensorDescription? {
      sink.sensors.first { string($0.uniqueID) == "ve_direct_hq1750abcde_\(key)" }
    }
    let yield = try #require(sensor("yield_today"))
    #expect(string(yield.name) == "Solar yield today")
    #expect(yield.unit == [UInt8]("kWh".utf8))
    #expect(yield.deviceClass == [UInt8]("energy".utf8))
    #expect(yield.stateClass == [UInt8]("total_increasing".utf8))
    let state = try #require(sensor("charge_state"))
    #expect(state.unit == nil)
    #expect(state.stateClass == nil)
    #expect(state.kind == .sensor)
    #expect(sensor("load")?.kind == .binarySensor)
    #expect(sensor("voltage")?.stateClass == [UInt8]("measurement".utf8))
  }

  @Test func aMonitorIsKnownByItsCable() throws {
    let driver = driver()
    try gather(driver, Self.shunt, Self.shunt)
    #expect(
      sink.values == [
        "ve_direct_cable_ve4xyz_if00_port0_voltage": .number(FixedPoint(1200, decimals: 2)),
        "ve_direct_cable_ve4xyz_if00_port0_soc": .number(FixedPoint(93)),
      ], "what it never knew is no sensor")
    try gather(driver, "PID 0xA389\nV 12100\nSOC ---\nTTG 10")
    try gather(driver, "PID 0xA389\nV 12100\nSOC ---\nTTG ---")
    #expect(sink.values["ve_direct_cable_ve4xyz_if00_port0_soc"] == .unknown)
    #expect(sink.values["ve_direct_cable_ve4xyz_if00_port0_time_to_go"] == .unknown)
  }

  @Test func theUniqueIDAndTheIconOfTheConfigurationHold() throws {
    try gather(driver(uniqueID: "roof", icon: "mdi:sun"), Self.charger, Self.charger)
    #expect(sink.values["ve_direct_roof_voltage"] != nil)
    #expect(sink.sensors.allSatisfy { $0.icon == [UInt8]("mdi:sun".utf8) })
  }

  @Test func onlyWhatIsWantedIsASensor() throws {
    let soc = try #require(VEDirectSensor.keys.firstIndex { "\($0)" == "soc" })
    try gather(driver(only: VEDirectSensors([soc])), Self.shunt, Self.shunt)
    #expect(sink.sensors.map { string($0.uniqueID) } == ["ve_direct_cable_ve4xyz_if00_port0_soc"])
  }

  @Test func anotherChargerAtTheCableHasSensorsOfItsOwn() throws {
    let driver = driver()
    try gather(driver, Self.charger, Self.charger)
    let other = Self.charger.replacing("HQ1750ABCDE", with: "HQ2")
    try gather(driver, other, other, other)
    #expect(voltage == .unavailable)
    #expect(sink.values["ve_direct_hq2_voltage"] == .number(FixedPoint(1401, decimals: 2)))
    #expect(sink.reports.isEmpty)
  }

  // MARK: Trouble

  private static let subject = "cable-VE4XYZ-if00-port0"

  @Test func aCableThatIsUnpluggedWhileItIsListenedToComesBack() throws {
    let driver = driver()
    try gather(driver, Self.charger, Self.charger)
    ask()
    device.unplug()
    try hear { !sink.reports.isEmpty }
    #expect(sink.reports == ["\(Self.subject): missing \(Self.subject)"])
    #expect(sink.values.values.allSatisfy { $0 == .unavailable })
    #expect(sink.values.count == 5)
    #expect(driver.listening == .closed)
    #expect(!driver.isGathering)

    supervisor.deadlineReached(at: moment(in: .seconds(6)))
    #expect(sink.reports.count == 1, "it is still not there, which is known")
    #expect(supervisor.deadline != nil, "it is looked for again")
    try device.plugIn()
    // What asks is the supervisor's business; here it happens in the past.
    driver.sample(at: moment(in: .seconds(-1)))
    #expect(driver.listening == .open)
    try device.sayBlock(Self.charger)
    try hear { driver.listening == .closed }
    #expect(sink.reports.last == "\(Self.subject): recovered")
    #expect(voltage == .number(FixedPoint(1401, decimals: 2)))
  }

  @Test func aCableThatWasNeverThereIsMissing() {
    device.unplug()
    let driver = driver()
    ask()
    #expect(sink.reports == ["\(Self.subject): missing \(Self.subject)"])
    #expect(sink.sensors.isEmpty)
    #expect(!driver.isGathering)
    #expect(supervisor.deadline != nil, "it is looked for again")
  }

  @Test func aSilentDeviceIsSaidOnceAndItsValuesAreUnavailable() throws {
    let driver = driver()
    try gather(driver, Self.charger, Self.charger)
    ask()
    supervisor.deadlineReached(at: moment(in: VEDirectSession.gatherTime))
    #expect(!driver.isGathering)
    #expect(driver.shortfall != nil)
    supervisor.deadlineReached(at: moment(in: VEDirectSession.silenceTime))
    #expect(sink.reports == ["\(Self.subject): silent \(Self.subject)"])
    #expect(sink.values.values.allSatisfy { $0 == .unavailable })
    #expect(driver.listening == .closed)
  }

  @Test func aPortThatAnotherProgramHoldsIsBusy() throws {
    let other = try Descriptor(opening: Path(device.path), mode: .device)
    #expect(try other.lock())
    _ = driver()
    ask()
    #expect(sink.reports == ["\(Self.subject): busy \(Self.subject)"])
  }

  @Test func aFileIsNoSerialPort() throws {
    try tree.write("V 12", to: "file")
    let source = VEDirect(
      VEDirectSettings(
        path: (tree.path / "file").bytes, entity: EntitySettings(name: [UInt8]("Solar".utf8))),
      SourceContext(in: tree.path, loop, sink, supervisor))
    source.sample(at: .now)
    #expect(
      sink.reports == [
        "file: unsupported file, write the path of a serial port, in /dev/serial/by-id"
      ])
  }

  @Test func aNumberThatCannotBeIsUnknownAndSaidOnce() throws {
    let driver = driver()
    let name = string(driver.name)
    try gather(driver, Self.charger, Self.charger)
    for _ in 0..<2 {
      try gather(driver, Self.charger.replacing("V 14010", with: "V 2147483647"))
    }
    #expect(voltage == .unknown)
    #expect(
      sink.values["ve_direct_hq1750abcde_current"] == .number(FixedPoint(520, decimals: 2)))
    let part = "V of \(name)"
    #expect(
      sink.reports == [
        "\(part): implausible \(part) '2147483.647 V', outside of -2000 to 2000 V"
      ])
    try gather(driver, Self.charger)
    #expect(voltage == .number(FixedPoint(1401, decimals: 2)))
    #expect(sink.reports.last == "\(part): recovered")
  }

  @Test func whatCameBeforeItWasOpenedIsNotBelieved() throws {
    let driver = driver()
    try gather(driver, Self.charger, Self.charger)
    try device.sayBlock(Self.charger.replacing("V 14010", with: "V 9000"))
    try gather(driver, Self.charger)
    #expect(voltage == .number(FixedPoint(1401, decimals: 2)))
  }
}
