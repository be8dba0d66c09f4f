import Bytes

/// Which zone of `/sys/class/thermal` tells the temperature of the processor
/// (`Documentation/driver-api/thermal/sysfs-api.rst`): its `type` is a name that each driver
/// makes up.
public enum ThermalZone {
  /// Thousandths of a degree that a processor can have. Zones without a reading answer
  /// −274 °C (`THERMAL_TEMP_INVALID`) or a register full of ones.
  public static let plausibleMillidegrees: ClosedRange<Int64> = -100_000...250_000

  /// How surely a zone of this type is the processor's: 0 is best, `anyRank` says nothing.
  public static func rank(ofType type: Span<UInt8>) -> Int {
    let type = type.trimmed()
    if type.elementsEqual("cpu-thermal") || type.elementsEqual("cpu_thermal") { return 0 }
    if type.elementsEqual("x86_pkg_temp") { return 1 }
    if type.starts(with: "cpu") { return 2 }
    if type.starts(with: "soc") || type.elementsEqual("bcm2835_thermal") { return 3 }
    return anyRank
  }

  public static let anyRank = 4
}
