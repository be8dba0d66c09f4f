import Bytes

/// The zone of `/sys/class/thermal` with the temperature of the processor
/// (`Documentation/driver-api/thermal/sysfs-api.rst`): each driver invents the name in `type`.
/// Without such a zone, a hardware monitor may have it.
public enum ThermalZone {
  /// Returns how certainly a zone of this type is the processor's: 0 is best, `anyRank` is unknown.
  /// Nil if the type names another part. Case does not matter.
  public static func rank(ofType type: Span<UInt8>) -> Int? {
    let type = [UInt8](type.trimmed()).lowercasedASCII
    if surest.contains(type) { return 0 }
    if type.span.elementsEqual("x86_pkg_temp") { return 1 }
    if type.begins(with: processors) { return 2 }
    if type.begins(with: chips) { return 4 }
    return type.begins(with: others) ? nil : anyRank
  }

  /// Rank of a processor's hardware monitor.
  public static let monitorRank = 3
  public static let anyRank = 5

  /// Whether a hardware monitor of this name is the processor's.
  public static func isMonitor(_ name: Span<UInt8>) -> Bool {
    monitors.contains([UInt8](name))
  }

  private static let monitors: WordList =
    "coretemp k10temp k8temp zenpower via_cputemp cpu_thermal"
  private static let surest: WordList = "cpu-thermal cpu_thermal cpu-therm"
  private static let processors: WordList = "cpu bigcore littlecore tcpu b0d4"
  private static let chips: WordList = "soc bcm2835 package core cluster imx main tj"
  /// `acpitz` comes from the firmware of a PC; on many it is a number that never changes. The
  /// others are radios, memory, the supply and other parts with a thermometer.
  private static let others: WordList =
    """
    acpitz iwl wifi wlan ath radio modem mdm gpu vpu npu isp cv video camera cam display ddr dram \
    dmc mem pm pll ao aux bat charg usb nvme pch board tboard tdiode ambient skin int3 sen1 sen2 \
    sen3 sen4 tsr fan thermal-fan ve- ve_ b0 xo- sdio phy
    """
}

extension [UInt8] {
  fileprivate func begins(with words: WordList) -> Bool {
    words.words.contains { starts(with: $0) }
  }
}
