import Bytes
import Testing

@testable import Outbox

@Suite struct UnitConversionTests {
  private static func convert(_ number: Double, _ old: String, _ new: String?) -> Double? {
    UnitConversion(from: [UInt8](old.utf8), to: new.map { Text($0) }).map { $0(number) }
  }

  /// Of Home Assistant's converters of 2026.2.
  @Test(
    arguments: [
      ("°C", "°F", 212), ("°C", "K", 373.15), ("°F", "°C", 37.777_777_777_777_78),
      ("K", "°F", -279.67), ("hPa", "inHg", 2.952_998_330_101), ("hPa", "psi", 1.450_377_438_973),
      ("Pa", "mbar", 1), ("kPa", "mmHg", 750.061_575_845_656), ("bar", "cbar", 10_000),
      ("m", "ft", 328.083_989_501_312), ("mm", "in", 3.937_007_874_015_7),
      ("cm", "in", 39.370_078_740_157), ("km", "mi", 62.137_119_223_733),
      ("m", "yd", 109.361_329_833_771), ("km", "nmi", 53.995_680_345_572),
      ("km/h", "mph", 62.137_119_223_733), ("m/s", "km/h", 360), ("m/s", "kn", 194.384_449_244_06),
      ("m/s", "ft/s", 328.083_989_501_312), ("mm/s", "in/s", 3.937_007_874_015_7),
      ("mm/h", "in/h", 3.937_007_874_015_7), ("mm/d", "in/d", 3.937_007_874_015_7),
      ("L", "gal", 26.417_205_235_814_8), ("m³", "ft³", 3531.466_672_148_86), ("mL", "L", 0.1),
      ("kg", "lb", 220.462_262_184_878), ("mg", "oz", 0.003_527_396_194_958),
      ("Wh", "kWh", 0.1), ("kWh", "MJ", 360), ("J", "Wh", 0.027_777_777_777_8),
      ("W", "kW", 0.1), ("mW", "W", 0.1), ("V", "mV", 100_000), ("A", "mA", 100_000),
      ("MB", "GiB", 0.093_132_257_461_548), ("kB", "Mbit", 0.8), ("TB", "GB", 100_000),
      ("Mbit/s", "MB/s", 12.5), ("KiB/s", "kB/s", 102.4), ("B", "MiB", 0.000_095_367_431_640_6),
      ("min", "h", 1.666_666_666_666_7), ("s", "d", 0.001_157_407_407_407), ("ms", "s", 0.1),
      ("µS/cm", "mS/cm", 0.1), ("µV", "mV", 0.1), ("\u{3BC}g", "mg", 0.1),
    ] as [(String, String, Double)])
  func aHundredAreAsManyAsInHomeAssistant(old: String, new: String, hundred: Double) throws {
    let there = try #require(Self.convert(100, old, new))
    #expect(abs(there - hundred) <= 1e-9 * abs(hundred))
    let back = try #require(Self.convert(hundred, new, old))
    #expect(abs(back - 100) <= 1e-7)
  }

  @Test(arguments: ["g/m³", "S/cm", "V", "g"])
  func bothSignsOfMicroAreOneUnit(unit: String) {
    #expect(Self.convert(0.1, "µ" + unit, "\u{3BC}" + unit) == 0.1)
    #expect(Self.convert(0.1, "\u{3BC}" + unit, "µ" + unit) == 0.1)
  }

  /// `min` is no thousandth of an inch, and `Ohm` no length.
  @Test(arguments: [
    ("m", "s"), ("mm", "mm/h"), ("min", "in"), ("h", "Wh"), ("W", "Wh"), ("bit", "bit/s"),
    ("g", "g/m³"), ("V", "A"), ("VA", "A"), ("kn", "km"), ("°C", "V"), ("Ohm", "m"), ("rpm", "m"),
    ("dBm", "m"), ("L", ""), ("", "L"), ("%", "m"), ("m", "%"), ("m", "mm "), ("k", "m"),
  ])
  func aUnitOfAnotherKindIsRefused(old: String, new: String) {
    #expect(Self.convert(1, old, new) == nil)
  }

  /// That of a volume is cubed, and a temperature has a zero of its own.
  @Test(arguments: [("cm³", "L"), ("mm³", "m³"), ("kft³", "L"), ("mK", "K"), ("m°C", "°C")])
  func aPrefixIsReadOnlyWhereItMultiplies(old: String, new: String) {
    #expect(Self.convert(1, old, new) == nil && Self.convert(1, new, old) == nil)
  }

  /// Home Assistant may say anything, also what no stack could hold.
  @Test func thereIsOnePrefixAtMost() {
    #expect(Self.convert(1, "m", "kkm") == nil)
    #expect(Self.convert(1, "m", String(repeating: "k", count: 1 << 20) + "m") == nil)
  }

  @Test(arguments: ["%", "lx", "", "apples"])
  func aUnitThatIsTheSameNeedsNoTable(unit: String) {
    #expect(Self.convert(0.1, unit, unit) == 0.1)
  }

  @Test func noUnitIsTheEmptyOne() {
    #expect(Self.convert(0.1, "", nil) == 0.1)
    #expect(Self.convert(0.1, "m", nil) == nil)
  }
}
