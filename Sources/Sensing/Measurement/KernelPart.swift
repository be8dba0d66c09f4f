public import Bytes

/// Knowledge about a part beyond the kernel's documentation, by the name of the part and of its
/// driver.
public struct KernelPart: Equatable, Sendable {
  /// Name of the device on its bus, which distinguishes several parts with one driver; empty if it
  /// has none.
  public let part: [UInt8]
  /// Name of the device in the driver.
  public let name: [UInt8]

  public init(named name: [UInt8], part: [UInt8] = []) {
    self.name = name
    self.part = part
  }

  /// Whether a line of a table applies to the part: one of the words in its first field, which
  /// `|` separates, is the beginning of one of the names, or after an `@`, of the name on the bus,
  /// or after a `~`, a part of one of the names; `*` applies to all parts.
  fileprivate func isMeant(by field: Span<UInt8>) -> Bool {
    var start = 0
    while start < field.count {
      let end = field.firstIndex(of: UInt8(ascii: "|"), from: start) ?? field.count
      if isNamed(field.extracting(start..<end)) { return true }
      start = end + 1
    }
    return false
  }

  private func isNamed(_ word: Span<UInt8>) -> Bool {
    if word.elementsEqual("*") { return true }
    if word.starts(with: "@") { return part.span.starts(with: word.extracting(1...)) }
    if word.starts(with: "~") {
      let word = word.extracting(1...)
      return name.span.contains(word) || part.span.contains(word)
    }
    return part.span.starts(with: word) || name.span.starts(with: word)
  }

  /// Returns the range for a unit, or for a class without a unit; nil if there is none.
  public func range(of unit: StaticString) -> PlausibleRange? {
    let lines = TableLines(PlausibleRange.table)
    return lines.first { line in
      guard let word = KernelText.field(0, of: line), isMeant(by: word),
        let known = KernelText.field(1, of: line), known.elementsEqual(unit),
        let low = KernelText.number(2, of: line), let high = KernelText.number(3, of: line)
      else { return nil }
      return PlausibleRange(low, high, unit)
    }
  }

  /// Returns the deviation of the driver from the documentation, for one channel; nil if none is
  /// known. `text` returns the contents of a file of the device.
  public func quirk(of channel: Span<UInt8>, _ text: ([UInt8]) -> [UInt8]?) -> PartQuirk? {
    let lines = TableLines(PartQuirk.table)
    return lines.first { line in
      guard let word = KernelText.field(0, of: line), isMeant(by: word),
        let known = KernelText.field(1, of: line), channel.starts(with: known)
      else { return nil }
      guard let file = KernelText.field(6, of: line), let start = KernelText.field(7, of: line)
      else { return PartQuirk(line, isCertain: false) }
      guard let found = text([UInt8](file)), found.span.starts(with: start) else { return nil }
      return PartQuirk(line, isCertain: true)
    }
  }
}

/// Limits of a quantity: wider than the range of any part, so that a number outside is invalid.
public struct PlausibleRange: Equatable, Sendable {
  public let low: FixedPoint
  public let high: FixedPoint
  private let unit: StaticText

  /// Range of a battery's charge.
  public static let ofCharge = PlausibleRange(FixedPoint(0), FixedPoint(100), "%")

  fileprivate init(_ low: FixedPoint, _ high: FixedPoint, _ unit: StaticString) {
    self.low = low
    self.high = high
    self.unit = StaticText(stringLiteral: unit)
  }

  public func contains(_ number: FixedPoint) -> Bool {
    !number.isLess(than: low) && !high.isLess(than: number)
  }

  /// Returns the failure for a number of `subject` outside of the range.
  public func failure(of subject: InlineText, _ number: FixedPoint) -> SourceFailure {
    var found = ByteBuffer(capacity: InlineText.byteCountMax)
    found.append(number.decimals > 3 ? number.rounded(to: 3) : number)
    append(to: &found)
    var why = ByteBuffer(capacity: InlineText.byteCountMax)
    why.append("outside of ")
    why.append(low)
    why.append(" to ")
    why.append(high)
    append(to: &why)
    return .implausible(subject, found: InlineText(found.bytes), why: InlineText(why.bytes))
  }

  private func append(to words: inout ByteBuffer) {
    words.append(" ")
    words.append(unit.text)
  }

  /// Parts, unit, minimum and maximum; the first matching line counts. Parts of 1-Wire are known by
  /// their family. Thermocouples and infrared thermometers measure beyond the range of others;
  /// barometers measure less than the meters of pipes. A processor switches itself off below
  /// 130 °C; the sensor of one that is not calibrated reports any temperature.
  ///
  /// The registers of a part that lost its connection are all zeros or all ones. A hygrometer's
  /// driver converts them to -40, -45, -46.85 or -50 °C and to 125, 129, 130 or 150 °C, an
  /// MLX90614's to -273 and 1038 °C, and a barometer's to any temperature. Some checksums accept
  /// zeros: then the humidity is exactly 0. An ITE chip reports -55 °C (or less) and 127 °C for a
  /// thermometer that is disabled or not connected. The driver of the Sunrise reads -10 ppm as
  /// 65,526 ppm.
  fileprivate static let table: StaticString = """
    10-|22-|28-|42- °C -55 125
    3b-|w1_slave_temp °C -270 1372
    max318|max6675|mcp960|ltc298 °C -270 2400
    mlx90 °C -70 400
    tmp00 °C -100 1500
    aht|dht °C -49 125
    hdc °C -39.9 124.9
    htu|si70 °C -46 125
    it8 °C -54 126
    sht|sts °C -44 125
    bm|lps|dps|icp10|hp0|hp2|mpl|ms56 °C -50 125
    processor °C -50 150
    * °C -100 250
    bm|lps|dps|icp10|hp|mpl|ms56 hPa 10 2000
    * hPa -20000 100000
    aht|dht % 0.1 110
    * % -5 110
    * V -2000 2000
    * A -10000 10000
    * W -1000000 1000000
    * lx 0 400000
    * Ω 0 1000000000
    * ppm 1 65000
    * ppb 0 1000000
    * µg/m³ 0 20000
    * µS/cm 0 1000000
    * m 0 1000
    * rpm 0 50000
    * ph -2 16
    """
}

