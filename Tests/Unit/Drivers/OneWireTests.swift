import Bytes
import CLinux
import FailingReads
import LinuxIO
import Sensing
import Testing

@testable import Drivers

@Suite final class OneWireThermometerTests: DriverSuite {
  private let part = "bus/w1/devices/28-0316a2796cff"
  private static let shorted =
    "00 00 00 00 00 00 00 00 00 : crc=00 YES\n00 00 00 00 00 00 00 00 00 t=0\n"
  private static let frozen =
    "00 00 4b 46 7f ff 0c 10 d4 : crc=d4 YES\n00 00 4b 46 7f ff 0c 10 d4 t=0\n"

  private func thermometer(
    _ entity: EntitySettings = EntitySettings(name: [UInt8]("Soil".utf8)),
    id: String = "28-0316a2796cff", reader: BackgroundReader? = nil
  ) -> OneWireThermometer {
    OneWireThermometer(
      OneWireSettings(id: [UInt8](id.utf8), entity: entity),
      SourceContext(in: tree.path, loop, sink, supervisor, reader: reader))
  }

  private func write(_ text: String) throws { try tree.write(text, to: "\(part)/temperature") }

  /// Has the part asked and its answer read. Returns what is newly wrong.
  private func failure(of thermometer: OneWireThermometer) throws -> String? {
    let told = sink.reports.count
    try thermometer.sample(at: at(seconds: 1))
    try wait(for: thermometer)
    let report = sink.reports.dropFirst(told).last
    return report == "28-0316a2796cff: recovered" ? nil : report
  }

  private func wait(for thermometer: OneWireThermometer) throws {
    while thermometer.isGathering { try loop.turn(until: nil) }
  }

  private var recorded: Value? { sink.values["one_wire_28_0316a2796cff"] }

  @Test func aThermometerIsATemperatureInDegreesCelsius() throws {
    try write("21437\n")
    #expect(try failure(of: thermometer()) == nil)
    #expect(recorded == .number(FixedPoint(214, decimals: 1)))
    let sensor = try #require(sink.sensors.first)
    #expect(sensor.name == [UInt8]("Soil".utf8))
    #expect(sensor.unit == [UInt8]("°C".utf8))
    #expect(sensor.deviceClass == [UInt8]("temperature".utf8))
    #expect(sensor.stateClass == [UInt8]("measurement".utf8))
  }

  @Test(arguments: [("-12345\n", Int64(-123)), ("-55000", -550), ("125000\n", 1250), ("62\n", 1)])
  func theWholeRangeOfThePartsIsRead(text: String, tenths: Int64) throws {
    try write(text)
    #expect(try failure(of: thermometer()) == nil)
    #expect(recorded == .number(FixedPoint(tenths, decimals: 1)))
  }

  @Test func aPartThatIsNotThereIsAnUnavailableSensorAndFoundLater() throws {
    let thermometer = thermometer()
    #expect(try failure(of: thermometer) == "28-0316a2796cff: missing 28-0316a2796cff")
    #expect(recorded == .unavailable)
    try write("20000\n")
    #expect(try failure(of: thermometer) == nil)
    #expect(recorded == .number(FixedPoint(200, decimals: 1)))
  }

