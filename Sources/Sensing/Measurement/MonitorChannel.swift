import Bytes

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
