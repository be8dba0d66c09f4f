import Bytes

/// A channel of a hardware monitor, by the name of its file without `_input`
/// (`Documentation/hwmon/sysfs-interface.rst`): `temp1`, `in0`, `curr1`.
public struct MonitorChannel: Equatable, Sendable {
  public let name: [UInt8]
  private let index: Int

  /// Nil where this cannot be a channel: a word that the documentation has, and a number up to 99.
  public init?(_ name: [UInt8]) {
    self.name = name
    guard let index = Self.index(of: name) else { return nil }
    self.index = index
  }

  /// What it measures on a chip that is called `chip`.
  public func quantity(on chip: Span<UInt8>) -> Quantity {
    // Of this one the driver's page says: microvolts at the resistors, and their sum.
    if index == 0, chip.elementsEqual("ina3221"), (4...7).contains(number) { return Self.shunt }
    return Self.quantities[index]
  }

  public var inputFile: [UInt8] { name + [UInt8]("_input") }

  private var number: Int64 { Self.number(of: name, behind: Self.quantities[index]) ?? 0 }

  private static func index(of name: [UInt8]) -> Int? {
    quantities.firstIndex { number(of: name, behind: $0) != nil }
  }

  private static func number(of name: [UInt8], behind quantity: Quantity) -> Int64? {
    let start = quantity.prefix.utf8CodeUnitCount
    guard name.span.starts(with: quantity.prefix), (1...2).contains(name.count - start),
      name[start...].allSatisfy({ $0.isASCIIDigit })
    else { return nil }
    return KernelText.integer(name.span.extracting(start...))
  }

  private static let shunt = Quantity("in", "voltage", "V", -6, "mdi:flash")

  /// The units of the documentation are mV, mA, µW, µJ, m°C, thousandths of percent and turns in a
  /// minute.
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
