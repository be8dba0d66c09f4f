import Bytes

/// Which zone of `/sys/class/thermal` tells the temperature of the processor
/// (`Documentation/driver-api/thermal/sysfs-api.rst`): its `type` is a name that each driver
/// makes up. Where none does, a hardware monitor may.
public enum ThermalZone {
  /// How surely a zone of this type is the processor's: 0 is best, `anyRank` says nothing. Nil
  /// where the type names another part. Capital letters make no difference.
  public static func rank(ofType type: Span<UInt8>) -> Int? {
    let type = [UInt8](type.trimmed()).lowercasedASCII
    if surest.contains(type) { return 0 }
    if type.span.elementsEqual("x86_pkg_temp") { return 1 }
    if type.begins(with: processors) { return 2 }
    if type.begins(with: chips) { return 4 }
    return type.begins(with: others) ? nil : anyRank
  }

  /// That of a hardware monitor of a processor.
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
  /// `acpitz` is what the firmware of a PC says, a number that never changes on many. The
  /// others are radios, memory, the supply, and what else has a thermometer.
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
