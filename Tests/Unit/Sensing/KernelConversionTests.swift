import Bytes
import Testing

@testable import Sensing

@Suite struct KernelConversionTests {
  private func bytes(_ text: String) -> [UInt8] { [UInt8](text.utf8) }

  private func flaw(_ text: String) -> InlineText { InlineText(bytes(text).span.trimmed()) }

  /// Whether a text of the kernel means the number that is wanted.
  private func isEqual(
    _ conversion: KernelConversion, _ text: String, _ wanted: String
  ) throws -> Bool {
    guard case .number(let found) = conversion.answer(bytes(text).span) else { return false }
    return try found.minus(number(wanted))?.coefficient == 0
  }

  private func conversion(_ quantity: Quantity, on name: String = "part") -> KernelConversion {
    KernelConversion(quantity, of: KernelPart(named: bytes(name)), quirk: nil)
  }

  private func raw(
    _ quantity: Quantity, offset: String? = nil, scale: String? = nil, quirk: PartQuirk? = nil
  ) throws -> KernelConversion? {
    KernelConversion(
      raw: quantity, of: KernelPart(named: bytes("part")), quirk: quirk,
      offset: try offset.map(number), scale: scale.flatMap { LongDecimal(bytes($0).span) })
  }

  private func string(_ text: StaticString?) -> String? { text.map { "\($0)" } }

  @Test(arguments: [
    ("voltage0", "voltage", "V", "12345", "12.345"),
    ("voltage0-voltage1", "voltage", "V", "-1", "-0.001"),
    ("current3", "current", "A", "250", "0.25"), ("power2", "power", "W", "3300", "3.3"),
    ("temp", "temperature", "°C", "-7500", "-7.5"),
    ("temp_ambient", "temperature", "°C", "20000", "20"),
    ("pressure", "atmospheric_pressure", "hPa", "100.653253906", "1006.53253906"),
    ("humidityrelative", "humidity", "%", "45123", "45.123"),
    ("illuminance", "illuminance", "lx", "120", "120"),
    ("concentration_co2", "carbon_dioxide", "ppm", "0.0415", "415"),
    ("concentration_voc", "volatile_organic_compounds_parts", "ppb", "0.0000125", "125"),
    ("massconcentration_pm1", "pm1", "µg/m³", "3.5", "3.5"),
    ("massconcentration_pm2p5", "pm25", "µg/m³", "3.5", "3.5"),
    ("massconcentration_pm10", "pm10", "µg/m³", "3.5", "3.5"),
    ("electricalconductivity", "conductivity", "µS/cm", "0.05", "500"),
  ])
  func aChannelOfIndustrialIOIsInHomeAssistantsUnit(
    name: String, sensorClass: String, unit: String, text: String, wanted: String
  ) throws {
    let quantity = try #require(IIOChannel(bytes(name))).quantity
    #expect(string(quantity.deviceClass) == sensorClass)
    #expect(string(quantity.unit) == unit)
    #expect(try #require(SensorClass(named: bytes(sensorClass))).units.contains(bytes(unit)))
    #expect(try isEqual(conversion(quantity), text, wanted))
  }

  @Test(arguments: [("resistance", "Ω"), ("ph", nil), ("steps", nil), ("powerfactor", nil)])
  func otherChannelsHaveTheUnitThatIsKnown(name: String, unit: String?) throws {
    #expect(string(try #require(IIOChannel(bytes(name))).quantity.unit) == unit)
  }

  @Test(arguments: [
    ("in0", "V", "12613", "12.613"), ("curr1", "A", "-250", "-0.25"),
    ("power1", "W", "3300000", "3.3"), ("temp1", "°C", "21437", "21.437"),
    ("humidity1", "%", "45123", "45.123"), ("fan1", "rpm", "3300", "3300"),
    ("energy1", "J", "1500000", "1.5"),
  ])
  func aChannelOfAMonitorIsInHomeAssistantsUnit(
    name: String, unit: String, text: String, wanted: String
  ) throws {
    let quantity = try #require(MonitorChannel(bytes(name))).quantity
    #expect(string(quantity.unit) == unit)
    #expect(try isEqual(conversion(quantity), text, wanted))
  }

  @Test(arguments: [
    "", "Temp", "-a", "0", "temp input", "a/b", "ä", String(repeating: "a", count: 41),
  ])
  func whatCannotBeAChannelOfIndustrialIOIsNone(_ name: String) {
    #expect(IIOChannel(bytes(name)) == nil)
  }

  @Test(arguments: ["", "temp", "temp100", "temp1_input", "tempx", "pwm1", "in-1", "temp 1"])
  func whatCannotBeAChannelOfAMonitorIsNone(_ name: String) {
    #expect(MonitorChannel(bytes(name)) == nil)
  }

