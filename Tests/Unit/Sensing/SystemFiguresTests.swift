import Bytes
import Sensing
import Testing

@Suite struct SystemFiguresTests {
  private func loads(_ text: String) -> LoadAverages? {
    LoadAverages(parsing: [UInt8](text.utf8).span)
  }
  private func memory(_ text: String) -> MemoryFigures? {
    MemoryFigures(parsing: [UInt8](text.utf8).span)
  }

  @Test(arguments: [
    "", "\n", "0.20", "0.20 1.18", "0.20 1.18 ", "0.20 1.18 10.0", "0.20 x 10.02",
    "-0.20 1.18 1.00",
    "0,20 1,18 10,02",
  ])
  func aCutOrForeignLoadTextIsRefused(text: String) {
    #expect(loads(text) == nil)
  }

  @Test func usedMemoryIsWhatIsNotAvailable() throws {
    let text = "MemTotal:        4015976 kB\nMemFree:   100 kB\nMemAvailable:    1003994 kB\n"
    let figures = try #require(memory(text))
    #expect(figures.totalKibibytes == 4_015_976)
    #expect(figures.availableKibibytes == 1_003_994)
    #expect(figures.usedPercent == FixedPoint(Int64(750), decimals: 1))
  }

  @Test(arguments: [
    "", "MemTotal: 5 kB\n", "MemAvailable: 5 kB\n", "MemTotal: 5 kB\nMemAvailable: 1 kB",
    "MemTotal: 0 kB\nMemAvailable: 0 kB\n", "MemTotal: 5 kB\nMemAvailable: 6 kB\n",
    "MemTotal: 5\nMemAvailable: 1\n", "MemTotal: 5 MB\nMemAvailable: 1 MB\n",
    "MemTotal: -5 kB\nMemAvailable: 1 kB\n", "MemTotal: x kB\nMemAvailable: 1 kB\n",
    "MemTotal: 99999999999999999999 kB\nMemAvailable: 1 kB\n",
  ])
  func meminfoThatMakesNoSenseIsRefused(text: String) {
    #expect(memory(text) == nil)
  }

  @Test(
    arguments: [
      (0, 1, 0), (1, 1, 1000), (1, 3, 333), (2, 3, 667), (1, 2000, 1), (1, 2001, 0),
      (UInt64.max / 2, UInt64.max, 500), (UInt64.max, UInt64.max, 1000), (0, 0, nil), (2, 1, nil),
    ] as [(UInt64, UInt64, Int64?)])
  func aShareIsRoundedToOneDecimalAndOfNothingThereIsNone(
    part: UInt64, whole: UInt64, tenths: Int64?
  ) {
    #expect(percentage(of: part, in: whole) == tenths.map { FixedPoint($0, decimals: 1) })
  }

  private func rank(_ type: String) -> Int? {
    ThermalZone.rank(ofType: [UInt8](type.utf8).span)
  }

  @Test func theProcessorsZoneIsKnownByItsType() throws {
    #expect(rank("cpu-thermal\n") == rank("cpu_thermal\n"))
    let types = ["cpu-thermal", "x86_pkg_temp", "cpu0-thermal", "soc-thermal", "alpha"]
    let ranks = try types.map { try #require(rank($0)) }
    #expect(ranks == ranks.sorted())
    #expect(Set(ranks).count == types.count)
    #expect(rank("") == ThermalZone.anyRank)
  }

  @Test(arguments: [
    "CPU-therm", "Cpu-Thermal", "TCPU", "B0D4", "bigcore0-thermal", "littlecore-thermal", "cpu",
    "mpu-thermal",
  ])
  func lettersOfEitherCaseNameTheProcessor(type: String) throws {
    #expect(try #require(rank(type)) < ThermalZone.monitorRank)
  }

  @Test(arguments: [
    "acpitz", "iwlwifi_1", "pch_cannonlake", "AO-therm", "GPU-therm", "PLL-therm", "PMIC-Die",
    "thermal-fan-est", "gpu-thermal", "npu-thermal", "ddr-thermal", "ve-thermal", "vpu-thermal",
    "INT3400 Thermal", "SEN1", "TSR0", "Tboard_tegra", "Tdiode_tegra", "AUX-therm", "modem-thermal",
    "battery", "usb-charger", "ufs_therm", "pa_therm1", "flash_therm", "quiet_therm", "xo_therm",
    "wkup-thermal", "c7x-thermal", "r5f-thermal",
  ])
  func aZoneThatNamesAnotherPartIsNone(type: String) { #expect(rank(type) == nil) }

  @Test(arguments: [
    ("coretemp", true), ("k10temp", true), ("cpu_thermal", true), ("nvme", false), ("", false),
    ("acpitz", false), ("coretemp2", false), ("sfctemp", true),
  ])
  func aMonitorOfAProcessorIsKnownByItsName(name: String, isOne: Bool) {
    #expect(ThermalZone.isMonitor([UInt8](name.utf8).span) == isOne)
  }
}