/// A deviation of a driver from the kernel's documentation: a missing file for the offset, another
/// unit, or the raw numbers at the ends of the range.
public struct PartQuirk: Equatable, Sendable {
  /// Offset of the raw number. It replaces that of the driver if `isCertain`; otherwise it is used
  /// if the driver has none.
  public let offset: FixedPoint?
  /// Whether another file of the device proves that the driver has the quirk.
  public let isCertain: Bool
  /// Whether it applies only to a number that is implausible without it.
  let isForImplausible: Bool
  /// Factor of the number, and scale of a driver that has none.
  public let factor: FixedPoint?
  /// Raw numbers at both ends of the part's range.
  private let lowest: Int64?
  private let highest: Int64?

  fileprivate init(_ line: Span<UInt8>, isCertain: Bool) {
    self.isCertain = isCertain
    isForImplausible = KernelText.field(6, of: line)?.elementsEqual("implausible") == true
    offset = KernelText.number(2, of: line)
    factor = KernelText.number(3, of: line)
    lowest = KernelText.number(4, of: line)?.coefficient
    highest = KernelText.number(5, of: line)?.coefficient
  }

  /// Whether the part is at an end of its range: the true value lies there or beyond.
  func isEnd(_ raw: FixedPoint) -> Bool {
    guard raw.decimals == 0 else { return false }
    return lowest.map { raw.coefficient <= $0 } ?? false
      || highest.map { raw.coefficient >= $0 } ?? false
  }

  /// Parts, beginning of the channel, offset, factor, ends of the range, and the file and the
  /// beginning of its text that prove the quirk, or `implausible`; the first matching line counts.
  ///
  /// `ti-ads1015` calls all of its parts `ads1015`; those of 12 bits clip at other numbers. An
  /// MCP3421 has 12 to 18 bits, by its rate, and is scaled to volts. A MAX31865 is a straight line
  /// through 0 °C of a PT100, with a reference of 400 ohm. Instead of thousandths, HTS221, ISM330,
  /// MPL3115 and HP206C are scaled to °C and %, and BME680 to %, before 2024 also to hPa; SDP500
  /// and MPRLS are scaled to Pa, TMP006 and the converters of Qualcomm's PMICs to µV; the parts
  /// for air quality give a share instead of percent, and the EC of Atlas Scientific ten times too
  /// much.
  ///
  /// Copies of a DHT22 send a negative number as two's complement, which the driver reads as a sign
  /// and 15 bits.
  fileprivate static let table: StaticString = """
    @ads1015|@tla202 voltage - - -2048 2047
    ads101|ads111 voltage - - -32768 32767
    mcp342 voltage - 1000 -2048 2047 in_voltage_sampling_frequency 240
    mcp342 voltage - 1000 -8192 8191 in_voltage_sampling_frequency 60
    mcp342 voltage - 1000 -32768 32767 in_voltage_sampling_frequency 15
    mcp342 voltage - 1000 -131072 131071 in_voltage_sampling_frequency 3
    mcp342 voltage - 1000 - -
    nau7802 voltage - - -8388608 8388607
    hx711 voltage -8388608 - 0 16777215
    ina226 current - - -32768 32767
    max31865 temp -8192 - 1792 32767
    tmp117 temp - - -32768 32767
    bh1780 illuminance - 1 - 65535
    bh17 illuminance - - - 65535
    vl53l0x distance - - - 8190
    vl6180 distance - - - 255
    hts221|mpl3115|hp206c|ism330 temp - 1000 - - in_temp_scale 0.
    hts221 humidity - 1000 - - in_humidityrelative_scale 0.
    bme680 humidity - 1000 - -
    bme680 pressure - 0.1 - - implausible
    dht temp 3276800 -1 - - implausible
    icp10 temp -16852.114286 - - - in_temp_offset -45000
    dlh temp -5368709.12 - - - in_temp_offset -40000
    sgp30|sgpc3|ams-iaq concentration - 100 - -
    vz89 concentration - 100 - - in_concentration_co2_scale 0.00000
    atlas electricalconductivity - 0.1 - - in_electricalconductivity_scale 0.00001
    ~spmi:pmic voltage - 0.001 - -
    ~spmi:pmic current - 0.001 - -
    ltr390 illuminance - 100 - - in_illuminance_scale 0.00
    ltr390 uvindex - 0.01 - - in_uvindex_scale 1.
    tmp006 voltage - 0.001 - -
    sdp5|mprls pressure - 0.001 - -
    ina3221 in4 - 0.001 - -
    ina3221 in5 - 0.001 - -
    ina3221 in6 - 0.001 - -
    ina3221 in7 - 0.001 - -
    """
}

/// The lines of a table in this file.
private struct TableLines {
  private let table: StaticString

  init(_ table: StaticString) { self.table = table }

  /// Returns the first result of `body` that is not nil.
  func first<Result>(_ body: (Span<UInt8>) -> Result?) -> Result? {
    let text = table.bytes
    var start = 0
    while start < text.count {
      let end = text.firstIndex(of: UInt8(ascii: "\n"), from: start) ?? text.count
      if let result = body(text.extracting(start..<end)) { return result }
      start = end + 1
    }
    return nil
  }
}