  @Test(arguments: [
    ("voltage0", ["in_voltage0_scale", "in_voltage_scale"]),
    (
      "voltage0-voltage1",
      ["in_voltage0-voltage1_scale", "in_voltage-voltage_scale", "in_voltage_scale"]
    ),
    ("concentration_co2", ["in_concentration_co2_scale", "in_concentration_scale"]),
    ("temp", ["in_temp_scale"]),
  ])
  func theScaleOfAChannelIsItsOwnOrThatOfItsKind(name: String, files: [String]) throws {
    let channel = try #require(IIOChannel(bytes(name)))
    #expect(channel.files(of: "scale") == files.map(bytes))
  }

  private var voltage: Quantity {
    get throws { try #require(IIOChannel(bytes("voltage0"))).quantity }
  }

  @Test func rawNumbersAreMovedAndThenScaled() throws {
    let dummy = try #require(try raw(try voltage, offset: "7", scale: "0.001333"))
    #expect(try isEqual(dummy, "73\n", "0.00010664"))
    let fine = try #require(try raw(try voltage, scale: "0.000062500"))
    #expect(try isEqual(fine, "16000", "0.001"))
    let finer = try #require(try raw(try voltage, scale: "0.000488281250"))
    #expect(try isEqual(finer, "2457600", "1.2"))
  }

  @Test func withoutAScaleNoNumberHasAUnit() throws {
    let steps = try #require(IIOChannel(bytes("steps"))).quantity
    let ph = try #require(IIOChannel(bytes("ph"))).quantity
    #expect(try raw(try voltage) == nil)
    #expect(try raw(try voltage, offset: "7") == nil)
    #expect(try raw(ph) == nil)
    let counted = try #require(try raw(steps))
    #expect(try isEqual(counted, "3849", "3849"))
    #expect(try isEqual(.meaningless, "3849", "3849"))
  }

  @Test func aResistorThatTheKernelDoesNotKnowIsPutRight() throws {
    let current = try #require(MonitorChannel(bytes("curr1"))).quantity
    let ten = KernelConversion(
      current, of: KernelPart(named: bytes("ina219")), quirk: nil,
      shunt: .init(assumed: FixedPoint(10_000), real: FixedPoint(100_000)))
    #expect(try isEqual(ten, "5000", "0.5"))
  }

  @Test(arguments: ["", "\n", "warm", "1e3", "0x14", "99999999999999999999", "1.000000000x"])
  func whatIsNoNumberIsAFlaw(_ text: String) throws {
    #expect(conversion(try voltage).answer(bytes(text).span) == .flaw(flaw(text)))
  }

  @Test func whatFitsNoNumberIsAFlaw() throws {
    let steep = try #require(try raw(try voltage, scale: "9223372036854775807"))
    #expect(steep.answer(bytes("9223372036854775807").span) == .flaw(flaw("9223372036854775807")))
    let far = try #require(try raw(try voltage, offset: "9223372036854775807", scale: "1"))
    #expect(far.answer(bytes("9223372036854775807").span) == .flaw(flaw("9223372036854775807")))
    let none = KernelConversion(
      try voltage, of: KernelPart(named: []), quirk: nil,
      shunt: .init(assumed: FixedPoint(1), real: FixedPoint(0)))
    #expect(none.answer(bytes("1").span) == .flaw(flaw("1")))
  }
}

@Suite struct SensorClassTests {
  @Test func eachClassStandsThereOnceWithItsOwnUnitsAndStateClasses() {
    let names = SensorClass.all.map { String(decoding: $0.name, as: UTF8.self) }
    #expect(Set(names).count == names.count)
    #expect(names == names.sorted())
    for known in SensorClass.all {
      let units = known.units
      #expect(units.count == Set(units.map { String(decoding: $0, as: UTF8.self) }).count)
      #expect(known.stateClasses.first != nil)
    }
  }

  @Test(
    arguments: [
      ("voltage", "V", 2), ("voltage", "mV", 0), ("voltage", "kV", 3), ("temperature", "°C", 1),
      ("pressure", "bar", 3), ("ph", nil, 2), ("moisture", "%", 1), (nil, "%", 1), (nil, "L", 2),
      (nil, nil, 2),
    ] as [(String?, String?, UInt8)])
  func soManyDecimalsAreWorthSending(name: String?, unit: String?, decimals: UInt8) throws {
    let known = try name.map { try #require(SensorClass(named: [UInt8]($0.utf8))) }
    #expect(SensorClass.decimals(of: known, in: unit.map { [UInt8]($0.utf8) }) == decimals)
  }
}