  @Test(arguments: [
    ("", "nothing: missing, busy or a bad checksum"),
    ("\n", "nothing: missing, busy or a bad checksum"),
    ("warm\n", "warm"),
    ("20.5\n", "20.5"), ("0x14\n", "0x14"), ("99999999999999999999\n", "99999999999999999999"),
    ("85000\n", "85 degrees, its value at power-up"),
  ])
  func whatIsNoTemperatureIsUnknownAndSaid(text: String, found: String) throws {
    try write(text)
    #expect(
      try failure(of: thermometer()) == "28-0316a2796cff: malformed 28-0316a2796cff '\(found)'")
    #expect(recorded == .unknown)
  }

  @Test(arguments: [
    ("127937", "127.937"), ("125001", "125.001"), ("-55001", "-55.001"), ("312500", "312.500"),
  ])
  func whatThePartCannotMeasureIsUnknownAndSaid(text: String, found: String) throws {
    try write("\(text)\n")
    #expect(
      try failure(of: thermometer())
        == "28-0316a2796cff: implausible 28-0316a2796cff '\(found) °C', outside of -55 to 125 °C")
    #expect(recorded == .unknown)
  }

  @Test(arguments: [("312500\n", Int64(3125)), ("1372000\n", 13_720), ("-270000\n", -2700)])
  func aThermocoupleMeasuresMore(text: String, tenths: Int64) throws {
    try tree.write(text, to: "bus/w1/devices/3b-0000001921e8/temperature")
    let thermocouple = thermometer(id: "3b-0000001921e8")
    try thermocouple.sample(at: at(seconds: 1))
    try wait(for: thermocouple)
    #expect(
      sink.values["one_wire_3b_0000001921e8"] == .number(FixedPoint(tenths, decimals: 1)))
  }

  @Test func theAdviceBelongsToTheFamily() throws {
    func advice(_ id: String) -> String {
      let settings = OneWireSettings(
        id: [UInt8](id.utf8), entity: EntitySettings(name: [UInt8]("Soil".utf8)))
      let failure = SourceFailure.implausible(
        settings.name, found: InlineText("x"), why: InlineText("y"))
      return string(settings.remedies.remedy(for: failure).bytes)
    }
    #expect(advice("3b-0000001921e8").hasPrefix("check the thermocouple"))
    #expect(advice("28-0316a2796cff").hasPrefix("check its cable: three wires"))
  }

  @Test func anErrorOfTheBusIsNoReading() throws {
    try write("20000\n")
    try tree.fail("\(part)/temperature")
    #expect(try failure(of: thermometer()) == "28-0316a2796cff: failed 28-0316a2796cff \(EIO)")
    #expect(recorded == .unavailable)
  }

  /// Zeros have a good checksum.
  @Test func aShortedWireIsNoFrost() throws {
    try write("0\n")
    try tree.write(Self.shorted, to: "\(part)/w1_slave")
    let thermometer = thermometer()
    #expect(
      try failure(of: thermometer)
        == "28-0316a2796cff: malformed 28-0316a2796cff 'only zeros, as from a shorted wire'")
    try tree.write(Self.frozen, to: "\(part)/w1_slave")
    #expect(try failure(of: thermometer) == nil)
    #expect(recorded == .number(FixedPoint(0, decimals: 1)))
  }

  @Test func aKernelWithoutTheScratchpadIsBelieved() throws {
    try write("0\n")
    #expect(try failure(of: thermometer()) == nil)
  }

  // MARK: Beside the loop

  @Test func aBusThatHangsIsSilentUntilItAnswers() throws {
    try write("20000\n")
    let thermometer = thermometer()
    supervisor.add(thermometer)
    for second in [Int64(1), 31, 60] {
      supervisor.sample(at: at(seconds: second))
      thermometer.deadlineReached(at: at(seconds: second + 10))
    }
    #expect(sink.reports.isEmpty)
    supervisor.sample(at: at(seconds: 61))
    #expect(sink.reports == ["28-0316a2796cff: silent 28-0316a2796cff"])
    #expect(recorded == .unavailable)
    while recorded == .unavailable { try loop.turn(until: nil) }
    #expect(recorded == .number(FixedPoint(200, decimals: 1)))
    #expect(sink.reports.last == "28-0316a2796cff: recovered")
  }

  /// The link is what tells the bus of a part.
  @Test func aBusThatHangsHoldsUpNoOtherBus() throws {
    for (id, bus) in [("28-0316a2796cff", 1), ("28-0316a2796c00", 1), ("28-0316a2796c01", 2)] {
      try tree.write("20000\n", to: "devices/w1_bus_master\(bus)/\(id)/temperature")
      try tree.link("../../../devices/w1_bus_master\(bus)/\(id)", at: "bus/w1/devices/\(id)")
    }
    let file = "devices/w1_bus_master1/28-0316a2796cff/temperature"
    try tree.write("\(HANGING_READ_MARK)0", to: file)
    let reader = BackgroundReader(loop: loop)
    let parts = ["28-0316a2796cff", "28-0316a2796c00", "28-0316a2796c01"].map {
      thermometer(id: $0, reader: reader)
    }
    for part in parts { try part.sample(at: at(seconds: 1)) }
    try wait(for: parts[2])
    #expect(sink.values.keys.sorted() == ["one_wire_28_0316a2796c01"])
    try tree.overwrite("20000\n\n\n", in: file)
    for part in parts { try wait(for: part) }
    #expect(sink.values.count == 3)
  }

  @Test func theLeastChangeOfTheConfigurationHolds() throws {
    let entity = EntitySettings(name: [UInt8]("Soil".utf8), minChange: FixedPoint(0))
    let source = thermometer(entity)
    for (text, tenths) in [("20000\n", Int64(200)), ("20100\n", 201)] {
      try write(text)
      #expect(try failure(of: source) == nil)
      #expect(recorded == .number(FixedPoint(tenths, decimals: 1)))
    }
  }

  @Test func theNameAndTheUniqueIDOfTheConfigurationHold() throws {
    try write("20000\n")
    let entity = EntitySettings(
      name: [UInt8]("Soil".utf8), icon: [UInt8]("mdi:sprout".utf8),
      uniqueID: [UInt8]("garden_soil".utf8))
    let source = thermometer(entity)
    #expect(try failure(of: source) == nil)
    #expect(sink.sensors.first?.uniqueID == [UInt8]("garden_soil".utf8))
    #expect(sink.sensors.first?.icon == [UInt8]("mdi:sprout".utf8))
  }
}

