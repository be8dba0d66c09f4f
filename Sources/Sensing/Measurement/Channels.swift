import Bytes

/// A quantity of a kernel interface, and the conversion of its numbers.
public struct Quantity: Sendable {
  /// Prefix of its files, after the `in_` of Industrial IO.
  let prefix: StaticString
  /// Home Assistant's device class and unit of the value that is sent.
  public let deviceClass: StaticString?
  public let unit: StaticString?
  /// Power of ten that converts the kernel's number to `unit`; -9...9.
  let exponent: Int
  public let icon: StaticString
  /// Whether the kernel computes the number with a shunt resistor.
  public let isThroughShunt: Bool

  init(
    _ prefix: StaticString, _ deviceClass: StaticString?, _ unit: StaticString?, _ exponent: Int,
    _ icon: StaticString, isThroughShunt: Bool = false
  ) {
    self.prefix = prefix
    self.deviceClass = deviceClass
    self.unit = unit
    self.exponent = exponent
    self.icon = icon
    self.isThroughShunt = isThroughShunt
  }

  /// Quantity of a file about which the kernel's documentation says only that it holds a number.
  static let any = Quantity("", nil, nil, 0, "mdi:numeric")

  /// Whether its numbers have a unit or a class.
  var hasMeaning: Bool { unit != nil || deviceClass != nil }

  /// Returns the kernel's number in `unit`; nil if it is too large.
  func inUnit(_ number: FixedPoint) -> FixedPoint? {
    if exponent < 0 {
      return number.times(FixedPoint(1, decimals: UInt8(-exponent)))
    }
    var factor: Int64 = 1
    for _ in 0..<exponent { factor *= 10 }
    return number.times(FixedPoint(factor))
  }
}

/// A channel of an Industrial IO device, named as its files without `in_` and without the suffix
/// (`Documentation/ABI/testing/sysfs-bus-iio`): `temp`, `voltage0`, `voltage0-voltage1`,
/// `concentration_co2`.
public struct IIOChannel: Equatable, Sendable {
  /// Maximum size of a name; the kernel's own are at most about as long as
  /// `humidityrelative_calibscale_available`.
  public static let byteCountMax = 40

  public let name: [UInt8]

  /// Nil if the name cannot be a channel.
  public init?(_ name: [UInt8]) {
    guard (1...Self.byteCountMax).contains(name.count), name[0].isASCIILowercase,
      name.allSatisfy({ $0.isPartOfChannel })
    else { return nil }
    self.name = name
  }

  /// Quantity that the channel measures.
  public var quantity: Quantity {
    // Only the index of a gas sensor is a concentration of nothing in particular (`sgp40`).
    if name.span.elementsEqual("concentration") { return .any }
    return Self.quantities.first { begins(with: $0.prefix) } ?? .any
  }

  /// Whether the name begins with these words: `power` fits `power2`, not `powerfactor`.
  private func begins(with words: StaticString) -> Bool {
    let end = words.utf8CodeUnitCount
    return name.span.starts(with: words) && (name.count == end || !name[end].isASCIILowercase)
  }

  /// Name of the file with the number in the units of the kernel's documentation.
  public var inputFile: [UInt8] { file(name, "_input") }
  /// Name of the file with the raw number of the part.
  public var rawFile: [UInt8] { file(name, "_raw") }

  /// Returns the possible files of the channel's `scale` or `offset`, best first: its own, that of
  /// a pair of such channels (`in_voltage-voltage_scale`), that of all channels of its kind.
  public func files(of attribute: StaticString) -> [[UInt8]] {
    var stems = [name]
    if name.contains(UInt8(ascii: "-")) { stems.append(name.filter { !$0.isASCIIDigit }) }
    let kind = [UInt8](name.prefix { $0.isASCIILowercase })
    if kind != name { stems.append(kind) }
    return stems.map { file($0 + [UInt8(ascii: "_")], attribute) }
  }

  private func file(_ stem: [UInt8], _ suffix: StaticString) -> [UInt8] {
    [UInt8]("in_") + stem + [UInt8](suffix)
  }

