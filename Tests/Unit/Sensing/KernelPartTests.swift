import Bytes
import Testing

@testable import Sensing

/// What is known of parts: what each quantity can be, and which drivers say it in another way.
@Suite struct KernelPartTests {
  private func bytes(_ text: String) -> [UInt8] { [UInt8](text.utf8) }

  private func known(
    _ name: String, _ channel: String, part: String = "", files: [String: String] = [:]
  ) -> PartQuirk? {
    KernelPart(named: bytes(name), part: bytes(part)).quirk(of: bytes(channel).span) { file in
      files[String(decoding: file, as: UTF8.self)].map(bytes)
    }
  }

  private func isPlausible(_ number: String, _ unit: StaticString, on part: String) -> Bool? {
    guard let number = KernelText.decimal(bytes(number).span) else { return nil }
    return KernelPart(named: bytes(part)).range(of: unit)?.contains(number)
  }

  // MARK: What can be

  @Test(arguments: [
    ("-100.001", false), ("-100", true), ("48.312", true), ("250", true), ("250.001", false),
    ("255", false), ("511", false), ("3892313.987", false), ("-128", false), ("-273.15", false),
    ("65261.85", false),
  ])
  func whatIsColderOrHotterThanAnyBoardIsNoTemperature(number: String, isOne: Bool) {
    #expect(isPlausible(number, "°C", on: "nct6793") == isOne)
  }

  @Test(arguments: [
    ("processor", "203", false), ("processor", "150.001", false), ("processor", "-50.001", false),
    ("processor", "125", true), ("processor", "-40", true), ("", "203", true),
    ("nct6793", "203", true),
  ])
  func aProcessorIsColderThanOtherPartsCanBe(part: String, celsius: String, isOne: Bool) {
    #expect(isPlausible(celsius, "°C", on: part) == isOne)
  }

  @Test(arguments: [
    ("max31855", "1372"), ("max31856", "1800"), ("max31865", "850"), ("max6675", "1023.75"),
    ("mcp9600", "-200"), ("ltc2983", "1820"), ("mlx90614", "380"), ("tmp007", "125"),
    ("3b-0000002a", "1372"), ("3b-0000002a", "-270"), ("28-0316a2796cff", "125"),
    ("w1_slave_temp", "312.5"), ("bme280", "-40"),
    // Those of which zeros and ones are no temperature, too.
    ("aht10", "-41"), ("dht11", "-40"), ("sht3x", "125"), ("sht4x", "-43"), ("htu21", "-45"),
    ("bme680", "85"), ("bmp280", "0"), ("mlx90614", "-70"), ("hdc100x", "-39.5"),
    ("hdc3020", "124"), ("si7020", "-45"), ("sts3x", "-43"), ("it8728", "110"), ("it8728", "-40"),
  ])
  func eachPartMeasuresAllThatItCan(part: String, celsius: String) {
    #expect(isPlausible(celsius, "°C", on: part) == true)
  }

  /// What drivers make of zeros and ones of a part that lost its connection.
  @Test(arguments: [
    ("aht10", "-50"), ("aht20", "150"), ("dht20", "-50"), ("dht11", "537.6"), ("sht21", "-46.85"),
    ("sht3x", "-45"), ("sht4x", "130"), ("htu21", "-46.85"), ("htu21", "128.86"),
    ("si7020", "128.87"), ("bme280", "179.55"), ("bme280", "-144.3"), ("bmp280", "190"),
    ("mlx90614", "1037.55"), ("mlx90614", "-94.79"), ("mlx90614", "-273.15"),
    ("hdc100x", "-40"), ("hdc100x", "124.997253418"), ("hdc2010", "125"), ("hdc3020", "-45"),
  ])
  func zerosAndOnesAreNoTemperature(part: String, celsius: String) {
    #expect(isPlausible(celsius, "°C", on: part) == false)
  }

  /// groeck/it87 issues 4, 31 and 44, frankcrawford/it87 issue 59.
  @Test(arguments: ["-55", "-56", "-109", "127"])
  func whatIsNotConnectedToASuperIOIsNoTemperature(celsius: String) {
    #expect(isPlausible(celsius, "°C", on: "it8620") == false)
  }