@Suite struct OneWireFilterTests {
  private var filter = OneWireFilter(of: KernelPart(named: [UInt8]("28-0316a2796cff".utf8)))

  private mutating func temperatures(_ texts: [String]) -> [Int64?] {
    texts.map { text in
      guard case .number(let number) = filter.answered([UInt8](text.utf8).span) else { return nil }
      return number.coefficient
    }
  }

  @Test mutating func theValueAtPowerUpIsBelievedOnlyNextToItsLike() {
    let read = temperatures(["85000", "20000", "85000", "85000", "81000", "85000"])
    #expect(read == [nil, 20_000, nil, nil, 81_000, 85_000])
  }

  @Test mutating func fiveDegreesAreNearAndMoreIsFar() {
    #expect(temperatures(["80000", "85000"]) == [80_000, 85_000])
    #expect(temperatures(["79999", "85000", "90000", "85000"]) == [79_999, nil, 90_000, 85_000])
    #expect(temperatures(["90001", "85000"]) == [90_001, nil])
  }

  @Test mutating func whatIsNoTemperatureIsNoNeighbour() {
    #expect(temperatures(["84000", "", "-127000", "85000"]) == [84_000, nil, nil, 85_000])
  }

  /// Any bytes at all are answered: a number in the range, or a flaw that is shown.
  @Test mutating func anyBytesAreAnsweredWithinTheRange() {
    var random = SplitMix64(seed: 20_261_122)
    let alphabet = [UInt8]("0123456789-+. \n\0e85000\u{FF}".utf8)
    for _ in 0..<20_000 {
      let count = Int(truncatingIfNeeded: random.next() % 12)
      let bytes = (0..<count).map { _ in
        alphabet[Int(truncatingIfNeeded: random.next() % UInt64(alphabet.count))]
      }
      switch filter.answered(bytes.span) {
      case .number(let number):
        #expect((-55_000...125_000).contains(number.coefficient))
        let digits = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        #expect(Int64(digits) == number.coefficient)
      case .saturated: Issue.record("a thermometer has no converter")
      case .implausible(let celsius, let range): #expect(!range.contains(celsius))
      case .flaw(let words): #expect(words.count > 0)
      }
    }
  }
}