  /// Quantities by prefix. The units of the documentation are mV, mA, mW, J, m°C, kPa, thousandths
  /// of percent, lx, ohm, percent of a gas, µg/m³, S/m and m. A longer prefix stands before a
  /// shorter one that it begins with.
  private static let quantities = [
    Quantity("voltage", "voltage", "V", -3, "mdi:flash"),
    Quantity("current", "current", "A", -3, "mdi:current-dc", isThroughShunt: true),
    Quantity("power", "power", "W", -3, "mdi:lightning-bolt", isThroughShunt: true),
    Quantity("energy", "energy", "J", 0, "mdi:lightning-bolt", isThroughShunt: true),
    Quantity("temp", "temperature", "°C", -3, "mdi:thermometer"),
    Quantity("pressure", "atmospheric_pressure", "hPa", 1, "mdi:gauge"),
    Quantity("humidityrelative", "humidity", "%", -3, "mdi:water-percent"),
    Quantity("illuminance", "illuminance", "lx", 0, "mdi:brightness-5"),
    Quantity("resistance", nil, "Ω", 0, "mdi:omega"),
    Quantity("concentration_co2", "carbon_dioxide", "ppm", 4, "mdi:molecule-co2"),
    Quantity("concentration_voc", "volatile_organic_compounds_parts", "ppb", 7, "mdi:air-filter"),
    Quantity("concentration", nil, "%", 0, "mdi:air-filter"),
    Quantity("massconcentration_pm10", "pm10", "µg/m³", 0, "mdi:blur"),
    Quantity("massconcentration_pm1", "pm1", "µg/m³", 0, "mdi:blur"),
    Quantity("massconcentration_pm4", nil, "µg/m³", 0, "mdi:blur"),
    Quantity("massconcentration_pm2p5", "pm25", "µg/m³", 0, "mdi:blur"),
    Quantity("electricalconductivity", "conductivity", "µS/cm", 4, "mdi:water-opacity"),
    Quantity("distance", "distance", "m", 0, "mdi:arrow-expand-horizontal"),
    Quantity("ph", "ph", nil, 0, "mdi:ph"),
  ]
}

extension UInt8 {
  public var isASCIILowercase: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
  }

  fileprivate var isPartOfChannel: Bool {
    isASCIILowercase || isASCIIDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "-")
  }
}

/// A channel of a hardware monitor, named as its file without `_input`
/// (`Documentation/hwmon/sysfs-interface.rst`): `temp1`, `in0`, `curr1`.
public struct MonitorChannel: Equatable, Sendable {
  public let name: [UInt8]
  private let index: Int

  /// Nil if the name is not a word of the documentation and a number up to 99.
  public init?(_ name: [UInt8]) {
    self.name = name
    guard let index = Self.index(of: name) else { return nil }
    self.index = index
  }

  /// Quantity that the channel measures.
  public var quantity: Quantity { Self.quantities[index] }

  public var inputFile: [UInt8] { name + [UInt8]("_input") }
  /// Name of the file that holds 1 if the chip has found that the reading cannot be trusted.
  public var faultFile: [UInt8] { name + [UInt8]("_fault") }

  private static func index(of name: [UInt8]) -> Int? {
    quantities.firstIndex { quantity in
      let start = quantity.prefix.utf8CodeUnitCount
      return name.span.starts(with: quantity.prefix) && (1...2).contains(name.count - start)
        && name[start...].allSatisfy { $0.isASCIIDigit }
    }
  }

  /// Quantities by prefix. The units of the documentation are mV, mA, µW, µJ, m°C, thousandths of
  /// percent and turns per minute.
  private static let quantities = [
    Quantity("in", "voltage", "V", -3, "mdi:flash"),
    Quantity("curr", "current", "A", -3, "mdi:current-dc", isThroughShunt: true),
    Quantity("power", "power", "W", -6, "mdi:lightning-bolt", isThroughShunt: true),
    Quantity("energy", "energy", "J", -6, "mdi:lightning-bolt", isThroughShunt: true),
    Quantity("temp", "temperature", "°C", -3, "mdi:thermometer"),
    Quantity("humidity", "humidity", "%", -3, "mdi:water-percent"),
    Quantity("fan", nil, "rpm", 0, "mdi:fan"),
  ]
}