  @Test(arguments: [
    ("28-0316a2796cff", "127.937"), ("10-000802be73fa", "-55.001"), ("22-0000003b9d10", "126"),
    ("42-0000003b9d10", "126"), ("3b-0000002a", "1372.001"), ("3b-0000002a", "2047.75"),
  ])
  func theRangeOfAThermometerOn1WireBelongsToItsFamily(id: String, celsius: String) {
    #expect(isPlausible(celsius, "°C", on: id) == false)
  }

  @Test(
    arguments: [
      ("sht3x", "%", "100.5", true), ("sht3x", "%", "118.99", false), ("htu21", "%", "-6", false),
      ("dht11", "%", "3302.3", false), ("bme280", "hPa", "300", true),
      ("aht10", "%", "0", false), ("dht11", "%", "0", false), ("dht11", "%", "5", true),
      ("bme280", "%", "0", true),
      ("bme280", "hPa", "0", false), ("lps25h", "hPa", "1260", true),
      ("ms5611", "hPa", "8388.607", false), ("hsc030pa", "hPa", "-1034", true),
      ("ina219", "V", "26", true), ("x", "V", "4294967.295", false), ("x", "A", "65536", false),
      ("scd30", "ppm", "0", false), ("sunrise_co2", "ppm", "65526", false),
      ("sgp30", "ppm", "60000", true), ("scd30", "ppm", "415", true), ("ccs811", "ppb", "0", true),
      ("sps30", "µg/m³", "0", true), ("pms7003", "µg/m³", "65535", false),
      ("bh1750", "lx", "0", true), ("tsl2591", "lx", "-1", false), ("vl53l0x", "m", "1.2", true),
      ("nct6775", "rpm", "0", true), ("nct6775", "rpm", "65535", false), ("ph", "ph", "7", true),
    ] as [(String, StaticString, String, Bool)])
  func whatNoPartMeasuresIsNoNumber(part: String, unit: StaticString, number: String, isOne: Bool) {
    #expect(isPlausible(number, unit, on: part) == isOne)
  }

  @Test func whatHasNoRangeCanBeAnything() {
    #expect(KernelPart(named: bytes("x")).range(of: "J") == nil)
    #expect(KernelPart(named: bytes("x")).range(of: "") == nil)
  }

  @Test func aNumberThatCannotBeIsSaidWithWhatCanBe() throws {
    let range = try #require(KernelPart(named: bytes("3b-0000002a")).range(of: "°C"))
    let name = InlineText("part")
    #expect(
      range.failure(of: name, FixedPoint(-2_700_625, decimals: 4))
        == .implausible(
          name, found: InlineText("-270.063 °C"), why: InlineText("outside of -270 to 1372 °C")))
  }

  // MARK: What drivers do

  @Test(
    arguments: [
      ("ads1015", "ads1015", 2047), ("ads1015", "tla2024", 2047), ("ads1015", "ads1115", 32_767),
      ("ads1015", "", 32_767), ("mcp3008", "mcp3008", nil), ("1-002a", "nau7802", 8_388_607),
      ("hx711", "", 16_777_215),
    ] as [(String, String, Int64?)])
  func theRangeDependsOnThePart(name: String, part: String, end: Int64?) {
    let quirk = known(name, "voltage0", part: part)
    guard let end else { return #expect(quirk == nil) }
    #expect(quirk?.isEnd(FixedPoint(end)) == true)
    #expect(quirk?.isEnd(FixedPoint(end - 1)) == false)
    #expect(quirk?.isEnd(FixedPoint(end, decimals: 1)) == false)
    let start = name == "hx711" ? 0 : -end - 1
    #expect(quirk?.isEnd(FixedPoint(start)) == true)
    #expect(quirk?.isEnd(FixedPoint(start + 1)) == false)
  }

  @Test(arguments: [
    ("240", Int64(2047)), ("60", 8191), ("15", 32_767), ("3", 131_071),
  ])
  func theRangeOfAnMCP3422DependsOnItsRate(rate: String, end: Int64) throws {
    let quirk = try #require(
      known("1-0068", "voltage0", part: "mcp3422", files: ["in_voltage_sampling_frequency": rate]))
    #expect(quirk.isEnd(FixedPoint(end)))
    #expect(!quirk.isEnd(FixedPoint(end - 1)))
  }

  @Test func aQuirkIsThatOfItsChannelAndKernelAlone() {
    #expect(known("hx711", "temp") == nil)
    #expect(known("hx71", "voltage0") == nil)
    #expect(known("1-0068", "temp", part: "mcp3422") == nil)
    #expect(known("1-0068", "voltage0", part: "mcp3422")?.isEnd(FixedPoint(2047)) == false)
    #expect(known("mpl3115", "temp", files: ["in_temp_scale": "62.500000"]) == nil)
    #expect(known("mpl3115", "temp", files: ["in_temp_scale": "0.062500"])?.isCertain == true)
    #expect(known("bme680", "humidityrelative")?.isCertain == false)
    #expect(known("ina3221", "in3") == nil)
    #expect(known("ina3221", "in4")?.factor == FixedPoint(1, decimals: 3))
  }

  @Test(
    arguments: [
      ("mpl3115", "temp", 1000), ("hp206c", "temp", 1000), ("hts221", "temp", 1000),
      ("sgpc3", "concentration", 100), ("ams-iaq-core", "concentration", 100),
      ("hp2", "temp", nil), ("|", "temp", nil), ("", "temp", nil),
    ] as [(String, String, Int64?)])
  func eachWordOfALineIsAPart(name: String, channel: String, factor: Int64?) {
    let quirk = known(name, channel, files: ["in_temp_scale": "0.0625"])
    #expect(quirk?.factor == factor.map { FixedPoint($0) })
  }

  @Test func anOffsetOfTheDriverCountsUnlessItIsKnownToBeWrong() throws {
    let voltage = try #require(IIOChannel(bytes("voltage0"))).quantity
    let temperature = try #require(IIOChannel(bytes("temp"))).quantity
    let hx711 = KernelPart(named: bytes("hx711"))
    let one = LongDecimal(FixedPoint(1))
    func volts(_ offset: FixedPoint?) -> KernelConversion.Answer? {
      KernelConversion(
        raw: voltage, of: hx711, quirk: known("hx711", "voltage0"), offset: offset, scale: one
      )?.answer(bytes("8388609").span)
    }
    #expect(volts(nil) == .number(FixedPoint(1, decimals: 3)))
    #expect(volts(FixedPoint(-8_387_609)) == .number(FixedPoint(1000, decimals: 3)))
    let icp = known("icp10100", "temp", files: ["in_temp_offset": "-45000"])
    let degrees = KernelConversion(
      raw: temperature, of: KernelPart(named: bytes("icp10100")), quirk: icp,
      offset: FixedPoint(-45_000), scale: LongDecimal(bytes("2.670288").span))
    guard case .number(let celsius)? = degrees?.answer(bytes("26214").span) else {
      Issue.record("it is 25 °C")
      return
    }
    #expect(celsius.rounded(to: 1) == FixedPoint(250, decimals: 1))
  }

  @Test func aPartAtTheEndOfItsRangeIsSaturatedNotWrong() throws {
    let temperature = try #require(IIOChannel(bytes("temp"))).quantity
    let rtd = KernelConversion(
      raw: temperature, of: KernelPart(named: bytes("max31865")),
      quirk: known("max31865", "temp"), offset: nil,
      scale: LongDecimal(bytes("31.250000").span))
    let conversion = try #require(rtd)
    #expect(conversion.answer(bytes("32767").span) == .saturated(FixedPoint(32_767)))
    #expect(conversion.answer(bytes("0").span) == .saturated(FixedPoint(0)))
    guard case .number(let celsius) = conversion.answer(bytes("8989").span) else {
      Issue.record("it is 24.9 °C")
      return
    }
    #expect(celsius.rounded(to: 1) == FixedPoint(249, decimals: 1))
  }
}
